"""Reads references to provisions of law, such as ``「의료법」 제83조의2제1항제3호가목``.

Read are articles with their branch, paragraph (also circled), item and sub-item; tables (별표),
forms (별지), supplementary provisions (부칙) and chapters; ranges and lists; the law's name with
and without 「」, its decree or rule, and the words that stand for a law or an article named before.
A bare ``3조`` is an article only where its surroundings say so. Relative words (전조, 전항) are not
read: what they mean depends on where the text was cut out.
"""

import re
import unicodedata
from dataclasses import dataclass, replace
from enum import StrEnum

from guards.text.laws.before import Owner, owner_before
from guards.text.laws.name import Tier, is_law_name
from guards.text.laws.pattern import TAIL, is_article, next_head


class Kind(StrEnum):
    """What a reference points at."""

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
