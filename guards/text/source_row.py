"""The sentences of all sources of a request in one row, found by their words and syllable pairs.

What each of them holds of a claim is found in one go over the claim's words, however many sources
there are. A source's sentences stand behind a place for its title, with gaps behind them, so that
neighbours in the row are neighbours in a source. The titles themselves stand behind the row.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from guards.core.reading import Part, SourceSet
from guards.text.features import Features, kept_features
from guards.text.held import INDEXED_FROM_SENTENCES, Held, HeldIndex, Wanted
from guards.text.postings import Postings, posted
from guards.text.sentences import LONGEST_SENTENCE_CHARS

Place = tuple[int, int]
"""A source and which sentence of it."""
Span = tuple[int, int]
"""Where the places of a source begin and end in a row."""

NOWHERE: Place = (-1, -1)
"""A place for a title, or a gap."""
_GAP = 2
"""As many as a window has sentences, but for the one that it begins with."""


class HeldRow(NamedTuple):
    """What the sources hold of a claim.

    Attributes:
        held: What each place in the row holds.
        places: Which they are.
        spans: Where those of each source are.
        titles: What the title of each source holds.
        headings: What its title and the name of its file hold together.
    """

    held: list[Held]
    places: list[Place]
    spans: list[Span]
    titles: list[Held]
    headings: list[Held]


class SharedWords(NamedTuple):
    """How many of some words the sentences that have any have at most.

    Attributes:
        by_stem: How many each has by their stem.
        by_either: Each with how many it has by their stem or by what is unchanging in them.
    """

    by_stem: Collection[int]
    by_either: Sequence[tuple[Place, int]]


class SourceRow:
    """The sentences of some sources.

    Of a source of very many, only those stand in a row that may hold much of its claim.

    Attributes:
        endless: The places of those that are too long to be any.
    """

    def __init__(self, sources: SourceSet) -> None:
        self._places: list[Place] = []
        self._spans: list[Span] = []
        self._long: list[tuple[int, HeldIndex]] = []
        found = [*self._sentences(sources.parts)]
        self._end = len(self._places)
        self.endless = frozenset(
            (source, at)
            for source, part in enumerate(sources.parts)
            for at, sentence in enumerate(part.text.sentences)
            if len(sentence.text) > LONGEST_SENTENCE_CHARS
        )
        titles, headings = map(_title, sources.parts), map(heading_of, sources.parts)
        named = enumerate(map(kept_features, (*titles, *headings)), start=self._end)
        found.extend(named)
        self._size = self._end + 2 * len(sources.parts)
        self._by_form: Postings[str, int] = posted((place, one.forms) for place, one in found)
        self._by_pair: Postings[str, int] = posted((place, one.pairs) for place, one in found)

    def _sentences(self, parts: Iterable[Part]) -> Iterator[tuple[int, Features]]:
        """Yield the places of all sentences, and what of them is compared."""
        for source, part in enumerate(parts):
            start, sentences = len(self._places), part.text.sentences
            if len(sentences) > INDEXED_FROM_SENTENCES:
                self._long.append((source, part.text.held_index))
            else:
                own = ((source, at) for at in range(len(sentences)))
                self._places += [NOWHERE, *own, *[NOWHERE] * _GAP]
                for place, sentence in enumerate(sentences, start=start + 1):
                    yield place, kept_features(sentence.text)
            self._spans.append((start, len(self._places)))

    def has(self, names: Iterable[str]) -> bool:
        """Tell whether one of some words stands in a sentence, in any of its forms."""
        end = (self._end,)
        return any(self._by_form.get(name, end)[0] < self._end for name in names) or any(
            not index.forms.isdisjoint(names) for _, index in self._long
        )

    def shared(self, keys: Mapping[str, str], most: int) -> "SharedWords | None":
        """Return how many of some words the sentences have at most.

        None if they stand in too many places to look at, or if there are very many sentences.

        Args:
            keys: For each stem what is unchanging in it (see `guards.text.likeness.Words`).
            most: So many places are too many.
        """
        if self._long:
            return None
        by_stem: dict[int, int] = {}
        by_key: list[int] = []
        looked_at = 0
        for stem, key in keys.items():
            standing = self._by_form.get(stem, ())
            others = self._by_form.get(key, ()) if key != stem else ()
            looked_at += len(standing) + len(others)
            if looked_at >= most:
                return None
            for at in standing:
                by_stem[at] = by_stem.get(at, 0) + 1
            by_key += set(others).difference(standing) if others else ()
        by_either = dict(by_stem)
        for at in by_key:
            by_either[at] = by_either.get(at, 0) + 1
        found = [(self._places[at], count) for at, count in by_either.items() if at < self._end]
        return SharedWords(by_stem.values(), found)

    def held(self, wanted: Wanted) -> HeldRow:
        """Return what the sources hold of a claim."""
        held = [0] * self._size
        for asked, standing in ((wanted.forms, self._by_form), (wanted.pairs, self._by_pair)):
            for name in asked.keys() & standing.keys():
                bit = asked[name]
                for place in standing[name]:
                    held[place] |= bit
        middle = self._end + len(self._spans)
        row = HeldRow(
            held[: self._end],
            self._places,
            self._spans,
            titles=held[self._end : middle],
            headings=held[middle:],
        )
        return self._with_long(wanted, row) if self._long else row

    def _with_long(self, wanted: Wanted, row: HeldRow) -> HeldRow:
        """Return a row with the sentences of long sources that hold anything behind it."""
        held, places, spans = [*row.held], [*row.places], [*row.spans]
        for source, index in self._long:
            start, last = len(places), -1
            found = [(-1, 0), *sorted(index.held(wanted).items())]
            for at, one in found:
                gap = min(at - last - 1, _GAP) if one else 0
                held += [*[0] * gap, one]
                places += [*[NOWHERE] * gap, (source, at) if one else NOWHERE]
                last = at
            held += [0] * _GAP
            places += [NOWHERE] * _GAP
            spans[source] = (start, len(places))
        return row._replace(held=held, places=places, spans=spans)


def heading_of(part: Part) -> str:
    """Return the title of a source with the name of its file; empty if it has neither."""
    return f"{part.source.title} {part.source.file}".strip() if part.source else ""


def _title(part: Part) -> str:
    return part.source.title if part.source else ""
