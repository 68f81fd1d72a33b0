"""Whether the sources that an answer cites say what they are cited for.

Each pair of a statement and a number (or a named source) is one assessment: accurate, inaccurate or
uncertain. Recall is the share of claims that their cited sources carry together; precision that of
citations which carry their statement, or without which the others would not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from guards.core.exchange import Source
from guards.core.reading import Reading
from guards.text.citing.assessed import Assessed, Assessment, Missing, Status
from guards.text.citing.cited_answer import CitedAnswer
from guards.text.citing.numbering import Numbering
from guards.text.citing.statements import Statement
from guards.text.citing.support import Carried, Support
from guards.text.sentences import Sentence
from guards.text.slots.citation_mark import CitationMark, MarkKind
from guards.text.slots.law_index import LawIndex
from guards.text.slots.source_name import SourceNames

CITATION_THRESHOLD = 0.7
BETTER_FROM = 0.6
BETTER_BY = 0.25
_NEEDED_FROM = 0.05
_SHORTEST_CHARS = 5
_FEWEST_LETTERS = 2
FEWEST_MEASURED = 3
"""A statement of fewer words and figures is too short to say that a source lacks it."""


def assess(
    reading: Reading,
    threshold: float = CITATION_THRESHOLD,
    answered: CitedAnswer | None = None,
) -> Assessed:
    """Return what is to be said of the citations of an answer.

    Args:
        reading: An exchange with an answer; without one nothing is cited.
        threshold: From this score on a citation is accurate; inaccurate if as much is lacking.
        answered: The reading's answer, if it was read for its citations already.
    """
    answer = reading.answer
    cited = answered or CitedAnswer(answer.text.raw if answer else "")
    sources = reading.exchange.sources
    names = SourceNames(sources, LawIndex.of(sources))
    numbering = Numbering(sources, cited.references, names)
    if answer is None or not sources:
        return Assessed((), (), None, None, cited, numbering)
    support = Support(reading, cited.marks)
    cases = [
        _Case(
            statement,
            tuple(_cited(statement, numbering, names, sources)),
            support,
            sources,
            threshold,
        )
        for statement in cited.statements
        if _is_judged(statement)
    ]
    claims = [case for case in cases if case.statement.is_claim]
    found = [one for case in cases for one in case.assessments()]
    precise = [is_precise for case in cases for is_precise in case.precise()]
    missing = (case.missing(numbering) for case in claims)
    return Assessed(
        assessments=tuple(found),
        missing=tuple(one for one in missing if one is not None),
        recall=sum(case.is_carried for case in claims) / len(claims) if claims else None,
        precision=sum(precise) / len(precise) if precise else None,
        answer=cited,
        numbering=numbering,
    )


@dataclass(frozen=True, slots=True)
class _Cited:
    """One thing that a statement cites.

    Attributes:
        mark: The mark.
        number: The number in it; None if it names its source.
        place: The place of the source in the list; None if there is no such source.
    """

    mark: CitationMark
    number: int | None
    place: int | None


class _Case:
    """One statement, what it cites, and how far the sources carry it."""

    def __init__(
        self,
        statement: Statement,
        cited: tuple[_Cited, ...],
        support: Support,
        sources: Sequence[Source],
        threshold: float,
    ) -> None:
        self.statement = statement
        self._cited = cited
        self._support = support
        self._sources = sources
        self._threshold = threshold
        self._places = tuple(dict.fromkeys(one.place for one in cited if one.place is not None))

    @cached_property
    def _carried(self) -> Carried:
        return self._carried_of(self.statement.text, self.statement.sentence)

    def _carried_of(self, text: str, sentence: Sentence) -> Carried:
        figures = self._support.figures(sentence.start, sentence.end)
        return self._support.carried(text, figures)

    @property
    def is_carried(self) -> bool:
        """Whether the cited sources carry the statement together."""
        return bool(self._places) and self._carried.score(self._places) >= self._threshold

    def assessments(self) -> list[Assessment]:
        """Return the assessment of each citation."""
        return [self._assessment(one) for one in self._cited]

    def precise(self) -> list[bool]:
        """Tell for each citation whether it carries the statement alone or is needed to."""
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
        clear = self._clear([])
        if len(clear) != 1 or self._score(clear[0]) < self._threshold:
            return None
        number = numbering.number_of(self._sources[clear[0]])
        if number is None:
            return None
        source_id = self._sources[clear[0]].id
        score = round(self._score(clear[0]), 3)
        return Missing(self.statement, source_id, number, score, self._quote(clear[0]))

    def _assessment(self, cited: _Cited) -> Assessment:
        place = cited.place
        score = 0.0 if place is None else self._score(place)
        rivals = self._rivals
        better = rivals[0] if len(rivals) == 1 else None
        status = self._status(place, score)
        shown = place if better is None else better
        return Assessment(
            statement=self.statement,
            mark=cited.mark,
            number=cited.number,
            source_id=None if place is None else self._sources[place].id,
            score=round(score, 3),
            status=status,
            confidence=round(max(score, 1 - score), 3),
            better=None if better is None else self._sources[better].id,
            rivals=len(rivals),
            quote="" if shown is None else self._quote(shown),
        )

    def _status(self, place: int | None, score: float) -> Status:
        if place is None:
            return Status.INACCURATE
        if score >= self._threshold:
            return Status.ACCURATE
        lacks = 1 - score >= self._threshold and self._is_measurable([place])
        spared = self._carries_lead(place) or self._is_needed(place)
        return Status.INACCURATE if lacks and not spared else Status.UNCERTAIN

    def _is_measurable(self, places: Sequence[int]) -> bool:
        """Tell whether there is enough in the statement to say that some sources lack it."""
        enough = self._carried.words + self._carried.figures >= FEWEST_MEASURED
        text = self.statement.text
        return enough and all(self._support.is_in_language_of(text, place) for place in places)

    def _score(self, place: int) -> float:
        return self._carried.score([place])

    def _is_needed(self, place: int) -> bool:
        """Tell whether the other cited sources carry less of the statement without this one."""
        others = [other for other in self._places if other != place]
        if not others:
            return False
        whole = self._carried.score(self._places)
        return whole - self._carried.score(others) >= _NEEDED_FROM

    def _carries_lead(self, place: int) -> bool:
        """Tell whether a source carries a sentence before that may share its citation."""
        return any(
            self._carried_of(lead.text, lead).score([place]) >= BETTER_FROM
            for lead in self.statement.led_by
        )

    @cached_property
    def _rivals(self) -> list[int]:
        """The sources that carry the statement clearly better than those cited."""
        if not self._is_measurable(self._places) or any(map(self._carries_lead, self._places)):
            return []
        return self._clear(self._places)

    def _clear(self, cited: Sequence[int]) -> list[int]:
        """Return the sources that carry the statement clearly better than those cited."""
        least = max(BETTER_FROM, self._carried.score(cited) + BETTER_BY)
        return [
            place
            for place in range(len(self._sources))
            if place not in cited and self._score(place) >= least
        ]

    def _quote(self, place: int) -> str:
        return self._support.quote(self.statement.text, place)


def _is_judged(statement: Statement) -> bool:
    letters = sum(char.isalpha() for char in statement.text)
    return len(statement.text) >= _SHORTEST_CHARS and letters >= _FEWEST_LETTERS


def _cited(
    statement: Statement, numbering: Numbering, names: SourceNames, sources: Sequence[Source]
) -> list[_Cited]:
    """Return what a statement cites, each thing once."""
    found: dict[int | str, _Cited] = {}
    for mark in statement.marks:
        if mark.kind is MarkKind.NAMED:
            named = names.named(mark.target)
            if len(named) == 1:
                found.setdefault(named[0].id, _Cited(mark, None, sources.index(named[0])))
            continue
        for number in numbering.cited_by(mark):
            source = numbering.source_of(number)
            place = None if source is None else sources.index(source)
            found.setdefault(number, _Cited(mark, number, place))
    return list(found.values())
