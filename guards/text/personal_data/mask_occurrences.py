"""Looks up many values in a text at once, in time that does not grow with their number."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

_HEAD_CHARS = 3


class Occurrences:
    """Where any of some values stand in a text."""

    def __init__(self, values: Iterable[str]) -> None:
        self._values = frozenset(filter(None, values))
        lengths: dict[str, set[int]] = defaultdict(set)
        for value in self._values:
            lengths[value[:_HEAD_CHARS]].add(len(value))
        self._lengths = {head: sorted(found, reverse=True) for head, found in lengths.items()}
        first = "".join(sorted({head[0] for head in lengths}))
        # Without values: a pattern that is found nowhere.
        self._first = re.compile(f"[{re.escape(first)}]" if first else r"(?!)")

    def all_in(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield every place where a value stands, also those that overlap: the longer one first."""
        for begin in self._first.finditer(text):
            start = begin.start()
            for length in self._lengths_at(text, start):
                end = start + length
                if end <= len(text) and text[start:end] in self._values:
                    yield start, end

    def _lengths_at(self, text: str, start: int) -> Iterator[int]:
        """Yield the lengths of the values that may stand at a place."""
        # A value shorter than a head is a head of its own.
        for size in range(_HEAD_CHARS, 0, -1):
            yield from self._lengths.get(text[start : start + size], ())
