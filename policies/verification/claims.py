"""Holds every sentence of an answer against the sources and labels it."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from guards.core.exchange import Source
from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import GuardReport
from guards.core.keeping import lazy
from guards.core.reading import Reading, Text
from guards.evidence.doubt import Doubts, limits
from guards.evidence.support import Support
from guards.evidence.thresholds import CLAIM_SUPPORTED_FROM
from guards.text.citing.statements import Statement, support_of
from policies.coverage import Coverage, is_about_mark
from policies.decision import is_backed, open_signs
from policies.edits import Offsets, Place
from policies.judging.regate import says_untrue, strong_grounding
from policies.schema.policy import Policy
from policies.verification.shape import (
    ClaimCitation,
    ClaimReport,
    Label,
    Method,
    NotCheckable,
    SourceReport,
)


class SourceTexts:
    """The texts of the sources of one exchange."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._offsets: dict[str, Offsets] = {}
        self.reports = tuple(
            SourceReport(
                id=source.id,
                title=source.title,
                text=source.text,
                file=source.file,
                page=source.page,
                score=source.score,
            )
            for source in sources
        )
        self._texts = {source.id: source.text for source in self.reports}

    def place(self, source_id: str, quote: str) -> Place | None:
        """Return where a quote first stands in a source; None if it is not there word for word."""
        start = self._texts.get(source_id, "").find(quote) if quote else -1
        return None if start < 0 else self.at(source_id, Span(start, start + len(quote)))

    def at(self, source_id: str, span: Span) -> Place:
        """Return a place in a source in all three counts."""
        if source_id not in self._offsets:
            self._offsets[source_id] = Offsets(self._texts[source_id])
        return self._offsets[source_id].place(span)


MOST_CITATIONS = 3
_SHORTEST_EXACT_CHARS = 8

_LABELS = {
    Strength.E3: Label.SUPPORTED,
    Strength.E2: Label.SUPPORTED,
    Strength.E1: Label.PARTIAL,
    Strength.E0: Label.UNSUPPORTED,
    Strength.C1: Label.CONTRADICTED,
    Strength.C2: Label.CONTRADICTED,
}
_WORST_FIRST = (Strength.C2, Strength.C1, Strength.E0)


