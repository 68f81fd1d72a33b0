"""The endpoint `/v1/responses`."""

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from guards.core.exchange import Source
from proxy.errors import BadRequest
from proxy.openai_api.coverage import RESPONSES as COVERAGE
from proxy.openai_api.endpoint import Endpoint
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.live_stream import LiveStream, Restoring
from proxy.openai_api.model_request import (
    NOTHING_TOLD,
    GuardField,
    ModelRequest,
    read_body,
    validated,
    wants_json,
)
from proxy.openai_api.reply import ChoiceOutcome, Ending, Written
from proxy.openai_api.responses.conversation import (
    is_reference,
    messages_of,
    not_text_in,
    noted,
    prompted,
)
from proxy.openai_api.responses.live import LiveResponse
from proxy.openai_api.responses.reply import ResponsesReply, read_reply
from proxy.openai_api.responses.writing import write

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
    told = COVERAGE.request.told(body)
    known = validated(body, _Body)
    if known.model is None and ("model" in body or not body.get("prompt")):
        raise BadRequest("Invalid value for 'model': a string is needed.", "model")
    kept_there = dict(_kept_there(body))
    _check_input(known.input, may_be_missing=bool(kept_there))
    said = {key: value for key, value in body.items() if key not in ("input", "instructions")}
    not_checked = [
        *told.unchecked,
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
        unknown=told.unknown,
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
    ) -> Written:
        """Write a reply of which all is known."""
        return write(request, replies, outcomes, ending)
