"""Counters that can stand for one another: ``비밀번호 5개`` for ``최근 5회 사용한 비밀번호``.

How often something was done is how many there are of what it was done with. That the sources mean
the same is known by the words around the figure.
"""

from guards.core.reading import Reading
from guards.text.likeness import kept_words_of, words_of
from guards.text.passages import sentence_places
from guards.text.sentences import LONGEST_SENTENCE_CHARS
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension

COUNTERS = frozenset({Dimension.TIMES, "건", "개", "장"})
"""Counters of what is done and of what it is done with."""
_SAME_SUBJECT = 0.5


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
    told: list[str] = []
    for part in reading.sources:
        alike = [
            one.start
            for one in part.text.quantities
            if one.measure.dimension in COUNTERS and one.measure.values == quantity.measure.values
        ]
        told += [part.text.sentences[at].text for at in sentence_places(part.text, alike)]
    if not told:
        return False
    words = words_of(sentence)
    return any(words.share_in(kept_words_of(one)) >= _SAME_SUBJECT for one in told)
