"""Hangul letters: syllables, noisy spelling, shapes of stems, and patterns for listed phrases.

Readings of noisy spelling (split syllables, missing spaces, words broken up on purpose) keep, for
each of their characters, the place in the text it was made from.

The shapes of a predicate's stem, given as dictionaries have it but without 다, are all syllables
that an ending may follow: ``모르`` -> 모르, 모른, 모를, 모름, 모릅, 몰라, 몰랐. Regular and
irregular shapes are both made where the spelling does not tell which one a verb takes.

Phrases of the lexicons become patterns over syllables without spaces. One phrase a line: spaces
mean nothing, ``(a|b)``, ``?``, ``[ab]``, ``$``, ``(?!a|b)`` and ``(?<!a)`` are as in regular
expressions, ``~`` is any ending (어미), ``…`` up to twelve syllables, ``<name>`` one of a named
group of words, ``{stem}`` the stem of a predicate in all its shapes, and ``{name}`` that of any
stem of a named group.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from guards.lexicons.loading import sections

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


# What the stem's last vowel and the 아 or 어 of an ending become together.
_MELTED = {"ㅣ": "ㅕ", "ㅗ": "ㅘ", "ㅜ": "ㅝ", "ㅚ": "ㅙ"}
_ON_OPEN_SYLLABLES = ("", "ㄴ", "ㄹ", "ㅁ", "ㅂ")
_PAST = "ㅆ"


def shapes(stem: str) -> frozenset[str]:
    """Return the stem in every shape that can stand before an ending."""
    before, last = stem[:-1], stem[-1]
    initial, vowel, final = parts_of(last)
    if final:
        changed = _closed(initial, vowel, final)
    elif last == "하":
        changed = {*_open(initial, vowel), "해", "했"}
    elif last == "르" and before:
        return frozenset({*(before + shape for shape in _open(initial, vowel)), *_doubled(before)})
    else:
        changed = _open(initial, vowel) | _melted(initial, vowel)
    return frozenset(before + shape for shape in {last, *changed})


def _open(initial: str, vowel: str) -> set[str]:
    return {syllable(initial, vowel, final) for final in _ON_OPEN_SYLLABLES}


def _melted(initial: str, vowel: str) -> set[str]:
    """Return an open syllable together with the 아 or 어 of an ending: 리 -> 려, 렸."""
    vowels = ("ㅏ", "ㅓ") if vowel == "ㅡ" else (_MELTED.get(vowel, vowel),)
    return {syllable(initial, new, final) for new in vowels for final in ("", _PAST)}


def _doubled(before: str) -> set[str]:
    """Return what 르 and the syllable before it become: 모르 -> 몰라."""
    initial, vowel, _ = parts_of(before[-1])
    lead = before[:-1] + syllable(initial, vowel, "ㄹ")
    return {lead + shape for shape in ("라", "랐", "러", "렀")}


def _closed(initial: str, vowel: str, final: str) -> set[str]:
    bare = syllable(initial, vowel, "")
    match final:
        case "ㅂ":  # 어렵 -> 어려워, 어려운
            return {bare + shape for shape in ("우", "운", "울", "움", "웠", "워", "와", "왔")}
        case "ㅅ":  # 낫 -> 나아, 나은
            return {bare + shape for shape in ("아", "았", "어", "었", "으", "은", "을")}
        case "ㄷ":  # 묻 -> 물어
            return {syllable(initial, vowel, "ㄹ")}
        case "ㄹ":  # 알 -> 아네, 안, 압니다
            return {bare, syllable(initial, vowel, "ㄴ"), syllable(initial, vowel, "ㅂ")}
        case "ㅎ":  # 그렇 -> 그러네, 그런, 그래
            new = "ㅒ" if vowel == "ㅑ" else "ㅐ"
            melted = {syllable(initial, new, end) for end in ("", _PAST)}
            return _open(initial, vowel) | melted
        case _:
            return set()


# The syllables that endings are made of. 않, 안, 못, 주 and 줘 are none of them, so that neither a
# negated predicate nor a request is taken for the bare one.
ENDING_SYLLABLES = (
    "거건걸겁게겠겟겨고구군굴긴까깐나냐냬네넹노뇨누느는니단다닥당대댑더던데덴돼됐됬되된될됨됩두드든듯디라란래러"
    "랴려렸로르른를리만먼며면보봐봤봣서세셈셔셨소슈스슨슴습시신십싶써쎄씀아앉았앗야얌어얼업엇었에여열엿였옄예"
    "오와왔요욬용우운워웠유으은을음읍의이인임입잇있잉자잔잖재쟁져졌죠지진질짐집쩌쪄쬬챠하한할함합했햇"
    "해혀"
)
_ENDING = f"[{ENDING_SYLLABLES}]{{0,10}}(?:(?<=[은는인던건한된])가요?)?"
_ANYTHING = ".{0,12}?"
_STEM = re.compile(r"\{([가-힣]+)\}")


def listed_phrases(name: str, heading: str) -> str:
    """Return a pattern for any phrase below a heading of a word list with its ``[groups]``."""
    lists = sections(name)
    groups = dict(line.split(maxsplit=1) for line in lists.get("groups", ()))
    return "|".join(_compiled(line.replace(" ", ""), groups) for line in lists[heading])


def words(notation: str) -> str:
    """Return a pattern for any one of the words that a block lists, the longest first."""
    longest_first = sorted(set(notation.split()), key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(longest_first)})"


def _compiled(phrase: str, groups: Mapping[str, str]) -> str:
    for name, members in groups.items():
        phrase = phrase.replace(f"<{name}>", words(members))
    phrase = _STEM.sub(lambda found: _shapes(groups.get(found[1], found[1])), phrase)
    phrase = re.sub(r"\((?!\?)", "(?:", phrase)
    return phrase.replace("~", _ENDING).replace("…", _ANYTHING)


def _shapes(stems: str) -> str:
    return words(" ".join(shape for stem in stems.split() for shape in shapes(stem)))
