"""Which citations of an answer are to be changed, and what is written instead."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from guards.core.exchange import Source
from guards.text.citing.assessed import Assessed, Assessment, Status
from guards.text.slots.citation_mark import CitationMark

_NOTHING_OF_IT = 0.1
"""A source with no higher score has nothing of a statement, whatever the others have."""


class Mending:
    """The wrong citations of one answer."""

    def __init__(self, raw: str, sources: Sequence[Source], assessed: Assessed) -> None:
        self._raw = raw
        self._sources = sources
        self._numbering = assessed.numbering
        self._wrong = {
            (mark.start, one.number): one
            for one in _each_better_once(assessed.assessments)
            for mark in one.statement.marks
        }

    def wrong_in(self, mark: CitationMark) -> list[Assessment]:
        """Return the citations in a mark whose source does not say so."""
        found = (self._wrong.get((mark.start, number)) for number in mark.numbers)
        return [one for one in found if one is not None]

    def written(
        self, mark: CitationMark, phantom: Sequence[int], wrong: Sequence[Assessment]
    ) -> str:
        """Return the mark with everything put right that is wrong with it."""
        right: dict[int | None, int | None] = dict.fromkeys(phantom)
        right |= {one.number: self.right_number(one) for one in wrong}
        numbers = (right.get(number, number) for number in mark.numbers)
        kept = list(dict.fromkeys(number for number in numbers if number is not None))
        if list(mark.numbers) == sorted(mark.numbers):
            kept.sort()
        written = mark.written(self._raw, kept)
        # The page was the wrong source's.
        return written.replace(mark.page, "", 1) if wrong and mark.page else written

    def right_number(self, one: Assessment) -> int | None:
        """Return the number by which the answer can cite the better source."""
        better = (source for source in self._sources if source.id == one.better)
        source = next(better, None)
        return self._numbering.number_of(source) if source else None


def _each_better_once(assessments: Sequence[Assessment]) -> Iterator[Assessment]:
    """Yield the wrong citations; of those with one better source, only the first one gets it."""
    given: set[tuple[int, str]] = set()
    for one in assessments:
        if one.number is None or not _is_wrong(one):
            continue
        place = (one.statement.sentence.start, one.better or "")
        yield replace(one, better=None) if place in given else one
        given.add(place)


def _is_wrong(one: Assessment) -> bool:
    """Tell whether a citation is to be changed: another source says so, or this one has nothing."""
    if one.source_id is None or not one.statement.is_claim or one.status is Status.ACCURATE:
        return False
    lacks = one.status is Status.INACCURATE
    return one.better is not None or (lacks and (one.score <= _NOTHING_OF_IT or one.rivals > 1))
