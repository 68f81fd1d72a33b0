"""Whether a Latin word and a Hangul word may write the same sounds: ``Google`` and ``구글``.

Only consonants count, and those by where they are made, because the transcription of vowels
varies. It excuses a name; it never accuses one.
"""

import re
from difflib import SequenceMatcher
from functools import lru_cache

_NO_CONSONANTS = "aeiouwyh"
_SILENT = "-"
# Where the consonants are made that begin and end a syllable: lips, teeth, throat, nose.
_INITIALS = "KKNTTLMPPTT-TTTKTP-"
_FINALS = "-KKKNNNTLKMLLLPLMPPTTNTTKTPT"
_LATIN = str.maketrans(
    dict(zip("bcdfgjklmnpqrstvxz", "PKTPKTKLMNPKLTTPKT", strict=True))
    | dict.fromkeys(_NO_CONSONANTS)
)
_SOFT = re.compile(r"c(?=[eiy])|ch|sh|th")
_X = re.compile(r"(?<=\w)x")
_SILENT_R = re.compile(r"r(?![aeiouy])")  # Workday is 워크데이
_AGAIN = re.compile(r"(.)\1+")
_PER_INITIAL, _PER_VOWEL = 588, 28
_ENOUGH = 0.75
_FEWEST_SOUNDS = 2
_FEWEST_TO_DIFFER = 3
_WORDS_KEPT = 8192


def may_transcribe(latin: str, hangul: str) -> bool:
    """Tell whether the two words share most of their consonants, in order."""
    one, other = _latin_sounds(latin.casefold()), _hangul_sounds(hangul)
    if min(len(one), len(other)) < _FEWEST_SOUNDS or one[0] != other[0]:
        return False
    if _opens_with_consonant(latin) != _opens_with_consonant(hangul):
        return False
    if min(len(one), len(other)) < _FEWEST_TO_DIFFER:
        return one == other
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ENOUGH


def _opens_with_consonant(word: str) -> bool:
    if "가" <= word[0] <= "힣":
        return _INITIALS[(ord(word[0]) - ord("가")) // _PER_INITIAL] != _SILENT
    return word[0].casefold() not in _NO_CONSONANTS


@lru_cache(maxsize=_WORDS_KEPT)
def _latin_sounds(word: str) -> str:
    spelt = _SILENT_R.sub("", _X.sub("ks", _SOFT.sub("t", word)))
    letters = "".join(char for char in spelt if "a" <= char <= "z")
    return _AGAIN.sub(r"\1", letters.translate(_LATIN))


@lru_cache(maxsize=_WORDS_KEPT)
def _hangul_sounds(word: str) -> str:
    sounds: list[str] = []
    for char in word:
        if "가" <= char <= "힣":
            index = ord(char) - ord("가")
            sounds += (_INITIALS[index // _PER_INITIAL], _FINALS[index % _PER_VOWEL])
    return _AGAIN.sub(r"\1", "".join(sounds).replace(_SILENT, ""))
