"""Finds words that are drawn out or broken up on purpose: ``시이발``, ``벼엉신``, ``시♡발``.

Such a word also matches at the end of one word and the beginning of the next (``접수시. 발급``), so
whoever looks for one has to look at what stands around it.
"""

import re
from collections.abc import Iterable, Iterator

from guards.text.hangul import is_syllable, parts_of, syllable

# Digits stand in for a vowel stroke (시1발); symbols, laughter and spaces part the syllables.
_GAP = re.compile(r"[^A-Za-z가-힣ㄱ-ㅊㅌㅍㅏ-ㅛㅝ-ㅟㅢㅣ\n]{0,4}")
_MOST_REPETITIONS = 5


class DisguisedWords:
    """Words in hash tables: of all their beginnings, with the characters that may come next.

    Args:
        words: In syllables, as they are pronounced, or in bare consonants.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._next: dict[str, set[str]] = {word: set() for word in self._words}
        for word in self._words:
            for at, char in enumerate(word):
                self._next.setdefault(word[:at], set()).update((char, _open(char)))
        self._opener = re.compile(f"[{re.escape(''.join(sorted(self._next.get('', ()))))}]")

    def found(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the place of every way to read one of the words in a text."""
        for opener in self._opener.finditer(text):
            at = opener.start()
            for end in self._ends(text, at, ""):
                yield at, end

    def _ends(self, text: str, at: int, before: str) -> Iterator[int]:
        if text[at : at + 1] not in self._next[before]:
            return
        for read, end in _readings(text, at):
            word = before + read
            if word not in self._next:
                continue
            if word in self._words:
                yield end
            gap = _GAP.match(text, end)
            yield from self._ends(text, gap.end() if gap else end, word)


def _readings(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Yield the syllables that may be meant at a position, and where each ends."""
    if at == len(text):
        return
    char = text[at]
    yield char, at + 1
    if not is_syllable(char):
        return
    initial, vowel, final = parts_of(char)
    if final:
        return
    longer = syllable("ㅇ", vowel, "")
    for end in range(at + 1, min(at + 1 + _MOST_REPETITIONS, len(text))):
        last = text[end]
        if is_syllable(last):
            silent, same, final = parts_of(last)
            if silent == "ㅇ" and same == vowel and final:
                yield syllable(initial, vowel, final), end + 1
        if last != longer:
            return
        yield char, end + 1


def _open(char: str) -> str:
    """Return a syllable without its final; other characters stay."""
    if not is_syllable(char):
        return char
    initial, vowel, _ = parts_of(char)
    return syllable(initial, vowel, "")
