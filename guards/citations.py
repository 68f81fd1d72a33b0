"""Citation marks that name no source of the request, or one that does not say so.

Finds: ``[출처: …]``, ``(출처: …)`` and ``[참조: …]`` whose title, file, law or number no source
    has; ``[†N]``, ``【N】``, ``[^N]``, ``¹``, ``[출처 N]``, ``<cite id="N">`` and ``[N]`` beyond
    the sources' numbers, each number of a list or range; numbers whose source has nothing of what
    it is cited for, or much less of it than exactly one other; if asked to, claims without a
    citation that exactly one source carries.
Misses: a named source that exists and does not say so; a wrong page of the right file; a source
    that says the opposite in the same words; wrong citations of sentences of one or two words;
    references written as plain lines (``출처: …``); footnotes that the answer itself explains.
Score: 1.0; 0.5 where nothing shows that a plain number is a citation, or where no source has a name
    that a title could be compared with (both weak); for a source that does not say so, how much of
    the statement it lacks; for a missing citation, how much of it the source carries.
Source: the marks that prompts for retrieval commonly ask for; own measure of support, its
    thresholds measured on Korean answers.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Part, Reading
from guards.text.citing.articles import RightArticles
from guards.text.citing.assessed import Assessed, Assessment, Missing
from guards.text.citing.assessment import CITATION_THRESHOLD, assess
from guards.text.citing.cited_answer import CitedAnswer
from guards.text.citing.mending import Mending
from guards.text.citing.placing import Placing
from guards.text.slots.citation_mark import CitationMark, MarkKind, MarkStyle
from guards.text.slots.law_index import LawIndex
from guards.text.slots.source_name import SourceNames, names_in

_start_of = attrgetter("start")
_MOST_EXPECTED = 8


class CitationsSettings(GuardSettings):
    """Options of the guard."""

    check_without_sources: bool = Field(
        True,
        description="Also check answers to requests that carried no sources, where every mark is "
        "without a source. Off: such answers are reported as not checked.",
    )
    threshold: float = Field(
        CITATION_THRESHOLD,
        gt=0.5,
        le=1,
        description="From this support on a citation is accurate; with as much lacking it is not.",
    )
    add_missing: bool = Field(
        False,
        description="Add a citation to claims without one that exactly one source carries.",
    )


class Citations(Guard[CitationsSettings]):
    """Report citation marks that name no source of the request, or the wrong one."""

    id = "citations"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.ANSWER
    settings_type = CitationsSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "citations.unknown_source": Code(
            "names a title or file that no source has",
            "{observed}: 제공된 자료에 없는 출처입니다. 실제 출처만 표시하세요: {expected}",
        ),
        "citations.unknown_number": Code(
            "cites a number that no source has",
            "{observed}: 없는 출처 번호입니다. 쓸 수 있는 번호: {expected}",
        ),
        "citations.wrong_source": Code(
            "cites a source that does not say so, while exactly one other does",
            "{observed}: 인용한 출처에 없는 내용입니다. 내용이 있는 출처: {expected}",
        ),
        "citations.unsupported": Code(
            "cites a source that has nothing of the sentence",
            "{observed}: 인용한 출처에 없는 내용입니다. 실제로 내용이 있는 출처만 표시하세요.",
        ),
        "citations.missing": Code(
            "makes a claim without a citation that exactly one source carries",
            '"{observed}" 문장에 출처 {expected} 표시가 필요합니다.',
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Return why there is nothing to check against."""
        if reading.answer is None:
            return "no_answer"
        if not reading.sources and not self.settings.check_without_sources:
            return "no_sources"
        return None

    def check(self, reading: Reading) -> list[Finding]:
        """Report the marks of the answer that lead nowhere or to the wrong source."""
        answer = reading.answer
        if answer is None:
            return []
        cited = CitedAnswer(answer.text.raw)
        if not (cited.marks or cited.references or self.settings.add_missing):
            return []
        citing = _Citing(reading, answer, assess(reading, self.settings.threshold, cited))
        found = [finding for mark in cited.marks for finding in citing.findings(mark)]
        found += citing.listed_phantoms()
        if self.settings.add_missing:
            found += [citing.missing(one) for one in citing.assessed.missing]
        return found


