"""Chooses between the two forms of a Korean particle (조사) by how the word before it is read.

``[1]과`` (일과) becomes ``[2]와`` (이와) when the number changes. A word whose reading is not
known, such as one in Latin letters, takes no particle of its own choice: what stands there stays.
"""

import re
import unicodedata

from guards.text.particles import final_consonant

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
)
"""After a consonant, and after a vowel."""
_PAIRS = {form: pair for pair in _FORMS for form in pair}
_PARTICLE = re.compile(
    rf"(?:{'|'.join(sorted(_PAIRS, key=len, reverse=True))})(?![가-힣A-Za-z0-9])"
)
_NOT_READ = re.compile(r"[^\w]+$")
# 영 일 이 삼 사 오 육 칠 팔 구, by their final consonants.
_DIGIT_NAMES = "영일이삼사오육칠팔구"
_ROUND_NAME = "십"  # 십, 백, 천 and 만 end in a consonant that is not ㄹ
_RIEUL = 8


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
    read = _NOT_READ.sub("", unicodedata.normalize("NFKC", word))
    if not read:
        return ""
    if "가" <= read[-1] <= "힣":
        return read[-1]
    if not read[-1].isdecimal():
        return ""
    number = re.search(r"\d+$", read)
    is_round = number is not None and len(number[0]) > 1 and read[-1] == "0"
    return _ROUND_NAME if is_round else _DIGIT_NAMES[int(read[-1])]
