"""References to provisions of law (``「의료법」 제83조의2제1항제3호가목``), and names of laws.

A law, its enforcement decree (시행령) and its enforcement rule (시행규칙) share a name and
differ in rank. Names are compared without spaces and middle dots. A short name (약칭) is taken for
the long one when it is clearly shorter, keeps the order of its syllables and begins as a word does:
``청탁금지법`` is ``부정청탁 및 금품등 수수의 금지에 관한 법률``. A list has those that do not
(``근기법``, ``김영란법``).

Read are articles with their branch, paragraph (also circled), item and sub-item; tables (별표),
forms (별지), supplementary provisions (부칙) and chapters; ranges and lists; the law's name with
and without 「」, its decree or rule, and the words that stand for a law or an article named before.
A bare ``3조`` is an article only where its surroundings say so. Relative words (전조, 전항) are not
read: what they mean depends on where the text was cut out.

Without 「」 nobody can tell where a law's name of several words begins (``절도죄는 형법 제329조``),
so the reference carries the words that may hold it, and the index of the sources finds the name
that ends them.
"""

import re
import unicodedata
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, lru_cache

from guards.lexicons.loading import groups
from guards.text.laws.article import TAIL, is_article, next_head

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


# Nearly every provision stands without a name: this spares the expensive patterns.
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


class Kind(StrEnum):
    """Kind of provision that a reference points at."""

    ARTICLE = "조"
    PARAGRAPH = "항"
    """A paragraph whose article is not said."""
    TABLE = "별표"
    FORM = "별지"
    ADDENDUM = "부칙"
    CHAPTER = "장"
    """Any of 편, 장, 절."""
    LAW = "법"
    """A law, decree or rule as a whole."""


@dataclass(frozen=True, slots=True)
class LawReference:
    """One reference.

    Attributes:
        kind: What it points at.
        start: Where it begins in the raw text (with the law's name), in code points.
        end: Where it ends.
        law: Name of the law; without 「」 the words before the provision that end with it.
        quoted: The name stood in 「」.
        tier: Rank of the law if it was said apart from the name (``시행령``, ``법``); None if not.
        number: Number of the article, table, form or chapter; None if it has none.
        branch: The M of ``의M``; 0 for none.
        paragraph: 항.
        item: 호.
        item_branch: The M of ``제N호의M``; 0 for none.
        subitem: 목, as its syllable.
        promulgation: Number in ``부칙 <제9165호>``.
        unit: 편, 장 or 절 for a chapter.
        elsewhere: It belongs to a law named outside this text (``같은 법`` with none before it).
        since: For the end of a range, the number it begins with, on the deepest level given.
    """

    kind: Kind
    start: int
    end: int
    law: str = ""
    quoted: bool = False
    tier: Tier | None = None
    number: int | None = None
    branch: int = 0
    paragraph: int | None = None
    item: int | None = None
    item_branch: int = 0
    subitem: str = ""
    promulgation: int | None = None
    unit: str = ""
    elsewhere: bool = False
    since: int | None = None

    @property
    def deepest(self) -> int | None:
        """Number on the deepest level given: of the item, else the paragraph, else the article."""
        return self.item or self.paragraph or self.number


# "총회에 부칙 사항" has nothing to do with supplementary provisions.
_ADDENDUM_ALONE = re.compile(r"\s?(?:에\s?(?:따|의하|규정|정|명시)|에서|\s*(?:\n|$))")
_PROMULGATION = re.compile(r"(\d{1,6})\s?호")
_JOINED = re.compile(
    r"(?:의\s?)?(?:본문|단서|전단|후단|각\s?호)?\s{0,2}"
    r"(?:(?:부터|까지|및|또는|혹은|이나|나|과|와|그리고|,|、|[ㆍ·･・]|내지|[~∼～-])\s{0,2}){1,2}"
)
_RANGE = re.compile(r"\s{0,2}(?:부터|내지|에서|[~∼～–-])\s{0,2}")
_LONGEST_JOIN_CHARS = 20


def read_laws(text: str) -> tuple[LawReference, ...]:
    """Return the references of a text, in order."""
    references: list[LawReference] = []
    position = 0
    while head := next_head(text, position):
        reference = _reference(text, head, references)
        if reference is not None:
            references.append(reference)
        position = max(head.end(), head.start() + 1, reference.end if reference else 0)
    owned = {one.start for one in references if one.kind is not Kind.LAW}
    return tuple(one for one in references if one.kind is not Kind.LAW or one.start not in owned)


def _reference(text: str, head: re.Match[str], before: list[LawReference]) -> LawReference | None:
    if head["law"] is not None:
        if not is_law_name(head["law_name"]):
            return None
        return LawReference(Kind.LAW, *head.span(), law=head["law_name"], quoted=True)
    if head["same"] is not None or head["loose"] is not None:
        return _continued(text, head, before)
    if head["article"] is not None:
        return _article(text, head, before)
    if head["decree"] is not None:
        tier = Tier.DECREE if head["decree"] == "시행령" else Tier.RULE
        return LawReference(Kind.LAW, *head.span(), tier=tier)
    return _other(text, head, before)


