"""Counters that can stand for one another: ``비밀번호 5개`` for ``최근 5회 사용한 비밀번호``.

How often something was done is how many there are of what it was done with. That the sources mean
the same is known by the words around the figure.
"""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import islice

from guards.core.reading import Reading, SourceSet
from guards.text.likeness import Words, kept_words_of, words_of
from guards.text.sentences import LONGEST_SENTENCE_CHARS, sentence_places
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension

COUNTERS = frozenset({Dimension.TIMES, "건", "개", "장"})
"""Counters of what is done and of what it is done with."""
_SAME_SUBJECT = 0.5
# More sentences with one and the same count are a list without end.
_MOST_COMPARED = 128

_Values = tuple[Fraction, ...]


def counted_alike(quantity: Quantity, sentence: str, reading: Reading) -> bool:
    """Tell whether a source that says what a sentence says gives a count with another counter.

    Args:
        quantity: The count.
        sentence: The sentence of the answer in which it stands; one of more than 2,000 characters
            is none.
        reading: The sources.
    """
    if quantity.measure.dimension not in COUNTERS or len(sentence) > LONGEST_SENTENCE_CHARS:
        return False
    told = reading.told.once(_Counted).in_words(quantity.measure.values)
    if not told:
        return False
    words = words_of(sentence)
    return any(words.share_in(one) >= _SAME_SUBJECT for one in told)


class _Counted:
    """The sentences of some sources that give a count, by its value; made once for them."""

    def __init__(self, told: SourceSet) -> None:
        self._sentences: dict[_Values, dict[str, None]] = defaultdict(dict)
        self._words: dict[_Values, list[Words]] = {}
        for part in told.parts:
            counts = [one for one in part.text.quantities if one.measure.dimension in COUNTERS]
            places = sentence_places(part.text.sentences, [one.start for one in counts])
            for count, at in zip(counts, places, strict=True):
                self._sentences[count.measure.values][part.text.sentences[at].text] = None

    def in_words(self, values: _Values) -> Sequence[Words]:
        """Return what is compared of the sentences that give a value."""
        if values not in self._words:
            sentences = islice(self._sentences.get(values, ()), _MOST_COMPARED)
            self._words[values] = [kept_words_of(one) for one in sentences]
        return self._words[values]
