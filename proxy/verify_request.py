"""A request to verify an answer: its body, and the exchange that it describes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from guards.core.exchange import ContextState, Exchange, Source
from policies.intents import IntentFound, Intents
from policies.policy import SourceRules
from policies.verification_options import BadSources, GivenSource, Options, usable_sources
from proxy.errors import BadRequest
from proxy.openai_api.json_body import JsonObject, member, member_path, read_object
from proxy.openai_api.sources import FoundContext, FoundPlace, find_sources
from proxy.openai_api.sources.turns import content_text

_ASSISTANT = "assistant"


class Message(BaseModel):
    """A message as a chat completion takes it; further members are allowed."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    role: str = Field(description="system, user, assistant, tool, …")
    content: str | list[JsonObject] | None = Field(None, description="Text, or a list of parts.")


class VerifyRequest(BaseModel):
    """An answer, and what it is held against.

    Either `question`, `answer` and `sources`, or `messages` exactly as they were sent to the chat
    completion: the question and the sources are found in them, and the last one may be the answer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    question: str | None = Field(None, description="What was asked.")
    query: str | None = Field(None, description="The same as `question`.")
    answer: str | None = Field(
        None, description="The answer; may be left out if the last message is the assistant's."
    )
    sources: list[GivenSource] | None = Field(
        None, description="The sources, in the order in which citations count them."
    )
    messages: list[Message] | None = Field(
        None, description="The messages of a chat completion.", min_length=1
    )
    options: Options = Field(default_factory=Options, description="How the answer is verified.")

    @model_validator(mode="after")
    def _says_each_thing_once(self) -> Self:
        if self.question is not None and self.query is not None:
            raise ValueError("'question' and 'query' are the same; give one of them")
        asked = self.question is not None or self.query is not None
        if self.messages is not None and (asked or self.sources is not None):
            raise ValueError("'messages' hold the question and the sources; give one or the other")
        ends_with_answer = self.messages is not None and self.messages[-1].role == _ASSISTANT
        if self.answer is None and not ends_with_answer:
            raise ValueError("'answer' is missing, and no assistant's message ends 'messages'")
        return self


@dataclass(frozen=True, slots=True)
class ToVerify:
    """What is to be verified.

    Attributes:
        exchange: Question, sources and answer.
        found: Where the sources were found.
        intent: What the question is about, and why.
        options: How it is verified.
    """

    exchange: Exchange
    found: FoundContext
    intent: IntentFound
    options: Options


def read_verify_request(raw: bytes) -> VerifyRequest:
    """Read a body.

    Raises:
        BadRequest: malformed JSON, or a member that is wrong; it names the member.
    """
    try:
        return VerifyRequest.model_validate(read_object(raw))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        said = first["msg"].removeprefix("Value error, ")
        param = member_path(first["loc"])
        where = f"Invalid value for '{param}': {said}" if param else f"Invalid body: {said}"
        raise BadRequest(f"{where}.", param or None) from None
    except ValueError as error:
        raise BadRequest(f"The body is not a JSON object: {error}.") from None


def to_verify(request: VerifyRequest, rules: SourceRules, intents: Intents) -> ToVerify:
    """Return what a request asks to verify.

    Raises:
        BadRequest: two sources have the same id.
    """
    if request.messages is None:
        found, answer = _given(request), request.answer or ""
    else:
        found, answer = _in_messages(request, request.messages, rules)
    intent = intents.intent_of(found.question)
    exchange = Exchange(
        question=found.question,
        sources=found.sources,
        context=found.context,
        answer=answer,
        echo=found.echo,
        previous_answer=found.previous_answer,
        intents=(intent.intent,) if intent.intent else (),
    )
    return ToVerify(exchange, found, intent, request.options)


def _given(request: VerifyRequest) -> FoundContext:
    sources: Sequence[Source] = ()
    places: tuple[FoundPlace, ...] = ()
    if request.sources is not None:
        given = [one.source(place) for place, one in enumerate(request.sources, start=1)]
        try:
            sources = usable_sources(given)
        except BadSources as bad:
            param = f"sources[{bad.place}].{bad.member}"
            raise BadRequest(f"Invalid value for '{param}': {bad.problem}.", param) from None
        places = (FoundPlace("exact", "sources", None, None, len(sources)),)
    return FoundContext(
        question=(request.question or request.query or "").strip(),
        sources=tuple(sources),
        context=_state(request, sources),
        found=places,
        dropped=(),
        echo="",
        previous_answer="",
    )


def _state(request: VerifyRequest, sources: Sequence[Source]) -> ContextState:
    if sources:
        return ContextState.FOUND
    return ContextState.ABSENT if request.sources is None else ContextState.EMPTY


def _in_messages(
    request: VerifyRequest, messages: Sequence[Message], rules: SourceRules
) -> tuple[FoundContext, str]:
    turns: list[JsonValue] = [message.model_dump() for message in messages]
    answer = request.answer
    if answer is None:
        answer = content_text(member(turns.pop(), "content"))
    return find_sources({"messages": turns}, rules), answer
