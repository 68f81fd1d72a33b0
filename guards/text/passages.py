"""The sentences of an exchange's sources, to look up where something of the answer stands.

A sentence is held word for word whatever its spacing. What a sentence of a source is about also
shows in its neighbours and in the title of the source.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from guards.core.reading import Reading, Text
from guards.text.likeness import Words, joined, kept_words_of
from guards.text.sentence_index import SentenceIndex
from guards.text.sentences import Sentence

_SPACE = re.compile(r"\s+")
_OUTER = " \t.!?\"'“”‘’*_-•·"
_SAME_SUBJECT = 0.3
_NEIGHBOURS_BEFORE, _NEIGHBOURS_AFTER = 2, 1


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A sentence of a source.

    Attributes:
        source: Place of the source in the exchange's list.
        at: Place of the sentence in its source.
    """

    source: int
    at: int


class Passages:
    """The sentences of the sources of one exchange."""

    def __init__(self, reading: Reading) -> None:
        self._parts = reading.sources
        self._held: dict[str, bool] = {}
        self._ids = [source.id for source in reading.exchange.sources]
        self._titles = [source.title for source in reading.exchange.sources]
        self._dense = [
            _SPACE.sub("", f"{source.title}\n{source.text}") for source in reading.exchange.sources
        ]

    def texts(self) -> Iterator[tuple[int, Text]]:
        """Yield the texts of the sources with their numbers."""
        for number, part in enumerate(self._parts):
            yield number, part.text

    def source_id(self, place: Place) -> str:
        """Return the id of the source in which a place is."""
        return self._ids[place.source]

    def text(self, place: Place) -> Text:
        """Return the text of the source in which a place is."""
        return self._parts[place.source].text

    def sentence(self, place: Place) -> str:
        """Return the sentence at a place."""
        return self._parts[place.source].text.sentences[place.at].text

    def holds(self, sentence: str) -> bool:
        """Tell whether a source holds a sentence word for word."""
        if sentence not in self._held:
            needle = _SPACE.sub("", sentence.strip(_OUTER))
            is_held = bool(needle) and any(_stands_in(needle, hay) for hay in self._dense)
            self._held[sentence] = is_held
        return self._held[sentence]

    def near(self, wanted: Words) -> list[tuple[int, Text, int, int]]:
        """Return for each source the place of the sentence that holds most of some words.

        With its neighbours; sources on another subject are left out.
        """
        best: dict[int, tuple[float, Place]] = {}
        for place in self._index.nearest(wanted):
            share = wanted.share_in(kept_words_of(self.sentence(place)))
            if share > best.get(place.source, (_SAME_SUBJECT, place))[0]:
                best[place.source] = (share, place)
        return [self._around(place) for _, place in best.values()]

    def _around(self, place: Place) -> tuple[int, Text, int, int]:
        text = self.text(place)
        last = min(len(text.sentences) - 1, place.at + 1)
        first = text.sentences[max(0, place.at - 1)]
        return place.source, text, first.start, text.sentences[last].end

    @cached_property
    def _index(self) -> SentenceIndex[Place]:
        return SentenceIndex(
            (Place(number, at), sentence.text)
            for number, text in self.texts()
            for at, sentence in enumerate(text.sentences)
        )

    def words_at(self, place: Place, besides: Place | None = None) -> Words:
        """Return the words of a sentence, its neighbours and its source's title.

        Args:
            place: The sentence.
            besides: A neighbour that does not count.
        """
        sentences = self._parts[place.source].text.sentences
        first = max(0, place.at - _NEIGHBOURS_BEFORE)
        near = [
            kept_words_of(sentences[at].text)
            for at in range(first, min(len(sentences), place.at + _NEIGHBOURS_AFTER + 1))
            if Place(place.source, at) != besides
        ]
        near.append(kept_words_of(self._titles[place.source]))
        return joined(near)


def _stands_in(needle: str, hay: str) -> bool:
    """Tell whether a text holds another that does not begin or end inside a number."""
    at = hay.find(needle)
    while at >= 0:
        before, after = hay[max(0, at - 1) : at], hay[at + len(needle) : at + len(needle) + 1]
        cut_before = needle[0].isdigit() and (before.isdigit() or before in {",", "."})
        if not (cut_before or (needle[-1].isdigit() and after.isdigit())):
            return True
        at = hay.find(needle, at + 1)
    return False


def sentence_places(text: Text, starts: Sequence[int]) -> list[int]:
    """Return for each position, in order, the number of the sentence it stands in."""
    places: list[int] = []
    at = 0
    sentences = text.sentences
    for start in starts:
        while at + 1 < len(sentences) and sentences[at].end <= start:
            at += 1
        places.append(at)
    return places


_CLAUSE_END = re.compile(r"[;:\n]|[,.](?!\d)|(?<=[고며나])\s|(?<=지만)\s|(?<=는데)\s")


def clause_around(sentence: Sentence, start: int, end: int) -> str:
    """Return the clause of a sentence in which a place stands; positions are those of its text."""
    text = sentence.text
    begin, stop = 0, len(text)
    for mark in _CLAUSE_END.finditer(text):
        if mark.end() <= start - sentence.start:
            begin = mark.end()
        elif mark.start() >= end - sentence.start:
            stop = mark.start()
            break
    return text[begin:stop]
