"""Takes Korean particles (조사) off a word, and chooses between their two forms.

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
    """Return a word without the longest particle at its end; the word itself if it bears none."""
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
