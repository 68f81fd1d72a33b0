"""Which law a provision belongs to, read from the words right before it.

``「의료법」 제83조``, ``의료법 시행령 제3조``, ``같은 법 제5조``. Without 「」 nobody can tell
where a name of several words begins (``절도죄는 형법 제329조``), so the words that may hold it are
given, and who knows the names in question finds the one that ends them.
"""

import re
from dataclasses import dataclass

from guards.text.laws.name import Tier, is_generic, is_law_name

# Nearly every provision stands without a name: this spares the dear patterns.
_MAY_NAME = re.compile(r"[법률령영칙정례침관규고시훈약강」』)][\s\[(<]{0,4}$")
_GAP_CHARS = 5
_QUOTED = re.compile(
    r"[「『](?P<name>[^「」『』\n]{2,100})[」』](?:\s?\([^()\n]{0,60}\))?\s{0,2}"
    r"(?:(?P<tier>시행령|시행규칙)\s{0,2})?[\[(<]?$"
)
_ANAPHOR = re.compile(
    r"(?<![가-힣])(?P<which>같은|동|이|그|본|위|해당|당해)\s?"
    r"(?P<what>법률|법|영|규칙|규정|조례)\s{0,2}(?:(?P<tier>시행령|시행규칙)\s{0,2})?[\[(<]?$"
)
_SHORT = re.compile(r"(?<![가-힣」』])(?P<what>법|영|규칙|시행령|시행규칙)\s{0,2}[\[(<]?$")
_MOST_WORDS = 10
_NAME_WORDS = re.compile(r"(?:[가-힣A-Za-z\dㆍ·･・]{1,30}[^\S\n]){0,9}[가-힣A-Za-z\dㆍ·･・]{2,30}$")
_NAME_END = re.compile(r"[가-힣](?:법|법률|규정|규칙)\s$")
_TIERS = {"시행령": Tier.DECREE, "영": Tier.DECREE, "시행규칙": Tier.RULE, "규칙": Tier.RULE}
_BACK_TO_THE_LAST_NAMED = ("같은", "동", "그", "위", "해당", "당해")
_LONGEST_CHARS = 180
_STAND_IN_CHARS = 24


@dataclass(frozen=True, slots=True)
class Owner:
    """The law that a provision belongs to, as far as the words before it say.

    Attributes:
        start: Where those words begin.
        law: The name; without 「」 the words that end with it. Empty if none is given.
        quoted: The name stood in 「」.
        tier: The rank, if it is said.
        same: It is the law named before (``같은 법``).
    """

    start: int
    law: str = ""
    quoted: bool = False
    tier: Tier | None = None
    same: bool = False


def owner_before(text: str, position: int) -> Owner:
    """Return the law that the words before a position name."""
    if not _MAY_NAME.search(text, max(0, position - _GAP_CHARS), position):
        return Owner(position)
    begin = max(0, position - _LONGEST_CHARS)
    before = text[begin:position]
    if quoted := _QUOTED.search(before):
        tier = _TIERS.get(quoted["tier"] or "")
        return Owner(begin + quoted.start(), quoted["name"], quoted=True, tier=tier)
    near = max(begin, position - _STAND_IN_CHARS)
    if anaphor := _ANAPHOR.search(text[near:position]):
        tier = _TIERS.get(anaphor["tier"] or "")
        same = anaphor["which"] in _BACK_TO_THE_LAST_NAMED
        return Owner(near + anaphor.start(), tier=tier, same=same)
    short = _SHORT.search(text[near:position])
    if short and not _NAME_END.search(text[near : near + short.start()]):
        return Owner(near + short.start(), tier=_TIERS.get(short["what"], Tier.ACT))
    return _unquoted(before, begin, position)


def _unquoted(before: str, begin: int, position: int) -> Owner:
    stripped = before.rstrip(" \t[(<")
    head, *last_words = stripped.rsplit(maxsplit=_MOST_WORDS) or [""]
    words = _NAME_WORDS.search(stripped, len(head) if len(last_words) == _MOST_WORDS else 0)
    if words is None or len(before) - len(stripped) > len(" ["):
        return Owner(position)
    last = words[0].split()[-1]
    if not is_law_name(last) or (is_generic(last) and " " not in words[0]):
        return Owner(position)
    return Owner(begin + words.end() - len(last), words[0])
