"""Verification of the citations of an answer.

The log, the rate and whether they are valid follow from what the guards found: what is called
inaccurate is reported by one of them, and what one objects to is never called accurate.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from guards.core.finding import Finding, Severity
from guards.core.keeping import lazy
from guards.core.reading import Reading
from guards.text.citing.assessment import Assessed, Assessment, Status
from guards.text.slots.citation_mark import CitationMark, MarkKind
from policies.codes import explanation
from policies.coverage import Coverage, agrees_with_source, is_about_mark
from policies.judging.regate import strong_grounding
from policies.verdict import Verdict, citation_guards, is_bad_citation
from policies.verification.shape import CitationCheck, CitationCount


@dataclass(frozen=True, slots=True)
class CheckedCitation:
    """One citation with its final status.

    Attributes:
        assessment: How far its source supports its statement.
        objection: What a guard has against the statement itself; None for nothing.
    """

    assessment: Assessment
    status: Status
    objection: Finding | None = None


class CitedAnswer:
    """An answer's citations, judged if the guard of citations ran."""

    def __init__(self, reading: Reading, coverage: Coverage, verdict: Verdict) -> None:
        self._reading = reading
        self._coverage = coverage
        self._verdict = verdict
        self._sources = {source.id: source for source in reading.exchange.sources}

    @property
    def log(self) -> tuple[CitationCheck, ...]:
        """Every pair of a statement and what it cites."""
        return tuple(self._check(one) for one in self._checked)

    @property
    def accuracy_rate(self) -> float | None:
        """Accurate ones among those that could be judged; None if none could."""
        sure = [one.status for one in self._checked if one.status is not Status.UNCERTAIN]
        return round(sure.count(Status.ACCURATE) / len(sure), 4) if sure else None

    @property
    def cites(self) -> bool:
        """True if the answer cites anything by name or number."""
        answer = self._reading.answer
        return bool(self._declared) or bool(answer and answer.text.laws)

    @property
    def valid(self) -> bool | None:
        """True if all citations hold; None if there are none or it could not be decided."""
        if not self.cites or not self._verdict.ran & citation_guards():
            return None
        wrong = any(one.status is Status.INACCURATE for one in self._checked)
        if wrong or self._phantom or any(map(is_bad_citation, self._verdict.findings)):
            return False
        doubtful = any(one.guard in citation_guards() for one in self._verdict.findings)
        return None if doubtful else True

    @lazy
    def count(self) -> CitationCount:
        """The citations of the answer as a whole."""
        assessed = self._assessed if self._declared else None
        return CitationCount(
            declared=self._declared,
            phantom=self._phantom,
            misattributed=self._misattributed,
            uncited_claims=self._uncited,
            recall=_rounded(assessed.recall) if assessed else None,
            precision=_rounded(assessed.precision) if assessed else None,
        )

    @property
    def score(self) -> float | None:
        """Harmonic mean of recall and precision; None where either is unknown."""
        recall, precision = self.count.recall, self.count.precision
        if recall is None or precision is None:
            return None
        return (
            round(2 * recall * precision / (recall + precision), 4) if recall + precision else 0.0
        )

    @property
    def _assessed(self) -> Assessed | None:
        return self._coverage.assessed

    @lazy
    def _checked(self) -> tuple[CheckedCitation, ...]:
        assessments = self._assessed.assessments if self._assessed else ()
        return tuple(self._tell(one) for one in assessments)

    def _tell(self, one: Assessment) -> CheckedCitation:
        if one.source_id is None:
            known = one.mark.start not in self._unknown_places
            return CheckedCitation(one, Status.UNCERTAIN if known else Status.INACCURATE)
        statement = one.statement
        start, end = statement.sentence.start, statement.sentence.end
        for found in self._objections:
            overlaps = found.span.start < end and start < found.span.end
            if overlaps and not is_about_mark(found, statement):
                return CheckedCitation(one, Status.INACCURATE, found)
        return CheckedCitation(one, self._status(one))

    def _status(self, one: Assessment) -> Status:
        """Return the status of a citation of whose statement nothing is known to be wrong."""
        is_reported = self._is_reported(one.mark)
        if one.number is None and is_reported:
            return Status.INACCURATE
        if one.status is Status.INACCURATE and not is_reported:
            return Status.UNCERTAIN
        if (
            one.status is Status.ACCURATE
            and agrees_with_source(one.statement.text, one.quote) is False
        ):
            return Status.UNCERTAIN
        return one.status

    @lazy
    def _objections(self) -> list[Finding]:
        """Findings of guards that are sure: claims that the sources do not support."""
        return strong_grounding(self._verdict.findings)

    def _is_reported(self, mark: CitationMark) -> bool:
        """Tell whether a guard is sure that something is wrong in a mark."""
        at = bisect_left(self._bad_places, mark.start)
        return at < len(self._bad_places) and self._bad_places[at] < mark.end

    @lazy
    def _bad_places(self) -> list[int]:
        return sorted(
            found.span.start for found in self._verdict.findings if is_bad_citation(found)
        )

    @lazy
    def _marks(self) -> tuple[CitationMark, ...]:
        return tuple(mark for one in self._coverage.statements for mark in one.marks)

    @lazy
    def _declared(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for mark in self._marks for name in _names(mark)))

    @property
    def _phantom(self) -> tuple[str, ...]:
        """Return what a guard says that no source is called: numbers, else what is written."""
        marks = [mark for mark in self._marks if mark.start in self._unknown_places]
        lines = self._unknown_places - {mark.start for mark in marks}
        numbers = (str(number) for mark in marks for number in self._unexplained(mark))
        written = (
            found.observed
            for found in self._verdict.findings
            if (found.code == "citations.unknown_number" and found.span.start in lines)
            or (found.code == "citations.unknown_source" and found.severity is Severity.STRONG)
        )
        return tuple(dict.fromkeys((*numbers, *written)))

    @lazy
    def _unknown_places(self) -> frozenset[int]:
        """Positions of citation numbers that refer to no source."""
        unknown = "citations.unknown_number"
        return frozenset(
            found.span.start for found in self._verdict.findings if found.code == unknown
        )

    def _unexplained(self, mark: CitationMark) -> Iterator[int]:
        """Yield the numbers of a mark that mean no source."""
        numbering = self._assessed.numbering if self._assessed else None
        for number in mark.numbers if numbering else ():
            if numbering and numbering.source_of(number) is None:
                yield number

    @property
    def _misattributed(self) -> tuple[str, ...]:
        wrong = (
            one.assessment
            for one in self._checked
            if one.assessment.source_id is not None and one.status is Status.INACCURATE
        )
        names = (
            name
            for one in wrong
            for name in (_names(one.mark) if one.number is None else (str(one.number),))
        )
        return tuple(dict.fromkeys(names))

    @property
    def _uncited(self) -> tuple[int, ...]:
        statements = self._coverage.statements
        led = {lead.start for statement in statements for lead in statement.led_by}
        return tuple(
            index
            for index, one in enumerate(statements)
            if one.is_claim and not one.marks and one.sentence.start not in led
        )

    def _check(self, citation: CheckedCitation) -> CitationCheck:
        one = citation.assessment
        source = self._sources.get(one.source_id) if one.source_id is not None else None
        uncertain = citation.status is Status.UNCERTAIN
        return CitationCheck(
            citation_number=one.number,
            statement=one.statement.text,
            source_file=(source.file or source.title) if source else "",
            source_page=source.page if source else None,
            source_id=one.source_id,
            is_accurate=None if uncertain else citation.status is Status.ACCURATE,
            confidence=citation.objection.score if citation.objection else one.confidence,
            explanation=explanation(one, citation.status, citation.objection),
            status=citation.status,
        )


def _names(mark: CitationMark) -> tuple[str, ...]:
    if mark.kind is MarkKind.NAMED:
        return (mark.target.strip(),)
    return tuple(map(str, mark.numbers))


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)
