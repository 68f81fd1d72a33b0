"""Constructions of words, written in a short notation and found in a text.

A construction is a row of items. An item is a dictionary form (``못``), which a tag may follow
(``말:NNG``), a kind of words (``@answer``) or the beginning of a tag (``+N``); ``a|b`` is either,
``a?`` may be missing, ``!a`` is any word but it, ``..`` stands for up to three words and ``...``
for up to seven, ``^`` is the beginning of the clause and ``$`` its end. Between two items particles
and other words without weight may stand, and behind the end endings and afterthoughts.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from guards.complaints.words import Word

_SKIPPED = r"(?:[^ ]*,(?:pad|sigh|exclaim),[^ ]* ){0,5}?"
_ANY = r"[^ ]+ "
_NO_TOPIC = r"(?![^ ]*,topic,)[^ ]+ "
_GAPS = {"..": 3, "...": 7}
_AFTERWARDS = "pad|sigh|exclaim|you|bot|again|this|face|assert"
_END = rf"(?:[^ ]*(?:,(?:{_AFTERWARDS}),|/E[A-Z]*/,[^ ]*)[^ ]* ){{0,9}}\Z"


class Found(NamedTuple):
    """A construction found: half-open places among the words, and its number in the table."""

    start: int
    end: int
    number: int


class Constructions:
    """Constructions compiled into one pattern each.

    Args:
        notations: Constructions in the notation of this module.
        across_topics: Whether any words may stand in the gaps, or none that name a topic.
    """

    def __init__(self, notations: Iterable[str], *, across_topics: bool) -> None:
        gap = _ANY if across_topics else _NO_TOPIC
        self._patterns = [
            (_needed(notation), re.compile(_pattern(notation, gap))) for notation in notations
        ]

    def found(self, said: Sequence[Word]) -> Iterator[Found]:
        """Yield the first place of every construction in a clause."""
        text, starts = _written(said)
        there = {word.form for word in said}.union(
            f"@{kind}" for word in said for kind in word.kinds
        )
        for number, (needed, pattern) in enumerate(self._patterns):
            if any(map(there.isdisjoint, needed)):
                continue
            match = pattern.search(text)
            if match:
                yield Found(starts[match.start()], starts[match.end()], number)


def _written(said: Sequence[Word]) -> tuple[str, dict[int, int]]:
    """Return the words as one text, and which word begins at which place of it."""
    starts: dict[int, int] = {}
    pieces: list[str] = []
    length = 0
    for number, word in enumerate(said):
        starts[length] = number
        kinds = ",".join(sorted(word.kinds))
        pieces.append(f"{word.form.replace(' ', '')}/{word.tag}/,{kinds}, ")
        length += len(pieces[-1])
    starts[length] = len(said)
    return "".join(pieces), starts


def _needed(notation: str) -> list[frozenset[str]]:
    """Return for each item that must be there the forms and kinds of which one has to be."""
    ways = [
        frozenset(way.partition(":")[0] for way in item.split("|"))
        for item in notation.split()
        if item not in {"^", *_GAPS} and not item.endswith("?") and not item.startswith("!")
    ]
    return [one for one in ways if "$" not in one and not any(way[0] == "+" for way in one)]


def _pattern(notation: str, gap: str) -> str:
    items = notation.split()
    pattern = r"(?<![^ ])"
    for number, item in enumerate(items):
        if item == "^":
            pattern += r"\A" + _SKIPPED
        elif item == "$":
            pattern += _END
        elif item in _GAPS:
            pattern += f"(?:{gap}){{0,{_GAPS[item]}}}?{_SKIPPED}"
        elif item.endswith("?"):
            pattern += f"(?:{_one_of(item[:-1])}{_SKIPPED})?"
        else:
            pattern += _one_of(item) + (_SKIPPED if number < len(items) - 1 else "")
    return pattern


def _one_of(item: str) -> str:
    if item.startswith("!"):
        return f"(?!{_one_of(item[1:])}){_ANY}"
    return f"(?:{'|'.join(map(_one, item.split('|')))})"


def _one(item: str) -> str:
    if item == "$":
        return f"(?={_END})"
    if item.startswith("@"):
        return rf"[^ ]*/,[^ ]*(?<=,){item[1:]},[^ ]* "
    if item.startswith("+"):
        return rf"[^ /]*/{item[1:]}[^ ]* "
    form, _, tag = item.partition(":")
    return rf"{re.escape(form)}/{tag}[^ ]* "
