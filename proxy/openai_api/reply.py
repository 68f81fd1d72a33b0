"""A whole reply of a model server, its usage, and the outcome of each of its choices."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

from pydantic import JsonValue

from proxy.openai_api.answer import Answer
from proxy.openai_api.json_body import JsonObject, member
from proxy.openai_api.model_request import ModelRequest

MORE_CHOICES = "it has more choices than were asked for"


class Reply(Protocol):
    """A whole reply of the model server, plain or streamed."""

    @property
    def raw(self) -> bytes:
        """The body as it came."""

    @property
    def answers(self) -> tuple[Answer, ...]:
        """One for each choice, by number."""

    @property
    def usage(self) -> JsonValue | None:
        """Tokens used, in the model server's own words."""

    @property
    def unseen(self) -> tuple[str, ...]:
        """Names of fields with text that is not checked."""

    @property
    def is_stream(self) -> bool:
        """True if it came as a stream."""

    @property
    def unknown(self) -> tuple[str, ...]:
        """Its fields that no row of the coverage tells of."""


ReplyT = TypeVar("ReplyT", bound=Reply)


@dataclass(frozen=True, slots=True)
class Kept:
    """A choice that is sent as the model server gave it.

    Attributes:
        index: Number of the choice that the client sees.
        reply: The reply that it comes from.
        answer: The answer in that reply.
    """

    index: int
    reply: Reply
    answer: Answer


@dataclass(frozen=True, slots=True)
class Edited:
    """A choice to send with another text than the model server gave it.

    Attributes:
        index: Number of the choice that the client sees.
        reply: The reply that it comes from.
        answer: The answer in that reply.
        content: The text that leaves.
        finish_reason: Why it ends, where that is no longer the model server's own word.
    """

    index: int
    reply: Reply
    answer: Answer
    content: str
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Replaced:
    """A choice with a template in its place.

    Attributes:
        index: Number of the choice that the client sees.
        template: The template's text.
    """

    index: int
    template: str


ChoiceOutcome: TypeAlias = Kept | Edited | Replaced


@dataclass(frozen=True, slots=True)
class Ending:
    """Parts of a reply that accompany the choices.

    Attributes:
        id: The request's id, for a completion that we make ourselves.
        created: Its time, in Unix seconds.
        finish_reason: Of replaced answers.
        report: The `guard` object that was asked for; None if nobody did.
        changes: The short `guard` object of an answer that was changed; None if nothing was, or
            if the report says it.
        as_stream: Whether to write a stream; None goes by the request, unless the model server
            answered it plainly.
    """

    id: str
    created: int
    finish_reason: str
    report: JsonObject | None = None
    changes: JsonObject | None = None
    as_stream: bool | None = None

    @property
    def guard(self) -> JsonObject:
        """The member `guard` of a whole body; empty where there is none."""
        guard = self.changes if self.report is None else self.report
        return {} if guard is None else {"guard": guard}


@dataclass(frozen=True, slots=True)
class Written:
    """A body and its type."""

    body: bytes
    content_type: str


def total_usage(replies: Sequence[Reply]) -> JsonObject:
    """Return the tokens of all replies, added up: zeros when the model was not asked.

    Empty if it was, and no reply says how many.
    """
    if replies and not any(reply.usage for reply in replies):
        return {}
    total: JsonObject = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    for reply in replies:
        if isinstance(reply.usage, dict):
            total = _added(total, reply.usage)
    return total


def _added(total: JsonObject, usage: JsonObject) -> JsonObject:
    added = dict(total)
    for key, value in usage.items():
        before = member(total, key)
        if isinstance(value, dict):
            added[key] = _added(before if isinstance(before, dict) else {}, value)
        else:
            added[key] = _sum(before, value)
    return added


def _sum(before: JsonValue, value: JsonValue) -> JsonValue:
    numbers = (int, float)
    if isinstance(before, numbers) and isinstance(value, numbers):
        return before + value
    return value if value is not None else before


def leaves_as_stream(request: ModelRequest, replies: Sequence[ReplyT], ending: Ending) -> bool:
    """Tell whether a stream is to be written: if asked for, unless it was answered plainly."""
    if ending.as_stream is not None:
        return ending.as_stream
    return request.stream and not (replies and not replies[-1].is_stream)


def untouched(replies: Sequence[ReplyT], outcomes: Sequence[ChoiceOutcome]) -> ReplyT | None:
    """Return the only reply, if every choice is kept from it; else None."""
    if len(replies) != 1 or not all(isinstance(outcome, Kept) for outcome in outcomes):
        return None
    return replies[0]
