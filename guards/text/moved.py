"""Values that stand in the sources, but where they speak of something else.

A value has *moved* if a source sentence says what the answer's sentence says and gives another
value of that kind, and the value itself stands only in sentences about other things; or if it
stands twice in the answer's sentence, once where the source has another. Works for anything with a
place, a key and a kind: figures, lines, exits.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from guards.core.reading import Text
from guards.text.likeness import Words, kept_words_of, likeness, words_of
from guards.text.paired import left_over
from guards.text.passages import Passages, Place, sentence_places
from guards.text.sentence_index import SentenceIndex
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


class Homes:
    """Where the values of some kinds stand in the sources."""

    def __init__(self, passages: Passages, values: Iterable[tuple[Text, Sequence[Value]]]) -> None:
        self._passages = passages
        self._by_key: dict[Hashable, set[Place]] = defaultdict(set)
        self._by_kind: dict[Hashable, dict[Place, list[Value]]] = defaultdict(dict)
        for number, (text, found) in enumerate(values):
            places = sentence_places(text, [value.start for value in found])
            for value, at in zip(found, places, strict=True):
                place = Place(number, at)
                self._by_kind[value.kind].setdefault(place, []).append(value)
                for key in value.keys:
                    self._by_key[key].add(place)
        held = {place for places in self._by_kind.values() for place in places}
        self._index = SentenceIndex((place, passages.sentence(place)) for place in held)

    def other_home(
        self, value: Value, beside: Sequence[Value], sentence: str, clause: str
    ) -> Home | None:
        """Return the sentence that a value of the answer was moved into, or None.

        Args:
            value: The value.
            beside: The values of its kind in the answer's sentence, itself included.
            sentence: The answer's sentence.
            clause: The clause of it in which the value stands.
        """
        own = self._places_of(value)
        whole, part = words_of(sentence), words_of(clause)
        if not own or len(part.stems) < _LEAST_WORDS:
            return None
        held = self._by_kind.get(value.kind, {})
        alike = [
            (likeness(whole, self._words(place)), place)
            for place in self._index.nearest(whole)
            if place in held
        ]
        best = max((one for one in alike if one[1] not in own), default=None)
        if best and (self._repeats(whole, best, own) or self._tells(whole, part, best[1], own)):
            return Home(best[1], tuple(held[best[1]]))
        best = max((one for one in alike if one[1] in own), default=None)
        return self._taken_for_another(value, beside, best) if best else None

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
            if max(whole.share_in(around), part.share_in(around)) > least - _CLEARLY_LESS:
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
