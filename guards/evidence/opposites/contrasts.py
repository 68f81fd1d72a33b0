"""Words of a scale in the place of their opposite: 빠른 날 where the sources have 늦은 날.

Compared are the words around it: those before it in its clause and the one behind it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from guards.claims.modality import Modality
from guards.claims.reader import Claim
from guards.core.reading import SourceSet
from guards.evidence.index import SourceClaim, SourceIndex
from guards.korean.words import Word, canonical
from guards.lexicons.loading import lines

_BEFORE = 4
_LEAST_SHARED = 2
_ADVERB = re.compile(r"(\S+)/MAG")
_AGAINST = frozenset({Modality.FORBIDDEN, Modality.DENIED})


@dataclass(frozen=True, slots=True)
class Contrast:
    """A word of a scale and what stands around it.

    Attributes:
        claim: The clause that it stands in.
        word: The word.
        scale: The name of the scale.
        side: Number of its side.
        before: The features of the words before it.
        behind: The feature of the word behind it; empty if there is none.
    """

    claim: Claim
    word: Word
    scale: str
    side: int
    before: frozenset[str]
    behind: str


class SourceContrasts:
    """The words of scales in a set of sources."""

    def __init__(self, told: SourceSet) -> None:
        self._found: dict[str, list[tuple[Contrast, SourceClaim]]] = defaultdict(list)
        for one in told.once(SourceIndex).claims:
            for contrast in contrasts_of(one.claim):
                self._found[contrast.scale].append((contrast, one))

    def against(self, contrast: Contrast) -> tuple[Contrast, SourceClaim] | None:
        """Return the opposite that a source has in the same place; None if it has none."""
        best: dict[bool, tuple[int, Contrast, SourceClaim]] = {}
        for other, source in self._found.get(contrast.scale, ()):
            if _is_against(contrast.claim) != _is_against(other.claim):
                continue
            is_same = other.side == contrast.side
            shared = _shared(contrast, other)
            if is_same not in best or shared > best[is_same][0]:
                best[is_same] = (shared, other, source)
        if False not in best or best[False][0] < _LEAST_SHARED:
            return None
        if True in best and best[True][0] >= best[False][0]:
            return None
        return best[False][1:]


def contrasts_of(claim: Claim) -> Iterator[Contrast]:
    """Yield the words of scales in a clause that stand before another word."""
    words = claim.clause.words
    for at, word in enumerate(words[:-1]):
        scale = _scales().get(word.features[-1])
        if scale is not None and not _is_of_figure(claim, word):
            yield _contrast(claim, word, scale, words[:at], words[at + 1])
    for adverb in _ADVERB.findall(claim.clause.trail):
        scale = _scales().get(adverb)
        at = claim.text.find(adverb)
        if scale is not None and at >= 0:
            start = claim.clause.start + at
            word = Word(adverb, (adverb,), start, start + len(adverb), "", False, False, False)
            behind = [one for one in words if one.start >= word.end]
            if behind:
                before = [one for one in words if one.end <= start]
                yield _contrast(claim, word, scale, before, behind[0])


def _contrast(
    claim: Claim, word: Word, scale: tuple[str, int], before: Sequence[Word], behind: Word
) -> Contrast:
    features = frozenset(one.features[-1] for one in before[-_BEFORE:])
    return Contrast(claim, word, *scale, features, behind.features[-1])


def _is_of_figure(claim: Claim, word: Word) -> bool:
    """Tell whether a word goes with a figure, which other guards compare by its value."""
    return any(one.start <= word.start <= one.end + 1 for one in claim.clause.figures)


def _shared(one: Contrast, other: Contrast) -> int:
    return len(one.before & other.before) + 1 if one.behind == other.behind else 0


def _is_against(claim: Claim) -> bool:
    return claim.clause.modality in _AGAINST


@cache
def _scales() -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    for line in lines("contrasts"):
        sides: Sequence[str] = line.split("|")
        for side, text in enumerate(sides):
            for word in text.split():
                found.setdefault(canonical(word), (sides[0].split()[0], side))
    return found
