"""Coverage of a question's topic by the sources.

A sentence speaks of a word that stands in it or above it, that stands there in another everyday or
official form (`everyday_words.txt`), or whose longer form it is short for (``소아과``,
소아청소년과). The question's words are weighted by how much they tell of its subject and how rarely
the sources have them. What counts is the best three sentences in a row of a source, with their
labels and its heading.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from guards.claims.reader import label_words
from guards.core.keeping import lazy
from guards.core.reading import SourceSet
from guards.evidence.index import SourceClaim, SourceIndex
from guards.evidence.topic import Word, other_words, topic_words
from guards.korean.morphemes import morphemes
from guards.korean.words import canonical, content_words

_SPACING = re.compile(r"[\s·ㆍ,]+")
_HANGUL = re.compile(r"[가-힣]+")
_LEAST_SHORTENED = 3
_MOST_LEFT_OUT = 3


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the features, fitted by `python -m tests.bench.answerability`.

    Attributes:
        window: How many sentences in a row are read together.
        minor: What a verb, a syllable or the user's own case says of the subject; others say 1.
        even: The part of a word's weight that does not depend on how rarely the sources have it.
        prior: Weight of an imagined word, half held: a question of few words proves little.
    """

    window: int = 3
    minor: float = 0.3
    even: float = 0.3
    prior: float = 0.7


_FITTED = Weights()

_Place = tuple[int, bool, int]


def _place_of(one: SourceClaim) -> _Place:
    """Return a name for the sentence of a claim, or for its row of a table."""
    block = one.claim.block
    return one.source, block.is_cell, block.line if block.is_cell else one.claim.sentence


class Topics:
    """The sentences, and rows of tables, of some sources by what they speak of.

    Attributes:
        titles: The titles of the sources, in lower case.
        text: The titles and texts of all sources, in lower case.
    """

    def __init__(self, sources: SourceSet) -> None:
        index = sources.once(SourceIndex)
        self.titles = [
            part.source.title.casefold() if part.source else "" for part in sources.parts
        ]
        self.text = "\n".join((*self.titles, *(part.text.raw.casefold() for part in sources.parts)))
        around: dict[_Place, set[str]] = defaultdict(set)
        said: dict[_Place, list[str]] = {}
        for one in index.claims:
            if one.claim.block.is_heading and not one.claim.block.is_cell:
                continue  # it is a label of what follows
            place = _place_of(one)
            pieces = said.setdefault(place, [label.text for label in one.claim.block.labels])
            if one.claim.position == 0:
                pieces.append(index.text_of(one))
            labels = (word for _, label in one.claim.labels for word in label)
            for word in (*one.claim.clause.words, *labels):
                around[place].update(word.features)
        self._sources = [source for source, *_ in said]
        self._sentences = [
            (frozenset(around[place]), without_spacing(" ".join(pieces).casefold()))
            for place, pieces in said.items()
        ]
        self._titles = [
            (
                frozenset(one for word in label_words(title) for one in word.features),
                without_spacing(title),
            )
            for title in self.titles
        ]

    def __len__(self) -> int:
        return len(self._sentences)

    @lazy
    def dense(self) -> str:
        """The text without white space, middle dots and commas."""
        return without_spacing(self.text)

    def windows(self, size: int) -> Iterator[tuple[int, slice]]:
        """Yield the places of so many sentences in a row of one source, or of all that it has.

        Each with the number of its source.
        """
        for source in range(len(self.titles)):
            first = bisect_left(self._sources, source)
            end = bisect_right(self._sources, source)
            for start in range(first, max(first + 1, end - size + 1)):
                yield source, slice(start, min(start + size, end))

    def speaking_of(self, word: Word) -> "Speaking":
        """Return which titles and which sentences speak of a word."""
        forms = forms_of(word)
        features = frozenset(feature for form in forms for feature in _features(form))
        spelt = [form for form in forms if len(form) > 1 and not form.endswith("다")]
        longer = _longer(word.whole)

        def speaks(said: tuple[frozenset[str], str]) -> bool:
            around, dense = said
            return (
                not features.isdisjoint(around)
                or any(form in dense for form in spelt)
                or (longer is not None and longer.search(dense) is not None)
            )

        return Speaking([*map(speaks, self._titles)], [*map(speaks, self._sentences)])


class Speaking(NamedTuple):
    """Which titles and which sentences of sources speak of a word."""

    titles: list[bool]
    sentences: list[bool]


def forms_of(word: Word) -> frozenset[str]:
    """Return a word of a question and its compound, and other words for the same things."""
    return other_words(word.text) | other_words(word.whole) | {word.text, word.whole}


@cache
def _features(form: str) -> frozenset[str]:
    words = content_words(morphemes(form))
    return frozenset({canonical(form), *(word.features[-1] for word in words)})


def _longer(word: str) -> re.Pattern[str] | None:
    """Return a pattern of the longer words that a word may be short for."""
    if len(word) < _LEAST_SHORTENED or not _HANGUL.fullmatch(word):
        return None
    return re.compile(f".{{0,{_MOST_LEFT_OUT}}}".join(word))


def without_spacing(text: str) -> str:
    """Return a text without white space, middle dots and commas."""
    return _SPACING.sub("", text)


def question_coverage(
    question: str, sources: SourceSet, weights: Weights = _FITTED
) -> float | None:
    """Return the share, from 0 to 1, of what a question is about that one sentence speaks of.

    None if the question cannot be compared, because it names no subject.
    """
    words = topic_words(question)
    if all(word.is_minor for word in words):
        return None
    topics = sources.once(Topics)
    speaking = [topics.speaking_of(word) for word in words]
    weighed = [
        _weight(word, sum(one.sentences), len(topics), weights)
        for word, one in zip(words, speaking, strict=True)
    ]
    held = max(
        (_held(weighed, speaking, *window) for window in topics.windows(weights.window)),
        default=0.0,
    )
    return (held + weights.prior / 2) / (sum(weighed) + weights.prior)


def _weight(word: Word, speaking: int, sentences: int, weights: Weights) -> float:
    rarity = math.log(1 + (sentences + 1) / (speaking + 0.5)) / math.log(1 + (sentences + 1) / 0.5)
    says = weights.minor if word.is_minor else 1.0
    return says * (weights.even + (1 - weights.even) * rarity)


def _held(
    weighed: Sequence[float], speaking: Sequence[Speaking], source: int, window: slice
) -> float:
    """Return the weight of the words of which a title or some sentences speak."""
    pairs = zip(weighed, speaking, strict=True)
    return sum(weight for weight, one in pairs if one.titles[source] or any(one.sentences[window]))
