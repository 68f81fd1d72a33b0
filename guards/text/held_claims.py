"""What the sources of a request hold of a claim, found once for all who ask.

Several guards hold the same sentence against the same sources: one as it stands, one without its
figures, one without its marks. What is compared of it are its words, so that all of them ask for
one thing, and find it here.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from heapq import nsmallest
from itertools import compress
from operator import or_

from guards.core.lazy import lazy
from guards.core.reading import Asked
from guards.text.features import compared_words, features_of
from guards.text.held import Held, Wanted
from guards.text.source_row import HeldRow, Place, SourceRow

_MOST_KEPT = 64
"""More than any answer that is an answer; of a longer text each claim is found anew."""

_Asked = tuple[float, float, frozenset[Place], int]


class HeldClaim:
    """A claim, and what the sources hold of it.

    Attributes:
        wanted: The claim's words and syllable pairs.
    """

    def __init__(self, wanted: Wanted, row: HeldRow) -> None:
        self.wanted = wanted
        self._row = row
        self._closest: dict[_Asked, list[tuple[float, Place]]] = {}

    def closest(
        self, least: float, nearly: float, left_out: frozenset[Place], most: int
    ) -> Sequence[tuple[float, Place]]:
        """Return the sentences that hold most of the claim, best first, with their shares.

        A long list may say the same in its words a thousand times: what it asks for is kept.

        Args:
            least: Least share of the claim that such a sentence holds.
            nearly: How much less than the best one it may hold.
            left_out: Sentences that are not looked at.
            most: How many are returned.
        """
        name = (least, nearly, left_out, most)
        if name not in self._closest:
            self._closest[name] = self._found(least, nearly, left_out, most)
        return self._closest[name]

    def _found(
        self, least: float, nearly: float, left_out: frozenset[Place], most: int
    ) -> list[tuple[float, Place]]:
        held_at, places = self._row.held, self._row.places
        if left_out:
            found = zip(held_at, places, strict=True)
            held_at = [0 if place in left_out else held for held, place in found]
        shares: dict[Held, float] = {}
        best = 0.0
        for held in sorted(set(held_at), key=int.bit_count, reverse=True):
            if not held or self.wanted.most(held) < least:
                break
            share = self.wanted.share(held, self.wanted.words)
            if share >= least:
                shares[held] = share
                best = max(best, share)
                # Then the counts of bits tell of most others that they hold less.
                least = max(least, best - nearly) if self.wanted.are_apart else least
        least = max(least, best - nearly)
        near = {held: -share for held, share in shares.items() if share >= least}
        if not near:
            return []
        # All of a long list may hold the same of a claim.
        holding = zip(held_at, places, strict=True)
        nearby = compress(holding, map(near.__contains__, held_at))
        nearest = nsmallest(most, ((near[held], place) for held, place in nearby))
        return [(-share, place) for share, place in nearest]

    @lazy
    def windows(self) -> list[Held]:
        """What neighbouring sentences hold together, the title of a source before its first."""
        held = [*self._row.held]
        for (start, _), title in zip(self._row.spans, self._row.titles, strict=True):
            if title:
                held[start] = title
        return _windows(held)

    @lazy
    def known(self) -> Held:
        """What the sentences and headings of all sources hold together."""
        return _union(self._row.held) | _union(self._row.headings)

    def best_window(self, source: int) -> Held:
        """Return what the best neighbouring sentences of a source hold together with its heading.

        The first ones of several.
        """
        heading = self._row.headings[source]
        windows = _windows(self._row.held[slice(*self._row.spans[source])])
        return self.wanted.best([heading, *(heading | window for window in windows)])


class HeldClaims:
    """The claims that the answers to a request made, by their words; filled as they come."""

    def __init__(self, asked: Asked) -> None:
        self._row = asked.told.once(SourceRow)
        self._known: dict[tuple[tuple[str, str], ...], HeldClaim] = {}
        self._by_text: dict[str, HeldClaim] = {}

    @property
    def endless(self) -> frozenset[Place]:
        """The sentences of the sources that are too long to be any."""
        return self._row.endless

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
            known = HeldClaim(wanted, self._row.held(wanted))
            if len(self._known) >= _MOST_KEPT:
                self._known = {}
            self._known[words] = known
        return known


def _windows(held: Sequence[Held]) -> list[Held]:
    """Return what neighbouring places hold together.

    A window that begins with one that holds nothing is no better than the one behind it.
    """
    neighbours = zip(held, held[1:], held[2:], strict=False)
    return [first | second | third for first, second, third in neighbours if first]


def _union(held: Iterable[Held]) -> Held:
    return reduce(or_, held, 0)
