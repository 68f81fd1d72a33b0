"""A chat completion request: what the proxy needs of it. All else travels untouched."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StrictBool, ValidationError

from proxy.errors import BadRequest
from proxy.openai_api.json_body import JsonObject, member, member_path, read_object
from proxy.openai_api.sse import json_bytes

MOST_CHOICES = 128
# How other servers than OpenAI's are asked for JSON.
_CONSTRAINTS = ("guided_json", "structured_outputs", "json_schema", "format")
INTENT = r"^[A-Za-z0-9_.:-]{0,64}$"
"""An intent is a name, never words of the request: it stands in logs and traces."""


class GuardField(BaseModel):
    """The `guard` member of a request body: what an app tells the proxy. The model never sees it.

    It can add context and ask for a report. Nothing in it makes the guards weaker.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sources: list[JsonValue] | None = Field(
        None, description="The sources, given exactly; nothing else is searched for then."
    )
    intent: str | None = Field(
        None, pattern=INTENT, description="What the question is about, such as `policy`."
    )
    last_error_reason: str | None = Field(
        None, description="Why the previous answer failed, such as `no_evidence`."
    )
    report: StrictBool = Field(False, description="Add the `guard` object to the reply.")


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


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request that can be served.

    Attributes:
        raw: The body as it came.
        body: The body as JSON, with `guard` still in it.
        model: Name of the model that the client asked for.
        stream: Whether it wants a stream.
        choices: How many choices it wants.
        offers_tools: The model may call tools, so it may fetch evidence itself.
        structured: It wants JSON, so a template cannot stand in the content.
        include_usage: Whether a stream ends with the usage.
        guard: What the app told the proxy.
    """

    raw: bytes
    body: JsonObject
    model: str
    stream: bool
    choices: int
    offers_tools: bool
    structured: bool
    include_usage: bool
    guard: GuardField

    def for_server(self, model: str) -> bytes:
        """Return the body for the model server: the caller's own bytes where nothing differs."""
        if "guard" not in self.body and model == self.model:
            return self.raw
        return json_bytes(self.plain_body() | {"model": model})

    def plain_body(self) -> JsonObject:
        """Return the body without the `guard` member."""
        return {key: value for key, value in self.body.items() if key != "guard"}


def read_request(raw: bytes) -> ChatRequest:
    """Read a request body.

    Raises:
        BadRequest: malformed JSON, or a member of the wrong type; it names the member.
    """
    try:
        body = read_object(raw)
    except ValueError as error:
        raise BadRequest(f"The body is not a JSON object: {error}.") from None
    try:
        known = _Body.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        param = member_path(first["loc"])
        raise BadRequest(f"Invalid value for '{param}': {first['msg']}.", param) from None
    wanted = member(known.response_format, "type")
    return ChatRequest(
        raw=raw,
        body=body,
        model=known.model,
        stream=bool(known.stream),
        choices=known.n or 1,
        offers_tools=bool(known.tools or known.functions),
        structured=wanted in ("json_object", "json_schema") or any(map(body.get, _CONSTRAINTS)),
        include_usage=member(known.stream_options, "include_usage") is True,
        guard=known.guard or GuardField(),
    )
