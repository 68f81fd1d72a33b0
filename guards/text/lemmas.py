"""The unchanging part of a Korean predicate (``짧았다``, ``짧고`` -> ``짧``).

Not a dictionary form: a key under which the forms of one verb or adjective meet. Endings are cut
letter by letter (``ㅂ니다``, ``았``), then what vowels and irregular verbs do to the last syllable
is undone in one direction only (``어두운``, ``어둡다``, ``어두워`` -> ``어두우``). Different verbs
may share a key; a noun that looks like an inflected verb may get one too, so callers compare words
as well.
"""

import re
import unicodedata
from functools import lru_cache

from guards.text.tokens import word_stem

_KEYS_KEPT = 16_384
_CLOSING = (
    "ㅂ니다 습니다 ㅂ니까 습니까 ㄴ다 는다 다 요 아요 어요 여요 에요 예요 세요 으세요 "
    "ㄴ다고 는다고 다고 라고 ㄴ다는 는다는 다는 ㄴ다면 는다면 다면 "
    "ㄴ데 는데 은데 ㄴ지 는지 은지 ㄹ지 을지 ㄹ까 을까 "
    "네요 네 군요 지요 죠 나요 ㄴ가 은가 는가 ㅁ 음 "
    "긴 기엔 기에는 기는 고 며 으며 면 으면 면서 으면서 나 으나 지만 지 게 기 자 "
    "도록 거나 려고 으려고 려면 으려면 려는 으려는 "
    "니 으니 므로 으므로 기에 아 어 여 아서 어서 여서 아야 어야 여야 아도 어도 여도 "
    "이다 입니다 입니까 이며 이고 이라 이라고 이라는 이란 이지만 "
    "ㄴ 은 는 ㄹ 을 던 ㄹ수록 을수록 답니다 ㄴ답니다 는답니다"
)
_BEFORE_CLOSING = "았 었 였 겠 으시 시 더"
# A two-syllable word in one of these is a noun more often than a verb: 신고, 관리자, 제기.
_NOUNLIKE = frozenset("고자지기게나며네니음")
# What looks like a particle and may as well be an ending (은 of 많은).
_VERBAL_PARTICLES = frozenset({"은", "을", "는", "고", "나", "도", "요"})
_VERB_FINALS = frozenset("ᆨᆮᆯᆷᆸᆺᆻᆽᆾᆿᇀᇁᇂᆪᆬᆭᆰᆱᆲᆶᆹᆩ")
_FINALS = dict(zip("ㄱㄴㄹㅁㅂㅅㅆ", "ᆨᆫᆯᆷᆸᆺᆻ", strict=True))
_OPEN_VOWELS = str.maketrans("ᅪᅯᅧᅫᅢᅥ", "ᅩᅮᅵᅬᅡᅳ")


def _letters(ending: str) -> str:
    first = _FINALS.get(ending[0], ending[0])
    return unicodedata.normalize("NFD", first + ending[1:])


def _longest_first(endings: str) -> str:
    return "|".join(sorted(map(_letters, endings.split()), key=len, reverse=True))


_CLOSING_END = re.compile(rf"(?:{_longest_first(_CLOSING)})$")
_TENSE_END = re.compile(rf"(?:{_longest_first(_BEFORE_CLOSING)})$")
# 걸려서, 알려야, 바꿔도: the vowel of the ending has melted into the stem.
_MELTED_END = re.compile(f"(?<=[ᅪᅯᅧᅫᅢ])(?:{'|'.join(map(_letters, '서 야 도 요'.split()))})$")
# 하셨다, 하셔야: the honorific with the vowel of what follows it.
_MELTED_HONORIFIC = re.compile(f"(?:{_letters('으')})?{_letters('셔')}$")
_CONTRACTED_TENSE = re.compile("(?<=[ᅡ-ᅵ])ᆻ$")
_MELTED_VOWELS = frozenset("ᅪᅯᅧᅫᅢ")
_NOUN_VERB_END = re.compile("(?<=[가-힣]{2})[하되이]$")


@lru_cache(maxsize=_KEYS_KEPT)
def lemma(word: str) -> str:
    """Return the key under which the forms of a predicate meet; a noun's is its stem.

    Verbs in 르 have two (빠르다, 빨라서).
    """
    stem = word_stem(word)
    tail = word[len(stem) :]
    if tail and len(stem) > 1 and tail not in _VERBAL_PARTICLES:
        return stem
    return _without_endings(word)


def _without_endings(word: str) -> str:
    if not word:
        return word
    letters = unicodedata.normalize("NFD", word)
    cut = _CLOSING_END.sub("", letters)
    has_melted = cut == letters and letters[-1] in _MELTED_VOWELS
    if cut == letters:
        cut = _MELTED_END.sub("", letters)
        has_melted = has_melted or cut != letters
    if not _may_be_stem(word, cut):
        return word
    for _ in range(2):
        cut = _shorter(cut, _TENSE_END)
    whole = cut
    cut = _shorter(cut, _CONTRACTED_TENSE)
    has_melted = has_melted or cut != whole
    if cut == letters and not has_melted:
        return word
    whole = cut
    cut = _shorter(cut, _MELTED_HONORIFIC)
    has_melted = has_melted and cut == whole
    return _NOUN_VERB_END.sub("", unicodedata.normalize("NFC", _regular(cut, has_melted)))


def _shorter(letters: str, ending: re.Pattern[str]) -> str:
    """Return a stem without an ending, unless nothing would be left of it."""
    return ending.sub("", letters) or letters


def _may_be_stem(word: str, cut: str) -> bool:
    if _syllables(cut) == 0:
        return False
    is_nounlike = len(word) == 2 and word[-1] in _NOUNLIKE
    return not is_nounlike or cut[-1] in _VERB_FINALS


def _syllables(letters: str) -> int:
    return len(unicodedata.normalize("NFC", letters)) if letters else 0


def _regular(letters: str, has_melted: bool) -> str:
    """Return one spelling for the last syllable of a stem, whatever the ending did to it."""
    if letters.endswith("ᆸ"):
        return letters[:-1] + unicodedata.normalize("NFD", "우")
    if letters[-1] in "ᆮᆯᆺ":
        return letters[:-1]
    if has_melted:
        return letters[:-1] + letters[-1].translate(_OPEN_VOWELS)
    return letters
