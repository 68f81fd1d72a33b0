"""The words of a question, and the kinds of value that would answer it.

``몇 명`` asks for people and ``몇 시`` for a time of day; ``얼마`` and a bare ``…은?`` go by the
noun that they are asked of (할인율, 수습기간). Kinds are those of a `guards.evidence.values.Value`.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum

from guards.core.reading import Text
from guards.korean.morphemes import morphemes
from guards.korean.words import Word, content_words
from guards.lexicons.loading import section_words
from guards.text.particles import stem
from guards.text.sentences import split_sentences
from guards.text.slots.contact import ContactKind
from guards.text.slots.route import RouteKind
from guards.text.slots.units import UNITS, Dimension

Kinds = frozenset[str]

_ASKING = re.compile(r"(?<![가-힣])몇\s?[가-힣]*|며칠[가-힣]*|얼마[가-힣]*|언제[가-힣]*")
_WRITTEN = re.compile(r"[가-힣]+")
_FORM_OF_A_QUESTION = section_words("question_words", "frame", "measure")
_GRAMMAR = ("J", "E", "VCP", "S")
_ASKS = re.compile(r"인가|인지|이에|입니.*|인데")
# What only carries the question: 며칠 걸리나요, 얼마를 타나요, 알려 주세요.
_CARRYING = frozenset(
    "걸리 알리 타 들어가 무엇 뭐 뭔 궁금 부탁 어디 누구 누가 총 한 안 연간 지금 현재".split()
)
_NOTHING: Kinds = frozenset()
_MONEY: Kinds = frozenset({Dimension.WON, "USD", "EUR", "JPY", "CNY"})
_PERIOD: Kinds = frozenset({Dimension.DAYS, Dimension.MONTHS, Dimension.SECONDS})
_WHEN: Kinds = frozenset({Dimension.DATE, Dimension.CLOCK})
_DAY: Kinds = frozenset({Dimension.DATE})
_CLOCK: Kinds = frozenset({Dimension.CLOCK})
_PERCENT: Kinds = frozenset({Dimension.PERCENT})
_PEOPLE: Kinds = frozenset({Dimension.PEOPLE})
_PHONE: Kinds = frozenset({ContactKind.PHONE})
_RATING: Kinds = frozenset({"점", Dimension.BARE})

_PHONE_ASKED = re.compile(r"전화\s?번호|연락처|(?:어디|몇\s?번)(?:로|으로|에)?\s?(?:전화|연락)")
_TIME_OF_DAY = re.compile(r"몇\s?시(?!간)")
_LINE = re.compile(r"몇\s?호선")
_EXIT = re.compile(r"몇\s?번\s?출구")
_DAYS = re.compile(r"며칠|몇\s?일(?![가-힣]*정)")
_RATING_ASKED = re.compile(r"[평별]점[은는이가]?\s(?:총\s)?몇\s?점")
_COUNTED = re.compile(r"(?<![가-힣])몇\s?(?P<unit>[가-힣%]{1,4}|[A-Za-z㎡㎖㎏㎝㎞]{1,4})")
_PERIOD_ASKED = re.compile(
    r"얼마\s?(?:전|후|뒤|동안|안에|만에|이내)|얼마나\s?(?:걸|오래)|얼마\s?동안"
)
_HOW_MUCH = re.compile(r"얼마")
_DAY_NAMED = re.compile(r"[가-힣]{2}일(?:자|정)?[은는이가]?$|날짜")
_WHEN_ASKED = re.compile(r"언제")
_UNTIL_ASKED = re.compile(r"언제까지")
_OTHER_ASKED = re.compile(
    r"왜|누가|누구|어떻게|무엇|무슨|어느|어떤|어디(?!(?:로|에)\s?(?:전화|연락))|아니면|그리고|또한|각각|및"
)
# Nouns that a value is asked of; the head of a compound comes last (할인율, 수습기간).
_NOUN_KINDS = (
    (
        re.compile(r"(?:할인|이자|지급|적립|수익|보상|환급|세|요|비|확)율|비율|이율|금리|퍼센트"),
        _PERCENT,
    ),
    (re.compile(r"수수료|위약금"), _MONEY | _PERCENT),
    (re.compile(r"기간"), _PERIOD),
    (re.compile(r"기한|마감일|마감"), _PERIOD | _WHEN),
    (re.compile(r"시각|시간"), _CLOCK),
    (re.compile(r"정원|인원"), _PEOPLE),
    (re.compile(r"평점|별점"), _RATING),
    (
        re.compile(
            r"금액|요금|가격|비용|수당|급여|일비|여비|보조금|지원금|포상금|경조금|축하금|보증금|과태료|벌금"
            r"|참가비|교육비|교통비|숙박비|식비|회비|학자금|장학금|포인트|한도"
        ),
        _MONEY,
    ),
)
_VALUES = frozenset("요금 가격 비용 값 액수 이용료 이율 금리 할인율 분".split())
_BARE_END = re.compile(
    r"(?<!\d)(?<!\b[한두세네]\s)(?P<noun>[가-힣]{2,12})(?:은|는|이|가)?(?:요)?\s*(?:\?|$|알려|궁금|좀\s|뭐|무엇|얼마|언제|어떻게\s?되)"
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
        (_RATING_ASKED, _RATING),
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
        if _UNTIL_ASKED.search(question):
            return _WHEN | _PERIOD  # 3월 31일까지, 진료일부터 3년 이내
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


def is_generic(word: Word) -> bool:
    """Tell whether a word only calls a value or a document (요금, 기간, 규정), of any thing."""
    return word.text in _FORM_OF_A_QUESTION | _CARRYING | _VALUES


class Answer(StrEnum):
    """A kind of answer that leaves a trace in a text, told more widely than its kind of value."""

    FIGURE = "figure"
    PHONE = "phone"
    MAIL = "mail"
    URL = "url"
    PLACE = "place"
    PERSON = "person"


_AND = re.compile(r"\s(?:그리고|또한|아울러)\s")
_WANTED: Mapping[Answer, re.Pattern[str]] = {
    Answer.FIGURE: re.compile(r"(?<![가-힣])몇(?=\s|[가-힣])|며칠|얼마(?!나\s?자주)|언제"),
    Answer.PHONE: re.compile(r"(?:전화|대표|팩스)\s?번호|연락처"),
    Answer.MAIL: re.compile(r"(?:이메일|메일|전자우편)\s?주소"),
    Answer.URL: re.compile(r"(?:홈페이지|사이트|웹)\s?주소|링크|URL", re.IGNORECASE),
    Answer.PLACE: re.compile(r"(?<![가-힣])어디(?:서|에서|인가|예요|에요|죠|로|에)"),
    Answer.PERSON: re.compile(r"(?<![가-힣])(?:누가|누구)"),
}
_GIVEN: Mapping[Answer, re.Pattern[str]] = {
    # Amounts and times in words.
    Answer.FIGURE: re.compile(
        r"무료|무상|전액|실비|면제|절반|무제한|요일|매[일주월년]|말일|당일|익일|다음\s?날|즉시|수시|연중"
        r"|지체\s?없이"
    ),
    Answer.PLACE: re.compile(
        r"[가-힣](?:에서|에게|에|으로|로)(?![가-힣])|온라인|홈페이지|https?://"
        r"|[0-9가-힣](?:층|호실|번지|시|군|구|동|읍|면|길|역|실|관|점|청)(?![가-힣]{2})"
    ),
    Answer.PERSON: re.compile(
        r"[가-힣](?:자|장|팀|과|부|실|처|청|원|인|관|사|국|회|씨|님|센터|기관|단체|공단|법인|학생|직원|고객)"
        r"(?:이|가|은|는|을|를|의|에|에서|에게|께서|입니다|이며)?(?![가-힣])|누구나|누구든지|본인"
    ),
}


def sub_questions(question: str) -> Iterator[str]:
    """Yield the questions that a question is made of."""
    for sentence in split_sentences(question):
        yield from _AND.split(sentence.text)


def asked_answers(question: str) -> frozenset[Answer]:
    """Return the kinds of answer that one question asks for; none if it is open."""
    return frozenset(kind for kind, pattern in _WANTED.items() if pattern.search(question))


def gives(text: Text, kind: Answer) -> bool:
    """Tell whether a text gives an answer of a kind."""
    if kind is Answer.FIGURE and text.quantities:
        return True
    if any(contact.kind.value == kind.value for contact in text.contacts):
        return True
    return kind in _GIVEN and _GIVEN[kind].search(text.raw) is not None


def _without_asking_words(question: str) -> str:
    # Something stays there: 연차 is read as an adverb right before a verb.
    return _ASKING.sub(lambda match: "_" * len(match[0]), question)


def asked_words(question: str) -> list[Word]:
    """Return the words of a question that carry its subject."""
    return [
        word
        for word in content_words(morphemes(_without_asking_words(question)))
        if not (word.is_light or word.text in _CARRYING or word.text in _FORM_OF_A_QUESTION)
    ]


def unread_words(question: str) -> list[str]:
    """Return the written words of a question, without particles, that the analyser took apart.

    It may take a noun for an ending (이자는: 이/VCP 자/EC 는/JX).
    """
    bare = _without_asking_words(question)
    found = morphemes(bare)
    read = {one.start for one in found if not one.tag.startswith(_GRAMMAR)}
    stems = (
        stem(match[0])
        for match in _WRITTEN.finditer(bare)
        if read.isdisjoint(range(match.start(), match.end()))
    )
    return [one for one in stems if len(one) > 1 and not _ASKS.fullmatch(one)]
