"""A request for a response: what the proxy needs of it. All else travels untouched.

A request can point at what only the model server keeps: an earlier response, a conversation, a
prompt, an item. What stands there may be evidence or a question that nobody here can see: the
tenant's policy says whether such a request passes; what it points at is named as not checked. An
answer that would be fetched later is always refused: it would leave unguarded.
"""

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from proxy.errors import BadRequest, NotJson
from proxy.openai_api.extensions import JSON_FIELDS
from proxy.openai_api.guard_field import NOTHING_TOLD, GuardField
from proxy.openai_api.json_body import JsonObject, member, member_path, objects, read_object
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.responses.conversation import is_reference, messages_of, not_text_in
from proxy.openai_api.responses.coverage import COVERAGE

KEPT_THERE = ("previous_response_id", "conversation", "prompt")
"""Members that point at what only the model server keeps."""
_REFERENCE = "item_reference"


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

    model: str
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
    try:
        body = read_object(raw)
    except ValueError as error:
        raise NotJson(str(error)) from None
    told = COVERAGE.request.told(body)
    known = _known(body)
    kept_there = dict(_kept_there(body))
    _check_input(known.input, may_be_missing=bool(kept_there))
    wanted = member(member(known.text, "format"), "type")
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
        model=known.model,
        stream=bool(known.stream),
        offers_tools=bool(known.tools or body.get("prompt")),
        structured=wanted in ("json_object", "json_schema") or any(map(body.get, JSON_FIELDS)),
        include_usage=True,
        guard=known.guard or NOTHING_TOLD,
        not_checked=tuple(dict.fromkeys(not_checked)),
        server_state=tuple(kept_there),
        unknown=told.unknown,
    )


def _known(body: JsonObject) -> _Body:
    try:
        return _Body.model_validate(body)
    except ValidationError as error:
        raise _refusal(error) from None


def _check_input(given: JsonValue, *, may_be_missing: bool) -> None:
    """Make sure that the question can be read.

    Raises:
        BadRequest: it is missing or malformed.
    """
    if isinstance(given, str) or (given in (None, []) and may_be_missing):
        return
    if not isinstance(given, list):
        raise BadRequest("Invalid value for 'input': a string or an array is needed.", "input")
    try:
        _Items.model_validate({"input": given})
    except ValidationError as error:
        raise _refusal(error) from None


def _refusal(error: ValidationError) -> BadRequest:
    first = error.errors(include_url=False, include_input=False)[0]
    param = member_path(first["loc"])
    return BadRequest(f"Invalid value for '{param}': {first['msg']}.", param)


def _kept_there(body: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield what points at the model server's memory: its place, and its name as not checked."""
    for name in KEPT_THERE:
        if body.get(name):
            yield name, name
    given = body.get("input")
    for at, item in enumerate(given if isinstance(given, list) else []):
        if isinstance(item, dict) and is_reference(item):
            yield f"input[{at}]", _REFERENCE
