"""The question and the sources of a chat request: passages, their places, and what was left out.

`finder` says where evidence may stand.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from guards.core.exchange import ContextState, Exchange, Source
from guards.core.finding import Span


class SourceFormatError(ValueError):
    """A field of the request has the wrong type or value for carrying sources."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(field, problem)
        self.field = field
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.field}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a context block, before it is filtered and numbered.

    Attributes:
        text: The piece without its marker, title and fields.
        title: Its heading; empty if there is none.
        file: File name or address; empty if unknown.
        page: Page number as printed; None if unknown.
        score: Retrieval score from 0 to 1; None if unknown.
        name: What the prompt calls it, such as ``3`` for ``[3]``; empty if it does not.
        relevance: Weight of a piece marked ``[Source: …]``; None for other formats.
        guessed: The block had no marker of a known format, only words that sound like one.
    """

    text: str
    title: str = ""
    file: str = ""
    page: int | None = None
    score: float | None = None
    name: str = ""
    relevance: float | None = None
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A context block of one text.

    Attributes:
        format: Name of the format, such as ``tags.context``.
        span: Its place in the text, in code points.
        passages: Its pieces in order; none if the block is empty.
        guessed: Nothing sure says that this is context, so it silences no other block.
    """

    format: str
    span: Span
    passages: tuple[Passage, ...]
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """Place of a context block in a request.

    Attributes:
        field: Field of the request: ``guard.sources``, ``documents``, ``sources`` or
            ``messages``.
        message: Index in ``messages``; None for the other fields.
        span: Place in that message's text (its text parts joined by a blank line), in code points;
            None for the other fields.
        sources: How many usable sources it gave.
    """

    format: str
    field: str
    message: int | None
    span: Span | None
    sources: int


@dataclass(frozen=True, slots=True)
class DroppedSource:
    """A passage that was filtered away.

    Attributes:
        reason: ``empty``, ``no_result``, ``too_short``, ``low_relevance``, ``same_page``,
            ``too_many`` or ``duplicate``.
        title: Its title or file, else how it begins.
    """

    reason: str
    title: str


@dataclass(frozen=True, slots=True)
class FoundContext:
    """The question of a request and everything it may be answered from.

    Attributes:
        question: The last user turn's own words.
        sources: In the order in which citations count them.
        context: Whether there was a context block, and whether it held anything usable.
        found: Where the blocks stood, empty ones included.
        echo: Text that the model legitimately saw outside of context blocks: instructions,
            few-shot examples, earlier turns. It is no evidence.
        previous_answer: The assistant's turn before the question; empty on the first turn.
    """

    question: str
    sources: tuple[Source, ...]
    context: ContextState
    found: tuple[FoundPlace, ...]
    dropped: tuple[DroppedSource, ...]
    echo: str
    previous_answer: str

    def exchange(
        self,
        intents: Iterable[str | None],
        *,
        answer: str | None = None,
        last_error_reason: str | None = None,
        may_fetch: bool = False,
    ) -> Exchange:
        """Return what the guards look at, with those of some intents that are known."""
        return Exchange(
            question=self.question,
            sources=self.sources,
            context=self.context,
            answer=answer,
            echo=self.echo,
            previous_answer=self.previous_answer,
            intents=tuple(filter(None, intents)),
            last_error_reason=last_error_reason,
            may_fetch=may_fetch,
        )
