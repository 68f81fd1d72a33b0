"""What each sentence of the sources says in figures, under a key that its editions share.

The key is the sentence with its values left out and its endings cut, so that two statements with
one key say the same in other figures. It keeps the order of the words: who pays whom matters.
Items of a list take the sentence before the list into their key, rows of a table its header.
"""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from guards.core.reading import Text
from guards.lexicons.question_words import MEASURE_NOUNS
from guards.text.conflict_values import Figure, figures_of
from guards.text.sentences import Sentence
from guards.text.tokens import word_stem

_VALUE = "\x00"
_LONGEST_CHARS = 800
_MOST_FIGURES = 12
_LONGEST_HEADING_CHARS = 30
_MOST_HEADINGS = 8
"""Above one sentence. A list of short lines reads like headings without end."""
_OPENING_CHARS = 8
_LINES_KEPT = 256
_TOKENS_KEPT = 16_384
_MARKER = re.compile(
    r"[ \t]*(?:[-*•·○●▪■◦>]+[ \t]+|(?:\d{1,3}|[가-하])[.)][ \t]+|[①-⑳][ \t]*){1,4}"
)
_TOKEN = re.compile(rf"{_VALUE}[가-힣]*|[가-힣]+|[A-Za-z]+|\d+(?:[.,]\d+)*")
_HASHES = re.compile(r"#{1,6}(?=\s)")
_HEADING = re.compile(r"#{1,6}\s|[*_]{2}[^*_]{1,60}[*_]{2}:?$|[\[【<][^\]】>]{1,40}[\]】>]$")
_CLOSED = re.compile(r"[.!?。:;,|]$|(?:다|요|음|함|됨|임)$")
# What only makes a sentence of a value: 10일로 한다, 10일입니다.
_LIGHT = frozenset(
    "하다 한다 합니다 해요 함 하며 하고 되다 된다 됩니다 돼요 됨 되며 되고 이다 입니다 이에요 "
    "예요 이며 임 다 것 것으로 정도 각각".split()
)
_NO_PART_OF_KEY = _LIGHT.union(MEASURE_NOUNS)
_POINTING = re.compile(
    r"(?<![가-힣])(?:이|그|저|본|위|동|해당|다음|아래|상기|이러한|그러한)(?=\s)|각\s?[호목항]|"
    r"다음과|아래와|같은\s?(?:조|항|호|법)|제\s?\d{1,4}\s?[조항호]|"
    r"(?<![가-힣])(?:다만|단|또한|아울러)[,\s]"
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with figures.

    Attributes:
        sentence: The sentence, verbatim.
        start: Where it begins in its text, in code points.
        above: The sentence before its list, or the header of its table; empty if there is none.
        key: What it says apart from the figures.
        words: Number of words in the key.
        heading: Words of the headings it stands under.
        section: Number of the heading it stands under; 0 above the first one.
        figures: Its values, in order.
        points: It leans on what stands around it (이 규정, 다음 각 호, 제2항).
    """

    sentence: str
    start: int
    above: str
    key: str
    words: int
    heading: frozenset[str]
    section: int
    figures: tuple[Figure, ...]
    points: bool


def statements_of(text: Text) -> tuple[Statement, ...]:
    """Return the sentences of a text that hold figures, in order; read once for each text."""
    return text.once(_statements)


def statements_at(text: Text, places: Container[int]) -> list[Statement]:
    """Return the statements of some sentences of a text, in order.

    Args:
        text: The text.
        places: The numbers of the sentences.
    """
    reader = _Reader()
    found = [
        reader.read(sentence, figures, is_wanted=at in places)
        for at, (sentence, figures) in enumerate(_with_figures(text))
    ]
    return [statement for statement in found if statement is not None]


def openings_of(text: Text) -> Sequence["Opening"]:
    """Return how the key of each statement of a text begins, in order; read once for each text.

    It costs far less than a key, and where two of these differ their keys are not the same.
    """
    return text.once(_openings)


class Opening(NamedTuple):
    """How a key begins, without what stands above the sentence.

    Attributes:
        words: Its first characters.
        at: Number of the sentence in its text; that may be a heading, and no statement.
        figures: The values of the sentence, in order.
    """

    words: str
    at: int
    figures: tuple[Figure, ...]


def _statements(text: Text) -> tuple[Statement, ...]:
    return tuple(statements_at(text, range(len(text.sentences))))


def _openings(text: Text) -> Sequence[Opening]:
    return [
        Opening(_opening(_without(sentence, figures)), at, figures)
        for at, (sentence, figures) in enumerate(_with_figures(text))
        if 0 < len(figures) <= _MOST_FIGURES and len(sentence.text) <= _LONGEST_CHARS
    ]


def _opening(text: str) -> str:
    opening = ""
    for match in _TOKEN.finditer(text):
        token = _bare(match[0])
        if token not in _NO_PART_OF_KEY:
            opening += token
            if len(opening) >= _OPENING_CHARS:
                break
    return opening[:_OPENING_CHARS]


def _with_figures(text: Text) -> Iterator[tuple[Sentence, tuple[Figure, ...]]]:
    """Yield the sentences of a text with the figures of each."""
    figures = figures_of(text)
    at = 0
    for sentence in text.sentences:
        first = at
        while at < len(figures) and figures[at].start < sentence.end:
            at += 1
        yield sentence, tuple(figures[first:at])


class _Reader:
    """Walks through sentences and remembers what those before mean for the next one."""

    def __init__(self) -> None:
        self._headings: list[str] = []
        self._heading_words: frozenset[str] = frozenset()
        self._section = 0
        self._after_heading = False
        self._lead_in = ""
        self._table_header = ""

    def read(
        self, sentence: Sentence, figures: tuple[Figure, ...], *, is_wanted: bool
    ) -> Statement | None:
        """Return what the next sentence says; None if that is nothing in figures, or unwanted."""
        text = sentence.text
        if len(text) > _LONGEST_CHARS:
            return None
        if _is_heading(text, figures):
            self._enter(text)
            return None
        self._after_heading = False
        above = self._above(text)
        if not (is_wanted and 0 < len(figures) <= _MOST_FIGURES):
            return None
        tokens = _tokens(_without(sentence, figures))
        words = sum(_VALUE not in token for token in tokens)
        if not words:
            return None
        return Statement(
            sentence=text,
            start=sentence.start,
            above=above,
            key=f"{_key(above)}>{''.join(tokens)}",
            words=words,
            heading=self._heading_words,
            section=self._section,
            figures=figures,
            points=_POINTING.search(text) is not None,
        )

    def _enter(self, heading: str) -> None:
        """Go under a heading: below the last one if it is deeper or follows it at once."""
        level = _level(heading)
        if level:
            self._headings = [one for one in self._headings if 0 < _level(one) < level]
        elif not self._after_heading:
            self._headings = [one for one in self._headings if _level(one)]
        self._headings = [*self._headings, heading][-_MOST_HEADINGS:]
        self._heading_words = frozenset(word for line in self._headings for word in _tokens(line))
        self._section += 1
        self._after_heading = True
        self._lead_in = self._table_header = ""

    def _above(self, text: str) -> str:
        """Return the line that says what a row or an item is about."""
        if text.count("|") > 1:
            self._table_header = self._table_header or text
            return self._table_header
        self._table_header = ""
        if _MARKER.match(text):
            return self._lead_in
        self._lead_in = text if text.endswith((":", "다.", "다")) else ""
        return ""


def _is_heading(text: str, figures: tuple[Figure, ...]) -> bool:
    if _HEADING.match(text):
        return True
    if figures or len(text) > _LONGEST_HEADING_CHARS or text.count("|") > 1:
        return False
    return not (_CLOSED.search(text) or _MARKER.match(text))


def _level(heading: str) -> int:
    hashes = _HASHES.match(heading)
    return len(hashes[0]) if hashes else 0


def _without(sentence: Sentence, figures: tuple[Figure, ...]) -> str:
    """Return a sentence with a mark in the place of each value, and no list marker."""
    pieces: list[str] = []
    position = sentence.start
    for figure in figures:
        pieces += [sentence.text[position - sentence.start : figure.start - sentence.start], _VALUE]
        position = max(position, figure.end)
    text = "".join((*pieces, sentence.text[position - sentence.start :]))
    return _MARKER.sub("", text, count=1) if _MARKER.match(text) else text


def _tokens(text: str) -> list[str]:
    """Return the words that make a key, without endings and what only closes a sentence."""
    return [token for token in map(_bare, _TOKEN.findall(text)) if token not in _NO_PART_OF_KEY]


@lru_cache(maxsize=_LINES_KEPT)
def _key(line: str) -> str:
    """Return a line that stands above many others as part of their keys."""
    return "".join(_tokens(line))


@lru_cache(maxsize=_TOKENS_KEPT)
def _bare(token: str) -> str:
    if not token.startswith(_VALUE):
        return word_stem(token.lower())
    # Which particle follows depends on how the value sounds at its end, so both kinds are tried.
    tails = (word_stem(f"{noun}{token[1:]}")[len(noun) :] for noun in ("기간", "개수"))
    return _VALUE + min(tails, key=len)
