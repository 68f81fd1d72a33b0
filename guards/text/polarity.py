"""What a sentence says of its predicates: done, not done, must, must not, can, cannot, need not.

A stance is read from the words behind the predicate (``제출하지 아니하여도 된다``: 제출, need
not), or from a noun that says the same (``주차 금지``, ``이용이 불가능하다``). Double negation is
resolved (``하지 않으면 안 된다``: must). Polite and plain endings read alike.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import chain
from operator import attrgetter

from guards.text.lemmas import lemma
from guards.text.polarity_modes import Mode
from guards.text.polarity_tails import tails
from guards.text.tokens import word_stem


class Role(StrEnum):
    """Which part of its sentence a predicate is."""

    MAIN = "main"
    """It closes the sentence or one of its coordinate clauses."""
    CONDITION = "condition"
    ASIDE = "aside"
    """It stands before a noun or in a clause of manner."""


@dataclass(frozen=True, slots=True)
class Stance:
    """What a sentence says of one predicate.

    Attributes:
        key: The predicate as `lemma` leaves it, or the noun that stands for it.
        mode: What is said of it.
        role: Which part of the sentence it is.
        start: Where the predicate begins, in code points of the sentence.
        end: Where its last word ends.
    """

    key: str
    mode: Mode
    role: Role
    start: int
    end: int


_NOUNS = {
    "금지": Mode.MUST_NOT,
    "불허": Mode.MUST_NOT,
    "불가능": Mode.CANNOT,
    "불가": Mode.CANNOT,
    "제한됩": Mode.CANNOT,
    "제한된": Mode.CANNOT,
    "제한돼": Mode.CANNOT,
    "가능": Mode.CAN,
    "허용": Mode.CAN,
    "면제": Mode.NEED_NOT,
    "불필요": Mode.NEED_NOT,
    "필수": Mode.MUST,
    "필요": Mode.MUST,
}
_OTHERWISE = {
    Mode.MUST_NOT: Mode.CAN,
    Mode.CANNOT: Mode.CAN,
    Mode.CAN: Mode.CANNOT,
    Mode.NEED_NOT: Mode.MUST,
    Mode.MUST: Mode.NEED_NOT,
}
_NOUN = re.compile(
    rf"(?<![가-힣])(?P<noun>{'|'.join(_NOUNS)})[가-힣]*(?P<no>\s(?:것[은이]\s|건\s)?(?:않|아니|아닙|아닌|없))?"
)
_NOUN_CORE = re.compile("|".join(_NOUNS))
# What stands in every tail, noun and adverb that speaks against a predicate.
_DENYING_CORE = re.compile(
    r"[않못없안]|아[니닙닌녜]|지\s?[말마]|금지|불[허가]|제한[됩된돼]|면제|불필요"
)
_PREVERB = re.compile(r"(?<![가-힣])(?P<adverb>안|못)\s(?P<verb>[가-힣]{1,12})")
_WORD = re.compile(r"[가-힣]+")
# Read backwards: it ends where the text does, but may begin anywhere.
_WORD_BACKWARDS = re.compile(r"\n?[\s\"'”’」』)\]]{0,3}([가-힣]{1,20})")
_PREDICATE_END = re.compile(
    r"(?:다|요|까|죠|며|고|나|되|지만|(?<=[가-힣])다만|함|음|됨|임|[되하이으시]니|므로)$"
)
# Whole words that may match that.
_MAY_CLOSE = re.compile(r"(?<![가-힣])[가-힣]++(?<=[다요까죠며고나되만함음됨임니로])")
_LASTING = re.compile(r"고\s(?:있|계)")
_CONDITION_END = re.compile(r"면$")
# Verbs that say nothing of their own: the noun before them is what is done (교육을 하여야 한다).
_EMPTY = frozenset(
    """
    하 되 이 시키 받 바 위하 드리 주 주시 바라 아니 안 아 않 못 것 거 수 있 없 마
    반드 꼭 별도 절대 전혀 원칙적
    """.split()
)
_HONORIFIC = re.compile(r"(?<=[가-힣])(?:하|되|받으|으)시$")
_ENDINGS = frozenset("지서면야도")
# 참여, 대여, 부여 look like forms of 하다 and are none.
_NOUN_LIKE_A_VERB = re.compile(r"^[가-힣]여$")
_LOOK_BACK_CHARS = 40
_place_of = attrgetter("start", "end")
_SENTENCES_KEPT = 16
_WORDS_KEPT = 16_384


def stances(sentence: str) -> tuple[Stance, ...]:
    """Return what a sentence says of its predicates, in order."""
    first = _WORD.search(sentence)
    if first is None:
        return ()
    start = first.start()
    found = _stances(sentence[start:])
    return tuple(_moved(one, start) for one in found) if start else found


def _moved(one: Stance, by: int) -> Stance:
    return Stance(one.key, one.mode, one.role, one.start + by, one.end + by)


# One sentence is asked for by several, one after the other, with and without the sign of a list.
@lru_cache(maxsize=_SENTENCES_KEPT)
def _stances(sentence: str) -> tuple[Stance, ...]:
    """Return the stances of a sentence that begins with a word; nothing before it is read."""
    told = dict.fromkeys(chain(_by_tail(sentence), _by_noun(sentence), _by_adverb(sentence)))
    found = [*_plain(sentence)]
    if told:
        widest = _widest(told)
        taken = {place for stance in widest for place in range(stance.start, stance.end)}
        plain = [one for one in found if one.start not in taken and one.end - 1 not in taken]
        found = [*widest, *plain]
    return tuple(sorted(found, key=_place_of))


def may_deny(sentence: str) -> bool:
    """Tell at once whether a sentence may speak against a predicate in any way."""
    return _DENYING_CORE.search(sentence) is not None


def _widest(stances: Collection[Stance]) -> list[Stance]:
    """Return the stances that lie in no wider one (필요하지 않다 in 예약이 필요하지 않다)."""
    return [
        one
        for one in stances
        if not any(
            other.start <= one.start
            and one.end <= other.end
            and one.end - one.start < other.end - other.start
            for other in stances
        )
    ]


def _by_tail(sentence: str) -> Iterator[Stance]:
    for mode, match in tails(sentence):
        ending = match[0][0] if match[0][0] in _ENDINGS else ""
        key, start = _predicate_before(sentence, match.start(), ending)
        if key:
            end = _word_end(sentence, match.end())
            yield Stance(key, mode, _role(sentence, mode, match.end(), end), start, end)


def _by_noun(sentence: str) -> Iterator[Stance]:
    if not _NOUN_CORE.search(sentence):
        return
    for match in _NOUN.finditer(sentence):
        key, start = _predicate_before(sentence, match.start())
        if key:
            mode = _NOUNS[match["noun"]]
            mode = _OTHERWISE[mode] if match["no"] else mode
            end = _word_end(sentence, match.end())
            yield Stance(key, mode, _role(sentence, mode, match.end(), end), start, end)


def _by_adverb(sentence: str) -> Iterator[Stance]:
    if "안" not in sentence and "못" not in sentence:
        return
    for match in _PREVERB.finditer(sentence):
        key = lemma(match["verb"])
        if key != match["verb"] and key not in _EMPTY:
            mode = Mode.NOT if match["adverb"] == "안" else Mode.CANNOT
            role = _role(sentence, mode, match.start("verb"), match.end())
            yield Stance(key, mode, role, match.start(), match.end())


def _plain(sentence: str) -> Iterator[Stance]:
    for match in _MAY_CLOSE.finditer(sentence):
        key = _closing_key(match[0])
        if not key or _LASTING.match(sentence, match.end() - 1):
            continue
        start = match.start()
        if key in _EMPTY:
            key, start = _predicate_before(sentence, match.start())
        if key:
            yield Stance(key, Mode.DOES, Role.MAIN, start, match.end())


@lru_cache(maxsize=_WORDS_KEPT)
def _closing_key(word: str) -> str:
    """Return the key of a predicate in a form that closes a clause; empty for any other word."""
    key = lemma(word)
    return key if key != word and _PREDICATE_END.search(word) else ""


def _predicate_before(sentence: str, position: int, ending: str = "") -> tuple[str, int]:
    """Return the key of the predicate that ends at a position, and where it begins.

    Args:
        sentence: The sentence.
        position: Where the predicate ends.
        ending: The first syllable of its ending, which stands there; empty for a noun.
    """
    for _ in range(3):
        before = sentence[max(0, position - _LOOK_BACK_CHARS) : position]
        match = _WORD_BACKWARDS.match(before[::-1])
        if match is None or (word := match[1][::-1]) == "없이":
            break
        position -= match.end()
        key = _verb_key(word, ending) if ending else _noun_key(word)
        if key not in _EMPTY:
            return key, position
        ending = ""
    return "", position


def _verb_key(word: str, ending: str) -> str:
    inflected = word + ending
    key = lemma(inflected)
    return without_honorific(lemma(f"{word}다") if key == inflected else key)


def without_honorific(key: str) -> str:
    """Return the key of a predicate without what only honours its subject (``신청하시``)."""
    return _HONORIFIC.sub("", key)


def _noun_key(word: str) -> str:
    stem = word_stem(word)
    return lemma(word) if stem == word and not _NOUN_LIKE_A_VERB.search(word) else stem


def _word_end(sentence: str, position: int) -> int:
    word = _WORD.match(sentence, position)
    return word.end() if word else position


def _role(sentence: str, mode: Mode, tail: int, end: int) -> Role:
    last_word = sentence[max(0, tail - 1) : end]
    if _CONDITION_END.search(last_word):
        return Role.CONDITION
    if mode is Mode.NOT and last_word.endswith("고"):
        return Role.ASIDE
    closes = (
        _PREDICATE_END.search(last_word)
        or sentence.startswith(":", end)
        or not _WORD.search(sentence, end)
    )
    return Role.MAIN if closes else Role.ASIDE
