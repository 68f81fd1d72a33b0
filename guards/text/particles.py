"""Korean words by their stems, without a tagger; particles cut off or put into the right form.

Cutting is ambiguous (``경기도`` ends in what could be ``도``), so callers compare on *either* the
surface or the stem. Forms that come in pairs (은/는, 이/가, 을/를, 과/와, 으로/로) are only cut
where the final consonant before them agrees, which keeps ``가을``, ``마을`` and ``국가`` whole.

The form depends on how the word before it is read: ``[1]과`` (일과) becomes ``[2]와`` (이와) when
the number changes. After a word whose reading is not known, such as one in Latin letters, the
particle stays as it is.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from guards.lexicons.loading import words


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


_AFTER_CONSONANT = _words(
    "은 이 을 과 으로 으로는 으로도 으로써 으로서 으로부터 으로서의 이라고 이라고는 이라도",
    "이라는 이라면 이란 이나 이며 이고 과의 으로만 이시라면",
)
_AFTER_VOWEL = _words("는 가 를 와 나 란 라고 라는 라도 라면 시라면 와의")
_AFTER_VOWEL_OR_RIEUL = _words("로 로는 로도 로만 로서 로써 로부터")
_AFTER_ANY = _words(
    "의 에 도 만 들 에서 에게 에는 에도 께서 한테 까지 부터 보다 처럼 만큼 마다 조차 마저 밖에",
    "하고 들이 들은 들을 들의 에서는 에서도 에게는 에게도 에게서 까지는 까지도 부터는",
    "에서부터 에게서는 에서라도 에만 에서만 에게만 까지만 부터만",
)
_LONGEST_CHARS = 4
_NO_SYLLABLE, _OPEN, _RIEUL = -1, 0, 8
_WORDS_KEPT = 16_384


def final_consonant(char: str) -> int:
    """Return the index of a syllable's final consonant: 0 for none, 8 for ㄹ; -1 if no syllable."""
    return (ord(char) - ord("가")) % 28 if "가" <= char <= "힣" else _NO_SYLLABLE


@lru_cache(maxsize=_WORDS_KEPT)
def stem(word: str) -> str:
    """Return a word without the longest particle at its end; the word itself if it has none."""
    for size in range(min(_LONGEST_CHARS, len(word) - 1), 0, -1):
        if _follows(word[-size:], final_consonant(word[-size - 1])):
            return word[:-size]
    return word


def _follows(particle: str, final: int) -> bool:
    """Tell whether a particle may stand after a syllable with this final consonant."""
    if particle in _AFTER_ANY:
        return True
    if particle in _AFTER_CONSONANT:
        return final != _OPEN
    if particle in _AFTER_VOWEL:
        return final in (_NO_SYLLABLE, _OPEN)
    return particle in _AFTER_VOWEL_OR_RIEUL and final in (_NO_SYLLABLE, _OPEN, _RIEUL)


_FORMS = (
    ("은", "는"),
    ("이", "가"),
    ("을", "를"),
    ("과", "와"),
    ("으로", "로"),
    ("으로는", "로는"),
    ("으로도", "로도"),
    ("으로서", "로서"),
    ("으로써", "로써"),
    ("으로부터", "로부터"),
    ("과는", "와는"),
    ("과의", "와의"),
    ("이라고", "라고"),
    ("이라는", "라는"),
    ("이라면", "라면"),
    ("이라도", "라도"),
    ("이란", "란"),
    ("이나", "나"),
    ("이랑", "랑"),
    ("이에요", "예요"),
)
"""After a consonant, and after a vowel."""
_PAIRS = {form: pair for pair in _FORMS for form in pair}
_PARTICLE = re.compile(
    rf"(?:{'|'.join(sorted(_PAIRS, key=len, reverse=True))})(?![가-힣A-Za-z0-9])"
)
_NOT_READ = re.compile(r"[^\w]+$")
_CLOCK = re.compile(r"(?<!\d)\d{1,2}:\d\d$")
# 영 일 이 삼 사 오 육 칠 팔 구, by their final consonants.
_DIGIT_NAMES = "영일이삼사오육칠팔구"
_ROUND_NAME = "십"  # 십, 백, 천 and 만 end in a consonant that is not ㄹ


def particle_at(text: str, position: int) -> str:
    """Return the particle that stands there and has another form; empty if none does."""
    found = _PARTICLE.match(text, position)
    return found[0] if found else ""


def agrees(particle: str, word: str) -> bool:
    """Tell whether a particle has the form that the word before it asks for."""
    return agreeing(particle, word) == particle


