"""What is checked: one question, the sources it may be answered from, and the answer."""

from dataclasses import dataclass, field, replace
from enum import StrEnum


class ContextState(StrEnum):
    """Whether the request carried evidence; the three are never mixed up."""

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


class Shelf:
    """Where what was read of a request lies, for as long as the request lasts.

    Never compared, and empty wherever it arrives in another process.

    Attributes:
        asked: What `guards.core.reading` made of all but the answer; None as long as nothing was.
    """

    __slots__ = ("asked",)

    def __init__(self) -> None:
        self.asked: object | None = None

    def __reduce__(self) -> tuple[type["Shelf"], tuple[()]]:
        """Travel without what lies on it."""
        return (Shelf, ())


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
        shelf: Shared by all that differ in nothing but the answer.
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
    shelf: Shelf = field(default_factory=Shelf, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Keep `context` true to `sources`."""
        if self.sources:
            object.__setattr__(self, "context", ContextState.FOUND)
        elif self.context is ContextState.FOUND:
            object.__setattr__(self, "context", ContextState.EMPTY)

    def answered(self, answer: str) -> "Exchange":
        """Return the same exchange with an answer."""
        other = replace(self, answer=answer)
        object.__setattr__(other, "shelf", self.shelf)
        return other
