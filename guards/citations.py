"""Citation marks that name no source of the request, or one that does not support the sentence.

Finds: ``[출처: …]``, ``(출처: …)`` and ``[참조: …]`` with a title, file, law or number that no
    source has, or with a page, article or heading that the source lacks; ``[†N]``, ``【N】``,
    ``[^N]``, ``¹``, ``[출처 N]``, ``<cite id="N">`` and ``[N]`` beyond the numbers of the sources,
    each number of a list or range by itself; files in a list of references, in a footnote or after
    ``출처:`` that are no source; cited sources that contain nothing of the sentence, much less of
    it than exactly one other, or hardly anything of it while the others cited there support it; if
    the policy asks for it, claims without a citation that exactly one source supports.
Misses: a source that says the opposite in the same words; wrong citations of sentences of one or
    two words; a wrong page if the pages of the sources are not known; invented titles in plain
    lines and lists; a name that several sources share.
Score: 1.0; 0.5 if nothing shows that a plain number is a citation, or if no source has a name to
    compare a title with (both weak); for an unsupported sentence the share of it that the source
    lacks; for a missing citation the share of it that the source supports.
Source: the marks that RAG prompts commonly ask for; our own measure of support, with thresholds
    measured on Korean answers.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from guards.core.exchange import Exchange, Source
from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Reading, RequestReading
from guards.evidence.support import read_ahead
from guards.text.citing.articles import Naming
from guards.text.citing.assessment import (
    CITATION_THRESHOLD,
    Assessed,
    Assessment,
    Missing,
    Status,
    assess,
)
from guards.text.citing.references import ReferenceLine, read_source_lines
from guards.text.citing.statements import PARAGRAPH_END, Statement, cited_answer
from guards.text.claims import may_lead_in
from guards.text.sentences import Sentence
from guards.text.slots.citation_mark import CitationMark, MarkKind, MarkStyle
from guards.text.slots.source_name import source_names

_STOPS = ".!?。"
_ROW_END = re.compile(r"\s*\|\s*$")
_LENT_STYLES = frozenset({MarkStyle.LIST, MarkStyle.NOTE, MarkStyle.RAISED})


class Placing:
    """The way in which one answer cites; ``…다[1].`` for one that does not."""

    def __init__(self, raw: str, marks: Sequence[CitationMark]) -> None:
        self._raw = raw
        self._model = next((mark for mark in marks if mark.style in _LENT_STYLES), None)
        before = raw[: self._model.start] if self._model else ""
        self._gap = " " if before.endswith(" ") else ""
        self._is_behind_stop = before.rstrip(" ").endswith(tuple(_STOPS))

    def position(self, statement: Statement) -> int:
        """Return where in the answer the mark of a statement has to stand."""
        sentence = statement.sentence
        if sentence.text.startswith("|") and (end := _ROW_END.search(sentence.text)):
            return sentence.start + end.start()
        if self._is_behind_stop:
            return sentence.end
        return sentence.start + len(sentence.text.rstrip(_STOPS))

    def paragraph_is_over(self, statement: Statement) -> bool:
        """Tell whether a statement's paragraph has ended: one mark may close all of it."""
        return PARAGRAPH_END.search(self._raw, statement.sentence.end) is not None

    def written(self, number: int) -> str:
        """Return the mark, with the blank before it that the answer's own marks have."""
        model = self._model
        if model is None:
            return f"[{number}]"
        return self._gap + model.written(self._raw, (number,)).replace(model.place or "\0", "", 1)


class PlainNumbers:
    """The plain numbers of one answer."""

    def __init__(self, raw: str, exchange: Exchange, assessed: Assessed) -> None:
        self._raw = raw
        self._exchange = exchange
        self._cites = any(
            assessed.numbering.source_of(number)
            for mark in assessed.answer.marks
            for number in mark.numbers
        )
        references = assessed.answer.references
        self._listed = {line.number for line in references.lines} if references else set()

    def are_citations(self, mark: CitationMark) -> bool:
        """Tell whether those of a mark surely cite: by others, its place, or the list."""
        shown = self._cites or mark.well_placed or not self._listed.isdisjoint(mark.numbers)
        return bool(self._exchange.sources) and shown

    def are_taken_over(self, mark: CitationMark) -> bool:
        """Tell whether a mark stands in a source or the question: a footnote of that text."""
        # "m²" in a source is no footnote 2.
        start = mark.start - 1 if mark.style is MarkStyle.RAISED else mark.start
        written = self._raw[start : mark.end]
        return written in self._exchange.question or any(
            written in source.text for source in self._exchange.sources
        )


