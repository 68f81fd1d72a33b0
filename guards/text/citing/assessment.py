"""Assessment of citations: whether the cited sources support the statements.

Each pair of a statement and a number (or a named source) is one assessment: accurate, inaccurate or
uncertain. Of a sentence that cites several times, each mark is compared with the clause that it
closes or opens. Inaccurate is what is wrong for sure: the source has nothing of it, another one
says it, or the others that are cited support it without this one. Recall is the share of claims
that their cited sources support together; precision that of citations which support their
statement, or without which the others would not.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache, partial
from itertools import islice

from guards.core.exchange import Source
from guards.core.keeping import lazy
from guards.core.reading import Reading
from guards.evidence.support import Carried, Support
from guards.text.citing.statements import (
    EXCHANGES_KEPT,
    CitedAnswer,
    ReadingKey,
    Statement,
    cited_answer,
    cited_clauses,
    parts_of,
    reading_key,
    support_of,
)
from guards.text.sentences import Sentence
from guards.text.slots.citation_mark import CitationMark, MarkKind
from guards.text.slots.source_name import Numbering, SourceNames, source_names


class Status(StrEnum):
    """Result of comparing a statement with the source that it cites."""

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
        score: How far that source supports the statement, 0 to 1.
        status: What follows from the score.
        confidence: How sure the status is, 0 to 1.
        better: The one other source that clearly supports the statement where the cited one does
            not; None if there is none, or several.
        outdone: Counts the sources that support it better, see `rivals`.
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
        """Number of sources that support the statement clearly better than those cited."""
        return self.outdone()

    @property
    def quote(self) -> str:
        """The sentence nearest to the statement; empty if there is none.

        Of the better source if there is one, else of the cited one.
        """
        return self.nearest()


@dataclass(frozen=True, slots=True)
class Missing:
    """A claim without a citation that one source clearly supports.

    Attributes:
        statement: The claim.
        source_id: The source.
        number: The number by which the answer would cite it.
        score: How far it supports the claim, 0 to 1.
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
        missing: Claims that cite nothing although one source clearly supports them.
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


BETTER_FROM = 0.6
BETTER_BY = 0.25
FEWEST_MEASURED = 2
"""A statement of fewer words and figures is too short to say that a source lacks it."""
FEWEST_FOR_ARTICLE = 3
"""The same, for an article to be put in the place of another one."""
_NEEDED_FROM = 0.05
_NOTHING_OF_IT = 0.1
"""A source with no higher score has nothing of a statement, whatever the others have."""


@dataclass(frozen=True, slots=True)
class Cited:
    """One thing that a statement cites.

    Attributes:
        mark: The mark.
        number: The number in it; None if it names its source.
        place: The place of the source in the list; None if there is no such source.
    """

    mark: CitationMark
    number: int | None
    place: int | None


@dataclass(frozen=True, slots=True)
class Bench:
    """Sources and readings with which all statements of an answer are compared.

    Attributes:
        raw: The answer.
        support: Its sources, to measure by.
        sources: The same.
        threshold: From this score on a source carries a statement.
    """

    raw: str
    support: Support
    sources: Sequence[Source]
    threshold: float