@dataclass(frozen=True)
class Claims:
    """The sentences of one answer, compared with the sources."""

    reading: Reading
    coverage: Coverage
    findings: Sequence[Finding]
    policy: Policy
    sources: SourceTexts
    offsets: Offsets
    judged: Sequence[GuardReport]

    @lazy
    def reports(self) -> tuple[ClaimReport, ...]:
        """Return a report on each sentence, in order."""
        return tuple(
            self._report(index, statement)
            for index, statement in enumerate(self.coverage.statements)
        )

    @lazy
    def about(self) -> tuple[int | None, ...]:
        """For each finding the index of the sentence that it is about; None for none."""
        return tuple(map(self._about, self.findings))

    def _about(self, finding: Finding) -> int | None:
        if finding.part != "answer":
            return None
        span = finding.span
        at = bisect_right(self._ends, span.start)
        if at < len(self._ends):
            begins = self.coverage.statements[at].sentence.start
            if begins < max(span.end, span.start + 1):
                return at
        return self._marked.get(span.start)

    @lazy
    def _ends(self) -> list[int]:
        return [statement.sentence.end for statement in self.coverage.statements]

    @lazy
    def _marked(self) -> dict[int, int]:
        """For each citation mark, some of which stand behind their sentence, whose it is."""
        return {
            mark.start: index
            for index, statement in enumerate(self.coverage.statements)
            for mark in statement.marks
        }

    @lazy
    def _findings_of(self) -> dict[int | None, list[int]]:
        found: dict[int | None, list[int]] = defaultdict(list)
        for number, index in enumerate(self.about):
            found[index].append(number)
        return found

    @lazy
    def not_checkable(self) -> tuple[NotCheckable, ...]:
        """Return what nobody could check, and why."""
        whole = self._whole_reason
        if whole:
            return (NotCheckable(claim=None, reason=whole),)
        return tuple(
            NotCheckable(claim=index, reason=self._reason(statement))
            for index, statement in enumerate(self.coverage.statements)
            if statement.is_claim and not self._checked_by(index, statement)
        )

    @property
    def _whole_reason(self) -> str:
        answer = self.reading.answer
        if answer is None or not answer.text.raw.strip():
            return "no_answer"
        if not self.coverage.claims:
            return "no_claims"
        return "" if self.reading.sources else "no_sources"

    def _reason(self, statement: Statement) -> str:
        return "too_short" if self.coverage.is_too_short(statement) else "not_looked_at"

    def _checked_by(self, index: int, statement: Statement) -> tuple[str, ...]:
        """Return the guards that compared a claim with the sources, or object to it."""
        objecting = strong_grounding(self._findings_at(index, statement))
        guards = (*self.coverage.checked_by(statement), *(one.guard for one in objecting))
        return tuple(dict.fromkeys(guards))

    def _report(self, index: int, statement: Statement) -> ClaimReport:
        sentence = statement.sentence
        checked_by = self._checked_by(index, statement) if statement.is_claim else ()
        about = tuple(self._findings_of[index])
        cited = self._citations(statement) if checked_by else ()
        score = max((one.score for one in cited), default=0.0) if checked_by else None
        strength = self._strength(statement, self._findings_at(index, statement), score, cited)
        return ClaimReport(
            index=index,
            text=sentence.text,
            span=self.offsets.place(Span(sentence.start, sentence.end)),
            check_required=statement.is_claim,
            label=Label.NOT_CHECKABLE if strength is None else _LABELS[strength],
            strength=strength,
            score=score,
            checked_by=checked_by,
            citations=tuple(one for one in cited if one.score >= CLAIM_SUPPORTED_FROM),
            findings=about,
        )

    def _findings_at(self, index: int, statement: Statement) -> list[Finding]:
        """Return the findings about what a sentence says."""
        found = (self.findings[at] for at in self._findings_of[index])
        return [one for one in found if not is_about_mark(one, statement)]

    def _strength(
        self,
        statement: Statement,
        findings: Sequence[Finding],
        score: float | None,
        cited: Sequence[ClaimCitation],
    ) -> Strength | None:
        """Return how well a sentence is founded; None where nobody could look at it."""
        untrue = [one for one in open_signs(findings, self.judged) if says_untrue(one)]
        strong = {one.strength for one in untrue if one.severity is Severity.STRONG}
        worst = next((strength for strength in _WORST_FIRST if strength in strong), None)
        if worst is not None or score is None:
            return worst
        span = Span(statement.sentence.start, statement.sentence.end)
        if not untrue and is_backed(span, self.judged):
            return Strength.E2
        if score < CLAIM_SUPPORTED_FROM:
            return Strength.E0
        if untrue or self._is_doubtful(span):
            return Strength.E1
        exact = any(one.method is Method.EXACT for one in cited)
        return Strength.E3 if exact else Strength.E2

    def _citations(self, statement: Statement) -> tuple[ClaimCitation, ...]:
        """Return the best passages for a claim, the best first."""
        figures = self._support.figures(statement.sentence.start, statement.sentence.end)
        carried = self._support.carried(statement.text, figures)
        scores = [(carried.score([place]), place) for place in range(len(self.sources.reports))]
        best = sorted(scores, key=lambda one: (-one[0], one[1]))[:MOST_CITATIONS]
        return tuple(self._citation(statement, place, score) for score, place in best)

    def _citation(self, statement: Statement, place: int, score: float) -> ClaimCitation:
        source = self.sources.reports[place]
        exact = self._exact(statement, self.reading.sources[place].text)
        if exact is not None:
            quote = source.text[exact.start : exact.end]
            return ClaimCitation(
                source_id=source.id,
                span=self.sources.at(source.id, exact),
                quote=quote,
                method=Method.EXACT,
                score=1.0,
            )
        quote = self._support.quote(statement.text, place)
        return ClaimCitation(
            source_id=source.id,
            span=self.sources.place(source.id, quote),
            quote=quote,
            method=Method.ALIGNED,
            score=round(score, 4),
        )

    @staticmethod
    def _exact(statement: Statement, source: Text) -> Span | None:
        """Return where a claim stands in a source word for word; None if it does not."""
        wanted = statement.text.strip().rstrip(".!")
        start = source.raw.find(wanted) if len(wanted) >= _SHORTEST_EXACT_CHARS else -1
        return None if start < 0 else Span(start, start + len(wanted))

    def _is_doubtful(self, span: Span) -> bool:
        """Tell whether the comparison with the sources leaves a sentence in doubt."""
        doubt = self.reading.once(Doubts).of(span)
        return doubt is not None and doubt >= limits().doubtful_from

    @lazy
    def _support(self) -> Support:
        return support_of(self.reading)
