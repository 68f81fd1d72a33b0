"""Reads references to provisions of law, such as ``「의료법」 제83조의2제1항제3호가목``.

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
from dataclasses import dataclass, replace
from enum import StrEnum

from guards.text.laws.article import TAIL, is_article, next_head
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
    if owner.start == position and before and _joined(text, before[-1], position):
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
        last = before[-1] if before and _joined(text, before[-1], head.start()) else None
    level = head["level"] or ("항" if tail["paragraph"] or tail["circled"] else "호")
    if last is None or (last.number is None and last.paragraph is None):
        if level != "항":
            return None
        base = LawReference(Kind.PARAGRAPH, head.start(), head.end())
    else:
        base = replace(last, start=head.start(), end=head.end(), since=None, subitem="")
        base = _cut(base, level, same=head["same"] is not None)
    return _ranged(text, _with_tail(text, base), head.start(), before)


def _cut(base: LawReference, level: str, *, same: bool) -> LawReference:
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


def _joined(text: str, last: LawReference, position: int) -> bool:
    gap = text[last.end : position]
    if last.kind is Kind.LAW:
        return False
    return len(gap) <= _LONGEST_JOIN_CHARS and _JOINED.fullmatch(gap) is not None
