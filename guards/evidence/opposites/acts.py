"""Acts: what a clause says of its subject, and which side of it.

Opposite words are one act with two sides: 제외되지 않는다 and 포함된다 say the same. What is paid
is one act, too, whatever the words: 배송비가 있다, 요금을 내다, 유료이다.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from guards.korean.words import Word, canonical
from guards.lexicons.loading import Candidates, lines, section_words, sections, words

FRAME = words("frame_nouns")
COUNTED, CHARGED = "포함", "유료"
COUNTS = frozenset("보다 치다 간주 인정 처리 계산".split())
_PAYS = frozenset("내다 물다 들다 붙다 발생 있다 없다 받다 추가".split())
_MONEY = frozenset("요금 수수료 위약금 금액 비용 가산금 벌금 과태료 세금 부담금 추가금".split())
_MONEY_ENDS = ("비", "료", "금")
_BILLED = "청구"
# The one who does these pays; 부과, 징수 and 청구 name the one who is paid.
_BORNE = frozenset(canonical(word) for word in "부담 납부 내다 물다".split())
# 420만 원을 기준으로 계산한다: this tells how it is counted, not what it counts as.
_MANNER = frozenset("기준 방식 방법 단위 비율 순서 절차 월할 일할".split())
# 기본적으로 제한된다: it tells how. 실적 and 국적 are things.
_ADVERBIAL = re.compile(r"[가-힣]{2,}적")
_WHO = frozenset("이 가 은 는 께서 에서".split())
_AS = frozenset({"로", "으로"})
_OBLIQUE = _AS | {"에", "에는", "에서", "에서는", "까지", "부터", "인해", "으로는", "로는"}
# What comes to pass, by which something else is barred; 무료 and 중복 tell how it is done.
_HAPPENS = frozenset("열다 계속 복원 켜다 삭제".split())
_BESIDES = 0.8


class Act(NamedTuple):
    """An act that a clause states, and whether it affirms or denies it.

    Attributes:
        name: The act, as a feature; opposite words have the same.
        side: 1 if it is said, -1 if its opposite is.
        weight: 1 for the predicate of the clause, less for what it says besides.
        word: The word for it; None if a label or an adverb has it.
    """

    name: str
    side: int
    weight: float
    word: Word | None


@cache
def opposites() -> dict[str, tuple[str, int]]:
    """Return the act and the side of each word that has an opposite."""
    found: dict[str, tuple[str, int]] = {}
    for line in lines("opposites"):
        one, _, other = line.partition("|")
        name = one.split()[0]
        for side, text in ((1, one), (-1, other)):
            for word in text.split():
                found.setdefault(canonical(word), (name, side))
    return found


def is_cause(act: Act) -> bool:
    """Tell whether the word for an act only names why or when (휴관으로 이용할 수 없다)."""
    return (
        act.word is not None
        and not act.word.is_verb
        and act.word.particle in _OBLIQUE
        and act.name in _HAPPENS
    )


@cache
def has_sides(name: str) -> bool:
    """Tell whether an act has a word for its opposite."""
    return any(name == act for act, _ in opposites().values())


def act_of(found: Sequence[Word], *, is_label: bool = False) -> Act | None:
    """Return the act of a clause by its content words; None if it has none of its own.

    Args:
        found: The words.
        is_label: Whether they are a label, which may name the time of an act (휴관일).
    """
    for at in range(len(found) - 1, -1, -1):
        word, before = found[at], found[:at]
        name = word.features[-1]
        if name in COUNTS and before and before[-1].particle in _AS and not _is_manner(before[-1]):
            # 결석으로 보지 않는다: it is not counted as one.
            return Act(COUNTED, 1, 1.0, word)
        is_able = bool(before) and before[-1].text == "수"  # 인출할 수 있다: no money is there.
        is_paid = word.text == _BILLED or (name in _PAYS and not is_able)
        if is_paid and any(_is_money(one) for one in before):
            return Act(CHARGED, -1 if _is_borne_for(word, before) else 1, 1.0, word)
        opposite = opposite_of(word)
        if is_label and opposite is None:
            opposite = opposites().get(canonical(_TIME.sub("", word.text)))
        if opposite:
            name, side = opposite
            is_free = name == CHARGED and _is_borne_for(word, before)
            return Act(name, -side if is_free else side, 1.0, word)
        if not word.is_light and name not in FRAME and not _ADVERBIAL.fullmatch(word.text):
            return Act(name, 1, 1.0, word)
    return None


def opposite_of(word: Word) -> tuple[str, int] | None:
    """Return the act and the side of a word that has an opposite, or whose last part has."""
    known = opposites()
    last = word.features[-1]
    if last in known:
        return known[last]
    for feature in reversed(word.features[:-1]):
        if feature in known and word.text.endswith(feature):
            return known[feature]
    return None


def more_acts(found: Sequence[Word], trail: str, main: Act | None) -> Iterator[Act]:
    """Yield what a clause says besides: 운전하여 귀가해도 된다, 중복 할인 불가, 함께 적용된다."""
    known = opposites()
    for adverb in adverbs_of(trail):
        if adverb in known:
            yield Act(*known[adverb], _BESIDES, None)
    if main is None:
        return
    for word, follows in pairwise(found):
        if word is main.word:
            return
        opposite = opposite_of(word)
        if word.is_verb and _is_denied_too(word, trail):
            yield Act(*(opposite or (word.features[-1], 1)), _BESIDES, word)
        elif word.is_verb:
            if (opposite or not word.is_light) and _goes_on(word, trail):
                yield Act(*(opposite or (word.features[-1], 1)), _BESIDES, word)
        elif opposite and follows is main.word and word.particle in {"", *_AS}:
            yield Act(*opposite, _BESIDES, word)


_TIME = re.compile(r"(?:일|시간|기간|요일|대상|항목|사항)$")
_ADVERB = re.compile(r"(\S+)/MAG")
_AND_THEN = re.compile(r"\S+ (?:[하되]/XSV )?(?:아|어|여|아서|어서|여서|고)/EC")


def adverbs_of(trail: str) -> Sequence[str]:
    """Return the adverbs of a clause."""
    return _ADVERB.findall(trail) if "/MAG" in trail else ()


def turned(act: Act, by: int) -> Act:
    """Return an act with the side that the polarity of its clause gives it."""
    return act if by == 1 else act._replace(side=act.side * by)


def _goes_on(word: Word, trail: str) -> bool:
    """Tell whether a verb only leads to the predicate of its clause (운전하여 귀가해도)."""
    stem = f"{word.text[-2:]}/"
    at = trail.find(stem)
    while at >= 0:
        if _AND_THEN.match(trail, at + len(stem)):
            return True
        at = trail.find(stem, at + 1)
    return False


def _is_manner(word: Word) -> bool:
    """Tell whether a noun tells how something is counted or dealt with (월할로 계산)."""
    return word.features[-1] in _MANNER


def _is_denied_too(word: Word, trail: str) -> bool:
    """Tell whether a clause denies a verb with its last one (켜지도 끄지도 않는다)."""
    return (
        f"{word.text[-2:]}/" in trail
        and re.search(rf"{re.escape(word.text[-2:])}/\S+ (?:[하되]/XSV )?지/EC 도/JX \S", trail)
        is not None
    )


def _is_borne_for(word: Word, before: Sequence[Word]) -> bool:
    """Tell whether the provider bears what is paid: 배송비는 당사가 부담합니다."""
    payers = section_words("payers", "provider", "party")
    return word.features[-1] in _BORNE and any(
        one.text in payers and (one.particle in _WHO or (one is before[-1] and not one.particle))
        for one in before
    )


def _is_money(word: Word) -> bool:
    """Tell whether a word is a kind of payment: 배송비, of 배송 and 비, but not 준비."""
    if word.features[-1] in _MONEY:
        return True
    return word.text.endswith(_MONEY_ENDS) and len(word.features) > 1


_TURNS = [
    (name, re.compile(pattern))
    for name, patterns in sections("turns").items()
    for pattern in patterns
]
_MAY_TURN = Candidates(pattern.pattern for _, pattern in _TURNS)
_TRAILS_KEPT = 2048
UNLESS = "unless"
_ORDER = frozenset({"before", "after"})
_PHASES = frozenset({"during", "over"})


# Of one clause several guards ask.
@lru_cache(maxsize=_TRAILS_KEPT)
def turns_of(trail: str) -> frozenset[str]:
    """Return what in a clause may turn what it says into its opposite (않으면, 이상, 미만)."""
    likely = [_TURNS[number] for number in _MAY_TURN.of(trail)]
    return frozenset([name for name, pattern in likely if pattern.search(trail)])


def are_turned(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether the turns of two clauses make them speak of different cases."""
    apart = one ^ other
    if apart - _ORDER - _PHASES:
        return True
    if apart >= _PHASES and one & _PHASES and other & _PHASES:
        return True
    return one & _ORDER != other & _ORDER and one | other >= _ORDER
