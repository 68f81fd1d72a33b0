"""The parts that phrases are made of, matched against syllables without spaces.

Every part tells at which positions it may end, so a phrase is walked with sets of positions: no
way is tried twice, and no text makes a phrase slow. Nothing is compiled: thousands of words are a
few hash tables, which are made in no time.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from guards.lexicons.phrases import ENDING_SYLLABLES

_ENDING_SYLLABLES = frozenset(ENDING_SYLLABLES)
_LONGEST_ENDING_LETTERS = 10
# Behind an adnominal ending stands the particle of a question: 된 건가요, 큰가.
_ADNOMINAL = frozenset("은는인던건한된")


class Place(NamedTuple):
    """What is matched.

    Attributes:
        text: Syllables without spaces.
        stops: Where a sentence may end: behind the text, or in front of an afterthought.
    """

    text: str
    stops: frozenset[int]


class Part(Protocol):
    """A part of a phrase."""

    def ends(self, place: Place, at: int) -> Iterable[int]:
        """Return where the part may end if it begins at `at`."""

    def openings(self) -> frozenset[str] | None:
        """Return the words that the part may begin with; None if it may be anything."""


class Words:
    """Any one of some words, none of which is empty."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._lengths = tuple(sorted({len(word) for word in self._words}))
        self._first_letters = frozenset(word[:1] for word in self._words)

    def ends(self, place: Place, at: int) -> Iterable[int]:
        """Return the end of each of the words that stand there."""
        if place.text[at : at + 1] not in self._first_letters:
            return ()
        text, words, longest = place.text, self._words, len(place.text) - at
        return [
            at + length
            for length in self._lengths
            if length <= longest and text[at : at + length] in words
        ]

    def openings(self) -> frozenset[str]:
        """Return the words."""
        return self._words


class Ending:
    """Any ending (어미) of a predicate, or none."""

    def ends(self, place: Place, at: int) -> list[int]:
        """Return every position that an ending may reach."""
        text = place.text
        longest = min(at + _LONGEST_ENDING_LETTERS, len(text))
        reached = at
        while reached < longest and text[reached] in _ENDING_SYLLABLES:
            reached += 1
        ends = list(range(at, reached + 1))
        for end in ends[:]:
            if end and text[end - 1] in _ADNOMINAL and text.startswith("가", end):
                ends += [end + 1, end + 2] if text.startswith("요", end + 1) else [end + 1]
        return ends

    def openings(self) -> None:
        """Return None: it may be anything."""
        return


class Anything:
    """From `least` to `most` letters, whatever they are."""

    def __init__(self, least: int, most: int) -> None:
        self._least = least
        self._most = most

    def ends(self, place: Place, at: int) -> range:
        """Return the positions that are so far away."""
        return range(at + self._least, min(at + self._most, len(place.text)) + 1)

    def openings(self) -> None:
        """Return None: it may be anything."""
        return


class Stop:
    """The end of the sentence."""

    def ends(self, place: Place, at: int) -> tuple[int, ...]:
        """Return the position itself where a sentence may end."""
        return (at,) if at in place.stops else ()

    def openings(self) -> frozenset[str]:
        """Return nothing: no word opens it."""
        return frozenset()


class Sequence:
    """Parts one behind the other; each with whether it may be left out."""

    def __init__(self, parts: tuple[tuple[Part, bool], ...]) -> None:
        self._parts = parts

    def ends(self, place: Place, at: int) -> Iterable[int]:
        """Return where the last of them may end."""
        reached: set[int] = {at}
        for part, optional in self._parts:
            further = set(reached) if optional else set()
            for position in reached:
                further.update(part.ends(place, position))
            if not further:
                return ()
            reached = further
        return reached

    def openings(self) -> frozenset[str] | None:
        """Return the words of all that it may begin with."""
        words: frozenset[str] = frozenset()
        for part, optional in self._parts:
            opening = part.openings()
            if opening is None:
                return None
            words |= opening
            if opening and not optional:
                return words
        return None


class OneOf:
    """Any one of some parts."""

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self._parts = parts

    def ends(self, place: Place, at: int) -> set[int]:
        """Return where any of them may end."""
        return {end for part in self._parts for end in part.ends(place, at)}

    def openings(self) -> frozenset[str] | None:
        """Return the words of all of them."""
        words: frozenset[str] = frozenset()
        for part in self._parts:
            opening = part.openings()
            if not opening:
                return None
            words |= opening
        return words


class Look:
    """What must stand, or must not, in front of a position or behind it.

    Args:
        sought: What to look for.
        wanted: Whether it must stand there.
        back: How long it is if it is looked for before the position; empty for behind.
    """

    def __init__(self, sought: Part, wanted: bool, back: tuple[int, ...] = ()) -> None:
        self._sought = sought
        self._wanted = wanted
        self._back = back

    def ends(self, place: Place, at: int) -> tuple[int, ...]:
        """Return the position itself if what is around it fits."""
        if self._back:
            found = any(
                at in self._sought.ends(place, at - length) for length in self._back if length <= at
            )
        else:
            found = any(True for _ in self._sought.ends(place, at))
        return (at,) if found == self._wanted else ()

    def openings(self) -> frozenset[str]:
        """Return nothing: it takes no letter."""
        return frozenset()
