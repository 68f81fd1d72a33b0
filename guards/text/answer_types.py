"""Which kind of answer a question asks for, and whether a text gives one.

Told apart are only kinds that leave a trace in a text. What procedure, reason or subject was asked
for is told by what the answer says, not by a form.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum

from guards.core.reading import Text
from guards.text.asked_value import AskedValue, holds_value
from guards.text.polarity import stances
from guards.text.polarity_modes import Mode
from guards.text.sentences import split_sentences


class AnswerType(StrEnum):
    """A kind of answer."""

    NUMBER = "number"
    TIME = "time"
    PHONE = "phone"
    MAIL = "mail"
    LINK = "link"
    PLACE = "place"
    PERSON = "person"
    REASON = "reason"
    POLARITY = "polarity"


_AND = re.compile(r"\s(?:그리고|또한|아울러)\s")
_ASKED: Mapping[AnswerType, re.Pattern[str]] = {
    AnswerType.NUMBER: re.compile(r"(?<![가-힣])몇(?=\s|[가-힣])|며칠|얼마(?!나\s?자주)"),
    AnswerType.TIME: re.compile(r"언제"),
    AnswerType.PHONE: re.compile(r"(?:전화|대표|팩스)\s?번호"),
    AnswerType.MAIL: re.compile(r"(?:이메일|메일|전자우편)\s?주소"),
    AnswerType.LINK: re.compile(r"(?:홈페이지|사이트|웹)\s?주소|링크|URL", re.IGNORECASE),
    AnswerType.PLACE: re.compile(r"(?<![가-힣])어디(?:서|에서|인가|예요|에요|죠|로|에)"),
    AnswerType.PERSON: re.compile(r"(?<![가-힣])(?:누가|누구)"),
    AnswerType.REASON: re.compile(
        r"(?<![가-힣])왜(?![가-힣])|이유(?:가|는|를)?\s?(?:뭐|무엇|알려)"
    ),
}
_ASKS_OPENLY = re.compile(
    r"무엇|무슨|뭐|뭔|어떤|어떻게|어느|어디|언제|누구|누가|얼마|몇|며칠|왜|알려|설명|궁금|주세요"
)
_YES_OR_NO = re.compile(r"(?:나요|까요|가요|니까|[해돼되아어여]요|인지요|는지요)\s*\?*\s*$")
_PLACE = re.compile(
    r"[가-힣](?:에서|에게|에|으로|로)(?![가-힣])|[0-9가-힣](?:층|호실|번지|시|군|구|동|읍|면|길|역|실|관|점|청)"
    r"(?![가-힣]{2})|온라인|홈페이지|https?://|www\."
)
_PERSON = re.compile(
    r"[가-힣](?:자|장|팀|과|부|실|처|청|원|인|관|사|국|회|씨|님|센터|기관|단체|공단|법인|학생|직원|고객|누구나)"
    r"(?:이|가|은|는|을|를|의|에|에서|에게|께서|입니다|이며)?(?![가-힣])|누구든지|누구나|본인"
)
_REASON = re.compile(
    r"때문|위해|위하여|위한|이유|므로|으니|어서|아서|해서|여서|까닭|목적|원인|으로\s인|로\s인|따라|이라서|라서|려고"
)
_LINK = re.compile(r"https?://|www\.|[A-Za-z0-9-]+\.(?:com|net|org|kr|go\.kr|co\.kr)\b")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.")
_DECIDED = re.compile(
    r"(?<![가-힣])(?:네|예|아니요|아니오|아닙니다|그렇습니다|맞습니다)(?![가-힣])"
)

_Test = Callable[[str], object]
_FIGURES = {AnswerType.NUMBER, AnswerType.TIME}
_GIVEN: Mapping[AnswerType, _Test] = {
    AnswerType.NUMBER: lambda text: holds_value(text, AskedValue.NUMBER),
    AnswerType.TIME: lambda text: holds_value(text, AskedValue.TIME),
    AnswerType.PHONE: lambda text: holds_value(text, AskedValue.PHONE),
    AnswerType.MAIL: _MAIL.search,
    AnswerType.LINK: _LINK.search,
    AnswerType.PLACE: _PLACE.search,
    AnswerType.PERSON: _PERSON.search,
    AnswerType.REASON: _REASON.search,
}


def sub_questions(question: str) -> Iterator[str]:
    """Yield the questions that a question is made of."""
    for sentence in split_sentences(question):
        yield from _AND.split(sentence.text)


def asked_types(question: str) -> frozenset[AnswerType]:
    """Return the kinds of answer that one question asks for; none if it is open."""
    asked = frozenset(kind for kind, pattern in _ASKED.items() if pattern.search(question))
    if not asked and _YES_OR_NO.search(question) and not _ASKS_OPENLY.search(question):
        return frozenset({AnswerType.POLARITY})
    return asked


def gives(text: Text, kind: AnswerType) -> bool:
    """Tell whether a text gives an answer of a kind."""
    if kind is AnswerType.POLARITY:
        return _decides(text)
    return bool((kind in _FIGURES and text.quantities) or _GIVEN[kind](text.raw))


def _decides(text: Text) -> bool:
    """Tell whether a text says yes or no, allows, forbids or denies, or names the amount."""
    if _DECIDED.search(text.raw) or gives(text, AnswerType.NUMBER):
        return True
    return any(
        stance.mode is not Mode.DOES
        for sentence in text.sentences
        for stance in stances(sentence.text)
    )
