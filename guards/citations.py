"""Citation marks that name no source of the request.

Finds: ``[출처: …]``, ``(출처: …)`` and ``[참조: …]`` whose title, file, law or number no source
    has; ``[†N]``, ``【N】``, ``[^N]``, ``[출처 N]`` and ``[N]`` beyond the sources' numbers, each
    number of a list or range.
Misses: whether the source says what it is cited for; a wrong page of the right file; references
    written as plain lines (``출처: …``); footnotes that the answer itself explains.
Score: 1.0; 0.5 where nothing shows that a plain number is a citation, or where no source has a name
    that a title could be compared with (both weak).
Source: the marks that prompts for retrieval commonly ask for.
"""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Part, Reading
from guards.text.slots.citation_mark import CitationMark, MarkKind, read_marks
from guards.text.slots.law_index import LawIndex
from guards.text.slots.source_name import SourceNames

_MOST_EXPECTED = 8


class CitationsSettings(GuardSettings):
    """Options of the guard."""

    check_without_sources: bool = Field(
        True,
        description="Also check answers to requests that carried no sources, where every mark is "
        "without a source. Off: such answers are reported as not checked.",
    )


class Citations(Guard[CitationsSettings]):
    """Report every citation mark that names no source of the request."""

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
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Return why there is nothing to check against."""
        if reading.answer is None:
            return "no_answer"
        if not reading.sources and not self.settings.check_without_sources:
            return "no_sources"
        return None

    def check(self, reading: Reading) -> list[Finding]:
        """Report the marks of the answer that lead nowhere."""
        answer = reading.answer
        marks = read_marks(answer.text.raw) if answer else ()
        if answer is None or not marks:
            return []
        exchange = reading.exchange
        names = SourceNames(exchange.sources, LawIndex.of(exchange.sources))
        cites = any(_resolves(mark, names) for mark in marks)
        return [
            finding
            for mark in marks
            if (finding := _finding(answer, mark, names, exchange, cites=cites)) is not None
        ]


def _resolves(mark: CitationMark, names: SourceNames) -> bool:
    return any(names.has_number(number) for number in mark.numbers)


def _finding(
    answer: Part, mark: CitationMark, names: SourceNames, exchange: Exchange, *, cites: bool
) -> Finding | None:
    """Return what is wrong with one mark, if anything is.

    Args:
        answer: The answer.
        mark: The mark.
        names: What the sources are called.
        exchange: The exchange.
        cites: The answer cites sources by their numbers elsewhere.
    """
    observed = answer.text.raw[mark.start : mark.end]
    named = mark.kind is MarkKind.NAMED
    if named:
        wrong = bool(names.unknown(mark.target))
        sure = names.known or not exchange.sources
    else:
        wrong = not all(names.has_number(number) for number in mark.numbers)
        sure = mark.kind is MarkKind.NUMBERED or _is_citation(mark, exchange, cites=cites)
    if not wrong or (mark.kind is MarkKind.PLAIN and _is_taken_over(observed, exchange)):
        return None
    return Finding(
        guard=Citations.id,
        code="citations.unknown_source" if named else "citations.unknown_number",
        part=answer.name,
        span=Span(mark.start, mark.end),
        observed=observed,
        severity=Severity.STRONG if sure else Severity.WEAK,
        strength=Strength.E0,
        expected=_expected(exchange.sources, named=named),
        score=1.0 if sure else 0.5,
    )


def _is_citation(mark: CitationMark, exchange: Exchange, *, cites: bool) -> bool:
    """Tell whether a number in plain brackets is surely a citation: others are, or its place is."""
    return bool(exchange.sources) and (cites or mark.ends_sentence)


def _is_taken_over(observed: str, exchange: Exchange) -> bool:
    """Tell whether a plain mark stands in a source or the question: a footnote of that text."""
    return observed in exchange.question or any(
        observed in source.text for source in exchange.sources
    )


def _expected(sources: tuple[Source, ...], *, named: bool) -> tuple[str, ...]:
    if named:
        titles = (source.title or source.file for source in sources)
        return tuple(dict.fromkeys(title for title in titles if title))[:_MOST_EXPECTED]
    return tuple(f"[{source.id}]" for source in sources[:_MOST_EXPECTED])
