"""Texts that repeat themselves: items that come back with a period, and characters that do."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from operator import eq
from typing import NamedTuple

_LETTER = re.compile(r"[^\W\d_]")
# Six times a short stretch, or a character drawn out far beyond any emphasis.
_CHARACTERS = re.compile(r"(?P<unit>\S{2,24}?)(?P=unit){5,}|(?P<one>\S)(?P=one){19,}")
# As long as the shortest of them.
_LONG_RUN = re.compile(r"(?<!\S)\S{12,}")
_LEAST_CHARS = 20
_LEAST_WORDLESS_CHARS = 60
_TYPED_RUNS = frozenset("ㅋㅎㅠㅜㅡㅇ")


class Loop(NamedTuple):
    """Something that is repeated.

    Attributes:
        start: Index of the first item of the first time.
        again: Index of the first item of the second time.
        end: Index behind the last item, which may stand in the middle of a period.
    """

    start: int
    again: int
    end: int


def comes_back(items: Sequence[str], times: int) -> bool:
    """Tell whether so many items stand in a row, and each so often, as those of a loop must."""
    often = {item for item, count in Counter(items).items() if count >= times}
    if not often:
        return False
    run = 0
    for item in items:
        run = run + 1 if item in often else 0
        if run >= times:
            return True
    return False


def item_loops(items: Sequence[str], most_period: int, times: int) -> Iterator[Loop]:
    """Yield the stretches in which items come back, the shortest period first.

    Args:
        items: What is compared, such as words or sentences.
        most_period: Most items in a period.
        times: Least number of times that a period stands in a row.
    """
    if not comes_back(items, times):
        return
    for period in range(1, min(most_period, len(items) // times) + 1):
        alike = sum(map(eq, islice(items, period, None), items))
        if alike < period * (times - 1):
            continue
        run = 0
        for at in range(period, len(items) + 1):
            if at < len(items) and items[at] == items[at - period]:
                run += 1
                continue
            if run >= period * (times - 1):
                start = at - run - period
                is_cut = at == len(items) - 1 and items[at - period].startswith(items[at])
                yield Loop(start, start + period, at + is_cut)
            run = 0


def character_loops(text: str) -> Iterator[Loop]:
    """Yield the stretches without a space in which a few characters come back; in code points.

    Rules (----), laughter and rows of digits as long as a number may be are none.
    """
    loops = (_CHARACTERS.finditer(text, *run.span()) for run in _LONG_RUN.finditer(text))
    for match in chain.from_iterable(loops):
        unit = match["unit"] or match["one"]
        length = match.end() - match.start()
        is_wordy = _LETTER.search(unit) is not None and not set(unit) <= _TYPED_RUNS
        least = _LEAST_CHARS if is_wordy else _LEAST_WORDLESS_CHARS
        if length >= least and (is_wordy or unit.isdigit()):
            yield Loop(match.start(), match.start() + len(unit), match.end())
