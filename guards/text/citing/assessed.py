"""What is said of the citations of an answer (see `guards.text.citing.assessment`)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from guards.text.citing.cited_answer import CitedAnswer
from guards.text.citing.numbering import Numbering
from guards.text.citing.statements import Statement
from guards.text.slots.citation_mark import CitationMark


class Status(StrEnum):
    """Whether a source says what it is cited for."""

    ACCURATE = "accurate"
    INACCURATE = "inaccurate"
    UNCERTAIN = "uncertain"


@dataclass(frozen=True, slots=True)
class Assessment:
    """One citation of one statement.

    Attributes:
        statement: The statement.
        mark: The mark that cites.
        number: The number in it; None for a mark that names its source.
        source_id: The source that is cited; None if there is no such source.
        score: How far that source carries the statement, 0 to 1.
        status: What follows from the score.
        confidence: How sure the status is, 0 to 1.
        better: The one other source that clearly carries the statement where the cited one does
            not; None if there is none, or several.
        outdone: Counts the sources that carry it better, see `rivals`.
        nearest: Finds the sentence nearest to the statement, see `quote`.
    """

    statement: Statement
    mark: CitationMark
    number: int | None
    source_id: str | None
    score: float
    status: Status
    confidence: float
    better: str | None = None
    outdone: Callable[[], int] = field(default=int, compare=False, repr=False)
    nearest: Callable[[], str] = field(default=str, compare=False, repr=False)

    @property
    def rivals(self) -> int:
        """How many sources carry the statement clearly better than those cited."""
        return self.outdone()

    @property
    def quote(self) -> str:
        """The sentence nearest to the statement; empty if there is none.

        Of the better source if there is one, else of the cited one.
        """
        return self.nearest()


@dataclass(frozen=True, slots=True)
class Missing:
    """A claim without a citation that one source clearly carries.

    Attributes:
        statement: The claim.
        source_id: The source.
        number: The number by which the answer would cite it.
        score: How far it carries the claim, 0 to 1.
        quote: The source's sentence nearest to the claim.
    """

    statement: Statement
    source_id: str
    number: int
    score: float
    quote: str


@dataclass(frozen=True, slots=True)
class Assessed:
    """All citations of an answer.

    Attributes:
        assessments: One for each pair of statement and citation, in order.
        missing: Claims that cite nothing although one source clearly carries them.
        recall: Share of the claims that their cited sources together carry; None without claims.
        precision: Share of the citations that are needed or carry alone; None without citations.
        answer: The answer as it was read.
        numbering: What the answer's numbers mean.
    """

    assessments: tuple[Assessment, ...]
    missing: tuple[Missing, ...]
    recall: float | None
    precision: float | None
    answer: CitedAnswer
    numbering: Numbering
