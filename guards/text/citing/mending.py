"""Which numbers that an answer cites are to be changed, and what is written instead."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from guards.core.exchange import Source
from guards.text.citing.assessed import Assessed, Assessment, Status
from guards.text.slots.citation_mark import CitationMark


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
