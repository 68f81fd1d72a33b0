"""A model server's whole reply, plain or streamed: read as the answer to judge, and written.

Where nothing changed, the model server's own bytes leave.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import JsonValue

from guards.core.keeping import lazy
from proxy.errors import UpstreamBroken
from proxy.openai_api.answer import Answer
from proxy.openai_api.coverage import RESPONSES as COVERAGE
from proxy.openai_api.coverage import FieldRemarks
from proxy.openai_api.json_body import (
    JSON_TYPE,
    OF_REPLY,
    JsonObject,
    objects,
    read_object,
    with_texts,
)
from proxy.openai_api.live_stream import Piece, Restoring
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import (
    ChoiceOutcome,
    Edited,
    Ending,
    Kept,
    Replaced,
    Written,
    leaves_as_stream,
    total_usage,
    untouched,
)
from proxy.openai_api.responses.conversation import as_asked
from proxy.openai_api.responses.outgoing import StreamWriter
from proxy.openai_api.responses.output import (
    TEXT_PART,
    Place,
    calls_tools,
    check_ended,
    counted,
    ended_so,
    event_bytes,
    finish_reason_of,
    own_message,
    own_response,
    response_events,
    spread,
    texts_of,
    unseen_in,
    with_texts_in_order,
    without_echoes,
)
from proxy.openai_api.responses.reading import StreamReader, place_of
from proxy.openai_api.sse import STREAM_TYPE, event_object, json_bytes, read_events


@dataclass(frozen=True)
class PlainReply:
    """A reply in one JSON object.

    Attributes:
        raw: The body as it came.
        response: The body as JSON.
        texts: Its texts by place.
        answers: Its one answer.
    """

    raw: bytes
    response: JsonObject
    texts: dict[Place, str]
    answers: tuple[Answer, ...]

    @property
    def is_stream(self) -> bool:
        """True if it came as a stream."""
        return False

    @property
    def usage(self) -> JsonValue | None:
        """Tokens used, in the model server's own words."""
        return self.response.get("usage")

    @property
    def unseen(self) -> tuple[str, ...]:
        """Names of fields with text that is not checked."""
        items = unseen_in(objects(self.response.get("output")))
        return tuple(dict.fromkeys([*items, *self._remarks.unchecked, *_thinking(self.answers)]))

    @property
    def unknown(self) -> tuple[str, ...]:
        """Its fields that no row of the coverage tells of."""
        return self._remarks.unknown

    @lazy
    def _remarks(self) -> FieldRemarks:
        return COVERAGE.reply.remarks_on([self.response])


@dataclass(frozen=True)
class StreamReply:
    """A reply that came as a stream.

    Attributes:
        raw: The whole stream as it came.
        pieces: What it said, piece by piece.
        response: The response that its last event holds; empty before that.
        texts: Its texts by place.
        answers: Its one answer.
        is_faithful: A client that is given the stream as it came reads these texts in it.
        named: What carries words and is not looked at, beside reasoning in the answer.
    """

    raw: bytes
    pieces: tuple[Piece, ...]
    response: JsonObject
    texts: dict[Place, str]
    answers: tuple[Answer, ...]
    is_faithful: bool
    named: tuple[str, ...]

    @property
    def is_stream(self) -> bool:
        """True if it came as a stream."""
        return True

    @property
    def usage(self) -> JsonValue | None:
        """Tokens used, in the model server's own words."""
        return self.response.get("usage")

    @property
    def unseen(self) -> tuple[str, ...]:
        """Names of fields with text that is not checked."""
        names = [*self.named, *self._remarks.unchecked, *_thinking(self.answers)]
        return tuple(dict.fromkeys(names))

    @property
    def unknown(self) -> tuple[str, ...]:
        """Its fields that no row of the coverage tells of."""
        return self._remarks.unknown

    @lazy
    def _remarks(self) -> FieldRemarks:
        return COVERAGE.chunk.remarks_on(piece.chunk for piece in self.pieces)


ResponsesReply: TypeAlias = PlainReply | StreamReply


def read_reply(raw: bytes, content_type: str, pseudonyms: Restoring) -> ResponsesReply:
    """Read a reply by what it says it is, whatever was asked for.

    Raises:
        UpstreamBroken: it cannot be read, it failed, or the stream broke off.
    """
    if content_type.partition(";")[0].strip().lower() == STREAM_TYPE:
        return _read_stream(raw, pseudonyms)
    return _read_plain(raw, pseudonyms)


def stream_reply(reader: StreamReader, raw: bytes) -> StreamReply:
    """Return what was read of a stream as a reply.

    Args:
        reader: What read it.
        raw: The bytes that it read.
    """
    return StreamReply(
        raw=raw,
        pieces=tuple(reader.pieces),
        response=reader.final or {},
        texts=reader.texts,
        answers=(reader.answer,),
        is_faithful=reader.is_faithful,
        named=reader.unseen,
    )


