"""How much of a sentence stands in a passage: containment of its words and syllable pairs.

Containment, not likeness: a short claim taken from a long passage scores 1. A word is held by its
stem, its surface or its key as a predicate (`guards.text.lemmas`); one that is not is held in part
if its pairs of syllables are, which is what spacing hides (``환불 규정``, ``환불규정``). Figures do
not count: they are compared by value elsewhere. Nor do, where support is measured, the words that
only frame a claim (`guards.lexicons.frame_words`).
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from guards.lexicons.frame_words import FRAME_WORDS
from guards.text.features import Features, kept_features
from guards.text.features import features as features
from guards.text.held import Held, HeldIndex, Wanted

WINDOW_SENTENCES = 3
_INDEXES_KEPT = 64


class Passage(NamedTuple):
    """A source as claims are held against it.

    Attributes:
        title: Its title, which stands right before its first sentence; empty if there is none.
        sentences: Its sentences, in order.
    """

    title: str
    sentences: HeldIndex

    def held(self, wanted: Wanted) -> Mapping[int, Held]:
        """Return what the title (at place -1) and each sentence hold of a claim."""
        held = self.sentences.held(wanted)
        of_title = wanted.held_in(kept_features(self.title)) if self.title else 0
        return {-1: of_title, **held} if of_title else held


class Support(NamedTuple):
    """How far passages hold a claim.

    Attributes:
        share: From 0 to 1.
        words: Of how many of its words that was measured.
    """

    share: float
    words: int

    @property
    def missing(self) -> float:
        """How many of the words are not held; those held in part count in part."""
        return (1 - self.share) * self.words


def containment(claim: str, passage: str) -> float:
    """Return the share of a claim, from 0 to 1, that a passage holds; 1 for a claim of no words."""
    wanted = Wanted(features(claim))
    return wanted.share(wanted.held_in(kept_features(passage)), wanted.words)


def best_window(claim: str, sentences: Sequence[str]) -> float:
    """Return the highest containment of a claim in any three neighbouring sentences."""
    return best_in(claim, Passage("", _index(tuple(sentences))))


def best_in(claim: str, passage: Passage) -> float:
    """Return the highest containment of a claim in any three neighbouring sentences of a source."""
    wanted = Wanted(features(claim))
    return wanted.best_share(_windows(passage.held(wanted)), wanted.words)


def shares(claim: str, sentences: Sequence[str]) -> list[float]:
    """Return for each sentence the share of a claim, from 0 to 1, that it holds by itself."""
    wanted = Wanted(features(claim))
    held = shares_in(wanted, _index(tuple(sentences)))
    return [held.get(place, 0.0 if wanted.words else 1.0) for place in range(len(sentences))]


def shares_in(wanted: Wanted, sentences: HeldIndex) -> dict[int, float]:
    """Return the share of a claim that a sentence holds, by place, for those that hold any."""
    held = sentences.held(wanted)
    share_of = {one: wanted.share(one, wanted.words) for one in set(held.values())}
    return {place: share_of[held[place]] for place in sorted(held)}


def support(wanted: Wanted, windows: Sequence[Held], echoed: Features) -> Support:
    """Return how far the best window of any passage holds a claim.

    Args:
        wanted: The sentence to support.
        windows: What neighbouring sentences of the sources hold of it together.
        echoed: What of the question is compared. Its words prove nothing, and where no passage has
            them they are no fault either: the asker may have chosen another word.
    """
    known = asked = framing = 0
    for one in windows:
        known |= one
    for form in wanted.forms.keys() & echoed.forms:
        asked |= wanted.forms[form]
    for form in FRAME_WORDS.intersection(wanted.forms):
        framing |= wanted.forms[form]
    judged = wanted.words & (known | ~asked) & ~framing
    return Support(wanted.best_share(windows, judged), judged.bit_count())


def _windows(held: Mapping[int, Held]) -> Iterator[Held]:
    """Yield what neighbouring sentences hold together.

    A window that begins with a sentence that holds nothing is no better than the one behind it.
    """
    for start, first in held.items():
        window = first
        for place in range(start + 1, start + WINDOW_SENTENCES):
            window |= held.get(place, 0)
        yield window


@lru_cache(maxsize=_INDEXES_KEPT)
def _index(sentences: tuple[str, ...]) -> HeldIndex:
    return HeldIndex(sentences)
