"""Sentences that repeat a source word for word but for one place.

What stands at that place is returned; whether it is a name, a synonym or a better spelling is for
the caller to judge. The last word does not count, because a polite ending changes it.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from guards.core.reading import SourceSet, Text
from guards.evidence.index import claims_of
from guards.text.particles import stem

_WORD = re.compile(r"[^\s()\[\],\"'“”‘’「」『』.!?]+")
_FEWEST_SHARED = 4
_LEAST_SHARE = 0.6
_MOST_SWAPPED = 4
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


class _SourceSentence(NamedTuple):
    """A sentence of a source, and the id of that source."""

    source_id: str
    text: str


class SourceSentences:
    """The sentences of all sources, found by the word that they begin or end with."""

    def __init__(self, sources: SourceSet) -> None:
        self._by_end: dict[tuple[int, str], list[_SourceSentence]] = defaultdict(list)
        for part in sources.parts:
            source_id = part.source.id if part.source else ""
            for text, first, last in part.text.once(_ends):
                one = _SourceSentence(source_id, text)
                self._by_end[0, first].append(one)
                self._by_end[-1, last].append(one)

    def sharing_an_end(self, texts: Sequence[str]) -> list[_SourceSentence]:
        """Return the sentences that begin or end with the same word as some words."""
        return [one for end in (0, -1) for one in self._by_end.get((end, texts[end]), ())]


def _ends(text: Text) -> list[tuple[str, str, str]]:
    """Return each sentence of a source that has enough words, with its first and its last but one.

    Without the words between: they would take more memory than all else, and few are asked.
    """
    reading = text.once(claims_of)
    found = []
    for sentence in dict.fromkeys(map(reading.text_of, reading.sentences)):
        words = _words_but_the_last(sentence).texts
        if len(words) >= _FEWEST_SHARED:
            found.append((sentence, words[0], words[-1]))
    return found


def swap_in(sentence: str, sources: SourceSet) -> Swap | None:
    """Return the one place in which a sentence differs from the nearest source sentence.

    None if a source has the sentence as it stands, or none is like it.
    """
    words = _words_but_the_last(sentence)
    best: Swap | None = None
    most_shared = max(_FEWEST_SHARED, _LEAST_SHARE * len(words.texts)) - 1
    if len(words.texts) <= most_shared:
        return None
    # What shares so many words at both ends together shares one of the two outermost.
    for source_id, other in sources.once(SourceSentences).sharing_an_end(words.texts):
        others = _words_but_the_last(other)
        if others.texts == words.texts:
            return None
        ahead, behind = _shared(words.texts, others.texts)
        longest = max(len(words.texts), len(others.texts)) - ahead - behind
        shortest = min(len(words.texts), len(others.texts)) - ahead - behind
        if shortest > 0 and longest <= _MOST_SWAPPED and ahead + behind > most_shared:
            start, end = _place(sentence, words, ahead, behind)
            old_start, old_end = _place(other, others, ahead, behind)
            best = Swap(
                new=sentence[start:end],
                old=other[old_start:old_end],
                after=words.texts[-behind] if behind else "",
                start=start,
                end=end,
                source_id=source_id,
                sentence=other,
            )
            most_shared = ahead + behind
    return best


def _words_but_the_last(sentence: str) -> _Words:
    found = [*_WORD.finditer(sentence)][:-1]
    return _Words(tuple([word[0] for word in found]), tuple([word.span() for word in found]))


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
