"""Names of laws and rules: their comparable form, and whether two names mean the same law.

A law, its enforcement decree (시행령) and its enforcement rule (시행규칙) share a name and
differ in rank. Names are compared without spaces and middle dots. A short name (약칭) is taken for
the long one when it is clearly shorter, keeps the order of its syllables and begins as a word does:
``청탁금지법`` is ``부정청탁 및 금품등 수수의 금지에 관한 법률``. A list has those that do not
(``근기법``, ``김영란법``).
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache

from guards.lexicons.loading import groups

# Words that the names of laws and internal rules end with.
_ENDINGS = (
    "규칙", "세칙", "법률", "규정", "조례", "지침", "약관", "정관", "내규", "사규", "예규", "고시",
    "훈령", "강령", "준칙", "요령", "협약", "법", "령",
)  # fmt: skip
_NO_NAME_ENDINGS = ("방법", "용법", "문법", "기법", "해법", "비법", "연령", "명령", "수령", "발령")
# Statutes as against the rules that an organisation gives itself.
STATUTE = re.compile(r"(?:법|법률|특별법|시행령|시행규칙)$")
_GENERIC = re.compile(
    r"(?:이|그|위|본|동|해당|관련|현행|같은|상기|당해|회사|내부|사내|관계|개별|다른)?"
    r"(?:법|법률|법령|규칙|규정|조례|지침|약관|정관|내규|사규|세칙|고시|훈령|시행령|시행규칙|"
    r"특별법|기본법|대통령령|총리령|부령)"
)
_IGNORED = re.compile(r"[\s\u200b·ㆍ･・‧∙⋅•ᆞ「」『』\"“”'‘’]+")
_TIER_END = re.compile(r"(?P<decree>시행령)$|(?P<rule>시행규칙)$")
_KIND_END = re.compile(r"(?:특별조치법|특별법|기본법|법률|법)$")
_SHORTEST_SHORT_NAME = 3
_PAIRS_KEPT = 4096
_SHORT_NAME_SHARE = 0.6


class Tier(StrEnum):
    """Rank of a text of law within its family."""

    ACT = "act"
    """The law itself, or a rule that stands alone."""
    DECREE = "decree"
    """시행령."""
    RULE = "rule"
    """시행규칙."""


_TIER_WORDS = {Tier.ACT: "", Tier.DECREE: "시행령", Tier.RULE: "시행규칙"}


@dataclass(frozen=True, slots=True)
class LawName:
    """A comparable name.

    Attributes:
        key: The full name without spaces, dots and 시행령 or 시행규칙; empty if only the rank is
            known.
        tier: The rank.
        written: The name as it was written.
    """

    key: str
    tier: Tier
    written: str = field(compare=False)


def key_of(text: str) -> str:
    """Return a text without spaces, middle dots and quotation marks, for comparing names."""
    return _IGNORED.sub("", text)


def law_name(written: str, tier: Tier | None = None) -> LawName:
    """Return the comparable form of a name; ``tier`` is what stood behind the name, if anything."""
    key = key_of(written)
    end = _TIER_END.search(key)
    if end and len(key) > len(end[0]):
        found = Tier.DECREE if end["decree"] else Tier.RULE
        return LawName(_in_full(key[: end.start()]), found, written)
    return LawName(
        _in_full(key), tier or Tier.ACT, f"{written} {_TIER_WORDS[tier]}" if tier else written
    )


def _in_full(key: str) -> str:
    return _full_names().get(key, key)


@cache
def _full_names() -> dict[str, str]:
    return {short: key_of("".join(full)) for short, *full in groups("law_short_names")}


def is_law_name(text: str) -> bool:
    """Tell whether a text ends as names of laws and rules do."""
    key = key_of(text)
    if key in _full_names():
        return True
    return key.endswith(_ENDINGS) and not key.endswith(_NO_NAME_ENDINGS)


def is_generic(word: str) -> bool:
    """Tell whether a word names no law in particular: ``규정``, ``해당 법률``, ``사규``."""
    return _GENERIC.fullmatch(key_of(word)) is not None


def same_law(one: LawName, other: LawName) -> bool:
    """Tell whether two names mean the same text of law, one of them perhaps by a short name."""
    if one.tier is not other.tier:
        return False
    if one.key == other.key:
        return True
    short, full = sorted((one, other), key=lambda name: len(name.key))
    may_shorten = len(short.key) <= _SHORT_NAME_SHARE * len(full.key)
    return may_shorten and _shortens(short.key, full.key, full.written)


@lru_cache(maxsize=_PAIRS_KEPT)
def _shortens(short: str, full: str, written: str) -> bool:
    """Tell whether one key is a short form of another one, whose name was written so."""
    body = _KIND_END.sub("", short)
    if len(body) < _SHORTEST_SHORT_NAME:
        return False
    if not _KIND_END.search(short) or not _KIND_END.search(full):
        return False
    words = re.split(r"[\s·ㆍ]+", written)
    starts_word = any(word.startswith(body[0]) or body[:2] in word for word in words)
    rest = iter(full)
    return starts_word and all(syllable in rest for syllable in body)
