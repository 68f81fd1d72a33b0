"""Values that stand in the sources, but where they speak of something else.

A value has *moved* if a source sentence says what the answer's sentence says and gives another
value of that kind, and the value itself stands only in sentences about other things. Works for
anything with a place, a key and a kind: figures, lines, exits.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from guards.core.reading import Text
from guards.text.likeness import Words, kept_words_of, likeness, words_of
from guards.text.paired import left_over
from guards.text.passages import Passages, Place, sentence_places
from guards.text.values import Value

_LEAST_WORDS = 3
_SAME_SUBJECT = 0.75
_CLEARLY_LESS = 0.4
_SAME_SENTENCE = 0.85
_LESS_LIKE = 0.15
_OTHER_SENTENCE = 0.7


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
        self._by_word: dict[str, set[Place]] | None = None
        for number, (text, found) in enumerate(values):
            places = sentence_places(text, [value.start for value in found])
            for value, at in zip(found, places, strict=True):
                place = Place(number, at)
                self._by_kind[value.kind].setdefault(place, []).append(value)
                for key in value.keys:
                    self._by_key[key].add(place)

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
        own = set().union(*(self._by_key.get(key, set()) for key in value.keys))
        whole, part = words_of(sentence), words_of(clause)
        if not own or len(part.stems) < _LEAST_WORDS:
            return None
        candidates = self._candidates(value.kind, whole)
        others = [place for place in candidates if place not in own]
        if others:
            best = max(others, key=lambda place: likeness(whole, self._words(place)))
            if self._repeats(whole, best, own) or self._tells(whole, part, best, own):
                return Home(best, tuple(self._by_kind[value.kind][best]))
        return self._taken_for_another(
            value, beside, whole, [place for place in candidates if place in own]
        )

    def _taken_for_another(
        self, value: Value, beside: Sequence[Value], whole: Words, places: list[Place]
    ) -> Home | None:
        """Return the sentence that has the value, but not as often as the answer's."""
        if not places:
            return None
        best = max(places, key=lambda place: likeness(whole, self._words(place)))
        if likeness(whole, self._words(best)) < _SAME_SENTENCE:
            return None
        there = self._by_kind[value.kind][best]
        alone, missing = left_over(beside, there)
        is_it = len(beside) == len(there) and len(missing) == 1 and alone == [value]
        return Home(best, tuple(missing)) if is_it else None

    def _words(self, place: Place) -> Words:
        return kept_words_of(self._passages.sentence(place))

    def _repeats(self, whole: Words, home: Place, own: set[Place]) -> bool:
        """Tell whether the answer repeats a sentence in full, and no sentence with its value."""
        at_home = likeness(whole, self._words(home))
        most = min(at_home - _LESS_LIKE, _OTHER_SENTENCE)
        return at_home >= _SAME_SENTENCE and all(
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

    def _candidates(self, kind: Hashable, wanted: Words) -> list[Place]:
        """Return the sentences with a value of a kind that share enough words."""
        held = self._by_kind.get(kind, {})
        index = self._words_index()
        counts = Counter(
            place for stem in wanted.stems for place in index.get(stem, ()) if place in held
        )
        least = _SAME_SUBJECT * len(wanted.stems) / 2
        return [place for place, count in counts.items() if count >= least]

    def _words_index(self) -> dict[str, set[Place]]:
        if self._by_word is None:
            self._by_word = defaultdict(set)
            for places in self._by_kind.values():
                for place in places:
                    for form in self._words(place).forms:
                        self._by_word[form].add(place)
        return self._by_word
