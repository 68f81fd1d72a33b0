"""Facilities and services that a sentence says are there (``5층에 수영장이 있습니다``)."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from guards.lexicons.loading import section_words, sections
from guards.text.names.name import dense

_OFFERS = re.compile(
    r"있|운영|마련|갖추|갖춰|완비|구비|보유|제공|이용(?:하실|할|하시|이\s?가능)|이용\s?가능|예약(?:하실|할|이\s?가능)"
    r"|즐기|무료입|사용(?:하실|할)"
)
# 카페인, 스파게티, 셔틀콕
_NO_OTHER_WORD = "(?![인게크르클콕])"
_DENIES = re.compile(r"없|않|못|아니|아닙|불가|어렵|어려|확인되지|중단|폐쇄|휴관|[?？]\s*$")


class Facility(NamedTuple):
    """A facility in a text, the words that may stand for it (comparable), and its place."""

    text: str
    synonyms: tuple[str, ...]
    start: int
    end: int


def claimed_facilities(sentence: str) -> Iterator[Facility]:
    """Yield the facilities that a sentence says are there; none if it denies anything."""
    if not _OFFERS.search(sentence) or _DENIES.search(sentence):
        return
    for found in _words().finditer(sentence):
        yield Facility(found[0], _synonyms()[dense(found[0])], *found.span())


def _facilities() -> Iterator[list[str]]:
    return (line.split() for line in sections("facilities")["facilities"])


@cache
def _synonyms() -> dict[str, tuple[str, ...]]:
    """Return for each word all that excuse it."""
    groups = (tuple(dense(word) for word in group) for group in _facilities())
    return {word: group for group in groups for word in group}


@cache
def _words() -> re.Pattern[str]:
    telling = [
        r"\s?".join(word)
        for group in _facilities()
        for word in sorted(group, key=len, reverse=True)
        if "가" <= word[0] <= "힣" and word not in section_words("facilities", "excusing only")
    ]
    return re.compile(rf"(?:{'|'.join(telling)}){_NO_OTHER_WORD}")
