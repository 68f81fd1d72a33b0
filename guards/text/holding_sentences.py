"""Sentences that hold most of another one, found without reading all of them for it.

Of the sentences that share most words with another one (`SentenceIndex.nearest`) those are wanted
that hold a share of it (`Words.share_in`). How many of its words each of them has at most, a row of
sentences tells that is there for other reasons; in most texts that is too little in all but one.
"""

from collections.abc import Collection, Iterable, Set

from guards.core.lazy import lazy
from guards.text.likeness import LEAVES_A_REST, Words, kept_words_of
from guards.text.passages import Passages, Place
from guards.text.sentence_index import MOST_FOUND, MOST_LOOKED_AT, SentenceIndex
from guards.text.source_row import SharedWords, SourceRow


class HoldingSentences:
    """Some sentences of some sources.

    Args:
        passages: The sources.
        row: All of their sentences in a row.
        places: The sentences.
    """

    def __init__(self, passages: Passages, row: SourceRow, places: Set[Place]) -> None:
        self._passages = passages
        self._row = row
        self._places = places

    def of(self, words: Words, least: float) -> list[tuple[float, Place]]:
        """Return those of the nearest sentences that hold enough, with the share, best first.

        Args:
            words: The words of another sentence.
            least: The least share that is enough.
        """
        shared = self._row.shared(words.keys, MOST_LOOKED_AT)
        places = self._may_hold(shared, words, least) if shared else ()
        if shared and len(places) <= MOST_FOUND:
            found = self._enough(places, words, least)
            if all(self._is_near(place, words, shared) for _, place in found):
                return found
        return self.of_any(words, least)

    def of_any(self, words: Words, least: float) -> list[tuple[float, Place]]:
        """Return the same for a share that many sentences hold."""
        return self._enough(self._index.nearest(words), words, least)

    @lazy
    def _index(self) -> SentenceIndex[Place]:
        return SentenceIndex((place, self._passages.sentence(place)) for place in self._places)

    @lazy
    def _leaving_a_rest(self) -> list[Place]:
        """The sentences that may have words which the row does not know."""
        texts = {at for at, text in self._passages.texts() if LEAVES_A_REST.search(text.raw)}
        return [
            place
            for place in self._places
            if place.source in texts and LEAVES_A_REST.search(self._passages.sentence(place))
        ]

    def _may_hold(self, shared: SharedWords, words: Words, least: float) -> Collection[Place]:
        """Return the sentences that may hold enough: words are one half of a share."""
        fewest = (2 * least - 1) * len(words.keys)
        found = [Place(*place) for place, most in shared.by_either if most >= fewest]
        if self._leaving_a_rest:
            return {*found, *self._leaving_a_rest} & self._places
        return [place for place in found if place in self._places]

    def _enough(
        self, places: Iterable[Place], words: Words, least: float
    ) -> list[tuple[float, Place]]:
        shares = [(words.share_in(self._words(place)), place) for place in places]
        return sorted([one for one in shares if one[0] >= least], reverse=True)

    def _is_near(self, place: Place, words: Words, shared: SharedWords) -> bool:
        """Tell whether a sentence is certainly among the nearest."""
        count = len(words.stems & self._words(place).forms)
        as_near = [most for most in shared.by_stem if most >= count]
        return count > 0 and len(as_near) <= MOST_FOUND

    def _words(self, place: Place) -> Words:
        return kept_words_of(self._passages.sentence(place))