class Mending:
    """The wrong citations of one answer."""

    def __init__(
        self, raw: str, sources: Sequence[Source], assessed: Assessed, *, add_missing: bool
    ) -> None:
        """Take an answer's assessments.

        Args:
            raw: The answer.
            sources: The sources that it can cite.
            assessed: What was found of its citations.
            add_missing: Let the source that should have been cited take the place of none.
        """
        self._raw = raw
        self._sources = {source.id: source for source in sources}
        self._numbering = assessed.numbering
        self._wrong: dict[tuple[int, int | None], Assessment] = {}
        self._absent: dict[tuple[int, int | None], Assessment] = {}
        for one in _each_better_once(assessed.assessments):
            if one.source_id is not None:
                self._wrong |= dict.fromkeys(_places(one), one)
            elif add_missing:
                self._absent |= dict.fromkeys(_places(one), one)

    def wrong_in(self, mark: CitationMark) -> list[Assessment]:
        """Return the citations in a mark whose source does not say so."""
        found = (self._wrong.get((mark.start, number)) for number in mark.numbers or (None,))
        return [one for one in found if one is not None]

    def written(
        self, mark: CitationMark, phantom: Sequence[int], wrong: Sequence[Assessment]
    ) -> str:
        """Return the mark with everything put right that is wrong with it."""
        absent = ((number, self._absent.get((mark.start, number))) for number in phantom)
        right: dict[int | None, int | None] = {
            number: self.right_number(one) if one else None for number, one in absent
        }
        right |= {one.number: self.right_number(one) for one in wrong}
        numbers = (right.get(number, number) for number in mark.numbers)
        kept = list(dict.fromkeys(number for number in numbers if number is not None))
        if list(mark.numbers) == sorted(mark.numbers):
            kept.sort()
        written = mark.written(self._raw, kept)
        # The place was one in the wrong source.
        return written.replace(mark.place, "", 1) if right and mark.place else written

    def right_source(self, one: Assessment) -> Source | None:
        """Return the better source."""
        return None if one.better is None else self._sources[one.better]

    def right_number(self, one: Assessment) -> int | None:
        """Return the number by which the answer can cite the better source."""
        source = self.right_source(one)
        return self._numbering.number_of(source) if source else None


def _places(one: Assessment) -> Iterator[tuple[int, int | None]]:
    """Yield where a citation stands: the beginnings of its marks, with its number."""
    if one.number is None:
        yield one.mark.start, None
        return
    for mark in one.statement.marks:
        yield mark.start, one.number


def _each_better_once(assessments: Sequence[Assessment]) -> Iterator[Assessment]:
    """Yield the wrong citations; of those with one better source, only the first one gets it."""
    given: set[tuple[int, str]] = set()
    for one in assessments:
        if one.status is not Status.INACCURATE:
            continue
        place = (one.statement.sentence.start, one.better or "")
        yield replace(one, better=None) if place in given else one
        given.add(place)


_MOST_EXPECTED = 8


class CitationsSettings(GuardSettings):
    """Options of the guard."""

    check_without_sources: bool = Field(
        True,
        description="Also check answers to requests without sources, where every mark lacks its "
        "source. Off: such answers are reported as not checked.",
    )
    threshold: float = Field(
        CITATION_THRESHOLD,
        gt=0.5,
        le=1,
        description="With this share of support or more a citation is accurate; with this share "
        "or more lacking it is inaccurate.",
    )
    add_missing: bool = Field(
        False,
        description="Add the missing citation to claims that exactly one source supports.",
    )


