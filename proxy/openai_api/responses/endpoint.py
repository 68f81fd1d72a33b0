"""The endpoint `/v1/responses`: its requests, its whole replies, and its stream while it runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from guards.core.exchange import Source
from proxy.errors import BadRequest, UpstreamBroken
from proxy.openai_api.coverage import RESPONSES as COVERAGE
from proxy.openai_api.endpoint import Endpoint, LiveStream, Piece
from proxy.openai_api.json_body import (
    JSON_TYPE,
    OF_REPLY,
    JsonObject,
    member,
    objects,
    read_object,
    with_texts,
)
from proxy.openai_api.model_request import (
    NOTHING_TOLD,
    Body,
    ModelRequest,
    Name,
    read_body,
    validated,
    wants_json,
)
from proxy.openai_api.pseudonyms import Pseudonyms
from proxy.openai_api.reply import (
    Answer,
    ChoiceOutcome,
    Ending,
    Kept,
    Replaced,
    Reply,
    leaves_as_stream,
    tokens_before,
    total_usage,
    untouched,
)
from proxy.openai_api.responses.conversation import (
    as_asked,
    is_reference,
    messages_of,
    not_text_in,
    noted,
    prompted,
)
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
from proxy.openai_api.responses.reading import StreamReader, place_of, without_tokens
from proxy.openai_api.sse import STREAM_TYPE, Event, event_object, json_bytes, read_events
from proxy.server.asgi_reply import HttpReply


@dataclass(frozen=True, kw_only=True)
class ResponsesReply(Reply):
    """A reply with one answer, in the texts of its items.

    Attributes:
        response: The response; of a stream, the one that its last event holds, empty before that.
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


def stream_reply(reader: StreamReader, raw: bytes) -> ResponsesReply:
    """Return what was read of a stream as a reply."""
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


def _read_plain(raw: bytes, pseudonyms: Pseudonyms) -> ResponsesReply:
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


def _read_stream(raw: bytes, pseudonyms: Pseudonyms) -> ResponsesReply:
    events, raw = read_events(raw)
    reader = StreamReader(pseudonyms)
    for event in events:
        if event.says_something:
            reader.read(event_object(event), event.raw)
    reader.check_ended()
    return stream_reply(reader, raw)


def _is_as_it_came(request: ModelRequest, reply: ResponsesReply, *, as_stream: bool) -> bool:
    """Tell whether the model server's own bytes can leave: nothing in them is unread, or ours."""
    if as_asked(reply.response, request.body) != reply.response:
        return False
    return as_stream == reply.is_stream and reply.is_faithful


def _stream(
    request: ModelRequest,
    replies: Sequence[ResponsesReply],
    outcome: Kept,
    ending: Ending,
) -> bytes:
    """Write a stream of the model server once more, with the texts that leave."""
    reply = outcome.reply
    pieces = reply.pieces if isinstance(reply, ResponsesReply) else ()
    before, after = _before(outcome), _texts(outcome)
    waiting = dict(after)
    writer = LiveResponse(request, len(replies))
    written: list[bytes] = []
    for piece in pieces:
        place = place_of(piece.chunk) if piece.text else None
        if place is None or before[place] == after[place]:
            written.append(writer.write(piece))
        else:
            written.append(writer.write_text(outcome.index, waiting.pop(place, ""), [piece]))
    if outcome.finish_reason:
        writer.end_as(outcome.finish_reason)
    return b"".join([*written, writer.write_end(total_usage(replies), ending)])


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
        if outcome.finish_reason:
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
    message = own_message(f"msg_guard_{ending.id}", outcome.text, refuses=request.structured)
    return ended_so(
        without_echoes(frame or own_response(request, ending)) | {"output": [message]},
        ending.finish_reason,
    )


def _before(outcome: Kept) -> dict[Place, str]:
    """Return the texts of the model server, by place."""
    reply = outcome.reply
    return reply.texts if isinstance(reply, ResponsesReply) else {}


def _texts(outcome: Kept) -> dict[Place, str]:
    """Return the texts that leave, by place."""
    before = _before(outcome)
    if outcome.edited is None or not before:
        return before
    return dict(zip(before, spread(list(before.values()), outcome.edited), strict=True))


class LiveResponse(StreamWriter):
    """The stream of one response, made of one or two attempts."""

    def __init__(self, request: ModelRequest, attempts: int = 0) -> None:
        super().__init__(request, attempts)
        self._pseudonyms: Pseudonyms | None = None
        self._reader = StreamReader(None)
        self._raw: list[bytes] = []

    def restore_with(self, pseudonyms: Pseudonyms) -> None:
        """Put the user's own identifiers back from now on."""
        self._pseudonyms = pseudonyms
        self._reader = StreamReader(pseudonyms)

    def read(self, event: Event) -> Sequence[Piece]:
        """Return the pieces of one event."""
        self._attempts = self._attempts or 1
        self._raw.append(event.raw)
        return self._reader.read(event_object(event), event.raw)

    def read_end(self, *, said_done: bool) -> Sequence[Piece]:
        """Make sure that the stream is complete; its last event left nothing kept back.

        `[DONE]` says nothing here: without its last event the end of the response is unknown.
        """
        self._reader.check_ended()
        return ()

    def reply(self) -> Reply:
        """Return what was read since the last attempt began."""
        return stream_reply(self._reader, b"".join(self._raw))

    def begin_again(self, choices: Sequence[int]) -> None:
        """Go on with a second attempt at the one choice there is."""
        super().begin_again(choices)
        self._reader = StreamReader(self._pseudonyms)
        self._raw = []

    def split(self, piece: Piece, at: int) -> tuple[Piece, Piece]:
        """Return a piece as two, cut in its text."""
        tokens = objects(piece.chunk.get("logprobs"))
        before = tokens_before([str(token.get("token")) for token in tokens], piece.text, at)
        return (
            _part(piece, piece.text[:at], tokens[:before]),
            _part(piece, piece.text[at:], tokens[before:]),
        )


