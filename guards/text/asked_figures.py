"""What follows from the figures of the sources and of the question together."""

import re
from bisect import bisect_left
from operator import attrgetter

from guards.core.lazy import lazy
from guards.core.reading import Asked, Text
from guards.text.derived import Derivable
from guards.text.likeness import words_of
from guards.text.moved import Told
from guards.text.passages import Passages
from guards.text.tokens import subjects

_IS_ADDED = re.compile(r"(?:[이가을를]|씩)?[ ]?(?:추가|가산|할증|더[ ]|별도)")

_start = attrgetter("start")


class AskedFigures:
    """What follows from the sources and the question together; shared by all looks.

    Args:
        asked: The question and its sources.
    """

    def __init__(self, asked: Asked) -> None:
        self._question = asked.question.text
        self._passages = asked.told.once(Passages)
        self._near: dict[str, list[Derivable]] = {}
        self._derivable: dict[tuple[int, int], Derivable] = {}
        self._compared: dict[str, Told] = {}

    def told(self, claim: str) -> Told:
        """Return a sentence or clause of the answer, to compare it with those of the sources."""
        if claim not in self._compared:
            self._compared[claim] = Told(claim)
        return self._compared[claim]

    @lazy
    def words(self) -> frozenset[str]:
        """The words of the question."""
        return frozenset(form for word in subjects(self._question.raw) for form in word)

    def derivables(self, sentence: str) -> list[Derivable]:
        """Return what follows from the passages on the subject of a sentence."""
        if sentence not in self._near:
            near = self._passages.near(words_of(sentence))
            self._near[sentence] = [self._derivable_from(*place) for place in near]
        return self._near[sentence]

    def _derivable_from(self, source: int, text: Text, start: int, end: int) -> Derivable:
        name = (source, start)
        if name not in self._derivable:
            first = bisect_left(text.quantities, start, key=_start)
            known = text.quantities[first : bisect_left(text.quantities, end, key=_start)]
            added = [one for one in known if _IS_ADDED.match(text.raw, one.end)]
            operands = [*known, *self._question.quantities] if known else ()
            self._derivable[name] = Derivable(operands, added)
        return self._derivable[name]
