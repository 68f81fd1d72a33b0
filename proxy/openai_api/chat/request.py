"""A chat completion request: what the proxy needs of it. All else travels untouched."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from proxy.errors import BadRequest, NotJson
from proxy.openai_api.chat.coverage import COVERAGE
from proxy.openai_api.extensions import JSON_FIELDS, MOST_CHOICES
from proxy.openai_api.guard_field import NOTHING_TOLD, GuardField
from proxy.openai_api.json_body import JsonObject, member, member_path, read_object
from proxy.openai_api.model_request import ModelRequest

_PREFILL = "prefill"


class _Message(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    role: str
    content: str | list[JsonObject] | None = None


class _Body(BaseModel):
    """The members whose types the proxy relies on."""

    model_config = ConfigDict(extra="allow", strict=True)

    model: str
    messages: list[_Message] = Field(min_length=1)
    stream: bool | None = None
    n: Annotated[int, Field(ge=1, le=MOST_CHOICES)] | None = None
    tools: list[JsonObject] | None = None
    functions: list[JsonObject] | None = None
    response_format: JsonObject | None = None
    stream_options: JsonObject | None = None
    guard: GuardField | None = None


def read_request(raw: bytes) -> ModelRequest:
    """Read a request body.

    Raises:
        BadRequest: malformed JSON, or a member of the wrong type; it names the member.
    """
    try:
        body = read_object(raw)
    except ValueError as error:
        raise NotJson(str(error)) from None
    try:
        known = _Body.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        param = member_path(first["loc"])
        raise BadRequest(f"Invalid value for '{param}': {first['msg']}.", param) from None
    told = COVERAGE.request.told(body)
    wanted = member(known.response_format, "type")
    begun = (_PREFILL,) if known.messages[-1].role == "assistant" else ()
    return ModelRequest(
        raw=raw,
        parsed=body,
        conversation=body,
        model=known.model,
        stream=bool(known.stream),
        choices=known.n or 1,
        offers_tools=bool(known.tools or known.functions or body.get("web_search_options")),
        structured=wanted in ("json_object", "json_schema") or any(map(body.get, JSON_FIELDS)),
        include_usage=member(known.stream_options, "include_usage") is True,
        guard=known.guard or NOTHING_TOLD,
        not_checked=tuple(dict.fromkeys((*told.unchecked, *begun))),
        unknown=told.unknown,
    )
