"""How far the sources of an exchange carry a statement, each alone and several together.

The measure is the share of the statement's words that three neighbouring sentences of a source and
its title hold, and where it has figures, to one half the share of those that stand in the source in
any notation. Words of the question that no source has are left out: the asker chose them.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

from guards.core.reading import Part, Reading, source_text
from guards.text.claimed_quantities import claimed_quantities
from guards.text.claims import bare_claim
from guards.text.features import features
from guards.text.held import Held, Wanted
from guards.text.known_quantities import KnownQuantities
from guards.text.overlap_score import WINDOW_SENTENCES, shares_in
from guards.text.reckoned import Reckoning
from guards.text.slots.citation_mark import CitationMark
from guards.text.slots.quantity import Quantity

_EMPHASIS = re.compile(r"[*_~`|]{1,3}")
_HANGUL = re.compile(r"[가-힣]")
_LETTER = re.compile(r"[^\W\d_]")
_HEAD_CHARS = 2000
_LEAST_KOREAN = 0.2
_NOTHING_TO_MEASURE = 0.5


@dataclass(frozen=True, slots=True)
class Carried:
    """How far the sources carry one statement; sources are named by their place in the list.

    Attributes:
        words: Of how many words that was measured.
        figures: Of how many figures.
        wanted: The statement's words and syllable pairs.
        judged: The words that count.
        windows: What the best passage of each source holds of them.
        held_figures: Which of the figures stand in each source.
    """

    words: int
    figures: int
    wanted: Wanted
    judged: Held
    windows: tuple[Held, ...]
    held_figures: tuple[frozenset[int], ...]

    def score(self, places: Collection[int]) -> float:
        """Return how far some sources carry the statement together, from 0 to 1."""
        if not places:
            return 0.0
        union = 0
        found: frozenset[int] = frozenset()
        for place in places:
            union |= self.windows[place]
            found |= self.held_figures[place]
        shares = [self.wanted.share(union, self.judged)] if self.words else []
        if self.figures:
            shares.append(len(found) / self.figures)
        return sum(shares) / len(shares) if shares else _NOTHING_TO_MEASURE


class Support:
    """The sources of one exchange, to hold statements against."""

    def __init__(self, reading: Reading, marks: Sequence[CitationMark] = ()) -> None:
        """Take the sources of an exchange.

        Args:
            reading: The exchange.
            marks: The marks of its answer, in order; their numbers are no figures of it.
        """
        self._reading = reading
        self._marks = marks
        self._measured: dict[tuple[str, tuple[str, ...]], Carried] = {}
        self._parts = reading.sources
        self._asked = features(reading.question.text.raw)
        titles = [_title(part) for part in self._parts]
        self._titles = [features(title) for title in titles]
        self._figures = [
            KnownQuantities([part.text, source_text(title)])
            for part, title in zip(self._parts, titles, strict=True)
        ]

    def figures(self, start: int, end: int) -> Sequence[Quantity]:
        """Return the figures in a piece of the answer that its sources have to hold.

        Those of the question that no source has are the asker's, those that the answer reckons
        itself follow from others; numbers of citation marks are none.
        """
        first, last = (bisect_left(self._claimed, at, key=_start_of) for at in (start, end))
        return self._claimed[first:last]

    def carried(self, text: str, figures: Sequence[Quantity]) -> Carried:
        """Return how far each source carries a statement.

        Args:
            text: Its words, without marks.
            figures: Its figures.
        """
        key = (text, tuple(figure.text for figure in figures))
        if key not in self._measured:
            self._measured[key] = self._carried(text, figures)
        return self._measured[key]

    def _carried(self, text: str, figures: Sequence[Quantity]) -> Carried:
        for figure in figures:
            text = text.replace(figure.text, " ", 1)
        wanted = Wanted(features(bare_claim(_EMPHASIS.sub("", text))))
        known = asked = 0
        windows: list[Held] = []
        for part, title in zip(self._parts, self._titles, strict=True):
            held = part.text.held_index.held(wanted)
            of_title = wanted.held_in(title)
            for each in (of_title, *held.values()):
                known |= each
            windows.append(_best_window(wanted, held, of_title))
        for form in wanted.forms.keys() & self._asked.forms:
            asked |= wanted.forms[form]
        judged = wanted.words & (known | ~asked)
        return Carried(
            words=judged.bit_count(),
            figures=len(figures),
            wanted=wanted,
            judged=judged,
            windows=tuple(windows),
            held_figures=tuple(
                frozenset(at for at, figure in enumerate(figures) if held_by.has(figure))
                for held_by in self._figures
            ),
        )

    @cached_property
    def _claimed(self) -> list[Quantity]:
        answer = self._reading.answer
        if answer is None:
            return []
        question = self._reading.question.text
        asked = KnownQuantities([question])
        reckoning = Reckoning(
            answer.text, question, lambda one: self._is_held(one) or asked.has(one)
        )
        return [
            figure
            for figure in claimed_quantities(answer.text)
            if not _is_in_mark(figure.start, self._marks)
            and (self._is_held(figure) or not (asked.has(figure) or reckoning.has(figure)))
        ]

    def _is_held(self, figure: Quantity) -> bool:
        return any(known.has(figure) for known in self._figures)

    def quote(self, text: str, place: int) -> str:
        """Return the source's sentence nearest to a statement; empty if none holds any of it."""
        part = self._parts[place].text
        shares = shares_in(Wanted(features(text)), part.held_index)
        return part.sentences[max(shares, key=shares.__getitem__)].text if shares else ""

    def is_in_language_of(self, text: str, place: int) -> bool:
        """Tell whether a source is written in the script of a statement, so that words compare."""
        return not _HANGUL.search(text) or self._is_korean[place]

    @cached_property
    def _is_korean(self) -> list[bool]:
        heads = (part.text.raw[:_HEAD_CHARS] for part in self._parts)
        return [
            len(_HANGUL.findall(head)) >= _LEAST_KOREAN * max(1, len(_LETTER.findall(head)))
            for head in heads
        ]


_start_of = attrgetter("start")


def _best_window(wanted: Wanted, held: Mapping[int, Held], everywhere: Held) -> Held:
    """Return what the best neighbouring sentences hold, with what is held everywhere."""
    windows = {everywhere}
    for start in held:
        window = everywhere
        for place in range(start, start + WINDOW_SENTENCES):
            window |= held.get(place, 0)
        windows.add(window)
    return max(windows, key=lambda window: wanted.share(window, wanted.words))


def _is_in_mark(position: int, marks: Sequence[CitationMark]) -> bool:
    at = bisect_right(marks, position, key=_start_of) - 1
    return at >= 0 and position < marks[at].end and not marks[at].wrapped


def _title(part: Part) -> str:
    source = part.source
    return f"{source.title} {source.file}".strip() if source else ""
