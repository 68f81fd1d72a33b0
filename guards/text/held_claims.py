"""What the sources of a request hold of a claim, found once for all who ask.

Several guards hold the same sentence against the same sources: one as it stands, one without its
figures, one without its marks. What is compared of it are its words, so that all of them ask for
one thing, and find it here.
"""

from collections.abc import Mapping, Sequence

from guards.core.reading import Asked
from guards.text.features import compared_words, features_of
from guards.text.held import Held, Wanted

_MOST_KEPT = 64
"""More than any answer that is an answer; of a longer text each claim is found anew."""


class HeldClaim:
    """A claim, and what each source holds of it.

    Attributes:
        wanted: The claim's words and syllable pairs.
        held: For each source what each of its sentences holds, by place; see `HeldIndex.held`.
    """

    def __init__(self, wanted: Wanted, held: Sequence[Mapping[int, Held]]) -> None:
        self.wanted = wanted
        self.held = held


class HeldClaims:
    """The claims that the answers to a request made, by their words; filled as they come."""

    def __init__(self, asked: Asked) -> None:
        self._indexes = [part.text.held_index for part in asked.told.parts]
        self._known: dict[tuple[tuple[str, str], ...], HeldClaim] = {}
        self._by_text: dict[str, HeldClaim] = {}

    def of(self, claim: str) -> HeldClaim:
        """Return what the sources hold of a claim."""
        known = self._by_text.get(claim)
        if known is None:
            known = self._of_words(tuple(compared_words(claim)))
            if len(self._by_text) >= _MOST_KEPT:
                self._by_text = {}
            self._by_text[claim] = known
        return known

    def _of_words(self, words: tuple[tuple[str, str], ...]) -> HeldClaim:
        known = self._known.get(words)
        if known is None:
            wanted = Wanted(features_of(words))
            known = HeldClaim(wanted, [index.held(wanted) for index in self._indexes])
            if len(self._known) >= _MOST_KEPT:
                self._known = {}
            self._known[words] = known
        return known
