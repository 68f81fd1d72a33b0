"""Names that are spelt almost alike: the same head, and one letter that differs.

``강남구청`` and ``강동구청`` or ``동부센터`` and ``서부센터`` are two places, not two spellings: a
syllable that tells places or numbers apart must not differ.
"""

import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher

from guards.text.names.name import Name

_LEAST_LIKENESS = 0.9
_MOST_LETTERS = 1
# A letter that moved changes two syllables.
_MOST_SYLLABLES = 2
# Directions, sizes and ranks: with another of these it is another place.
_TELLING = frozenset("동서남북중상하신구대소좌우내외전후본분일이삼사오육칠팔구십가나다라")


def nearest(name: Name, candidates: Iterable[Name]) -> Name | None:
    """Return the one candidate that may be meant by a misspelt name; None if none or several."""
    near = {other.key: other for other in candidates if is_misspelt(name, other)}
    return next(iter(near.values())) if len(near) == 1 else None


def is_misspelt(name: Name, other: Name) -> bool:
    """Tell whether two names of one head differ by a letter only."""
    if name.head != other.head or name.key == other.key:
        return False
    return nearly_same(name.key, other.key)


def nearly_same(one: str, other: str) -> bool:
    """Tell whether two words differ by one letter that tells nothing apart."""
    if abs(len(one) - len(other)) > _MOST_LETTERS:
        return False
    pairs = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
    if len(one) == len(other) and any(_tells_apart(a) or _tells_apart(b) for a, b in pairs):
        return False
    if len(one) == len(other) and len(pairs) > _MOST_SYLLABLES:
        return False
    letters, others = (unicodedata.normalize("NFD", word) for word in (one, other))
    matcher = SequenceMatcher(None, letters, others, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    differing = max(len(letters), len(others)) - same
    return differing <= _MOST_LETTERS and matcher.ratio() >= _LEAST_LIKENESS


def _tells_apart(char: str) -> bool:
    return char in _TELLING or not "가" <= char <= "힣"
