"""Splits Korean text into sentences.

A full stop ends a sentence unless it stands in a number, a date (``2024. 3. 5. 시행``), a list
marker (``1.``, ``- 가.``), an address or an abbreviation, or inside quotes or brackets. Every line
break ends one too. Citation marks after the full stop (``…한다.[1]``) belong to the sentence, but
for those that are a word of the next one (``…한다. [2]에 따르면 …``).
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from guards.text.sentence_ends import SentenceEnds, Stand

_TEXTS_KEPT = 8

LONGEST_SENTENCE_CHARS = 2000
"""Longer than any sentence: what never ends is none, and comparing it would take too long."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its half-open place in the text, in code points, without outer white space."""

    text: str
    start: int
    end: int


class GrowingSentences:
    """The sentences of a text that is looked at again and again while it grows.

    Those that are over by the latest look are not looked for again.
    """

    def __init__(self) -> None:
        self._latest: tuple[str, tuple[Sentence, ...], Stand] = ("", (), Stand())

    def of(self, text: str) -> tuple[Sentence, ...]:
        """Return the sentences of a text, in order: the same as `split_sentences`."""
        before, over, stand = self._latest
        if not text.startswith(before):
            over, stand = (), Stand()
        ends = SentenceEnds(text, stand)
        over = (*over, *_between(text, stand.position, ends.grow("")))
        stand = ends.stand
        self._latest = (text, over, stand)
        found = (*over, *_between(text, stand.position, (*ends.close(), len(text))))
        _keep(text, found)
        return found


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text in order; together they hold every visible character."""
    found = _LATEST.get(text)
    return GrowingSentences().of(text) if found is None else found


# The claims and the statements of an answer are read one after the other.
_LATEST: OrderedDict[str, tuple[Sentence, ...]] = OrderedDict()


def _keep(text: str, found: tuple[Sentence, ...]) -> None:
    _LATEST[text] = found
    if len(_LATEST) > _TEXTS_KEPT:
        _LATEST.popitem(last=False)


def _between(text: str, start: int, ends: Iterable[int]) -> Iterator[Sentence]:
    for end in ends:
        stripped = text[start:end].strip()
        if stripped:
            begin = text.index(stripped[0], start)
            yield Sentence(stripped, begin, begin + len(stripped))
        start = end


def sentence_places(sentences: Sequence[Sentence], starts: Sequence[int]) -> list[int]:
    """Return for each position, in order, the number of the sentence it stands in."""
    places: list[int] = []
    at = 0
    for start in starts:
        while at + 1 < len(sentences) and sentences[at].end <= start:
            at += 1
        places.append(at)
    return places
