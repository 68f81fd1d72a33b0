"""A request to a guarded endpoint, in one form for all endpoints."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StrictBool,
    ValidationError,
)
from pydantic_core import ErrorDetails, PydanticKnownError

from proxy.errors import BadRequest, NotJson
from proxy.openai_api.json_body import JsonObject, member, member_path, read_object
from proxy.openai_api.sse import json_bytes

MOST_CHOICES: Final = 128
MOST_GUARDS = 40
MOST_NAME_CHARS: Final = 1_000


def _bounded(name: str) -> str:
    # Pydantic's own bound refuses half a character, too, which other checks name better.
    if len(name) > MOST_NAME_CHARS:
        raise PydanticKnownError("string_too_long", {"max_length": MOST_NAME_CHARS})
    return name


Name = Annotated[str, AfterValidator(_bounded)]
"""A name stands in the trace and in the log of each request that has it."""
INTENT = r"^[A-Za-z0-9_.:-]{0,64}$"
"""An intent is a name, never words of the request: it stands in logs and traces."""


class GuardField(BaseModel):
    """The `guard` member of a request body: what an app tells the proxy. The model never sees it.

    It can add context, ask for more and for a report. Nothing in it makes the guards weaker.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sources: list[JsonValue] | None = Field(
        None, description="The sources; the messages are not searched for any then."
    )
    intent: str | None = Field(
        None, pattern=INTENT, description="The topic of the question, such as `policy`."
    )
    last_error_reason: Name | None = Field(
        None, description="Why the previous answer failed, such as `no_evidence`."
    )
    guards: Annotated[list[str], Field(max_length=MOST_GUARDS)] = Field(
        [], description="Further guards to enforce for this request."
    )
    hold: StrictBool = Field(
        False, description="Send nothing before the whole answer has been judged."
    )
    report: StrictBool = Field(False, description="Add the `guard` object to the reply.")


NOTHING_TOLD = GuardField()
"""The value for a request without the member."""


class Body(BaseModel):
    """The members whose types the proxy relies on, whatever the endpoint."""

    model_config = ConfigDict(extra="allow", strict=True)

    stream: bool | None = None
    stream_options: JsonObject | None = None
    guard: GuardField | None = None


class CompletionBody(Body):
    """Those that chats and completions of prompts have in common."""

    model: Name
    n: Annotated[int, Field(ge=1, le=MOST_CHOICES)] | None = None
    response_format: JsonObject | None = None


@dataclass(slots=True, kw_only=True)
class ModelRequest:
    """A request that can be served.

    Attributes:
        parsed: The body as JSON, with `guard` still in it; None once it was let go.
        conversation: The request as a chat completion: `messages` in which the question and the
            sources are looked for, with `guard`, `documents`, `tools` and the like beside them. The
            body itself for the chat endpoint; empty once the body was released. It is never sent.
        model: Name of the model that the client asked for; empty where a prompt that the model
            server keeps names it.
        offers_tools: The model may call tools, so it may fetch evidence itself.
        structured: It wants JSON, so a template cannot stand in the content.
        guard: What the app told the proxy.
        not_checked: Names of what it carries and no guard can look at, such as ``image_parts``.
        server_state: Members that point at what only the model server keeps, where nobody here
            could see what the answer rests on.
        unknown: Its fields that no row of the coverage tells of.
    """

    raw: bytes
    parsed: JsonObject | None
    conversation: JsonObject
    model: str
    stream: bool
    choices: int = 1
    offers_tools: bool = False
    structured: bool = False
    include_usage: bool = False
    guard: GuardField
    not_checked: tuple[str, ...] = ()
    server_state: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def body(self) -> JsonObject:
        """The body as JSON; where it was let go, it is read once more."""
        if self.parsed is None:
            self.parsed = read_object(self.raw)
        return self.parsed

    def let_go(self) -> None:
        """Keep the bytes of the body alone: a stream may last, and seldom is more wanted of it."""
        self.parsed, self.conversation = None, {}

    def for_server(self, model: str) -> bytes:
        """Return the body for the model server: the caller's own bytes where nothing differs."""
        if "guard" not in self.body and model == self.model:
            return self.raw
        return json_bytes(self.plain_body(model))

    def plain_body(self, model: str) -> JsonObject:
        """Return the body for a model of the model server, without the `guard` member."""
        kept = {key: value for key, value in self.body.items() if key != "guard"}
        return kept | {"model": model} if model else kept


ShapeT = TypeVar("ShapeT", bound=BaseModel)
_JSON_FORMATS = ("json_object", "json_schema")
_JSON_FIELDS = ("guided_json", "structured_outputs", "json_schema", "format")
"""Fields by which other servers than OpenAI's are asked for JSON."""


def read_body(raw: bytes) -> JsonObject:
    """Return the JSON object of a request body.

    Raises:
        NotJson: it is none, or one that readers could read in two ways.
    """
    try:
        return read_object(raw)
    except ValueError as error:
        raise NotJson(str(error)) from None


def validated(
    body: JsonValue,
    shape: type[ShapeT],
    problem: Callable[[ErrorDetails], str] = lambda error: error["msg"],
) -> ShapeT:
    """Return a body as the shape of its endpoint.

    Args:
        shape: The members whose types the proxy relies on.
        problem: Words an error of pydantic.

    Raises:
        BadRequest: a member is wrong; it names the member.
    """
    try:
        return shape.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        param = member_path(first["loc"])
        where = f"Invalid value for '{param}'" if param else "Invalid body"
        raise BadRequest(f"{where}: {problem(first)}.", param or None) from None


def wants_json(body: JsonObject, response_format: JsonValue) -> bool:
    """Tell whether a request asks for an answer in JSON."""
    by_format = member(response_format, "type") in _JSON_FORMATS
    return by_format or any(map(body.get, _JSON_FIELDS))
