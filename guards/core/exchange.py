"""The exchange to check: one question, its sources, and the answer."""

from dataclasses import dataclass, field, replace
from enum import StrEnum


class ContextState(StrEnum):
    """The evidence in the request: found, empty or absent. The three are kept apart everywhere."""

    FOUND = "found"
    """At least one usable source."""
    EMPTY = "empty"
    """A context block (or a tool result) that holds nothing usable: retrieval found nothing."""
    ABSENT = "absent"
    """No context block at all: the app did not retrieve."""


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that an answer may rest on.

    Attributes:
        id: What a citation calls it: ``"1"`` for the first source unless the caller named it.
        title: Heading, such as ``"제5조 환불규정"``; empty if there is none.
        text: The passage itself.
        file: File name or address; empty if unknown.
        page: Page number as printed; None if unknown.
        score: Retrieval score from 0 to 1 as the caller gave it; None if it gave none.
    """

    id: str
    title: str
    text: str
    file: str = ""
    page: int | None = None
    score: float | None = None


class ReadingCache:
    """Holds the reading of a request for as long as the request lasts.

    It is never compared, and it is empty after pickling.

    Attributes:
        request: The `RequestReading` of `guards.core.reading`; None until it is made.
    """

    __slots__ = ("request",)

    def __init__(self) -> None:
        self.request: object | None = None

    def __reduce__(self) -> tuple[type["ReadingCache"], tuple[()]]:
        """Pickle an empty cache."""
        return (ReadingCache, ())


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question, its sources and, once the model has spoken, its answer.

    Attributes:
        question: The last user turn's own words, without the context around them.
        sources: In the order in which citations count them.
        context: See `ContextState`; FOUND exactly when there are sources.
        answer: None before the model is asked.
        echo: Text that the model legitimately saw (instructions, earlier turns). It may be
            repeated, and it proves nothing.
        previous_answer: The assistant's turn before the question; empty on the first turn.
        intents: What the policy's rules and the caller say the question is about, such as
            ``policy``. The caller only ever adds to the rules.
        last_error_reason: Why the previous answer failed, such as ``no_evidence``.
        may_fetch: The request offers tools, so the model may still fetch evidence itself.
        cache: Shared by all that differ in nothing but the answer.
    """

    question: str
    sources: tuple[Source, ...] = ()
    context: ContextState = ContextState.ABSENT
    answer: str | None = None
    echo: str = ""
    previous_answer: str = ""
    intents: tuple[str, ...] = ()
    last_error_reason: str | None = None
    may_fetch: bool = False
    cache: ReadingCache = field(default_factory=ReadingCache, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Keep `context` true to `sources`."""
        if self.sources:
            object.__setattr__(self, "context", ContextState.FOUND)
        elif self.context is ContextState.FOUND:
            object.__setattr__(self, "context", ContextState.EMPTY)

    def answered(self, answer: str) -> "Exchange":
        """Return the same exchange with an answer."""
        other = replace(self, answer=answer)
        object.__setattr__(other, "cache", self.cache)
        return other
