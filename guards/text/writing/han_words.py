"""Han words as Korean reads them: ``費用`` and ``费用`` are ``비용``, ``理由`` is ``이유``.

A reading is only believed where it stands as a word in a text that is known to be right, and in
the same role, because most characters are read in more than one way and many words share a
reading. What holds a word that means something else than its reading is not read at all.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from guards.lexicons.han_false_friends import FALSE_COUNTERS, FALSE_FRIENDS
from guards.lexicons.loading import groups
from guards.text.hangul import parts_of, syllable
from guards.text.particles import stem
from guards.text.tokens import word_stem
from guards.text.writing.han_roles import Role, may_be_same, role_of

_SHORTEST_WORD_CHARS = 2
_LONGEST_WORDS_CHARS = 12
_FALSE_FRIENDS_CHARS = sorted({len(word) for word in FALSE_FRIENDS})
_PALATAL_VOWELS = "ㅑㅒㅕㅖㅛㅠㅣ"
_HANGUL_RUN = re.compile(r"[가-힣]+")
_COUNTED = re.compile(r"(?<![\d.,])(\d{1,4}) ?([가-힣])")
_AT_END = re.compile(r"[가-힣]*\Z")
_AT_START = re.compile(r"[가-힣]*")
_NUMBER_BEFORE = re.compile(r"(?<![\d.,])\d{1,4}\Z")


def readings(char: str) -> frozenset[str]:
    """Return the syllables that a Han character is read as; none for one that is not known."""
    return _readings().get(char, frozenset())


def initial_form(read: str) -> str:
    """Return the form that a reading takes at the beginning of a word: ``리`` -> ``이``.

    The initial law (두음법칙): ㄹ becomes ㅇ before i and y, else ㄴ; ㄴ becomes ㅇ before i and y.
    """
    initial, vowel, final = parts_of(read)
    if initial in "ㄴㄹ" and vowel in _PALATAL_VOWELS:
        return syllable("ㅇ", vowel, final)
    return syllable("ㄴ", vowel, final) if initial == "ㄹ" else read


def _is_false_friend(han: str) -> bool:
    """Tell whether a word holds one that means something else than its reading."""
    return any(
        han[at : at + size] in FALSE_FRIENDS
        for size in _FALSE_FRIENDS_CHARS
        for at in range(len(han) - size + 1)
    )


def is_reading(hangul: str, han: str) -> bool:
    """Tell whether a Hangul word is how a Han word is read, whatever that means."""
    return (
        len(hangul) == len(han)
        and not _is_false_friend(han)
        and all(each in readings(char) for each, char in zip(hangul, han, strict=True))
    )


def spells(hangul: str, han: str) -> bool:
    """Tell whether a Hangul text has the readings of Han characters, in their order.

    A character whose reading is not known, as names have them, may be read as anything if it is
    one of few.
    """
    known = [readings(char) for char in han]
    syllables = iter(hangul)
    return sum(map(bool, known)) * 2 > len(han) and all(
        any(not each or syllable in each for syllable in syllables) for each in known
    )


class HeardWords:
    """The Hangul words of texts that are known to be right, to be found by how they are read."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
        self._roles: defaultdict[str, set[Role]] = defaultdict(set)
        self._units: defaultdict[str, set[str]] = defaultdict(set)
        for text in texts:
            for run in set(_HANGUL_RUN.findall(text)):
                for word in (run, stem(run), word_stem(run)):
                    self._words[len(word), word[0]].add(word)
                    self._roles[word].add(role_of(run[len(word) :]))
            for number, unit in _COUNTED.findall(text):
                self._units[number].add(unit)

    def read(self, han: str, before: str = "", after: str = "") -> str:
        """Return the Hangul of a Han word as it stands in one of the texts.

        Args:
            han: Nothing but Han characters. Several words in one run are read word by word.
            before: What stands before it in its sentence.
            after: What stands behind it.

        Returns:
            The Hangul; empty if it stands nowhere in that role, if more than one reading does, or
            if the word means something else.
        """
        han = unicodedata.normalize("NFKC", han)  # some characters have two code points
        if len(han) > _LONGEST_WORDS_CHARS or _is_false_friend(han):
            return ""
        rest = _hangul(_AT_START, after)
        if len(han) >= _SHORTEST_WORD_CHARS:
            role = role_of(rest)
            if word := self._word(han, role) or self._several(han, role):
                return word
        elif number := _NUMBER_BEFORE.search(before):
            counted = self._units.get(number[0], set())
            return "" if han in FALSE_COUNTERS else _only(readings(han) & counted)
        return self._within(han, _hangul(_AT_END, before), rest)

    def _word(self, han: str, role: Role = Role.ANY) -> str:
        word = self._spelt([readings(char) for char in han])
        heard = self._roles.get(word, ())
        return word if any(may_be_same(role, each) for each in heard) else ""

    def _within(self, han: str, before: str, after: str) -> str:
        """Read what is only a part of its word: in ``医疗기관`` the rest of the word tells."""
        fixed = [frozenset(char) for char in before], [frozenset(char) for char in after]
        known = [*fixed[0], *(readings(char) for char in han)]
        fewest = 0 if before else 1  # without anything around it the word has been looked for
        for size in range(len(after), fewest - 1, -1):
            word = self._spelt(known + fixed[1][:size])
            whole = word + after[size:]
            subject = word_stem(whole)
            if len(subject) == len(han):  # a particle is no rest that tells
                continue
            if word and word in (whole, stem(whole), subject):
                return word[len(before) : len(known)]
        return ""

    def _spelt(self, known: Sequence[frozenset[str]]) -> str:
        """Return the word of which each syllable is one of those known for its place."""
        return _only(
            word
            for first in known[0]
            for word in self._words.get((len(known), first), ())
            if all(char in each for char, each in zip(word, known, strict=True))
        )

    def _several(self, han: str, role: Role) -> str:
        """Read words that stand without a space between: ``申请期限`` is ``신청 기한``."""
        for cut in range(len(han) - _SHORTEST_WORD_CHARS, _SHORTEST_WORD_CHARS - 1, -1):
            first, rest = self._word(han[:cut]), han[cut:]
            last = self._word(rest, role) or self._several(rest, role) if first else ""
            if last:
                return f"{first} {last}"
        return ""


def _hangul(place: re.Pattern[str], text: str) -> str:
    found = place.search(text)
    return found[0] if found else ""


def _only(found: Iterable[str]) -> str:
    """Return the one item there is; empty if there are none or several."""
    different = set(found)
    return different.pop() if len(different) == 1 else ""


@cache
def _readings() -> Mapping[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for read, chars in groups("hanja_readings"):
        for char in chars:
            found[char] |= {read, initial_form(read)}
    return {char: frozenset(each) for char, each in found.items()}


@cache
def sino_syllables() -> frozenset[str]:
    """Return the syllables that Han characters are read as; other words are native or foreign."""
    return frozenset().union(*_readings().values())