def agreeing(particle: str, word: str) -> str:
    """Return the form of a particle that a word asks for; as it is if its reading is not known."""
    last = _last_syllable(word)
    if particle not in _PAIRS or not last:
        return particle
    after_consonant, after_vowel = _PAIRS[particle]
    final = final_consonant(last)
    if final == 0 or (final == _RIEUL and after_consonant.startswith("으로")):
        return after_vowel
    return after_consonant


class Noun(str):
    """A word for texts that put a particle behind it: ``f'"{noun}"{noun:은} …'``.

    A format gives the form of the particle that fits; the empty one gives the word itself. Where
    the word's reading is not known, it is the form behind a vowel.
    """

    def __format__(self, particle: str) -> str:
        """Return the word, or the fitting form of the particle."""
        if not particle:
            return str(self)
        return agreeing(particle, self) if _last_syllable(self) else _PAIRS[particle][1]


def _last_syllable(word: str) -> str:
    """Return the syllable that a word or a bracketed number ends in when read; empty if unknown."""
    normal = unicodedata.normalize("NFKC", word).rstrip()
    if normal.endswith("%"):
        return "트"
    if clock := _CLOCK.search(normal):
        return "시" if clock[0].endswith(":00") else "분"
    read = _NOT_READ.sub("", normal)
    if not read:
        return ""
    if "가" <= read[-1] <= "힣":
        return read[-1]
    if not read[-1].isdecimal():
        return ""
    number = re.search(r"\d+$", read)
    is_round = number is not None and len(number[0]) > 1 and read[-1] == "0"
    return _ROUND_NAME if is_round else _DIGIT_NAMES[int(read[-1])]


_GRAMMAR_WORDS = words("grammar_words")
_WORD = re.compile(r"[가-힣]+|[A-Za-z][A-Za-z0-9]*|\d+(?:[.,]\d+)*")
_ENDING = (
    r"(?:나요?|는지|는가요?|는데요?|는|려면|려고|려는데요?|려는|고자?|며|면서?|어야?|여[야도서]?|지만?|기|자|"
    r"던|다|도록|거나|니까?|라고|게|[었였][가-힣]{1,3})"
)
# What turns a noun into a predicate (신청하려면, 지급됩니다) or closes a sentence (규정입니다).
# The noun before it must keep two syllables, so that 하나 or 되면 is not cut to nothing.
_PREDICATE_TAIL = re.compile(
    rf"(?<=[가-힣]{{2}})(?:(?:하|되|시키|받|당하)(?:으?{_ENDING})?|(?:해|돼)(?:요|서|야|도|줘|주세요)?|"
    r"(?:합|됩|입|받습|시킵|당합)니[다까]|(?:했|됐|받았|당했)[가-힣]{0,4}|"
    r"(?:한|할|된|될|받은|받을)(?:다|다면|다고|까요?|지|가요?)?|"
    r"이(?:며|고|다|지만|나요|에요|었[가-힣]{1,3})|인(?:가요?|지요?|데요?)|예요|(?:은|는|도|만|이)?요)$"
)


class Word(NamedTuple):
    """A word of a text.

    Attributes:
        text: As it stands, but for Latin letters, which are in lower case.
        stem: Without its particle and without the ending that makes a noun a predicate.
        start: Where it begins, in code points.
        end: Where it ends (half-open).
    """

    text: str
    stem: str
    start: int
    end: int


def content_words(text: str) -> list[Word]:
    """Return the words that carry a subject, in order and as often as they stand there."""
    found: list[Word] = []
    for match in _WORD.finditer(text):
        known = _subject(match[0])
        if known is not None:
            surface, bare = known
            found.append(Word(surface, bare, match.start(), match.end()))
    return found


def subjects(text: str) -> list[tuple[str, str]]:
    """Return the content words of a text by surface and stem, for those who need no places."""
    return [known for known in map(_subject, _WORD.findall(text)) if known]


@lru_cache(maxsize=_WORDS_KEPT)
def _subject(written: str) -> tuple[str, str] | None:
    """Return a word in lower case and its stem; None for one of grammar: it has no subject."""
    word = written.lower()
    bare = word_stem(word)
    is_grammar = not bare or word in _GRAMMAR_WORDS or bare in _GRAMMAR_WORDS
    return None if is_grammar else (word, bare)


@lru_cache(maxsize=_WORDS_KEPT)
def word_stem(word: str) -> str:
    """Return a word without particle and predicate's ending (``신청하려면`` -> ``신청``)."""
    return _PREDICATE_TAIL.sub("", stem(word))
