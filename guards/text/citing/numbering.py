"""Meaning of the citation numbers of an answer, and the number that it would give a source.

Where the answer explains its numbers in a list of its own, they mean what the list says; else a
number is a source's id, or its place among the sources.
"""

import re
from collections.abc import Sequence

from guards.core.exchange import Source
from guards.text.citing.references import References
from guards.text.slots.citation_mark import CitationMark, MarkKind, MarkStyle
from guards.text.slots.source_name import SourceNames

_NUMBER = re.compile(r"[1-9][0-9]{0,2}")


class Numbering:
    """The numbers of one answer."""

    def __init__(
        self, sources: Sequence[Source], references: References | None, names: SourceNames
    ) -> None:
        self._sources = sources
        self._names = names
        lines = references.lines if references else ()
        self._explained: dict[int | None, Source | None] = {
            line.number: self._meant(line.number, line.target)
            for line in lines
            if line.number is not None
        }
        self._notes = {
            line.number
            for line in lines
            if self._explained.get(line.number) is None and not names.unknown_files(line.target)
        }

    def source_of(self, number: int) -> Source | None:
        """Return the source that a number means; None if it means none."""
        return self._explained.get(number) or self._numbered(number)

    def cited_by(self, mark: CitationMark) -> tuple[int, ...]:
        """Return the numbers of a mark that cite.

        A footnote that explains itself cites nothing, nor does ``[0, 1]`` where no source is 0.
        ``닫습니다.[0]`` cites all the same: a place in a program's list ends no sentence.
        """
        ends_sentence = mark.well_placed and len(mark.numbers) == 1
        may_be_place = mark.kind is MarkKind.PLAIN and not ends_sentence
        if may_be_place and 0 in mark.numbers and self.source_of(0) is None:
            return ()
        if mark.style is not MarkStyle.NOTE:
            return mark.numbers
        return tuple(number for number in mark.numbers if number not in self._notes)

    def number_of(self, source: Source) -> int | None:
        """Return the number by which the answer cites a source; None if it has no way to."""
        for number, explained in self._explained.items():
            if explained == source:
                return number
        place = next(at for at, one in enumerate(self._sources, start=1) if one.id == source.id)
        own = int(source.id) if _NUMBER.fullmatch(source.id) else place
        return own if self.source_of(own) == source else None

    def _numbered(self, number: int) -> Source | None:
        """Return the source that is called so, or stands at this place and bears no number."""
        source = self._names.numbered(number)
        is_other = source is not None and source.id.isdigit() and int(source.id) != number
        return None if is_other else source

    def _meant(self, number: int, target: str) -> Source | None:
        """Return the source that a line of the answer's list names; None if that is not clear."""
        named = self._names.named(target)
        by_number = self._numbered(number)
        if by_number in named:
            return by_number
        return named[0] if len(named) == 1 else None