class Case:
    """One statement or clause, what it cites, and how far the sources support it."""

    def __init__(self, statement: Statement, cited: Sequence[Cited], bench: Bench) -> None:
        self.statement = statement
        self._cited = cited
        self._bench = bench
        self._threshold = bench.threshold
        self._places = tuple(dict.fromkeys(one.place for one in cited if one.place is not None))

    @lazy
    def _carried(self) -> Carried:
        return self._carried_of(self.statement.text, self.statement.sentence)

    def _carried_of(self, text: str, sentence: Sentence) -> Carried:
        figures = self._bench.support.figures(sentence.start, sentence.end)
        return self._bench.support.carried(text, figures)

    @property
    def is_carried(self) -> bool:
        """True if the cited sources together support the statement."""
        return bool(self._places) and self._carried.score(self._places) >= self._threshold

    def assessments(self) -> list[Assessment]:
        """Return the assessment of each citation."""
        return [self._assessment(one) for one in self._cited]

    def precise(self) -> list[bool]:
        """Tell for each citation whether it supports the statement alone or is needed to."""
        return [
            one.place is not None
            and self.is_carried
            and (self._score(one.place) >= self._threshold or self._is_needed(one.place))
            for one in self._cited
        ]

    def missing(self, numbering: Numbering) -> Missing | None:
        """Return the source that should have been cited, if nothing is."""
        if self._cited or self.statement.marks:
            return None
        place = self._only_clear()
        source = None if place is None else self._bench.sources[place]
        number = None if source is None else numbering.number_of(source)
        if place is None or source is None or number is None:
            return None
        score = round(self._score(place), 3)
        return Missing(self.statement, source.id, number, score, self._quote(place))

    def _assessment(self, cited: Cited) -> Assessment:
        place = cited.place
        score = 0.0 if place is None else self._own_score(place)
        better = self._better(place, score)
        shown = place if better is None else better
        return Assessment(
            statement=self.statement,
            mark=cited.mark,
            number=cited.number,
            source_id=None if place is None else self._bench.sources[place].id,
            score=round(score, 3),
            status=self._status(place, score, better),
            confidence=round(self._confidence(score, better), 3),
            better=None if better is None else self._bench.sources[better].id,
            outdone=self._count_rivals,
            nearest=str if shown is None else partial(self._quote, shown),
        )

    def _confidence(self, score: float, better: int | None) -> float:
        known = [score, 1 - score] if better is None else [1 - score, self._score(better)]
        return max(known)

    def _better(self, place: int | None, score: float) -> int | None:
        """Return the one other source that should have been cited."""
        if place is None:
            return self._only_clear()
        if not self.statement.is_claim or score >= self._threshold or len(self._rivals) != 1:
            return None
        rival = self._rivals[0]
        sure = self._lacks(score) or self._score(rival) >= self._threshold
        return rival if sure else None

    def _only_clear(self) -> int | None:
        """Return the one source besides those cited that clearly supports the statement."""
        clear = self._clear(self._places)
        carries = len(clear) == 1 and self._score(clear[0]) >= self._threshold
        return clear[0] if carries else None

    def _status(self, place: int | None, score: float, better: int | None) -> Status:
        if place is None or better is not None:
            return Status.INACCURATE
        if score >= self._threshold:
            return Status.ACCURATE
        is_lacking = self.statement.is_claim and self._lacks(score) and self._is_measurable([place])
        is_wrong = (
            is_lacking and not self._is_spared(place) and self._says_nothing_new(place, score)
        )
        return Status.INACCURATE if is_wrong else Status.UNCERTAIN

    def _lacks(self, score: float) -> bool:
        return 1 - score >= self._threshold

    def _is_spared(self, place: int) -> bool:
        return self._carries_lead(place) or self._carries_part(place) or self._is_needed(place)

    def _says_nothing_new(self, place: int, score: float) -> bool:
        """Tell whether a source has nothing of the statement, or others support it."""
        others = [other for other in self._places if other != place]
        is_idle = self._carried.score(others) >= self._threshold
        return score <= _NOTHING_OF_IT or is_idle or len(self._rivals) > 1

    def _is_measurable(self, places: Sequence[int]) -> bool:
        """Tell whether there is enough in the statement to say that some sources lack it."""
        text = self.statement.text
        is_long = _measured(self._carried) >= FEWEST_MEASURED
        return is_long and all(self._bench.support.is_in_language_of(text, at) for at in places)

    def _score(self, place: int) -> float:
        return self._carried.score([place])

    def _own_score(self, place: int) -> float:
        """Return how far a source supports the statement, or its part of one carried together."""
        score = self._score(place)
        is_shared = len(self._places) > 1 and self.is_carried
        return max(score, self._part_score(place)) if is_shared else score

    def _part_score(self, place: int) -> float:
        return max((part.score([place]) for part in self._parts), default=0.0)

    def _carries_part(self, place: int) -> bool:
        return self._part_score(place) >= BETTER_FROM

    @lazy
    def _parts(self) -> list[Carried]:
        """Support of each clause that says enough by itself."""
        parts = parts_of(self._bench.raw, self.statement)
        measured = (self._carried_of(part.text, part) for part in parts)
        return [one for one in measured if _measured(one) >= FEWEST_MEASURED]

    def _is_needed(self, place: int) -> bool:
        """Tell whether the other cited sources carry less of the statement without this one."""
        others = [other for other in self._places if other != place]
        if not others:
            return False
        whole = self._carried.score(self._places)
        return whole - self._carried.score(others) >= _NEEDED_FROM

    def _carries_lead(self, place: int) -> bool:
        """Tell whether a source supports a sentence before that may share its citation."""
        return any(
            self._carried_of(lead.text, lead).score([place]) >= BETTER_FROM
            for lead in self.statement.led_by
        )

    @lazy
    def _rivals(self) -> list[int]:
        """The sources that support the statement clearly better than those cited."""
        clear = self._clear(self._places)
        if not (clear and self._is_measurable(self._places)):
            return []
        if any(self._carries_lead(place) or self._carries_part(place) for place in self._places):
            return []
        return clear

    def _count_rivals(self) -> int:
        return len(self._rivals)

    def _clear(self, cited: Sequence[int]) -> list[int]:
        """Return the sources that support the statement clearly better than those cited."""
        least = max(BETTER_FROM, self._carried.score(cited) + BETTER_BY)
        return [
            place
            for place in range(len(self._bench.sources))
            if place not in cited and self._score(place) >= least
        ]

    def _quote(self, place: int) -> str:
        return self._bench.support.quote(self.statement.text, place)


