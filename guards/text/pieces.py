"""The pieces of a sentence that say something of one figure each.

A comma, a bracket, the end of a clause or another figure of the same kind begins a new piece:
``어른 6,000원, 어린이 3,000원`` are two and ``60분 이상 120분 미만은 25%`` is one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from guards.text.figure_values import Figure
from guards.text.labels import Form, Label
from guards.text.lemmas import lemma
from guards.text.sentences import Sentence
from guards.text.slots.quantity import Quantity
from guards.text.tokens import content_words, subjects, word_stem
from guards.text.values import Value

# Each alternative begins with a character of its own: only where one stands, more is looked at.
_JOINT = re.compile(
    r"\(|\[|\)|\]|,|;|/|\n|\||→|\+|=|·(?=[ ]?[가-힣])|ㆍ(?=[ ]?[가-힣])|\.(?!\d)"
    r"|와(?<=[가-힣]와)[ ]|과(?<=[가-힣]과)[ ]|또는[ ]|혹은[ ]|및[ ]"
    r"| (?:(?<=[고며나][ ])|(?<=지만[ ])"
    # 5일 전 기한이 지났으므로 50%: five days are not what the rate stands for
    r"|(?<=지났으므로[ ])|(?<=지났으니[ ])|(?<=지나서[ ])|(?<=넘었으므로[ ])|(?<=넘어서[ ]))"
)
_OPENING, _CLOSING = frozenset("(["), frozenset(")]")
_NAME = re.compile(
    r"[ \t]*(?:[-*•·○●▪■◦>①-⑳]+[ \t]*|\d{1,3}[.)][ \t]*)?(?P<name>[^:\n]{1,40}):(?!//)"
)
# The topic of a whole sentence (``입장료는 어른 6,000원, 어린이 3,000원``).
_TOPIC = re.compile(r"(?P<name>[^:,;()\d\n]{1,40}?[가-힣][은는])[ ](?=[가-힣A-Za-z])")
_RANGE = re.compile(r"[*_ ]*(?:[~-]|부터|에서|이상)[*_ ]*")
_OF_NOUN = re.compile(r"(?:[ ]?(?:이내|이상|이하|미만|초과|간|동안))?의[ ]")
# What ends a figure's own word (권, 씩, 부터), and names nothing.
_REST_OF_FIGURE = re.compile(
    r"[*_]{0,2}(?:[ ]?(?:이상|이하|초과|미만|이내|까지|부터|이후|이전|안에|내에|동안))?[가-힣]{0,6}"
)
# Nothing that could be glued to a number.
_PLAIN = re.compile(r"[가-힣A-Za-z\s.,*'\"]*")
_NUMBERED = re.compile(r"(?P<number>\d+)(?P<unit>[가-힣A-Za-z]+)")
_MOST_FIGURES = 20
_WORDS_KEPT = 16_384
_SYNONYMS = {"뒤": "후", "다음": "후"}


class Standing(NamedTuple):
    """A figure in its piece.

    Attributes:
        figure: The figure.
        value: The same as a value that can be looked up.
        words_before: How many words of the piece stand before it.
        of_noun: Whether its noun follows it (``10일의 휴가``).
    """

    figure: Quantity
    value: Value
    words_before: int
    of_noun: bool


@dataclass(eq=False, slots=True)
class Piece:
    """A stretch of a sentence.

    Attributes:
        name: The words before the colon of its line, or the topic of its sentence.
        outer: The piece in which its bracket stands; None outside brackets.
        words: Its words, in order, each in the forms by which it may be met again.
        figures: Its figures, in order.
        given: The figures of the stretch that it goes on with behind a bracket.
    """

    name: Label = ()
    outer: "Piece | None" = None
    words: list[Form] = field(default_factory=list)
    figures: list[Standing] = field(default_factory=list)
    given: list[Value] = field(default_factory=list)

    @property
    def all_figures(self) -> list[Value]:
        """Its figures with those that it was given."""
        return [*self.given, *(one.value for one in self.figures)]

    def figures_before(self, value: Value) -> list[Value]:
        """Return its figures that stand before another one."""
        return [one for one in self.all_figures if one.start < value.start]

    def holds_kind(self, value: Value) -> bool:
        """Tell whether it has a figure that another could stand for."""
        return any(other.kind == value.kind for other in self.all_figures)

    @property
    def is_full(self) -> bool:
        """Whether it has more figures than one thing can be said of."""
        return len(self.given) + len(self.figures) >= _MOST_FIGURES


def cut(raw: str, sentence: Sentence, figures: Sequence[Figure]) -> list[Piece]:
    """Return the pieces of a sentence, in order; each of its figures is in one of them.

    Args:
        raw: The text of the sentence.
        sentence: The sentence.
        figures: Its figures; at least one.
    """
    return _Cutter(raw, sentence).cut(figures)


def _words(text: str) -> Label:
    """Return the words of a stretch; a number belongs to the word that is glued to it (2인실)."""
    if not text:
        return ()
    if _PLAIN.fullmatch(text):
        return tuple([_form(*word) for word in subjects(text)])
    forms: list[Form] = []
    for word in content_words(text):
        if word.text[0].isdigit():
            numbered = _NUMBERED.match(text, word.start)
            if numbered:
                unit = word_stem(numbered["unit"])
                forms.append(frozenset({numbered[0], numbered["number"] + unit}))
        elif not word.start or not text[word.start - 1].isdigit():
            forms.append(_form(word.text, word.stem))
    return tuple(forms)


@lru_cache(maxsize=_WORDS_KEPT)
def _form(surface: str, stem: str) -> Form:
    return frozenset((surface, stem, lemma(surface), _SYNONYMS.get(stem, stem)))


class _Cutter:
    """Cuts one sentence into pieces."""

    def __init__(self, raw: str, sentence: Sentence) -> None:
        self._raw = raw
        self._sentence = sentence
        self._pieces: list[Piece] = []
        self._name: Label = ()

    def cut(self, figures: Sequence[Figure]) -> list[Piece]:
        start, end = self._sentence.start, self._sentence.end
        first = figures[0].quantity.start
        name = _NAME.match(self._raw, start, first) or _TOPIC.match(self._raw, start, first)
        if name:
            start, self._name = name.end(), _words(name["name"])
        self._begin(None)
        for figure, value, _ in figures:
            self._read_up_to(value, start)
            piece = self._pieces[-1]
            of_noun = _OF_NOUN.match(self._raw, figure.end) is not None
            piece.figures.append(Standing(figure, value, len(piece.words), of_noun))
            start = figure.end
        self._read(self._after_figure(start), end)
        return self._pieces

    def _read_up_to(self, figure: Value, start: int) -> None:
        piece = self._pieces[-1]
        begin = self._after_figure(start) if piece.figures else start
        if piece.is_full:
            self._begin(piece.outer)
            self._read(begin, figure.start)
        elif not piece.holds_kind(figure) or _RANGE.fullmatch(self._raw, start, figure.start):
            self._read(begin, figure.start)
        elif _OF_NOUN.match(self._raw, start) or _JOINT.search(self._raw, begin, figure.start):
            self._read(begin, figure.start)
            if self._pieces[-1] is piece:
                self._begin(piece.outer)
        else:
            self._begin(piece.outer)
            self._read(begin, figure.start)

    def _after_figure(self, end: int) -> int:
        rest = _REST_OF_FIGURE.match(self._raw, end)
        return rest.end() if rest else end

    def _begin(self, outer: Piece | None) -> None:
        self._pieces.append(Piece(self._name, outer))

    def _resume(self, outer: Piece, bracket: Piece) -> None:
        """Go on behind a bracket; one without figures says more of what stands before it."""
        self._begin(outer.outer)
        piece = self._pieces[-1]
        piece.words += outer.words if bracket.figures else [*outer.words, *bracket.words]
        if not outer.is_full:
            piece.given += outer.all_figures

    def _read(self, start: int, end: int) -> None:
        for joint in _JOINT.finditer(self._raw, start, end):
            self._pieces[-1].words += _words(self._raw[start : joint.start()])
            start = joint.end()
            last = self._pieces[-1]
            if joint[0] in _OPENING:
                self._begin(last)
            elif joint[0] in _CLOSING and last.outer:
                self._resume(last.outer, last)
            else:
                self._begin(last.outer)
        self._pieces[-1].words += _words(self._raw[start:end])
