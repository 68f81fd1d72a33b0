"""The parts of a text in which numbers are looked for.

Most of a text has no digits, and a pattern that may begin in several ways is tried at every
character, so only the neighbourhoods of digits are searched. Numbers are read kind by kind, and
each one that was read is blanked out for the kinds that follow.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

# Room for what stands before a number (a bullet, 오전, US$) and after it (units, 까지).
_BEFORE_CHARS, _AFTER_CHARS = 16, 24
_NEIGHBOURS = re.compile(rf"[0-9]+(?:[^0-9]{{1,{_BEFORE_CHARS + _AFTER_CHARS}}}[0-9]+)*")
_DIGITS = re.compile(r"\d+")
# Behind any of some first characters: all of a number.
_REST_OF_NUMBER = r"(?:(?<=\d)\d*)"

Window = tuple[int, int]
Run = tuple[int, int, int, str]
"""A number in digits: where it begins and ends, where its neighbourhood ends, and the character
behind it (behind the blank there, if there is one)."""


def has_digits(text: str) -> bool:
    """Tell whether a text has any digit."""
    return _DIGITS.search(text) is not None


def digit_windows(text: str) -> list[Window]:
    """Return the neighbourhoods of a text's digits, in order and without overlaps."""
    return [
        (max(0, digits.start() - _BEFORE_CHARS), digits.end() + _AFTER_CHARS)
        for digits in _NEIGHBOURS.finditer(text)
    ]


def digit_runs(text: str, windows: Sequence[Window]) -> list[Run]:
    """Return the numbers in the windows of a text, in order."""
    return [
        (*digits.span(), end, _behind(text, digits.end()))
        for start, end in windows
        for digits in _DIGITS.finditer(text, start, end)
    ]


def digit_neighbourhoods(text: str) -> tuple[list[Window], list[Run]]:
    """Return the windows of a text and the numbers in them, which takes half the time."""
    numbers = [*_DIGITS.finditer(text)]
    if not "".join([number[0] for number in numbers]).isascii():
        windows = digit_windows(text)
        return windows, digit_runs(text, windows)
    spans = [number.span() for number in numbers]
    windows, runs = [], []
    first = 0
    for at, (_, end) in enumerate(spans, start=1):
        if at < len(spans) and spans[at][0] - end <= _BEFORE_CHARS + _AFTER_CHARS:
            continue
        window = (max(0, spans[first][0] - _BEFORE_CHARS), end + _AFTER_CHARS)
        windows.append(window)
        runs += [(start, stop, window[1], _behind(text, stop)) for start, stop in spans[first:at]]
        first = at
    return windows, runs


def _behind(text: str, end: int) -> str:
    """Return the character behind a place, or behind the blank there; empty at the end."""
    behind = text[end : end + 1]
    return text[end + 1 : end + 2] if behind == " " else behind


def matches_at(sought: "Search", text: str, runs: Iterable[Run]) -> list[re.Match[str]]:
    """Return the matches of a pattern that begins with a number, in order and without overlaps."""
    if not sought.has_word_in(text):
        return []
    if follows := sought.follows:
        runs = [run for run in runs if run[3] in follows]
    match_at = sought.pattern.match
    found: list[re.Match[str]] = []
    behind = 0
    for start, stop, end, _ in runs:
        if behind < stop:
            match = match_at(text, max(behind, start), end)
            if match:
                found.append(match)
                behind = match.end()
    return found


def beginning(characters: str) -> re.Pattern[str]:
    r"""Return what finds one of some characters, where a pattern is tried; \d is a whole number."""
    return re.compile(f"[{characters}]{_REST_OF_NUMBER}?")


AT_NUMBERS = beginning(r"\d")
"""A pattern whose matches begin where a number does."""


class Search(NamedTuple):
    """A pattern, and text that each of its matches contains, for a quick test without a match.

    Attributes:
        pattern: The pattern.
        needed: What every match holds; a digit, if nothing else is known.
        begins: What every match begins with (see `beginning`); None if anything may.
        words: One of them stands in every match; none if that is not known.
        follows: What may stand behind the number with which a match begins, or behind the blank
            behind it; empty if that is not known.
    """

    pattern: re.Pattern[str]
    needed: re.Pattern[str] = _DIGITS
    begins: re.Pattern[str] | None = None
    words: Sequence[str] = ()
    follows: Set[str] = frozenset()

    def has_word_in(self, text: str) -> bool:
        """Tell whether a text has one of the words, if they are known."""
        # A loop, as this is asked of every text for every pattern.
        for word in self.words:
            if word in text:
                return True
        return not self.words

    def may_be_in(self, text: str) -> bool:
        """Tell whether a text has what every match holds."""
        return self.has_word_in(text) and self.needed.search(text) is not None


def matches_in(sought: Search, text: str, windows: Sequence[Window]) -> Iterable[re.Match[str]]:
    """Return a pattern's matches in the windows of a text."""
    if not (windows and sought.may_be_in(text)):
        return ()
    if sought.begins is AT_NUMBERS:
        return matches_at(sought, text, digit_runs(text, windows))
    return _matches_in(sought, text, windows)


def _matches_in(sought: Search, text: str, windows: Sequence[Window]) -> Iterator[re.Match[str]]:
    pattern, needed, begins, *_ = sought
    for start, end in windows:
        if needed is not _DIGITS and needed is not begins and not needed.search(text, start, end):
            continue
        if begins is None:
            yield from pattern.finditer(text, start, end)
            continue
        position = start
        while begin := begins.search(text, position, end):
            match = pattern.match(text, begin.start(), end)
            if match:
                yield match
            position = (match or begin).end()


BLOT = "\x01"


def blotted(text: str, places: Sequence[tuple[int, int]]) -> str:
    """Return a text of the same length with some places, given in order, made unreadable.

    Of places that overlap the first one counts.
    """
    if not places:
        return text
    pieces: list[str] = []
    position = 0
    for start, end in places:
        if start < position:
            continue
        pieces += text[position:start], BLOT * (end - start)
        position = end
    return "".join(pieces) + text[position:]


class NumberedText:
    """A text and its numbers in digits, as far as they were not read.

    Attributes:
        text: The text, with blots where something was read.
        near_digits: The neighbourhoods of its digits; they stay when a digit is blanked out.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.near_digits, self._runs = digit_neighbourhoods(text)
        self._behind = {run[3] for run in self._runs}

    def matches(self, sought: Search) -> Iterable[re.Match[str]]:
        """Return a pattern's matches near digits."""
        if sought.begins is not AT_NUMBERS:
            return matches_in(sought, self.text, self.near_digits)
        if not self._runs or (sought.follows and sought.follows.isdisjoint(self._behind)):
            return ()
        return matches_at(sought, self.text, self._runs)

    def leave_out(self, places: Sequence[tuple[int, int]]) -> None:
        """Blot out places, given in order."""
        if places:
            self.text = text = blotted(self.text, places)
            # What stood behind a number may be blanked out by now, which is no harm.
            self._runs = [run for run in self._runs if text[run[1] - 1] != BLOT]
            if any(text[run[0]] == BLOT for run in self._runs):
                self._runs = digit_runs(text, self.near_digits)
