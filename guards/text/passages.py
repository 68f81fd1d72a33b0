"""The sentences of some sources, to look up where something of the answer stands.

A sentence is held word for word whatever its spacing. What a sentence of a source is about also
shows in its neighbours and in the title of the source.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from guards.core.lazy import lazy
from guards.core.reading import SourceSet, Text
from guards.text.likeness import Words, kept_words_of
from guards.text.sentence_index import SentenceIndex
from guards.text.sentences import Sentence

_OUTER = " \t.!?\"'“”‘’*_-•·"
_SAME_SUBJECT = 0.3
_NEIGHBOURS_BEFORE, _NEIGHBOURS_AFTER = 2, 1


class Place(NamedTuple):
    """A sentence of a source.

    Attributes:
        source: Place of the source in the exchange's list.
        at: Place of the sentence in its source.
    """

    source: int
    at: int


class Passages:
    """The sentences of some sources; made once for them (``told.once(Passages)``)."""

    def __init__(self, told: SourceSet) -> None:
        self._parts = told.parts
        self._texts = tuple(enumerate(part.text for part in told.parts))
        self._ids = [part.source.id if part.source else "" for part in told.parts]
        self._titles = [part.source.title if part.source else "" for part in told.parts]

    def texts(self) -> Sequence[tuple[int, Text]]:
        """Return the texts of the sources with their numbers."""
        return self._texts

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
        needle = _without_spaces(sentence.strip(_OUTER))
        return bool(needle) and _stands_in(needle, self._dense)

    @lazy
    def _dense(self) -> str:
        """All sources without spaces, one a line: what has none stands in one of them."""
        titled = zip(self._titles, self._parts, strict=True)
        return "\n".join(_without_spaces(f"{title}\n{part.text.raw}") for title, part in titled)

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

    @lazy
    def _index(self) -> SentenceIndex[Place]:
        return SentenceIndex(
            (Place(number, at), sentence.text)
            for number, text in self.texts()
            for at, sentence in enumerate(text.sentences)
        )

    def words_at(self, place: Place, besides: Place | None = None) -> list[Words]:
        """Return the words of a sentence, of each of its neighbours and of its source's title.

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
        return near


def _without_spaces(text: str) -> str:
    return "".join(text.split())


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