def _part(piece: Piece, text: str, tokens: Sequence[JsonObject]) -> Piece:
    event = without_tokens(piece.chunk) | {"delta": text}
    if "logprobs" in event:
        event["logprobs"] = [*tokens]
    return Piece(piece.choice, text, event)


KEPT_THERE = ("previous_response_id", "conversation", "prompt")
"""Members that point at what only the model server keeps."""
_REFERENCE = "item_reference"


# A request can point at what only the model server keeps: an earlier response, a conversation, a
# prompt, an item. What stands there may be evidence or a question that nobody here can see: the
# tenant's policy says whether such a request passes; what it points at is named as not checked. An
# answer that would be fetched later is always refused: it would leave unguarded.


class _Item(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    type: str | None = None
    role: str | None = None
    content: str | list[JsonObject] | None = None


class _Items(BaseModel):
    input: list[_Item] = Field(min_length=1)


class _Body(Body):
    model: Name | None = None
    input: JsonValue = None
    instructions: str | None = None
    background: bool | None = None
    tools: list[JsonObject] | None = None
    text: JsonObject | None = None


def _check_input(given: JsonValue, *, may_be_missing: bool) -> None:
    """Make sure that the question can be read.

    Raises:
        BadRequest: it is missing or malformed.
    """
    if isinstance(given, str) or (given in (None, []) and may_be_missing):
        return
    if not isinstance(given, list):
        raise BadRequest("Invalid value for 'input': a string or an array is needed.", "input")
    validated({"input": given}, _Items)


def _kept_there(body: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield what points at the model server's memory: its place, and its name as not checked."""
    for name in KEPT_THERE:
        if body.get(name):
            yield name, name
    given = body.get("input")
    for at, item in enumerate(given if isinstance(given, list) else []):
        if isinstance(item, dict) and is_reference(item):
            yield f"input[{at}]", _REFERENCE


class ResponsesEndpoint(Endpoint[ResponsesReply]):
    """Responses."""

    name = "responses"
    path = "responses"
    coverage = COVERAGE
    takes_constraints = False

    def read_request(self, raw: bytes) -> ModelRequest:
        """Read a request body."""
        body = read_body(raw)
        remarks = COVERAGE.request.remarks(body)
        known = validated(body, _Body)
        if known.model is None and ("model" in body or not body.get("prompt")):
            raise BadRequest("Invalid value for 'model': a string is needed.", "model")
        kept_there = dict(_kept_there(body))
        _check_input(known.input, may_be_missing=bool(kept_there))
        said = {key: value for key, value in body.items() if key not in ("input", "instructions")}
        not_checked = [
            *remarks.unchecked,
            *not_text_in(objects(known.input)),
            *kept_there.values(),
        ]
        return ModelRequest(
            raw=raw,
            parsed=body,
            conversation=said | {"messages": messages_of(body)},
            model=known.model or "",
            stream=bool(known.stream),
            offers_tools=bool(known.tools or body.get("prompt")),
            structured=wants_json(body, member(known.text, "format")),
            include_usage=True,
            guard=known.guard or NOTHING_TOLD,
            not_checked=tuple(dict.fromkeys(not_checked)),
            server_state=tuple(kept_there),
            unknown=remarks.unknown,
        )

    def prompted(self, body: JsonObject, sources: Sequence[Source]) -> JsonObject | None:
        """Return the body with our citation prompt in its instructions."""
        return prompted(body, sources)

    def noted(self, body: JsonObject, note: str, choices: int) -> JsonObject:
        """Return the body with the note at the end of the last user turn."""
        return noted(body, note)

    def read_reply(self, raw: bytes, content_type: str, pseudonyms: Pseudonyms) -> ResponsesReply:
        """Read a whole reply by what it says it is."""
        if content_type.partition(";")[0].strip().lower() == STREAM_TYPE:
            return _read_stream(raw, pseudonyms)
        return _read_plain(raw, pseudonyms)

    def live(self, request: ModelRequest) -> LiveStream:
        """Return what reads and writes the stream of one request."""
        return LiveResponse(request)

    def write(
        self,
        request: ModelRequest,
        replies: Sequence[ResponsesReply],
        outcomes: Sequence[ChoiceOutcome],
        ending: Ending,
    ) -> HttpReply:
        """Write a reply of which all is known."""
        [outcome] = outcomes
        as_stream = leaves_as_stream(request, replies, ending)
        kind = STREAM_TYPE if as_stream else JSON_TYPE
        same = untouched(replies, outcomes)
        if same and not ending.guard and _is_as_it_came(request, same, as_stream=as_stream):
            return HttpReply(200, {}, kind, same.raw)
        if as_stream and isinstance(outcome, Kept) and outcome.reply.is_stream:
            return HttpReply(200, {}, kind, _stream(request, replies, outcome, ending))
        response = _response(request, replies, outcome, ending)
        if as_stream:
            return HttpReply(200, {}, kind, b"".join(map(event_bytes, response_events(response))))
        return HttpReply(200, {}, kind, json_bytes(response))
