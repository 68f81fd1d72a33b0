"""Sentences that repeat a source word for word but for one place.

What stands at that place is returned; whether it is a name, a synonym or a better spelling is for
the caller to judge. The last word does not count, because a polite ending changes it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from guards.core.reading import SourceSet
from guards.text.particles import stem
from guards.text.postings import Postings, packed

_WORD = re.compile(r"[^\s()\[\],\"'“”‘’「」『』.!?]+")
_FEWEST_SHARED = 4
_LEAST_SHARE = 0.6
_MOST_SWAPPED = 4
_MOST_CANDIDATES = 16
_LONGEST_PARTICLE = 2


@dataclass(frozen=True, slots=True)
class Swap:
    """One place in which a sentence differs from a source's.

    Attributes:
        new: What stands there, without a particle.
        old: What the source has instead, without a particle.
        after: The word behind it; empty at the end.
        start: Where `new` begins in the sentence.
        end: Where it ends (half-open).
        source_id: Id of the source.
        sentence: The source's sentence, verbatim.
    """

    new: str
    old: str
    after: str
    start: int
    end: int
    source_id: str
    sentence: str


class _Words(NamedTuple):
    """The words of a sentence but for the last one, and where they stand."""

    texts: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]


class _Kept(NamedTuple):
    """A sentence of a source.

    Attributes:
        source_id: Id of the source.
        sentence: The sentence, verbatim.
        words: Its words but for the last one, in one string, which takes far less room than each
            by itself: words have no blanks.
    """

    source_id: str
    sentence: str
    words: str


class SourceSentences:
    """The sentences of sources, found again by the words they begin and end with."""

    def __init__(self, sentences: Iterable[tuple[str, str]]) -> None:
        """Take pairs of a source's id and a sentence."""
        by_first: defaultdict[str, list[_Kept]] = defaultdict(list)
        by_last: defaultdict[str, list[_Kept]] = defaultdict(list)
        self._whole: set[str] = set()
        for source_id, sentence in sentences:
            texts = _WORD.findall(sentence)[:-1]
            if texts:
                kept = _Kept(source_id, sentence, " ".join(texts))
                self._whole.add(kept.words)
                by_first[texts[0]].append(kept)
                by_last[texts[-1]].append(kept)
        self._by_first: Postings[str, _Kept] = packed(by_first)
        self._by_last: Postings[str, _Kept] = packed(by_last)

    def swap(self, sentence: str) -> Swap | None:
        """Return the one place in which a sentence differs from the nearest source sentence.

        None if a source has the sentence as it stands, or none is like it.
        """
        texts = _WORD.findall(sentence)[:-1]
        if not texts or " ".join(texts) in self._whole:
            return None
        best: Swap | None = None
        most_shared = max(_FEWEST_SHARED, _LEAST_SHARE * len(texts)) - 1
        for kept in self._candidates(texts):
            others = kept.words.split(" ")
            ahead, behind = _shared(texts, others)
            longest = max(len(texts), len(others)) - ahead - behind
            shortest = min(len(texts), len(others)) - ahead - behind
            if shortest > 0 and longest <= _MOST_SWAPPED and ahead + behind > most_shared:
                best, most_shared = _swap(sentence, kept, ahead, behind), ahead + behind
        return best

    def _candidates(self, texts: Sequence[str]) -> tuple[_Kept, ...]:
        first = self._by_first.get(texts[0], ())[:_MOST_CANDIDATES]
        return first + self._by_last.get(texts[-1], ())[:_MOST_CANDIDATES]


def source_sentences(told: SourceSet) -> SourceSentences:
    """Return the sentences of a request's sources."""
    return SourceSentences(
        (part.source.id if part.source else "", sentence.text)
        for part in told.parts
        for sentence in part.text.sentences
    )


def _words_but_the_last(sentence: str) -> _Words:
    spans = tuple(match.span() for match in _WORD.finditer(sentence))[:-1]
    return _Words(tuple(sentence[start:end] for start, end in spans), spans)


def _shared(texts: Sequence[str], others: Sequence[str]) -> tuple[int, int]:
    """Return how many words two sentences share at the beginning and at the end."""
    most = min(len(texts), len(others))
    ahead = 0
    while ahead < most and texts[ahead] == others[ahead]:
        ahead += 1
    behind = 0
    while behind < most - ahead and texts[-1 - behind] == others[-1 - behind]:
        behind += 1
    return ahead, behind


def _swap(sentence: str, kept: _Kept, ahead: int, behind: int) -> Swap:
    words = _words_but_the_last(sentence)
    start, end = _place(sentence, words, ahead, behind)
    old_words = _words_but_the_last(kept.sentence)
    old_start, old_end = _place(kept.sentence, old_words, ahead, behind)
    return Swap(
        new=sentence[start:end],
        old=kept.sentence[old_start:old_end],
        after=words.texts[-behind] if behind else "",
        start=start,
        end=end,
        source_id=kept.source_id,
        sentence=kept.sentence,
    )


def _place(sentence: str, words: _Words, ahead: int, behind: int) -> tuple[int, int]:
    """Return where the words that are not shared stand, without the last one's particle."""
    differing = words.spans[ahead : len(words.spans) - behind]
    start = differing[0][0]
    last_start, last_end = differing[-1]
    is_attached = not sentence[last_start - 1].isspace()
    if len(differing) > 1 and is_attached and last_end - last_start <= _LONGEST_PARTICLE:
        # The particle behind a quote: '본관'을.
        return start, differing[-2][1]
    return start, last_start + len(stem(sentence[last_start:last_end]))
