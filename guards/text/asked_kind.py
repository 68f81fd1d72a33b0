"""Which kind of figure a question asks for, told as narrowly as its words allow.

``몇 명`` asks for people and ``몇 시`` for a time of day; ``얼마`` and a bare ``…은?`` go by the
noun that they are asked of (할인율, 수습기간). Kinds are those of a
`guards.text.conflict_values.Figure`.
"""

import re

from guards.text.slots.contact import ContactKind
from guards.text.slots.route import RouteKind
from guards.text.slots.units import UNITS, Dimension

Kinds = frozenset[str]

_NOTHING: Kinds = frozenset()
_MONEY: Kinds = frozenset({Dimension.WON, "USD", "EUR", "JPY", "CNY"})
_PERIOD: Kinds = frozenset({Dimension.DAYS, Dimension.MONTHS, Dimension.SECONDS})
_WHEN: Kinds = frozenset({Dimension.DATE, Dimension.CLOCK})
_DAY: Kinds = frozenset({Dimension.DATE})
_CLOCK: Kinds = frozenset({Dimension.CLOCK})
_PERCENT: Kinds = frozenset({Dimension.PERCENT})
_PEOPLE: Kinds = frozenset({Dimension.PEOPLE})
_PHONE: Kinds = frozenset({ContactKind.PHONE})

_PHONE_ASKED = re.compile(r"전화\s?번호|연락처|(?:어디|몇\s?번)(?:로|으로|에)?\s?(?:전화|연락)")
_TIME_OF_DAY = re.compile(r"몇\s?시(?!간)")
_LINE = re.compile(r"몇\s?호선")
_EXIT = re.compile(r"몇\s?번\s?출구")
_DAYS = re.compile(r"며칠|몇\s?일(?![가-힣]*정)")
_COUNTED = re.compile(r"(?<![가-힣])몇\s?(?P<unit>[가-힣%]{1,4})")
_PERIOD_ASKED = re.compile(
    r"얼마\s?(?:전|후|뒤|동안|안에|만에|이내)|얼마나\s?(?:걸|오래)|얼마\s?동안"
)
_HOW_MUCH = re.compile(r"얼마")
_DAY_NAMED = re.compile(r"[가-힣]{2}일(?:자|정)?[은는이가]?$|날짜")
_WHEN_ASKED = re.compile(r"언제")
_OTHER_ASKED = re.compile(
    r"왜|누가|누구|어떻게|무엇|무슨|어느|어떤|어디(?!(?:로|에)\s?(?:전화|연락))|아니면|그리고|또한|각각|및"
)
# Nouns that a value is asked of; the head of a compound comes last (할인율, 수습기간).
_NOUN_KINDS = (
    (
        re.compile(r"(?:할인|이자|지급|적립|수익|보상|환급|세|요|비|확)율|비율|이율|퍼센트"),
        _PERCENT,
    ),
    (re.compile(r"기간"), _PERIOD),
    (re.compile(r"기한|마감일|마감"), _PERIOD | _WHEN),
    (re.compile(r"시각|시간"), _CLOCK),
    (re.compile(r"정원|인원"), _PEOPLE),
    (
        re.compile(
            r"금액|요금|가격|비용|수수료|수당|급여|일비|여비|보조금|지원금|포상금|위약금|경조금|축하금|보증금|과태료|벌금"
            r"|참가비|교육비|교통비|숙박비|식비|회비|학자금|장학금|포인트|한도"
        ),
        _MONEY,
    ),
)
_BARE_END = re.compile(
    r"(?P<noun>[가-힣]{2,12})(?:은|는|이|가)?(?:요)?\s*(?:\?|$|알려|궁금|좀\s|뭐|무엇|얼마|언제|어떻게\s?되)"
)


def asked_kinds(question: str) -> Kinds:
    """Return the kinds of figure of which one would answer; none if the question is not that clear.

    A question that also asks for anything else is never clear.
    """
    if _OTHER_ASKED.search(_BARE_END.sub(_without_verb, question)) or _asks_often(question):
        return _NOTHING
    if _PHONE_ASKED.search(question):
        return _PHONE
    for pattern, kinds in (
        (_LINE, frozenset({RouteKind.LINE})),
        (_EXIT, frozenset({RouteKind.EXIT})),
        (_TIME_OF_DAY, _CLOCK),
        (_DAYS, frozenset({Dimension.DAYS})),
        (_PERIOD_ASKED, _PERIOD),
    ):
        if pattern.search(question):
            return kinds
    if counted := _COUNTED.search(question):
        return _counted_kind(counted["unit"])
    return _kind_of_noun(question)


def _without_verb(match: re.Match[str]) -> str:
    """Take the question word out that only closes a question for a named value (요금은 무엇)."""
    return match["noun"] if _noun_kind(match["noun"]) else match[0]


def _asks_often(question: str) -> bool:
    asking = re.findall(r"얼마|언제|며칠|(?<![가-힣])몇(?=[\s가-힣])", question)
    return len(asking) > 1 or question.count("?") > 1


def _counted_kind(unit: str) -> Kinds:
    for size in range(len(unit), 0, -1):
        if unit[:size] in UNITS:
            return frozenset({UNITS[unit[:size]].dimension})
    return _PEOPLE if unit.startswith("분") else _NOTHING


def _kind_of_noun(question: str) -> Kinds:
    bare = _BARE_END.search(question)
    kinds = _noun_kind(bare["noun"]) if bare else _NOTHING
    if _WHEN_ASKED.search(question):
        is_day = bare is not None and _DAY_NAMED.search(bare["noun"])
        return _DAY if is_day else (kinds & _WHEN) or _WHEN
    if _HOW_MUCH.search(question):
        return kinds or _MONEY
    return kinds


def _noun_kind(noun: str) -> Kinds:
    """Return the kind of value that a noun names by its last part."""
    ends = [
        (match.end(), kinds)
        for pattern, kinds in _NOUN_KINDS
        for match in pattern.finditer(noun)
        if match.end() >= len(noun) - 1  # a particle may stick to it
    ]
    return max(ends, key=lambda end: end[0])[1] if ends else _NOTHING