def _measured(carried: Carried) -> int:
    return carried.words + carried.figures


CITATION_THRESHOLD = 0.7
_SHORTEST_CHARS = 5
_FEWEST_LETTERS = 2


def assess(reading: Reading, threshold: float) -> Assessed:
    """Return the assessment of an answer's citations; calling it again returns the same.

    Args:
        reading: An exchange with an answer; without one nothing is cited. Of what stands before
            the place from which it is judged only the marks and the numbering are told.
        threshold: From this score on a citation is accurate; inaccurate if as much is lacking.
    """
    return _assessed(reading_key(reading), threshold)


@lru_cache(maxsize=EXCHANGES_KEPT)
def _assessed(key: ReadingKey, threshold: float) -> Assessed:
    reading = key.reading
    answer = reading.answer
    cited = cited_answer(reading)
    sources = key.exchange.sources
    names = source_names(reading)
    numbering = Numbering(sources, cited.references, names)
    if answer is None or not sources:
        return Assessed((), (), None, None, cited, numbering)
    bench = Bench(cited.raw, support_of(reading), sources, threshold)

    def case(statement: Statement) -> Case:
        return Case(statement, _cited(statement, numbering, names, sources), bench)

    judged = _statements_to_judge(cited.statements, reading.judged_from)
    whole = {id(statement): case(statement) for statement in judged}
    pieces = (piece for statement in judged for piece in cited_clauses(cited.raw, statement))
    cases = [whole.get(id(piece)) or case(piece) for piece in pieces if _is_judged(piece)]
    claims = [whole[id(statement)] for statement in judged if statement.is_claim]
    found = [one for each in cases for one in each.assessments()]
    precise = [is_precise for each in cases for is_precise in each.precise()]
    missing = (claim.missing(numbering) for claim in claims)
    return Assessed(
        assessments=tuple(found),
        missing=tuple(one for one in missing if one is not None),
        recall=sum(claim.is_carried for claim in claims) / len(claims) if claims else None,
        precision=sum(precise) / len(precise) if precise else None,
        answer=cited,
        numbering=numbering,
    )


def _statements_to_judge(statements: Sequence[Statement], place: int) -> list[Statement]:
    """Return what is long enough to be judged and ends, or is cited, behind a place."""
    return [one for one in statements if _ends_from(one, place) and _is_judged(one)]


def _ends_from(statement: Statement, place: int) -> bool:
    """Tell whether a statement, or a mark of it, ends behind a place.

    Or right at it, where a mark may yet be missing.
    """
    if not statement.marks:
        return statement.sentence.end >= place
    return max(statement.sentence.end, statement.marks[-1].end) > place


def _is_judged(statement: Statement) -> bool:
    letters = islice(filter(str.isalpha, statement.text), _FEWEST_LETTERS)
    return len(statement.text) >= _SHORTEST_CHARS and len(list(letters)) == _FEWEST_LETTERS


def _cited(
    statement: Statement, numbering: Numbering, names: SourceNames, sources: Sequence[Source]
) -> list[Cited]:
    """Return what a statement cites, each thing once."""
    found: dict[int | str, Cited] = {}
    for mark in statement.marks:
        if mark.kind is MarkKind.NAMED:
            named = names.named(mark.target)
            if len(named) == 1:
                found.setdefault(named[0].id, Cited(mark, None, sources.index(named[0])))
            continue
        for number in numbering.cited_by(mark):
            source = numbering.source_of(number)
            place = None if source is None else sources.index(source)
            found.setdefault(number, Cited(mark, number, place))
    return list(found.values())
