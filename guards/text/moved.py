"""Values that stand in the sources, but where they speak of something else.

A value has *moved* if a source sentence says what the answer's sentence says and gives another
value of that kind, and the value itself stands only in sentences about other things; or if it
stands twice in the answer's sentence, once where the source has another. Works for anything with a
place, a key and a kind: figures, lines, exits.
"""

from collections import defaultdict
from collections.abc import Container, Hashable, Iterable, Sequence
from dataclasses import dataclass

from guards.core.lazy import lazy
from guards.text.claims import bare_claim
from guards.text.holding_sentences import HoldingSentences
from guards.text.likeness import Words, kept_words_of, likeness, words_of
from guards.text.paired import left_over
from guards.text.passages import Passages, Place
from guards.text.postings import Postings, packed
from guards.text.source_row import SourceRow
from guards.text.values import Value

_LEAST_WORDS = 3
_SAME_SUBJECT = 0.75
_CLEARLY_LESS = 0.4
_SAME_SENTENCE = 0.85
_LESS_LIKE = 0.15
_OTHER_SENTENCE = 0.7
# A value that stands in so many places belongs to none of them.
_MOST_PLACES = 60
_MOST_PAIRED = 20


@dataclass(frozen=True, slots=True)
class Home:
    """The source sentence that the answer's sentence repeats with another value.

    Attributes:
        place: The sentence.
        values: Its values of that kind.
    """

    place: Place
    values: tuple[Value, ...]


class Told:
    """A sentence of an answer as it is compared with those of the sources.

    Attributes:
        near: The sentences that hold enough of its words, with the share, the largest first; None
            as long as nobody asked.
        alike: How like it they are, as far as somebody asked.
    """

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence
        self.near: Sequence[tuple[float, Place]] | None = None
        self.alike: dict[Place, float] = {}

    @lazy
    def words(self) -> Words:
        """Its words."""
        return words_of(bare_claim(self._sentence))


class Homes:
    """Where the values of some kinds stand in the sources.

    Args:
        passages: The sources.
        row: Their sentences in a row.
        values: The values, each with its place.
    """

    def __init__(
        self, passages: Passages, row: SourceRow, values: Iterable[tuple[Place, Value]]
    ) -> None:
        self._passages = passages
        self._row = row
        by_key: dict[Hashable, set[Place]] = defaultdict(set)
        self._by_kind: dict[Hashable, dict[Place, list[Value]]] = defaultdict(dict)
        for place, value in values:
            self._by_kind[value.kind].setdefault(place, []).append(value)
            for key in value.keys:
                by_key[key].add(place)
        self._by_key: Postings[Hashable, Place] = packed(by_key)

    @lazy
    def _holding(self) -> HoldingSentences:
        held = {place for places in self._by_kind.values() for place in places}
        return HoldingSentences(self._passages, self._row, held)

    def other_home(
        self, value: Value, beside: Sequence[Value], sentence: Told, clause: Told
    ) -> Home | None:
        """Return the sentence that a value of the answer was moved into, or None.

        Args:
            value: The value.
            beside: The values of its kind in the answer's sentence, itself included.
            sentence: The answer's sentence.
            clause: The clause of it in which the value stands.
        """
        own = self._places_of(value)
        if not own:
            return None
        held = self._by_kind.get(value.kind, {})
        others = held.keys() - own
        best = self._best(sentence, self._near(sentence, others))
        is_meant = best and self._is_meant(sentence.words, clause, best, own)
        if best and is_meant and self._is_best(best, sentence, others):
            return Home(best[1], tuple(held[best[1]]))
        if len(beside) == 1:
            return None
        best = self._best(sentence, self._near(sentence, held.keys() & own))
        if best is None or len(clause.words.stems) < _LEAST_WORDS:
            return None
        return self._taken_for_another(value, beside, best)

    def _near(self, sentence: Told, held: Container[Place]) -> list[tuple[float, Place]]:
        """Return those of some sentences that hold enough, with their shares, the largest first."""
        if sentence.near is None:
            sentence.near = self._holding.of(sentence.words, _SAME_SUBJECT)
        return [one for one in sentence.near if one[1] in held]

    def _best(
        self, sentence: Told, near: Sequence[tuple[float, Place]]
    ) -> tuple[float, Place] | None:
        """Return the sentence that is most like another one that holds enough of it, and how far.

        Args:
            sentence: The other one.
            near: Sentences with the share that they hold of it, the largest first; none is more
                like it than that.
        """
        best: tuple[float, Place] | None = None
        for share, place in near:
            if best and share < best[0]:
                break
            if place not in sentence.alike:
                back = self._words(place).share_in(sentence.words)
                sentence.alike[place] = min(share, back)
            alike = (sentence.alike[place], place)
            best = max(best, alike) if best else alike
        return best

    def _is_best(self, best: tuple[float, Place], sentence: Told, held: Container[Place]) -> bool:
        """Tell whether no sentence that holds less of another one is more like it."""
        if best[0] >= _SAME_SUBJECT:
            return True
        rivals = self._holding.of_any(sentence.words, best[0])
        return best == self._best(sentence, [one for one in rivals if one[1] in held])

    def _is_meant(
        self, whole: Words, clause: Told, home: tuple[float, Place], own: set[Place]
    ) -> bool:
        if len(clause.words.stems) < _LEAST_WORDS:
            return False
        return self._repeats(whole, home, own) or self._tells(whole, clause.words, home[1], own)

    def _places_of(self, value: Value) -> set[Place]:
        """Return where a value stands; nothing if it is everywhere."""
        groups = [self._by_key[key] for key in value.keys if key in self._by_key]
        if sum(map(len, groups)) > _MOST_PLACES:
            return set()
        return set().union(*groups)

    def _words(self, place: Place) -> Words:
        return kept_words_of(self._passages.sentence(place))

    def _repeats(self, whole: Words, home: tuple[float, Place], own: set[Place]) -> bool:
        """Tell whether the answer repeats a sentence in full, and no sentence with its value."""
        most = min(home[0] - _LESS_LIKE, _OTHER_SENTENCE)
        return home[0] >= _SAME_SENTENCE and all(
            likeness(whole, self._words(place)) <= most for place in own
        )

    def _tells(self, whole: Words, part: Words, home: Place, own: set[Place]) -> bool:
        """Tell whether a sentence holds what the answer tells, and none with its value does."""
        at_home = self._words(home)
        least = min(whole.share_in(at_home), part.share_in(at_home))
        if least < _SAME_SUBJECT:
            return False
        for place in own:
            around = self._passages.words_at(place, besides=home)
            if max(whole.share_in(*around), part.share_in(*around)) > least - _CLEARLY_LESS:
                return False
        return True

    def _taken_for_another(
        self, value: Value, beside: Sequence[Value], home: tuple[float, Place]
    ) -> Home | None:
        """Return the sentence if it has the value, but not as often as the answer's."""
        there = self._by_kind[value.kind][home[1]]
        if home[0] < _SAME_SENTENCE or not 1 < len(beside) == len(there) <= _MOST_PAIRED:
            return None
        alone, missing = left_over(beside, there)
        is_it = alone == [value] and len(missing) == 1
        return Home(home[1], tuple(missing)) if is_it else None
