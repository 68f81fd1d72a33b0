"""How far the sources hold the words of what a question is about.

Only a question that names its subject in nouns can be compared so (``환불 규정을 알려 주세요``).
One that tells it in verbs (``강아지 데려가도 돼요?``) shares few words even with the very passage
that answers it, and so does one for a value (``며칠``) that some source may hold.

Words that the sources rarely have weigh more. The best window of three sentences counts, together
with the heading of its passage. A word is covered if it stands there with any spacing, in part if
only some of its syllable pairs do.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from guards.lexicons.question_words import FRAME_NOUNS, MEASURE_NOUNS
from guards.text.asked_value import asked_values, holds_value, without_asking_words
from guards.text.sentences import split_sentences
from guards.text.tokens import Word, bigrams, content_words

_WINDOW_SENTENCES = 3
_MOST_WORDS = 40
_SLIGHT_WEIGHT = 0.3
_RARITY_SMOOTHING = 0.5
_SPACING = re.compile(r"[\s·ㆍ,]+")
_AND = re.compile(r"\s(?:그리고|또한|아울러|및 그)\s")
# Endings of verbs. 화면 and 허가도 are taken for verbs too, which only means no comparison.
_OWN_VERB = re.compile(
    r"\A[가-힣]는\Z|(?:나요|까요|니까|[어아해여와워가]요|죠|지요|는지|은지|[가-힣]면|[어아여와워가려]도|"
    r"[어아여와워꿔겨]야|려고|지만|는데|은데|거나)$"
)
_NOUN_VERB_STARTS = ("하", "되", "받", "시키", "당하", "해", "돼", "이")


class Passage(NamedTuple):
    """A source as it is compared: its heading (or an empty string) and its sentences."""

    title: str
    sentences: tuple[str, ...]


class _Unit(NamedTuple):
    """Something that a window may cover, and how much it counts."""

    stem: str
    pairs: frozenset[str]
    weight: float


def question_coverage(question: str, passages: Sequence[Passage]) -> float | None:
    """Return the covered share, from 0 to 1, of the part of the question that is covered best.

    None if the question cannot be compared, because a part of it names no subject in nouns, asks
    for a value that a passage may hold, or is as long as a text of its own.
    """
    texts = [" ".join(passage.sentences) for passage in passages]
    dense = [
        _dense(f"{passage.title}{text}") for passage, text in zip(passages, texts, strict=True)
    ]
    parts = [_units(part, texts, dense) for part in _parts(question)]
    if not parts or not all(parts):
        return None
    windows = [window for passage in passages for window in _windows(passage)]
    return max((_share(window, units) for units in parts for window in windows), default=0.0)


def _parts(question: str) -> Iterator[str]:
    for sentence in split_sentences(question):
        if content_words(sentence.text):
            yield from _AND.split(sentence.text)


def _units(question: str, texts: list[str], dense: list[str]) -> list[_Unit]:
    """Return what must be covered; nothing if the question cannot be compared."""
    words = content_words(without_asking_words(question))
    if len(words) > _MOST_WORDS or any(_is_own_verb(word) for word in words):
        return []
    if any(holds_value(text, kind) for kind in asked_values(question) for text in texts):
        return []
    subject = [word for word in words if word.stem not in FRAME_NOUNS]
    if all(_is_slight(word) for word in subject):
        return []
    return [_unit(word, dense) for word in subject]


def _is_slight(word: Word) -> bool:
    """Tell whether a word is too short or too general to name a subject (``기한은요?``)."""
    return len(word.stem) == 1 or word.stem in MEASURE_NOUNS


def _is_own_verb(word: Word) -> bool:
    made_from_noun = word.text.startswith(_NOUN_VERB_STARTS, len(word.stem))
    return not made_from_noun and _OWN_VERB.search(word.text) is not None


def _unit(word: Word, dense: list[str]) -> _Unit:
    holding = sum(word.stem in text for text in dense)
    rarity = math.log(1 + len(dense) / (holding + _RARITY_SMOOTHING))
    weight = rarity * (_SLIGHT_WEIGHT if _is_slight(word) else 1)
    return _Unit(word.stem, frozenset(bigrams(word.stem)), weight)


def _share(window: str, units: list[_Unit]) -> float:
    covered = sum(unit.weight * _covered(unit, window) for unit in units)
    return covered / sum(unit.weight for unit in units)


def _covered(unit: _Unit, window: str) -> float:
    """Return 1 for a word that stands there, less for one of which only pieces do.

    Squared, because a stray pair of syllables says little.
    """
    if unit.stem in window:
        return 1.0
    if not unit.pairs:
        return 0.0
    return (sum(pair in window for pair in unit.pairs) / len(unit.pairs)) ** 2


def _windows(passage: Passage) -> Iterator[str]:
    title = _dense(passage.title)
    sentences = [_dense(sentence) for sentence in passage.sentences]
    for start in range(max(1, len(sentences) - _WINDOW_SENTENCES + 1)):
        yield "".join((title, *sentences[start : start + _WINDOW_SENTENCES]))


def _dense(text: str) -> str:
    """Return a text without spacing, middle dots and case."""
    return _SPACING.sub("", text).casefold()
