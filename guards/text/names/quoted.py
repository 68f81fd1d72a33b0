"""Names that quotes or the word 이름 point out: ``레스토랑 '물빛뜰'``, ``이름은 물빛뜰입니다``.

Quotes alone prove nothing, because Korean quotes words for emphasis too.
"""

import re
from collections.abc import Iterator

from guards.lexicons.name_heads import (
    APP_HEADS,
    BUSINESS_HEADS,
    ORGANISATION_HEADS,
    PRODUCT_HEADS,
)
from guards.text.laws.name import is_law_name
from guards.text.names.name import Name, dense
from guards.text.tokens import word_stem

_HEADS = "|".join(
    sorted(ORGANISATION_HEADS | BUSINESS_HEADS | PRODUCT_HEADS, key=len, reverse=True)
)
_APPS = "|".join(sorted(APP_HEADS, key=len, reverse=True))
_INSIDE = r"[^\"'\n「」『』《》〈〉]{2,24}"
_CALLED = r"(?:이름|명칭|상호|상호명|호텔명|업체명|상품명|브랜드)(?:은|는|이|:)?\s?"
_TITLE = re.compile(rf"[『《](?P<name>{_INSIDE})[』》]")
_QUOTE = re.compile(r"[\"'「〈]")
_QUOTED = rf"{_QUOTE.pattern}(?P<name>{_INSIDE})[\"'」〉]"
_BEHIND = re.compile(rf"(?:{_CALLED}|(?:{_HEADS})(?:인|은|는|:|명)?\s?){_QUOTED}")
_BEFORE = re.compile(rf"{_QUOTED}\s?(?:{_HEADS}|{_APPS}|이?라는|이?라고\s?(?:불|부|하))")
_BARE = re.compile(rf"{_CALLED}(?P<name>[가-힣A-Za-z0-9]{{2,16}}(?: [가-힣A-Za-z0-9]{{1,16}})?)")
_PREDICATE = re.compile(r"(?:이며|이고|입니다|예요|이에요)$")
_IS_SENTENCE = re.compile(r"(?:[다요까죠음함]|\.)$")
_MOST_WORDS = 3


def quoted_names(text: str) -> Iterator[Name]:
    """Yield the names of a text that are pointed out, in order of the ways to do so."""
    for found in _TITLE.finditer(text):
        yield Name(found["name"], *found.span("name"), "", dense(found["name"]))
    for pattern in (_BEHIND, _BEFORE) if _QUOTE.search(text) else ():
        for found in pattern.finditer(text):
            inside = found["name"].strip()
            if _may_name(inside):
                yield Name(inside, *found.span("name"), "", dense(inside))
    for found in _BARE.finditer(text):
        said = _PREDICATE.sub("", found["name"])
        if said != found["name"] and _may_name(said):
            start = found.start("name")
            yield Name(said, start, start + len(said), "", dense(word_stem(said)))


def _may_name(inside: str) -> bool:
    if len(inside.split()) > _MOST_WORDS or _IS_SENTENCE.search(inside):
        return False
    return not is_law_name(inside)
