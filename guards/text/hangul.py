"""Letters behind noisy spelling: split syllables, missing spaces, words broken up on purpose.

Every reading here keeps, for each of its characters, the place in the text it was made from.
"""

import re
from dataclasses import dataclass

_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINALS = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
_FIRST_SYLLABLE = ord("가")
_FINALS_PER_VOWEL = 28
_SYLLABLES_PER_INITIAL = 588
_SPLIT_SYLLABLE = re.compile(
    f"(?P<initial>[{_INITIALS}])(?P<vowel>[{_VOWELS}])(?P<final>[{_FINALS}](?![{_VOWELS}]))?"
)
_KEYS = dict(
    zip(
        "rRseEfaqQtTdwWczxvgkoiOjpuPhynbml",
        "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎㅏㅐㅑㅒㅓㅔㅕㅖㅗㅛㅜㅠㅡㅣ",
        strict=True,
    )
)
_KEYS_OF_DOUBLE_VOWELS = {
    "hk": "ㅘ",
    "ho": "ㅙ",
    "hl": "ㅚ",
    "nj": "ㅝ",
    "np": "ㅞ",
    "nl": "ㅟ",
    "ml": "ㅢ",
}
_LETTER = re.compile(r"[0-9A-Za-z가-힣]")


@dataclass(frozen=True, slots=True)
class Letters:
    """A reading of a text and where each of its characters came from.

    Attributes:
        text: The reading.
        places: For each character of `text`, its half-open place in the text that was read.
    """

    text: str
    places: tuple[tuple[int, int], ...]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return the place that ``text[start:end]``, which must not be empty, came from."""
        return self.places[start][0], self.places[end - 1][1]


def joined(text: str) -> Letters:
    """Put syllables typed letter by letter together: ``ㄷㅏㄱㅊㅕ`` -> ``닥쳐``."""
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    position = 0
    for split in _SPLIT_SYLLABLE.finditer(text):
        pieces.append(text[position : split.start()])
        places.extend((at, at + 1) for at in range(position, split.start()))
        pieces.append(syllable(split["initial"], split["vowel"], split["final"] or ""))
        places.append(split.span())
        position = split.end()
    pieces.append(text[position:])
    places.extend((at, at + 1) for at in range(position, len(text)))
    return Letters("".join(pieces), tuple(places))


def letters_only(text: str, start: int, end: int) -> Letters:
    """Read ``text[start:end]`` as syllables, Latin letters and digits alone, in lower case.

    Places are positions in the whole `text`. Lone jamo (``ㅋㅋ``, ``ㅠㅠ``) are left out too.
    """
    found = list(_LETTER.finditer(text, start, end))
    return Letters("".join(match[0].lower() for match in found), tuple(m.span() for m in found))


def is_syllable(char: str) -> bool:
    """Tell whether a character is one whole syllable."""
    return "가" <= char <= "힣"


def syllable(initial: str, vowel: str, final: str) -> str:
    """Put a syllable together; `final` may be empty."""
    index = _INITIALS.index(initial) * _SYLLABLES_PER_INITIAL
    index += _VOWELS.index(vowel) * _FINALS_PER_VOWEL
    return chr(_FIRST_SYLLABLE + index + (_FINALS.index(final) + 1 if final else 0))


def parts_of(char: str) -> tuple[str, str, str]:
    """Return initial, vowel and final of a syllable; the final may be empty."""
    index = ord(char) - _FIRST_SYLLABLE
    final = index % _FINALS_PER_VOWEL
    return (
        _INITIALS[index // _SYLLABLES_PER_INITIAL],
        _VOWELS[index % _SYLLABLES_PER_INITIAL // _FINALS_PER_VOWEL],
        _FINALS[final - 1] if final else "",
    )


def initial_of(char: str) -> str:
    """Return the consonant that a syllable begins with."""
    return parts_of(char)[0]


def typed_on_latin_keys(word: str) -> str:
    """Return the syllables of a word typed with the keyboard set to Latin: ``skan`` -> ``나무``."""
    for keys, vowel in _KEYS_OF_DOUBLE_VOWELS.items():
        word = word.replace(keys, vowel)
    return joined("".join(_KEYS.get(key, _KEYS.get(key.lower(), key)) for key in word)).text
