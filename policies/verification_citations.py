"""What a verification says of the citations of an answer."""

from functools import cached_property

from guards.citations import Citations, CitationsSettings
from guards.core.reading import Reading
from guards.text.citing.assessed import Assessed, Assessment, Status
from guards.text.citing.assessment import assess
from guards.text.slots.citation_mark import CitationMark, MarkKind
from policies.confidence import CITATION_GUARDS, is_bad_citation
from policies.policy import Policy
from policies.verdict import Verdict
from policies.verification_coverage import Coverage
from policies.verification_parts import CitationCheck, CitationCount
from policies.verification_thresholds import options_of
from policies.verification_words import explanation


class CitedAnswer:
    """An answer's citations, judged if the guard of citations ran."""

    def __init__(
        self, reading: Reading, coverage: Coverage, policy: Policy, verdict: Verdict
    ) -> None:
        self._reading = reading
        self._coverage = coverage
        self._threshold = options_of(policy, Citations.id, CitationsSettings).threshold
        self._verdict = verdict
        self._sources = {source.id: source for source in reading.exchange.sources}

    @property
    def log(self) -> tuple[CitationCheck, ...]:
        """Every pair of a statement and what it cites."""
        return tuple(self._check(one) for one in self._assessments)

    @property
    def accuracy_rate(self) -> float | None:
        """Accurate ones among those that could be told; None if none could."""
        told = [one.status for one in self._assessments if one.status is not Status.UNCERTAIN]
        return round(told.count(Status.ACCURATE) / len(told), 4) if told else None

    @property
    def cites(self) -> bool:
        """Whether the answer rests on anything by name or number."""
        answer = self._reading.answer
        return bool(self._declared) or bool(answer and answer.text.laws)

    @property
    def valid(self) -> bool | None:
        """Whether all citations hold; None if there are none or nobody looked."""
        if not self.cites or not self._verdict.ran & CITATION_GUARDS:
            return None
        return not any(map(is_bad_citation, self._verdict.findings))

    @cached_property
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

    @cached_property
    def _assessed(self) -> Assessed | None:
        """What is to be said of the citations; None if their guard did not run."""
        if Citations.id not in self._verdict.ran:
            return None
        return assess(self._reading, self._threshold)

    @property
    def _assessments(self) -> tuple[Assessment, ...]:
        return self._assessed.assessments if self._assessed else ()

    @cached_property
    def _marks(self) -> tuple[CitationMark, ...]:
        return tuple(mark for one in self._coverage.statements for mark in one.marks)

    @cached_property
    def _declared(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for mark in self._marks for name in _names(mark)))

    @property
    def _phantom(self) -> tuple[str, ...]:
        """Return what no source is called; nothing if nobody looked."""
        if self._assessed is None:
            return ()
        numbering = self._assessed.numbering
        numbers = (
            str(number)
            for mark in self._marks
            for number in mark.numbers
            if numbering.source_of(number) is None
        )
        named = (
            finding.observed
            for finding in self._verdict.findings
            if finding.code == "citations.unknown_source"
        )
        return tuple(dict.fromkeys((*numbers, *named)))

    @property
    def _misattributed(self) -> tuple[str, ...]:
        names = (
            name
            for one in self._assessments
            if one.source_id is not None and one.status is Status.INACCURATE
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

    def _check(self, one: Assessment) -> CitationCheck:
        source = self._sources.get(one.source_id) if one.source_id is not None else None
        uncertain = one.status is Status.UNCERTAIN
        return CitationCheck(
            citation_number=one.number,
            statement=one.statement.text,
            source_file=(source.file or source.title) if source else "",
            source_page=source.page if source else None,
            source_id=one.source_id,
            is_accurate=None if uncertain else one.status is Status.ACCURATE,
            confidence=one.confidence,
            explanation=explanation(one),
            status=one.status,
        )


def _names(mark: CitationMark) -> tuple[str, ...]:
    if mark.kind is MarkKind.NAMED:
        return (mark.target.strip(),)
    return tuple(map(str, mark.numbers))


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)
