"""The shapes that the stem of a Korean predicate takes before its endings (어미).

From a stem as dictionaries have it, without 다, come all syllables that an ending may follow:
``모르`` -> 모르, 모른, 모를, 모름, 모릅, 몰라, 몰랐. Regular and irregular shapes are both made
where the spelling does not tell which one a verb takes: nobody writes the wrong one.
"""

from guards.text.hangul import parts_of, syllable

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
