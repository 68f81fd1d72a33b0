"""A model server's whole reply, plain or streamed: read as the answer to judge, and written.

Where nothing changed, the model server's own bytes leave.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.coverage import RESPONSES as COVERAGE
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
    Answer,
    ChoiceOutcome,
    Edited,
    Ending,
    Kept,
    ModelReply,
    Replaced,
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
from proxy.server.asgi_reply import HttpReply


@dataclass(frozen=True, kw_only=True)
class ResponsesReply(ModelReply):
    """A reply with one answer, in the texts of its items.

    Attributes:
        response: The response; of a stream, the one that its last event holds, empty before that.
        texts: Its texts by place.
        pieces: What a stream said, piece by piece.
        is_faithful: A client that is given the stream as it came reads these texts in it.
    """

    response: JsonObject
    texts: dict[Place, str]
    pieces: tuple[Piece, ...] = ()
    is_faithful: bool = True

    @property
    def usage(self) -> JsonValue | None:
        """Tokens used, in the model server's own words."""
        return self.response.get("usage")

    @property
    def unseen(self) -> tuple[str, ...]:
        """Names of fields with text that is not checked."""
        return tuple(dict.fromkeys((*self.named, *super().unseen)))


def read_reply(raw: bytes, content_type: str, pseudonyms: Restoring) -> ResponsesReply:
    """Read a reply by what it says it is, whatever was asked for.

    Raises:
        UpstreamBroken: it cannot be read, it failed, or the stream broke off.
    """
    if content_type.partition(";")[0].strip().lower() == STREAM_TYPE:
        return _read_stream(raw, pseudonyms)
    return _read_plain(raw, pseudonyms)


def stream_reply(reader: StreamReader, raw: bytes) -> ResponsesReply:
    """Return what was read of a stream as a reply.

    Args:
        reader: What read it.
        raw: The bytes that it read.
    """
    return ResponsesReply(
        raw=raw,
        answers=(reader.answer,),
        bodies=tuple(piece.chunk for piece in reader.pieces),
        fields=COVERAGE.chunk,
        is_stream=True,
        named=reader.unseen,
        response=reader.final or {},
        texts=reader.texts,
        pieces=tuple(reader.pieces),
        is_faithful=reader.is_faithful,
    )


def _read_plain(raw: bytes, pseudonyms: Restoring) -> ResponsesReply:
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
    return ResponsesReply(
        raw=raw,
        answers=(answer,),
        bodies=(response,),
        fields=COVERAGE.reply,
        named=tuple(unseen_in(objects(response.get("output")))),
        response=response,
        texts=texts,
    )


def _read_stream(raw: bytes, pseudonyms: Restoring) -> ResponsesReply:
    events, raw = read_events(raw)
    reader = StreamReader(pseudonyms)
    for event in events:
        if event.says_something:
            reader.read(event_object(event), event.raw)
    reader.check_ended()
    return stream_reply(reader, raw)


def write(
    request: ModelRequest,
    replies: Sequence[ResponsesReply],
    outcomes: Sequence[ChoiceOutcome],
    ending: Ending,
) -> HttpReply:
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
        return HttpReply(200, {}, kind, same.raw)
    if as_stream and not isinstance(outcome, Replaced) and outcome.reply.is_stream:
        return HttpReply(200, {}, kind, _stream(request, replies, outcome, ending))
    response = _response(request, replies, outcome, ending)
    if as_stream:
        return HttpReply(200, {}, kind, b"".join(map(event_bytes, response_events(response))))
    return HttpReply(200, {}, kind, json_bytes(response))


def _is_as_it_came(request: ModelRequest, reply: ResponsesReply, *, as_stream: bool) -> bool:
    """Tell whether the model server's own bytes can leave: nothing in them is unread, or ours."""
    if as_asked(reply.response, request.body) != reply.response:
        return False
    return as_stream == reply.is_stream and reply.is_faithful


def _stream(
    request: ModelRequest,
    replies: Sequence[ResponsesReply],
    outcome: Kept | Edited,
    ending: Ending,
) -> bytes:
    """Write a stream of the model server once more, with the texts that leave."""
    reply = outcome.reply
    pieces = reply.pieces if isinstance(reply, ResponsesReply) else ()
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
        own = reply.response if isinstance(reply, ResponsesReply) else {}
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
    return reply.texts if isinstance(reply, ResponsesReply) else {}


def _texts(outcome: Kept | Edited) -> dict[Place, str]:
    """Return the texts that leave, by place."""
    before = _before(outcome)
    if isinstance(outcome, Kept) or not before:
        return before
    return dict(zip(before, spread(list(before.values()), outcome.content), strict=True))