def _read_plain(raw: bytes, pseudonyms: Restoring) -> PlainReply:
    try:
        response = read_object(raw, OF_REPLY)
    except ValueError as error:
        raise UpstreamBroken(str(error)) from None
    if not isinstance(response.get("output"), list):
        raise UpstreamBroken("it has no output")
    check_ended(response)
    if pseudonyms:
        restored = with_texts(response, pseudonyms.restore)
        if isinstance(restored, dict) and restored != response:
            raw, response = json_bytes(restored), restored
    texts = texts_of(response)
    content = "".join(texts.values())
    if response.get(TEXT_PART) not in (None, content):
        raise UpstreamBroken("it says two different texts")
    answer = Answer(0, content, calls_tools(response), finish_reason_of(response))
    return PlainReply(raw, response, texts, (answer,))


def _read_stream(raw: bytes, pseudonyms: Restoring) -> StreamReply:
    events, raw = read_events(raw)
    reader = StreamReader(pseudonyms)
    for event in events:
        if event.says_something:
            reader.read(event_object(event), event.raw)
    reader.check_ended()
    return stream_reply(reader, raw)


def _thinking(answers: tuple[Answer, ...]) -> tuple[str, ...]:
    return ("think",) if any(answer.thinks for answer in answers) else ()


def write(
    request: ModelRequest,
    replies: Sequence[ResponsesReply],
    outcomes: Sequence[ChoiceOutcome],
    ending: Ending,
) -> Written:
    """Write the reply.

    Args:
        request: What was asked.
        replies: All replies of the model server, in order; their usage is added up.
        outcomes: The one outcome there is.
        ending: What goes with it.
    """
    [outcome] = outcomes
    as_stream = leaves_as_stream(request, replies, ending)
    kind = STREAM_TYPE if as_stream else JSON_TYPE
    same = untouched(replies, outcomes)
    if same and not ending.guard and _is_as_it_came(request, same, as_stream=as_stream):
        return Written(same.raw, kind)
    if as_stream and not isinstance(outcome, Replaced) and isinstance(outcome.reply, StreamReply):
        return Written(_stream(request, replies, outcome, ending), kind)
    response = _response(request, replies, outcome, ending)
    if as_stream:
        return Written(b"".join(map(event_bytes, response_events(response))), kind)
    return Written(json_bytes(response), kind)


def _is_as_it_came(request: ModelRequest, reply: ResponsesReply, *, as_stream: bool) -> bool:
    """Tell whether the model server's own bytes can leave: nothing in them is unread, or ours."""
    if as_asked(reply.response, request.body) != reply.response:
        return False
    return as_stream and reply.is_faithful if isinstance(reply, StreamReply) else not as_stream


def _stream(
    request: ModelRequest,
    replies: Sequence[ResponsesReply],
    outcome: Kept | Edited,
    ending: Ending,
) -> bytes:
    """Write a stream of the model server once more, with the texts that leave."""
    reply = outcome.reply
    pieces = reply.pieces if isinstance(reply, StreamReply) else ()
    before, after = _before(outcome), _texts(outcome)
    waiting = dict(after)
    writer = StreamWriter(request)
    written: list[bytes] = []
    for piece in pieces:
        place = place_of(piece.chunk) if piece.text else None
        if place is None or before[place] == after[place]:
            written.append(writer.write(piece))
        else:
            written.append(writer.write_text(waiting.pop(place, ""), [piece]))
    if isinstance(outcome, Edited) and outcome.finish_reason:
        writer.end_as(outcome.finish_reason)
    usage = counted(total_usage(replies), len(replies))
    return b"".join([*written, writer.write_end(usage, ending)])


def _response(
    request: ModelRequest,
    replies: Sequence[ResponsesReply],
    outcome: ChoiceOutcome,
    ending: Ending,
) -> JsonObject:
    if isinstance(outcome, Replaced):
        response = _replaced(request, replies, outcome, ending)
    else:
        reply = outcome.reply
        own = reply.response if isinstance(reply, PlainReply | StreamReply) else {}
        response = with_texts_in_order(own, list(_texts(outcome).values()))
        if isinstance(outcome, Edited) and outcome.finish_reason:
            response = ended_so(response, outcome.finish_reason)
    response = as_asked(response, request.body)
    usage = counted(total_usage(replies), len(replies))
    if usage is not None:
        response = response | {"usage": usage}
    return response | ending.guard


def _replaced(
    request: ModelRequest,
    replies: Sequence[ResponsesReply],
    outcome: Replaced,
    ending: Ending,
) -> JsonObject:
    """Return a response with the template as its only item: in the last reply's frame, or ours."""
    frame = replies[-1].response if replies else {}
    message = own_message(f"msg_guard_{ending.id}", outcome.template, refuses=request.structured)
    return ended_so(
        without_echoes(frame or own_response(request, ending)) | {"output": [message]},
        ending.finish_reason,
    )


def _before(outcome: Kept | Edited) -> dict[Place, str]:
    """Return the texts of the model server, by place."""
    reply = outcome.reply
    return reply.texts if isinstance(reply, PlainReply | StreamReply) else {}


def _texts(outcome: Kept | Edited) -> dict[Place, str]:
    """Return the texts that leave, by place."""
    before = _before(outcome)
    if isinstance(outcome, Kept) or not before:
        return before
    return dict(zip(before, spread(list(before.values()), outcome.content), strict=True))
