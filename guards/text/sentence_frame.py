"""What stands around the core of a sentence: sighs, adverbs, words for the bot, afterthoughts.

A sentence is read as syllables without spaces, as noisy messages leave them out anyway.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto

from guards.core.lazy import lazy
from guards.lexicons import address, company, complaints
from guards.lexicons.phrases import phrases, words
from guards.text.phrase_parts import OneOf, Part, Place, Sequence, Words
from guards.text.phrasebook import Phrasebook

OTHERS = re.compile(words(address.THIRD_PERSON))
"""Words for people the displeasure may be with instead."""


class Around(Enum):
    """What may stand around a core."""

    SIGH = auto()
    ADDRESS = auto()
    AGAIN = auto()
    WHY = auto()
    PADDING = auto()


def _with_particle(notation: str) -> Part:
    return Sequence(((Words(notation.split()), False), (_PARTICLE, True)))


_PARTICLE = Words(address.PARTICLES.split())
_SIGH = Words(address.SIGHS.split())
_NAMED = f"{address.YOU} {address.BOT} {address.ANSWER}"
_NAME = re.compile(words(_NAMED))
_FILLERS: tuple[tuple[Around, Part], ...] = (
    (Around.SIGH, _SIGH),
    (Around.PADDING, Words((address.ADVERBS + address.POINTERS).split())),
    (Around.PADDING, _with_particle(address.QUALITY + address.MATTERS)),
    (Around.AGAIN, Words(address.AGAIN.split())),
    (Around.WHY, Words(address.WHY.split())),
    (Around.ADDRESS, _with_particle(_NAMED)),
)
_AFTERTHOUGHT = OneOf(
    (
        Words(address.AFTERTHOUGHTS.split()),
        Sequence(((Words(("이", "이런", "이딴", "야")), True), (_with_particle(_NAMED), False))),
    )
)
_AFTERTHOUGHT_LETTERS = frozenset(word[0] for word in _AFTERTHOUGHT.openings() or ())
_LONGEST_AFTERTHOUGHT_LETTERS = 8
_MOST_AFTERTHOUGHTS = 3
_ASKED = re.compile(phrases(company.ASKED, complaints.GROUPS))
_TALK = re.compile(words(address.TALK))


class Frame:
    """A sentence as syllables without spaces; what was found out about it is kept.

    Args:
        letters: The sentence, without spaces and swear words, in lower case.
    """

    def __init__(self, letters: str) -> None:
        self.letters = letters
        self._reached: dict[Phrasebook, dict[int, set[int]]] = {}
        self._begun: dict[Phrasebook, list[int]] = {}
        self._begins: dict[int, bool] = {}
        self._afterthoughts: dict[int, int] = {}
        self._fillers: dict[int, list[tuple[int, Around]]] = {}
        self._plain: dict[int, dict[int, frozenset[Around]]] = {}
        self._letters = Place(letters, frozenset())

    @lazy
    def _place(self) -> Place:
        """The sentence with where it may end."""
        return Place(self.letters, frozenset(self.stops(0, len(self.letters))))

    def ends(self, book: Phrasebook, at: int) -> set[int]:
        """Return where phrases of a book that begin at `at` may end."""
        reached = self._reached.setdefault(book, {})
        if at not in reached:
            reached[at] = book.ends(self._place, at)
        return reached[at]

    def begins_any(self, books: tuple[Phrasebook, ...], at: int) -> bool:
        """Tell whether a phrase of any of some books, which are always the same, begins at `at`."""
        if at not in self._begins:
            self._begins[at] = any(self.ends(book, at) for book in books)
        return self._begins[at]

    def begun(self, book: Phrasebook) -> list[int]:
        """Return where phrases of a book begin, in order."""
        if book not in self._begun:
            self._begun[book] = [at for at in book.begun(self._place) if self.ends(book, at)]
        return self._begun[book]

    def beginnings(self, start: int, end: int) -> dict[int, frozenset[Around]]:
        """Return where the core of a stretch may begin, and which fillers stand before it.

        The end is among them if there is nothing but fillers.
        """
        asked = self._last_asking(start, end)
        if asked:
            before = self._behind_fillers({start: frozenset(), asked: frozenset({Around.ADDRESS})})
        elif start in self._plain:
            before = self._plain[start]
        else:
            before = self._plain[start] = self._behind_fillers({start: frozenset()})
        return {at: kinds for at, kinds in before.items() if at <= end}

    def stops(self, start: int, end: int) -> list[int]:
        """Return where the core of a stretch may end, the whole first."""
        found = [end]
        for _ in range(_MOST_AFTERTHOUGHTS):
            stop = self._start_of_afterthought(found[-1])
            if stop <= start:
                break
            found.append(stop)
        return found

    def behind(self, at: int, end: int) -> Iterator[Around]:
        """Yield what stands behind a core that ends at `at`, in a stretch that ends at `end`."""
        if any(sigh <= end for sigh in _SIGH.ends(self._letters, at)):
            yield Around.SIGH
        if _NAME.search(self.letters, at, end):
            yield Around.ADDRESS

    def _behind_fillers(self, before: dict[int, frozenset[Around]]) -> dict[int, frozenset[Around]]:
        """Return some positions with those that fillers lead to from there, in order."""
        for at in range(min(before), len(self.letters)):
            if at in before:
                for further, kind in self._fillers_at(at):
                    before[further] = before.get(further, frozenset()) | before[at] | {kind}
        return {at: before[at] for at in sorted(before)}

    def _fillers_at(self, at: int) -> list[tuple[int, Around]]:
        if at not in self._fillers:
            self._fillers[at] = [
                (end, kind) for kind, part in _FILLERS for end in part.ends(self._letters, at)
            ]
        return self._fillers[at]

    def _last_asking(self, start: int, end: int) -> int | None:
        """Return the end of the last words that tell of having asked the bot."""
        asked = [found.end() for found in _ASKED.finditer(self.letters, start, end)]
        return asked[-1] if asked and not OTHERS.search(self.letters, start, asked[-1]) else None

    def _start_of_afterthought(self, end: int) -> int:
        """Return where what was added to the core begins; 0 if nothing was."""
        if end not in self._afterthoughts:
            starts = range(max(0, end - _LONGEST_AFTERTHOUGHT_LETTERS), end)
            fitting = (
                at
                for at in starts
                if self.letters[at] in _AFTERTHOUGHT_LETTERS
                and end in _AFTERTHOUGHT.ends(self._letters, at)
            )
            self._afterthoughts[end] = next(fitting, 0)
        return self._afterthoughts[end]


def is_filler(letters: str) -> bool:
    """Tell whether nothing is left once sighs, adverbs and words for the bot are taken off."""
    return len(letters) in Frame(letters).beginnings(0, len(letters))


def speaks_of_asking(letters: str) -> bool:
    """Tell whether a sentence is about what was asked of the bot, or about its answer."""
    return bool(_ASKED.search(letters) or _TALK.search(letters))
