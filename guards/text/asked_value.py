"""Kinds of value that leave a trace in a text, and the words that ask for one."""

import re
from enum import StrEnum

# Numbers of provisions answer nothing: 제3조 is no amount.
_PROVISION = re.compile(
    r"제\s?\d{1,5}\s?(?:조|항|호|장|절)(?:의\s?\d{1,3})?|별[표지]\s?(?:제\s?)?\d{1,3}호?"
)
_NUMBER = re.compile(
    r"\d|[일이삼사오육칠팔구십백천만]{1,6}\s?(?:일|개월|년|원|명|인|주|시간|퍼센트)|한\s?[달주번]|두\s?[달주번]|"
    r"하루|이틀|사흘|나흘|닷새|열흘|보름|반년|반나절|무료|무상|전액|실비|면제|절반|무제한"
)
_TIME = re.compile(
    rf"{_NUMBER.pattern}|[월화수목금토일]요일|매[일주월년]|말일|당일|익일|다음\s?날|즉시|수시|연중|지체\s?없이"
)
_PHONE = re.compile(
    r"\d{2,4}[-.) ]{1,2}\d{3,4}[-. ]\d{4}|\b1[5-9]\d{2}[-. ]?\d{4}|\b1\d{2,3}\b|내선\s?\d"
)


class AskedValue(StrEnum):
    """A kind of value."""

    NUMBER = "number"
    TIME = "time"
    PHONE = "phone"


_HELD_AS = {
    AskedValue.NUMBER: _NUMBER,
    AskedValue.TIME: _TIME,
    AskedValue.PHONE: _PHONE,
}
_ASKING = re.compile(r"(?<![가-힣])몇\s?[가-힣]*|며칠[가-힣]*|얼마[가-힣]*|언제[가-힣]*")


def holds_value(text: str, kind: AskedValue) -> bool:
    """Tell whether a text holds a value of this kind; numbers of provisions do not count."""
    return _HELD_AS[kind].search(_PROVISION.sub("", text)) is not None


def without_asking_words(question: str) -> str:
    """Return a question of the same length with blanks for 얼마인가요, 며칠, 몇 명 and the like."""
    return _ASKING.sub(lambda match: " " * len(match[0]), question)