def _article(text: str, head: re.Match[str], before: list[LawReference]) -> LawReference | None:
    owner = _owner(text, head.start(), before)
    named = bool(owner.law) and owner.start < head.start()
    if not is_article(text, head, named=named):
        return None
    bare = LawReference(
        Kind.ARTICLE,
        owner.start,
        head.end(),
        law=owner.law,
        quoted=owner.quoted,
        tier=owner.tier,
        elsewhere=owner.same and not owner.law,
        number=int(head["number"]),
        branch=int(head["branch"] or 0),
    )
    return _ranged(text, _with_tail(text, bare), head.start(), before)


def _owner(text: str, position: int, before: list[LawReference]) -> Owner:
    """Return the law that owns a provision: named here, named before, or that of its list."""
    owner = owner_before(text, position)
    if owner.same:
        named = next((reference for reference in reversed(before) if reference.law), None)
        if named is None:
            return owner
        return Owner(owner.start, named.law, named.quoted, owner.tier or named.tier)
    if owner.start == position and before and _is_joined(text, before[-1], position):
        last = before[-1]
        return Owner(position, last.law, last.quoted, last.tier, same=last.elsewhere)
    return owner


def _continued(text: str, head: re.Match[str], before: list[LawReference]) -> LawReference | None:
    """Read ``같은 조 제2항``, and ``제2항`` or ``제3호`` behind the reference they go on with."""
    tail = TAIL.match(text, head.end())
    if tail is None or tail.end() == head.end():
        return None
    if head["same"] is not None:
        last = next((one for one in reversed(before) if one.kind is Kind.ARTICLE), None)
    else:
        last = before[-1] if before and _is_joined(text, before[-1], head.start()) else None
    level = head["level"] or ("항" if tail["paragraph"] or tail["circled"] else "호")
    if last is None or (last.number is None and last.paragraph is None):
        if level != "항":
            return None
        base = LawReference(Kind.PARAGRAPH, head.start(), head.end())
    else:
        base = replace(last, start=head.start(), end=head.end(), since=None, subitem="")
        base = _kept_levels(base, level, same=head["same"] is not None)
    return _ranged(text, _with_tail(text, base), head.start(), before)


def _kept_levels(base: LawReference, level: str, *, same: bool) -> LawReference:
    """Return what a continued reference keeps of the one before it."""
    if level == "조" or (level == "항" and not same):
        return replace(base, paragraph=None, item=None, item_branch=0)
    if level == "항" or not same:
        return replace(base, item=None, item_branch=0)
    return base


def _other(text: str, head: re.Match[str], before: list[LawReference]) -> LawReference | None:
    name = next(name for name in ("table", "form", "addendum", "chapter") if head[name] is not None)
    if head[name] == "부칙" and not _ADDENDUM_ALONE.match(text, head.end()):
        return None
    owner = _owner(text, head.start(), before)
    number = head[f"{name}_number"]
    promulgation = _PROMULGATION.search(head[name])
    reference = LawReference(
        {"table": Kind.TABLE, "form": Kind.FORM, "addendum": Kind.ADDENDUM}.get(name, Kind.CHAPTER),
        owner.start,
        head.end(),
        law=owner.law,
        quoted=owner.quoted,
        tier=owner.tier,
        elsewhere=owner.same and not owner.law,
        number=int(number) if number else None,
        branch=int(head[f"{name}_branch"] or 0),
        promulgation=int(promulgation[1]) if promulgation else None,
        unit=head["unit"] or "",
    )
    tail = TAIL.match(text, reference.end)
    end = tail.end() if tail else reference.end
    return _ranged(text, replace(reference, end=end), head.start(), before)


def _with_tail(text: str, base: LawReference) -> LawReference:
    tail = TAIL.match(text, base.end)
    if tail is None or tail.end() == base.end:
        return base
    paragraph = int(tail["paragraph"]) if tail["paragraph"] else base.paragraph
    if tail["circled"]:
        paragraph = int(unicodedata.numeric(tail["circled"]))
    return replace(
        base,
        end=tail.end(),
        paragraph=paragraph,
        item=int(tail["item"]) if tail["item"] else base.item,
        item_branch=int(tail["item_branch"] or base.item_branch),
        subitem=tail["subitem"] or base.subitem,
    )


def _ranged(
    text: str, reference: LawReference, start: int, before: list[LawReference]
) -> LawReference:
    """Return the reference with the beginning of the range that it ends, if it ends one."""
    if not before or before[-1].kind is not reference.kind:
        return reference
    first = before[-1]
    if not _RANGE.fullmatch(text[first.end : start][:_LONGEST_JOIN_CHARS]):
        return reference
    return replace(reference, since=first.deepest)


def _is_joined(text: str, last: LawReference, position: int) -> bool:
    gap = text[last.end : position]
    if last.kind is Kind.LAW:
        return False
    return len(gap) <= _LONGEST_JOIN_CHARS and _JOINED.fullmatch(gap) is not None