class _Citing:
    """The citations of one answer."""

    def __init__(self, reading: Reading, answer: Part, assessed: Assessed) -> None:
        marks = assessed.answer.marks
        self.assessed = assessed
        self._exchange = reading.exchange
        self._answer = answer
        index = LawIndex.of(self._exchange.sources)
        self._names = SourceNames(self._exchange.sources, index)
        self._articles = RightArticles(reading, index)
        self._numbers = tuple(f"[{one.id}]" for one in self._exchange.sources[:_MOST_EXPECTED])
        self._placing = Placing(answer.text.raw, marks)
        self._cites = any(
            assessed.numbering.source_of(number) for mark in marks for number in mark.numbers
        )
        self._mending = Mending(answer.text.raw, self._exchange.sources, assessed)

    def findings(self, mark: CitationMark) -> Iterator[Finding]:
        """Yield what is wrong with a mark."""
        if mark.kind is MarkKind.NAMED:
            yield from self._named(mark)
            return
        sure = mark.kind is MarkKind.NUMBERED or self._is_citation(mark)
        if mark.kind is MarkKind.PLAIN and self._is_taken_over(mark):
            return
        numbering = self.assessed.numbering
        cited = numbering.cited_by(mark)
        phantom = [number for number in cited if numbering.source_of(number) is None]
        wrong = self._mending.wrong_in(mark)
        if not phantom and not wrong:
            return
        fix = self._mending.written(mark, phantom, wrong) if sure else None
        if phantom:
            span = Span(mark.start, mark.end)
            yield self._phantom("unknown_number", span, self._numbers, fix, sure=sure)
        for one in wrong if sure else ():
            yield self._wrongly_cited(mark, one, fix)

    def listed_phantoms(self) -> Iterator[Finding]:
        """Yield the lines of the answer's references that explain a number that no source has."""
        raw = self._answer.text.raw
        references = self.assessed.answer.references
        for line in references.lines if references else ():
            # "3. …" may only count the lines.
            in_brackets = raw[: line.number_span.start].endswith(("[", "†", "【"))
            if line.number and in_brackets and not self.assessed.numbering.source_of(line.number):
                span = line.span
                yield self._phantom("unknown_number", span, self._numbers, fix="", sure=True)

    def missing(self, one: Missing) -> Finding:
        """Return the finding on a claim that should cite a source."""
        position = self._placing.position(one.statement)
        mark = self._placing.written(one.number)
        return Finding(
            guard=Citations.id,
            code="citations.missing",
            part=self._answer.name,
            span=Span(position, position),
            observed=one.statement.text,
            strength=Strength.E2,
            expected=(mark.strip(),),
            evidence=(Evidence(one.source_id, one.quote),),
            score=one.score,
            fix=mark,
        )

    def _named(self, mark: CitationMark) -> Iterator[Finding]:
        unknown = self._names.unknown(mark.target)
        if unknown:
            sources = self._exchange.sources
            titles = (source.title or source.file for source in sources)
            expected = tuple(dict.fromkeys(title for title in titles if title))[:_MOST_EXPECTED]
            sure = self._names.known or not sources
            fix = self._without(mark, unknown) if sure else None
            span = Span(mark.start, mark.end)
            yield self._phantom("unknown_source", span, expected, fix, sure=sure)

    def _without(self, mark: CitationMark, unknown: Sequence[str]) -> str:
        """Return a named mark without the names that no source has."""
        raw = self._answer.text.raw
        if unknown == (mark.target,):
            return self._with_right_article(mark)
        kept = [piece for piece in names_in(mark.target) if piece not in unknown]
        written = raw[mark.start : mark.end]
        return written.replace(mark.target, ", ".join(kept), 1) if kept else ""

    def _with_right_article(self, mark: CitationMark) -> str:
        """Return a mark with the article that its sentence means; empty if that is not clear."""
        laws = self._answer.text.laws
        first, last = (bisect_left(laws, at, key=_start_of) for at in (mark.start, mark.end))
        if last - first != 1:
            return ""
        inside = laws[first]
        right = self._articles.written(inside)
        if right is None:
            return ""
        raw = self._answer.text.raw
        return raw[mark.start : inside.start] + right + raw[inside.end : mark.end]

    def _phantom(
        self,
        what: str,
        span: Span,
        expected: tuple[str, ...],
        fix: str | None,
        *,
        sure: bool,
    ) -> Finding:
        return Finding(
            guard=Citations.id,
            code=f"citations.{what}",
            part=self._answer.name,
            span=span,
            observed=self._answer.text.raw[span.start : span.end],
            severity=Severity.STRONG if sure else Severity.WEAK,
            strength=Strength.E0,
            expected=expected,
            score=1.0 if sure else 0.5,
            fix=fix,
        )

    def _wrongly_cited(self, mark: CitationMark, one: Assessment, fix: str | None) -> Finding:
        right = self._mending.right_number(one)
        evidence = (Evidence(one.better, one.quote),) if right and one.better else ()
        return Finding(
            guard=Citations.id,
            code="citations.wrong_source" if right else "citations.unsupported",
            part=self._answer.name,
            span=Span(mark.start, mark.end),
            observed=self._written(mark),
            strength=Strength.C1 if right else Strength.E0,
            expected=(f"[{right}]",) if right else (),
            evidence=evidence,
            score=round(1 - one.score, 3),
            fix=fix,
        )

    def _written(self, mark: CitationMark) -> str:
        return self._answer.text.raw[mark.start : mark.end]

    def _is_citation(self, mark: CitationMark) -> bool:
        """Tell whether a plain number is surely a citation: others are, or its place is."""
        return bool(self._exchange.sources) and (self._cites or mark.well_placed)

    def _is_taken_over(self, mark: CitationMark) -> bool:
        """Tell whether a plain mark stands in a source or the question: a footnote of that text."""
        # "m²" in a source is no footnote 2.
        start = mark.start - 1 if mark.style is MarkStyle.RAISED else mark.start
        written = self._answer.text.raw[start : mark.end]
        return written in self._exchange.question or any(
            written in source.text for source in self._exchange.sources
        )
