"""Two values of a policy told apart: what only the one says, and what only the other."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from policies.schema.document import Plain

_WORD = re.compile(r"\s*\S+|\s+$")
_LEAST_ALIKE = 0.5
"""Two texts of which the shorter shares less of its words are not one that was edited."""
_MOST_PIECES = 2_000
"""Beyond these, comparing piece by piece would take too long."""


_Run = Sequence[str]


@dataclass(frozen=True, slots=True)
class Contrast:
    """The difference between two values.

    Attributes:
        removed: What only the first says, piece by piece.
        added: What only the second says.
    """

    removed: tuple[str, ...]
    added: tuple[str, ...]


def contrast(first: Plain, second: Plain) -> Contrast:
    """Compare two lists by their items, two texts by their words, all else as a whole."""
    if first == second:
        return Contrast((), ())
    if isinstance(first, str) and isinstance(second, str):
        found = _between_texts(first, second)
    elif isinstance(first, list) and isinstance(second, list):
        found = _between_lists(first, second)
    else:
        found = None
    return found or Contrast(tuple(pieces(first)), tuple(pieces(second)))


def pieces(value: Plain) -> list[str]:
    """Return a value as texts, one for each item of a list.

    An item that is a map is told by its plain values, and again for each item of its own lists:
    ``stay: 객실|침대``, ``stay: 요금|할인``.
    """
    if not isinstance(value, list):
        return [in_words(value)]
    return [piece for item in value for piece in _pieces_of_item(item)]


def in_words(value: Plain) -> str:
    """Return a value as a policy file would have it; a text as it is."""
    return value if isinstance(value, str) and value else _exactly(value)


def _exactly(value: Plain) -> str:
    return json.dumps(value, ensure_ascii=False)


def _pieces_of_item(item: Plain) -> list[str]:
    if not isinstance(item, dict):
        return [in_words(item)]
    head = ", ".join(in_words(value) for value in item.values() if not isinstance(value, list))
    lists = [value for value in item.values() if isinstance(value, list)]
    return [f"{head}: {in_words(each)}" for value in lists for each in value] or [head]


def _between_lists(first: list[Plain], second: list[Plain]) -> Contrast | None:
    runs = _runs(pieces(first), pieces(second), least_alike=0.0)
    if runs is None:
        return None
    if not runs:  # the same pieces, cut into items elsewhere
        return Contrast((_exactly(first),), (_exactly(second),))
    removed = tuple(piece for run, _ in runs for piece in run)
    return Contrast(removed, tuple(piece for _, run in runs for piece in run))


def _between_texts(first: str, second: str) -> Contrast | None:
    runs = _runs(_WORD.findall(first), _WORD.findall(second), least_alike=_LEAST_ALIKE)
    if runs is None:
        return None
    pairs = [_told("".join(gone), "".join(new)) for gone, new in runs]
    removed = tuple(gone for gone, _ in pairs if gone)
    return Contrast(removed, tuple(new for _, new in pairs if new))


def _told(gone: str, new: str) -> tuple[str, str]:
    """Return two runs without the space around them, unless they differ in nothing else."""
    if gone.split() != new.split():
        return gone.strip(), new.strip()
    return gone and _exactly(gone), new and _exactly(new)


def _runs(first: _Run, second: _Run, *, least_alike: float) -> list[tuple[_Run, _Run]] | None:
    """Return the runs that differ; None if the two have too little in common, or are too long."""
    if max(len(first), len(second)) > _MOST_PIECES:
        return None
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    shared = sum(block.size for block in matcher.get_matching_blocks())
    if shared < least_alike * min(len(first), len(second)):
        return None
    return [
        (first[from_a:to_a], second[from_b:to_b])
        for tag, from_a, to_a, from_b, to_b in matcher.get_opcodes()
        if tag != "equal"
    ]
