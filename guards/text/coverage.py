"""How far the sources hold what a question is about.

The question's words are weighted by how much they tell of its subject and how rarely the sources
have them. What counts is the best three sentences in a row of a source with its heading.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from guards.text.topic import Held, Word, held_by, topic_words


@dataclass(frozen=True, slots=True)
class Weights:
    """What counts how much; fitted by `python -m tests.bench.answerability`, which see.

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


class Passage(NamedTuple):
    """A source as it is compared: its heading and its sentences."""

    title: Held
    sentences: tuple[Held, ...]

    @property
    def text(self) -> str:
        """All of it in lower case."""
        return "\n".join(one.text for one in (self.title, *self.sentences))


class _Weighed(NamedTuple):
    """A word of the question with its weight, and which headings and sentences hold it."""

    weight: float
    in_title: tuple[bool, ...]
    in_sentence: tuple[tuple[bool, ...], ...]


def passage(title: str, sentences: Sequence[str]) -> Passage:
    """Return a source as it is compared."""
    return Passage(held_by(title), tuple(held_by(sentence) for sentence in sentences))


def question_coverage(
    question: str, passages: Sequence[Passage], weights: Weights = _FITTED
) -> float | None:
    """Return the share, from 0 to 1, of what a question is about that one passage holds.

    None if the question cannot be compared, because it names no subject.
    """
    words = topic_words(question)
    if all(word.is_minor for word in words):
        return None
    weighed = [_weigh(word, passages, weights) for word in words]
    held = max(
        (_held_weight(weighed, at, weights.window) for at in range(len(passages))), default=0.0
    )
    weight = sum(word.weight for word in weighed)
    return (held + weights.prior / 2) / (weight + weights.prior)


def _weigh(word: Word, passages: Sequence[Passage], weights: Weights) -> _Weighed:
    in_title = tuple(one.title.speaks_of(word) for one in passages)
    in_sentence = tuple(tuple(held.speaks_of(word) for held in one.sentences) for one in passages)
    sentences = sum(len(one) for one in in_sentence) + 1
    holding = sum(sum(one) for one in in_sentence)
    rarity = math.log(1 + sentences / (holding + 0.5)) / math.log(1 + sentences / 0.5)
    says = weights.minor if word.is_minor else 1.0
    return _Weighed(says * (weights.even + (1 - weights.even) * rarity), in_title, in_sentence)


def _held_weight(words: Sequence[_Weighed], at: int, window: int) -> float:
    """Return the weight of the words that the best stretch of a passage holds."""
    starts = range(max(1, len(words[0].in_sentence[at]) - window + 1))
    return max(
        sum(
            word.weight
            for word in words
            if word.in_title[at] or any(word.in_sentence[at][start : start + window])
        )
        for start in starts
    )
