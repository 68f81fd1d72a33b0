"""A whole reply of a model server, and what becomes of its choices in the one that leaves."""

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from pydantic import JsonValue

from proxy.openai_api.answer import Answer
from proxy.openai_api.json_body import JsonObject


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
        """What carries words and is not looked at."""

    @property
    def is_stream(self) -> bool:
        """Whether it came as a stream."""

    @property
    def unknown(self) -> tuple[str, ...]:
        """Its fields that no row of the coverage tells of."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A choice that leaves as the model server gave it.

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
    """A choice that leaves with another text than the model server gave it.

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
    """What goes with the choices.

    Attributes:
        id: The request's id, for a completion that we make ourselves.
        created: Its time, in Unix seconds.
        finish_reason: Of replaced answers.
        report: The `guard` object; None if nobody asked for it.
        as_stream: Whether to write a stream; None goes by the request, unless the model server
            answered it plainly.
    """

    id: str
    created: int
    finish_reason: str
    report: JsonObject | None = None
    as_stream: bool | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """A body and its type."""

    body: bytes
    content_type: str
