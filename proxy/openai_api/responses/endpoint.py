"""The endpoint `/v1/responses`: its requests, and its stream while it runs."""

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from guards.core.exchange import Source
from proxy.errors import BadRequest
from proxy.openai_api.coverage import RESPONSES as COVERAGE
from proxy.openai_api.endpoint import Endpoint
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.live_stream import LiveStream, Piece, Restoring
from proxy.openai_api.model_request import (
    NOTHING_TOLD,
    GuardField,
    ModelRequest,
    read_body,
    validated,
    wants_json,
)
from proxy.openai_api.reply import ChoiceOutcome, Ending, Reply, tokens_before
from proxy.openai_api.responses.conversation import (
    is_reference,
    messages_of,
    not_text_in,
    noted,
    prompted,
)
from proxy.openai_api.responses.outgoing import StreamWriter
from proxy.openai_api.responses.output import counted
from proxy.openai_api.responses.reading import StreamReader, without_tokens
from proxy.openai_api.responses.reply import ResponsesReply, read_reply, stream_reply, write
from proxy.openai_api.sse import Event, event_object
from proxy.server.asgi_reply import HttpReply


class LiveResponse(LiveStream):
    """The stream of one response, made of one or two attempts.

    Args:
        request: What was asked.
    """

    def __init__(self, request: ModelRequest) -> None:
        self._pseudonyms: Restoring | None = None
        self._reader = StreamReader(None)
        self._writer = StreamWriter(request)
        self._raw: list[bytes] = []
        self._attempts = 0

    def restore_with(self, pseudonyms: Restoring) -> None:
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
        self._reader = StreamReader(self._pseudonyms)
        self._writer.begin_again()
        self._raw = []
        self._attempts += 1

    def split(self, piece: Piece, at: int) -> tuple[Piece, Piece]:
        """Return a piece as two, cut in its text."""
        tokens = objects(piece.chunk.get("logprobs"))
        before = tokens_before([str(token.get("token")) for token in tokens], piece.text, at)
        return (
            _part(piece, piece.text[:at], tokens[:before]),
            _part(piece, piece.text[at:], tokens[before:]),
        )

    def write(self, piece: Piece) -> bytes:
        """Return the bytes of a piece that leaves; none while it waits for what it belongs to."""
        return self._writer.write(piece)

    def write_text(self, choice: int, text: str, instead_of: Sequence[Piece]) -> bytes:
        """Return the bytes of a text that the model server did not write so."""
        return self._writer.write_text(text, instead_of)

    def write_template(self, choice: int, text: str) -> bytes:
        """Return the bytes of a template: a message of ours, which refuses where JSON was asked."""
        return self._writer.write_template(text)

    def write_error(self, error: JsonObject) -> bytes:
        """Return the event of a failure: in this endpoint's words, and as the clients raise it."""
        said = error.get("error")
        told = {name: member(said, name) for name in ("code", "message", "param")}
        return self._writer.write_error({"type": "error", **told, "error": said})

    def write_finish(self, choice: int, finish_reason: str) -> bytes:
        """Return the bytes that end what is open; the last event will say why."""
        return self._writer.write_finish(finish_reason)

    def write_end(self, usage: JsonObject, ending: Ending) -> bytes:
        """Return the last event; this endpoint's streams end with it."""
        return self._writer.write_end(counted(usage, self._attempts), ending)


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


class _Body(BaseModel):
    """The members whose types the proxy relies on."""

    model_config = ConfigDict(extra="allow", strict=True)

    model: str | None = None
    input: JsonValue = None
    instructions: str | None = None
    stream: bool | None = None
    background: bool | None = None
    tools: list[JsonObject] | None = None
    text: JsonObject | None = None
    stream_options: JsonObject | None = None
    guard: GuardField | None = None


def read_request(raw: bytes) -> ModelRequest:
    """Read a request body.

    Raises:
        BadRequest: malformed JSON, a member of the wrong type, or one that cannot be served; it
            names the member.
    """
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
        return read_request(raw)

    def prompted(self, body: JsonObject, sources: Sequence[Source]) -> JsonObject | None:
        """Return the body with our citation prompt in its instructions."""
        return prompted(body, sources)

    def noted(self, body: JsonObject, note: str, choices: int) -> JsonObject:
        """Return the body with the note at the end of the last user turn."""
        return noted(body, note)

    def read_reply(self, raw: bytes, content_type: str, pseudonyms: Restoring) -> ResponsesReply:
        """Read a whole reply by what it says it is."""
        return read_reply(raw, content_type, pseudonyms)

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
        return write(request, replies, outcomes, ending)