class Citations(Guard[CitationsSettings]):
    """Report citation marks that name no source of the request, or the wrong one."""

    id = "citations"
    label = Label("Citation marks", "출처 표시")
    subject = Subject.CITATIONS
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = CitationsSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "citations.unknown_source": Code(
            label=Label("Cites a document that does not exist", "없는 문서를 인용함"),
            meaning=(
                "Names a title or file that no source has, or a page or article that its source "
                "lacks."
            ),
            message="제공된 자료에 없는 출처입니다",
            instruction=(
                "{observed}: 제공된 자료에 없는 출처입니다. 실제 출처만 표시하세요: {expected}"
            ),
            without_value="{observed}: 제공된 자료에 없는 출처입니다. 쓰지 마세요.",
        ),
        "citations.unknown_number": Code(
            label=Label("Cites a number that no source has", "없는 출처 번호를 인용함"),
            meaning="Cites a number that no source has.",
            message="제공된 자료에 없는 출처 번호입니다",
            instruction="{observed}: 없는 출처 번호입니다. 쓸 수 있는 번호: {expected}",
            without_value="{observed}: 없는 출처 번호입니다. 쓰지 마세요.",
        ),
        "citations.wrong_source": Code(
            label=Label("Cites the wrong source", "다른 출처를 인용함"),
            meaning="Cites a source that does not support the sentence, while exactly one other "
            "does.",
            message="다른 출처에 있는 내용입니다",
            instruction="{observed}: 인용한 출처에 없는 내용입니다. 내용이 있는 출처: {expected}",
        ),
        "citations.unsupported": Code(
            label=Label("The cited source does not say so", "인용한 출처에 그런 내용이 없음"),
            meaning="Cites a source that contains nothing of the sentence.",
            message="표시된 출처에 없는 내용입니다",
            instruction=(
                "{observed}: 인용한 출처에 없는 내용입니다. 실제로 내용이 있는 출처만 표시하세요."
            ),
        ),
        "citations.missing": Code(
            label=Label("A citation is missing", "출처 표시가 빠짐"),
            meaning="Makes a claim without a citation that exactly one source supports.",
            message="출처 표시가 빠져 있습니다",
            instruction='"{observed}" 문장에 출처 {expected} 표시가 필요합니다.',
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Return why there is nothing to check against."""
        lacks = not (reading.sources or self.settings.check_without_sources)
        return super().not_checkable(reading) or ("no_sources" if lacks else None)

    def read_ahead(self, request: RequestReading) -> Iterator[None]:
        """Read the sources that statements are compared with, one by one."""
        return read_ahead(request)

    def check(self, reading: Reading) -> list[Finding]:
        """Report the marks of the answer that lead nowhere or to the wrong source."""
        cited = cited_answer(reading)
        lines = read_source_lines(cited.raw)
        if not (cited.marks or cited.references or lines or self.settings.add_missing):
            return []
        assessed = assess(reading, self.settings.threshold)
        citing = _Citing(reading, assessed, add_missing=self.settings.add_missing)
        judged = (mark for mark in cited.marks if mark.end > reading.judged_from)
        found = [finding for mark in judged for finding in citing.findings(mark)]
        # Only at the end is it sure that lines are a list of references.
        found += [replace(finding, provisional=True) for finding in citing.listed_phantoms()]
        found += [finding for line in lines for finding in citing.unknown_files(line)]
        if self.settings.add_missing:
            found += [citing.missing(one) for one in citing.assessed.missing]
        return found


class _Citing:
    """The citations of one answer."""

    def __init__(self, reading: Reading, assessed: Assessed, *, add_missing: bool) -> None:
        self.assessed = assessed
        self._exchange = reading.exchange
        self._raw = reading.answer_text.raw
        self._names = source_names(reading)
        self._naming = Naming(reading, self._names)
        self._numbers = tuple(f"[{one.id}]" for one in self._exchange.sources[:_MOST_EXPECTED])
        self._placing = Placing(self._raw, assessed.answer.marks)
        self._plain = PlainNumbers(self._raw, self._exchange, assessed)
        self._mending = Mending(
            self._raw, self._exchange.sources, assessed, add_missing=add_missing
        )
        self._leading: dict[int, bool] = {}

    def findings(self, mark: CitationMark) -> Iterator[Finding]:
        """Yield what is wrong with a mark."""
        if mark.kind is MarkKind.NAMED:
            yield from self._name_findings(mark)
            return
        for finding in self._number_findings(mark):
            # A list at the end may say what the numbers mean.
            yield replace(finding, provisional=True)

    def _number_findings(self, mark: CitationMark) -> Iterator[Finding]:
        sure = mark.kind is MarkKind.NUMBERED or self._plain.are_citations(mark)
        if mark.kind is MarkKind.PLAIN and self._plain.are_taken_over(mark):
            return
        numbering = self.assessed.numbering
        cited = numbering.cited_by(mark)
        phantom = [number for number in cited if numbering.source_of(number) is None]
        wrong = self._mending.wrong_in(mark)
        if not phantom and not wrong:
            yield from self._wrongly_placed(mark, sure=sure)
            return
        fix = self._mending.written(mark, phantom, wrong) if sure else None
        if phantom:
            span = Span(mark.start, mark.end)
            yield self._phantom("unknown_number", span, self._numbers, fix, sure=sure)
        for one in wrong if sure else ():
            right = self._mending.right_number(one)
            yield self._wrongly_cited(mark, one, fix, f"[{right}]" if right else "")

    def _wrongly_placed(self, mark: CitationMark, *, sure: bool) -> Iterator[Finding]:
        """Yield the finding on a number whose source has not the page or article behind it."""
        meant = map(self.assessed.numbering.source_of, mark.numbers) if mark.place else ()
        sources = [source for source in meant if source is not None]
        if self._names.lack(sources, mark.place):
            fix = self._raw[mark.start : mark.end].replace(mark.place, "", 1)
            span = Span(mark.start, mark.end)
            yield self._phantom("unknown_source", span, self._titles, fix, sure=sure)

    def listed_phantoms(self) -> Iterator[Finding]:
        """Yield the lines of the answer's references that explain a number by no source."""
        references = self.assessed.answer.references
        for line in references.lines if references else ():
            # "3. …" may only count the lines.
            in_brackets = self._raw[: line.number_span.start].endswith(("[", "†", "【"))
            if line.number and in_brackets and not self.assessed.numbering.source_of(line.number):
                span = line.span
                yield self._phantom("unknown_number", span, self._numbers, fix="", sure=True)
            else:
                yield from self.unknown_files(line)

    def unknown_files(self, line: ReferenceLine) -> Iterator[Finding]:
        """Yield the finding on a line that names a file, or a page of it, which no source is."""
        unknown = self._names.unknown_files(line.target)
        wrong_place = None if unknown else self._naming.wrong_place(line)
        if not unknown and wrong_place is None:
            return
        source = self.assessed.numbering.source_of(line.number) if line.number else None
        without = wrong_place or self._naming.line_without(line, unknown)
        fix = self._naming.line_of(line, source) if source else without
        yield self._phantom("unknown_source", line.span, self._titles, fix, sure=True)

    def missing(self, one: Missing) -> Finding:
        """Return the finding on a claim that should cite a source."""
        position = self._placing.position(one.statement)
        mark = self._placing.written(one.number)
        return Finding(
            guard=Citations.id,
            code="citations.missing",
            part="answer",
            span=Span(position, position),
            observed=one.statement.text,
            strength=Strength.E2,
            expected=(mark.strip(),),
            evidence=(Evidence(one.source_id, one.quote),),
            score=one.score,
            fix=mark,
            provisional=not self._placing.paragraph_is_over(one.statement),
        )

    def _name_findings(self, mark: CitationMark) -> Iterator[Finding]:
        span = Span(mark.start, mark.end)
        unknown = self._names.unknown(mark.target)
        if unknown:
            sure = self._names.known or not self._exchange.sources
            fix = self._naming.without(mark, unknown) if sure else None
            yield self._phantom("unknown_source", span, self._titles, fix, sure=sure)
            return
        for one in self._mending.wrong_in(mark):
            right = self._mending.right_source(one)
            fix = self._naming.of_other(mark, right) if right else ""
            yield self._wrongly_cited(mark, one, fix, right.title or right.file if right else "")
            return
        fix = self._naming.put_right(mark)
        if fix is not None:
            yield self._phantom("unknown_source", span, self._titles, fix, sure=True)

    @property
    def _titles(self) -> tuple[str, ...]:
        titles = (source.title or source.file for source in self._exchange.sources)
        return tuple(dict.fromkeys(title for title in titles if title))[:_MOST_EXPECTED]

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
            part="answer",
            span=span,
            observed=self._raw[span.start : span.end],
            severity=Severity.STRONG if sure else Severity.WEAK,
            strength=Strength.E0,
            expected=expected,
            score=1.0 if sure else 0.5,
            fix=fix,
        )

    def _wrongly_cited(
        self, mark: CitationMark, one: Assessment, fix: str | None, right: str
    ) -> Finding:
        """Return the finding on a source that does not say so; `right` is what should stand."""
        evidence = (Evidence(one.better, one.quote),) if right and one.better else ()
        return Finding(
            guard=Citations.id,
            code="citations.wrong_source" if right else "citations.unsupported",
            part="answer",
            span=Span(mark.start, mark.end),
            observed=self._raw[mark.start : mark.end],
            strength=Strength.C1 if right else Strength.E0,
            expected=(right,) if right else (),
            evidence=evidence,
            score=round(1 - one.score, 3),
            fix=fix,
            # What only opens a list says nothing that a source could lack.
            provisional=self._may_lead_in(one.statement.sentence),
        )

    def _may_lead_in(self, sentence: Sentence) -> bool:
        if sentence.start not in self._leading:
            self._leading[sentence.start] = may_lead_in(sentence, self._raw)
        return self._leading[sentence.start]
