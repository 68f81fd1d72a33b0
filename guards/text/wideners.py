"""The words with which a sentence says that something holds without limit.

They set a thing aside (요일에 상관없이, 승인 없이, 가족이 아니어도) or say that anybody, any time
or any place will do (누구나, 언제든지, 어디서나).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from guards.text.tokens import Word, content_words


class Kind(StrEnum):
    """What a widening word lets be anything."""

    ASIDE = "aside"
    """What it names."""
    ANYBODY = "anybody"
    ANY_TIME = "any_time"
    ANYWHERE = "anywhere"
    ANYHOW = "anyhow"


@dataclass(frozen=True, slots=True)
class Widener:
    """A word that widens a sentence.

    Attributes:
        kind: What it lets be anything.
        start: Where it begins, with the words that it sets aside.
        end: Where it ends.
        aside: The words that it sets aside; empty for the other kinds.
    """

    kind: Kind
    start: int
    end: int
    aside: tuple[str, ...] = ()


_REGARDLESS = re.compile(
    r"(?:상관|관계|구애|구분|제한)\s?없이|구애받지\s?않고|무관하게|불문하고|무엇이든"
)
_WITHOUT = re.compile(
    r"(?<![가-힣])(?P<needed>[가-힣]{2,12})(?:\s?없이도?|(?:이|가)\s아니(?:어도|라도|더라도|셔도)"
    r"|[을를]\s[가-힣]{1,6}지\s?않(?:아도|으셔도|더라도))(?=[\s,])"
)
# 신고 없이 들어온 사람, 예약 없이 전시실에 오시면, 내지 않아도 됩니다: the sentence itself says
# another thing.
_SAYS_OTHERWISE = re.compile(
    r",?\s(?:[가-힣]{0,12}(?:[은는한된긴온친운난란]|[됩되돼][가-힣]{0,4})(?=[\s,.]|$)|[^,]{0,40}면(?=[\s,]))"
)
# What need not be paid or feared is no condition.
_NO_CONDITION = re.compile(
    r"(?:료|금|비|비용|요금|세|불이익|벌점|감점|공제|지장|문제|걱정|부담|예외|차이|기다림|상관|관계"
    r"|구애|구분|제한)$"
)
_ANY = re.compile(
    r"(?<![가-힣])(?:(?P<anybody>누구(?:나|든지?))|(?P<any_time>언제(?:나|든지?))"
    r"|(?P<anywhere>어디(?:서나|서?든지?|에서나))|(?P<anyhow>얼마든지|자유롭게|마음껏))"
)
_CLAUSE_START = re.compile(r"[,:)]|[가-힣](?:은|는|고|며|면|만)(?=\s)")
_MOST_ASIDE = 3
_LOOK_BACK_CHARS = 60
# Each way begins with a syllable of its own, for which a search is fast.
_WIDE = re.compile(
    r"누구|언제|어디|얼마든지|자유|마음껏|모든|모두|전부|전체|전\s?(?:지역|회원|직원|고객|품목|매장|구간)"
    r"|무관|불문|없이|무제한|않아도|않더라도|아니어도|아니라도|아니더라도|면제|생략|불필요"
    r"|필요\s?없|필요하지\s?않|지\s(?:(?:않|아니하)고|(?<=[가-힣]지\s)(?:않은|아니한))|수시|상시"
    r"|24시간|연중|동일|일괄|균일|똑같|여부"
)


def wideners(sentence: str) -> Iterator[Widener]:
    """Yield the words that widen a sentence."""
    for match in _REGARDLESS.finditer(sentence):
        words = words_before(sentence, match.start())[-_MOST_ASIDE:]
        start = words[0].start if words else match.start()
        yield Widener(Kind.ASIDE, start, match.end(), tuple(word.text for word in words))
    for match in _WITHOUT.finditer(sentence):
        is_condition = not _NO_CONDITION.search(match["needed"])
        if is_condition and not _SAYS_OTHERWISE.match(sentence, match.end()):
            yield Widener(Kind.ASIDE, *match.span(), (match["needed"],))
    for match in _ANY.finditer(sentence):
        yield Widener(Kind(match.lastgroup or ""), *match.span())


def is_wide(text: str) -> bool:
    """Tell whether a text has a word that a widening word may only repeat."""
    return _WIDE.search(text) is not None


def words_before(text: str, position: int) -> list[Word]:
    """Return the content words between the start of a phrase and a position, in order."""
    starts = _CLAUSE_START.finditer(text, max(0, position - _LOOK_BACK_CHARS), position)
    begin = max((match.end() for match in starts), default=max(0, position - _LOOK_BACK_CHARS))
    return [
        word._replace(start=word.start + begin, end=word.end + begin)
        for word in content_words(text[begin:position])
    ]
