"""Mends citations by number: which numbers change, and where a further one is written.

A further citation is written as the answer writes the ones it has. A mark that is but a number
(``[1]``, ``¹``) is changed only where it cites a source.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from guards.core.exchange import Exchange, Source
from guards.text.citing.assessment import Assessed, Assessment, Status
from guards.text.citing.statements import PARAGRAPH_END, Statement
from guards.text.slots.citation_mark import CitationMark, MarkStyle

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
