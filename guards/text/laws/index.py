"""The articles of law that each source sets out or mentions, and what a reference finds there.

A provision counts as held if a source sets it out or mentions it as deeply as the reference goes.
A reference that names no law means the laws that the sources are pieces of: a decree's ``법 제5조``
is no evidence for ``제5조``.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from guards.core.exchange import Source
from guards.core.keeping import lazy
from guards.core.reading import Reading, RequestReading, SourceSet, Text, source_set
from guards.text.laws.article import Article, Division, read_articles
from guards.text.laws.law import (
    STATUTE,
    Kind,
    LawName,
    LawReference,
    Tier,
    is_generic,
    is_law_name,
    key_of,
    law_name,
    read_laws,
    same_law,
)

_TITLE_END = re.compile(
    r"제\s?\d+\s?[편장절조]|별표|부칙|[>|/–—:\[]|[\s_(-]*\d{4,}|\s*\([^()]*\)?$|\.[A-Za-z]{2,5}$"
)
# 「온천법」(이하 "법"이라 한다)
_DECLARED = re.compile(r"[「『]([^「」『』\n]{2,100})[」』]\s?\(이하\s?[\"“'‘]법[\"”'’]")
_NUMBERED_LINE = re.compile(r"^[ \t]*(\d{1,3})[.)][ \t]", re.MULTILINE)
_QUOTE_CHARS = 80
_HEADER_CHARS = 60


@dataclass(frozen=True, slots=True)
class Mention:
    """A provision that a source speaks of.

    Attributes:
        reference: What it points at.
        law: Whose provision it is; None if the source does not say.
    """

    reference: LawReference
    law: LawName | None


@dataclass(frozen=True, slots=True)
class Provision:
    """An article that a source sets out.

    Attributes:
        article: What it holds.
        law: Whose article it is; None if the source does not say.
        source_id: Which source.
        quote: Its beginning, verbatim.
    """

    article: Article
    law: LawName | None
    source_id: str
    quote: str


@dataclass(frozen=True, slots=True)
class SourceLaw:
    """Provisions of law in one source.

    Attributes:
        law: The law that it is a piece of, from its title, file or first line; None if
            they do not say.
        provisions: The articles that it sets out.
        mentions: Everything that its title and text refer to.
        squeezed: Its title, file and text as `key_of` makes them, for finding words in it.
        lines: The numbers of its numbered lines.
    """

    law: LawName | None
    provisions: tuple[Provision, ...]
    mentions: tuple[Mention, ...]
    squeezed: str
    lines: frozenset[int]


def source_laws(sources: SourceSet) -> tuple[SourceLaw, ...]:
    """Return what each source holds, in their order (``told.once(source_laws)``)."""
    return tuple(law_held(part.source, part.text) for part in sources.parts if part.source)


def law_held(source: Source, text: Text) -> SourceLaw:
    """Return what a source holds.

    Args:
        source: The source.
        text: The reading of its text.
    """
    first_line = source.text.lstrip()[:_HEADER_CHARS].split("\n", 1)[0]
    names = (_law_in_title(name) for name in (source.title, source.file, first_line))
    law = next((name for name in names if name is not None), None)
    titled = read_laws(source.title)
    provisions = tuple(
        Provision(article, law, source.id, _quote(source.text, article))
        for article in read_articles(source.text, _article_in_title(titled))
    )
    declared = _DECLARED.search(source.text)
    act = law_name(declared[1]) if declared else _act_of(law)
    mentions = [Mention(one, law) for one in titled]
    mentions += [Mention(one, _law_of(one, law, act)) for one in text.laws]
    squeezed = key_of(f"{source.title}\0{source.file}\0{source.text}")
    lines = frozenset(int(number) for number in _NUMBERED_LINE.findall(source.text))
    return SourceLaw(law, provisions, tuple(mentions), squeezed, lines)


def _law_in_title(title: str) -> LawName | None:
    end = _TITLE_END.search(title)
    name = (title[: end.start()] if end else title).strip(" 「」『』_-")
    return law_name(name) if is_law_name(name) and not is_generic(name) else None


def _article_in_title(titled: tuple[LawReference, ...]) -> tuple[int, int] | None:
    for one in reversed(titled):
        if one.kind is Kind.ARTICLE and one.number is not None:
            return one.number, one.branch
    return None


def _quote(text: str, article: Article) -> str:
    body = text[article.start : article.end].strip()
    return body.split("\n", 1)[0][:_QUOTE_CHARS]


def _act_of(law: LawName | None) -> LawName | None:
    """Return the law that a decree or rule calls ``법``; its key is empty where nobody says."""
    if law is None:
        return None
    return LawName(law.key if STATUTE.search(law.key) else "", Tier.ACT, law.key)


def _law_of(reference: LawReference, law: LawName | None, act: LawName | None) -> LawName | None:
    """Return whose provision a source means.

    Args:
        reference: What it refers to.
        law: The law that the source is a piece of.
        act: What it calls ``법``.
    """
    if reference.law:
        name = reference.law if reference.quoted else reference.law.split()[-1]
        return law_name(name, reference.tier)
    if reference.elsewhere:
        return None
    if reference.tier is Tier.ACT:
        return act
    if reference.tier is not None:
        return LawName(act.key if act else "", reference.tier, "")
    return law


def divisions_of(article: Article, paragraph: int | None) -> tuple[Division, ...]:
    """Return the divisions of an article that a paragraph means; all if none is said."""
    if paragraph is None:
        return (article.whole, *article.paragraphs.values())
    if article.paragraphs:
        found = article.paragraphs.get(paragraph)
        return (found,) if found else ()
    # Internal rules number their paragraphs "1.", "2."; statutes announce items by "각 호".
    listed = not article.whole.announces_items and (paragraph, 0) in article.whole.items
    return (article.whole,) if paragraph == 1 or listed else ()


def sets_out(article: Article, reference: LawReference) -> bool:
    """Tell whether an article has the paragraph, item and sub-item of a reference."""
    divisions = divisions_of(article, reference.paragraph)
    if reference.item is None:
        return bool(divisions)
    key = (reference.item, reference.item_branch)
    return any(
        key in division.items and reference.subitem in division.items[key] for division in divisions
    )


def is_of_same(mention: LawReference, reference: LawReference) -> bool:
    """Tell whether a mention is of a reference's article, or of a range of articles around it."""
    if mention.number == reference.number:
        return mention.branch == reference.branch
    if mention.since is None or mention.number is None or reference.number is None:
        return False
    return mention.paragraph is None and mention.since <= reference.number <= mention.number


def reaches(mention: LawReference, reference: LawReference) -> bool:
    """Tell whether a mention of the same article goes as deep as a reference, on the same way."""
    if reference.item is None:
        return reference.paragraph is None or (
            mention.paragraph == reference.paragraph
            or (mention.item is None and _in_range(mention, mention.paragraph, reference.paragraph))
        )
    if reference.paragraph is not None and mention.paragraph != reference.paragraph:
        return False
    if _in_range(mention, mention.item, reference.item):
        return True
    same = (mention.item, mention.item_branch) == (reference.item, reference.item_branch)
    return same and reference.subitem in mention.subitem


def _in_range(mention: LawReference, last: int | None, number: int) -> bool:
    return mention.since is not None and last is not None and mention.since <= number <= last


def is_same_place(mention: LawReference, reference: LawReference) -> bool:
    """Tell whether a mention is of a reference's table, form, addendum or chapter."""
    if reference.promulgation is not None and mention.promulgation != reference.promulgation:
        return False
    return reference.number is None or is_of_same(mention, reference)


_ORDERS = {Tier.DECREE: ("대통령령", "시행령"), Tier.RULE: ("부령", "총리령", "시행규칙")}
# Decrees and rules whose own names do not say 시행령 or 시행규칙.
_STANDING_ALONE = {Tier.DECREE: ("규정", "령"), Tier.RULE: ("규칙",)}


class Level(StrEnum):
    """The first level of a reference that the sources do not hold."""

    LAW = "law"
    DECREE = "decree"
    ARTICLE = "article"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    ANNEX = "annex"
    ADDENDUM = "addendum"
    CHAPTER = "chapter"


_LEVELS = {
    Kind.TABLE: Level.ANNEX,
    Kind.FORM: Level.ANNEX,
    Kind.ADDENDUM: Level.ADDENDUM,
    Kind.CHAPTER: Level.CHAPTER,
}


@dataclass(frozen=True, slots=True)
class Missing:
    """Part of a reference that the sources lack.

    Attributes:
        level: The first level that they do not hold.
        near: The articles that the reference may have meant.
        mentioned: Tables, forms or chapters that it may have meant.
        sure: False where the article was visibly cut, so that the missing piece may exist.
    """

    level: Level
    near: tuple[Provision, ...] = ()
    mentioned: tuple[LawReference, ...] = ()
    sure: bool = True


def law_index(reading: Reading) -> "LawIndex":
    """Return the index of an exchange's sources, made once for all guards and answers."""
    return law_index_of(reading.request)


def law_index_of(request: RequestReading) -> "LawIndex":
    """Return the index of a request's sources."""
    # Not with the sources alone: it keeps what answers refer to, which belongs to one request.
    return request.once(_index)


def _index(request: RequestReading) -> "LawIndex":
    return LawIndex(partial(request.source_set.once, source_laws))


class LawIndex:
    """Provisions of law in several sources.

    Args:
        read: Returns what each of them holds; called when something of law is asked for, which
            most answers do not speak of.
    """

    def __init__(self, read: Callable[[], Iterable[SourceLaw]]) -> None:
        self._read = read
        self._looked_up: dict[LawReference, Missing | None] = {}

    @classmethod
    def of(cls, sources: Iterable[Source]) -> "LawIndex":
        """Return the index of a request's sources."""
        return cls(partial(source_set(tuple(sources)).once, source_laws))

    @lazy
    def sources(self) -> tuple[SourceLaw, ...]:
        """Provisions of each source, in their order."""
        return tuple(self._read())

    @lazy
    def _own(self) -> frozenset[LawName | None]:
        return frozenset(source.law for source in self.sources)

    @lazy
    def provisions(self) -> tuple[Provision, ...]:
        """Every article that is set out."""
        return tuple(one for source in self.sources for one in source.provisions)

    @lazy
    def mentions(self) -> tuple[Mention, ...]:
        """Everything that is referred to."""
        return tuple(one for source in self.sources for one in source.mentions)

    @lazy
    def _by_article(self) -> Mapping[int | None, list[Mention]]:
        """The mentions of articles by their numbers, those of ranges under None."""
        mentions: dict[int | None, list[Mention]] = defaultdict(list)
        for one in self.mentions:
            if one.reference.kind is Kind.ARTICLE:
                is_range = one.reference.since is not None
                mentions[None if is_range else one.reference.number].append(one)
        return mentions

    @lazy
    def names(self) -> tuple[LawName, ...]:
        """Every law that is named, or that a source is a piece of."""
        laws = [source.law for source in self.sources] + [one.law for one in self.mentions]
        return tuple(dict.fromkeys(law for law in laws if law is not None and law.key))

    @lazy
    def _names(self) -> frozenset[LawName]:
        return frozenset(self.names)

    def mentions_name(self, text: str) -> bool:
        """Tell whether a source contains a text, ignoring spaces and quotation marks."""
        key = key_of(text)
        return bool(key) and any(key in source.squeezed for source in self.sources)

    def knows(self, law: LawName) -> bool:
        """Tell whether a law is named in the sources."""
        return law in self._names or any(same_law(law, name) for name in self.names)

    def missing(self, reference: LawReference) -> Missing | None:
        """Return what the sources lack of a reference; None if they hold all of it."""
        alike = replace(reference, start=0, end=0)
        if alike not in self._looked_up:
            self._looked_up[alike] = self._missing(alike)
        return self._looked_up[alike]

    def _missing(self, reference: LawReference) -> Missing | None:
        law = self._law_named(reference)
        if law is not None and not self.knows(law):
            spoken_of = reference.kind is Kind.LAW and self.mentions_name(reference.law)
            return None if spoken_of else Missing(Level.LAW)
        if reference.kind is Kind.LAW:
            return None if self._holds_tier(reference.tier) else Missing(Level.DECREE)
        if reference.kind is Kind.ARTICLE:
            return self._missing_in_article(reference, law)
        if reference.kind is Kind.PARAGRAPH:
            return self._missing_paragraph(reference)
        return self._missing_elsewhere(reference, law)

    def _law_named(self, reference: LawReference) -> LawName | None:
        """Return the law that a reference names; None if it names none in particular."""
        if not reference.law:
            return None
        if reference.quoted:
            name = law_name(reference.law, reference.tier)
            return None if self._may_be_anonymous(name) else name
        words = reference.law.split()
        for begin in range(len(words)):
            name = law_name(" ".join(words[begin:]), reference.tier)
            if self.knows(name):
                return name
        last = words[-1]
        if last in {"시행령", "시행규칙"} and len(words) > 1:
            last = " ".join(words[-2:])
        if is_generic(last):
            return None
        name = law_name(last, reference.tier)
        # A source without a name may be a piece of any internal rule, but not of a statute.
        internal = not STATUTE.search(key_of(last))
        if internal and (None in self._own or self.mentions_name(last)):
            return None
        return None if self._may_be_anonymous(name) else name

    def _may_be_anonymous(self, name: LawName) -> bool:
        """Tell whether a source whose own law is unknown speaks of a law that is unknown else."""
        if self.knows(name):
            return False
        key = key_of(name.written)
        return any(source.law is None and key in source.squeezed for source in self.sources)

    def _holds_tier(self, tier: Tier | None) -> bool:
        if tier is None or tier is Tier.ACT or any(name.tier is tier for name in self.names):
            return True
        return any(order in source.squeezed for source in self.sources for order in _ORDERS[tier])

    def _is_meant(self, held: LawName | None, reference: LawReference, law: LawName | None) -> bool:
        """Tell whether a provision of the law `held` can be what a reference means.

        Args:
            held: Whose provision it is.
            reference: The reference.
            law: The law that it names.
        """
        if law is not None:
            return held is not None and same_law(held, law)
        if reference.tier is None:
            return reference.elsewhere or held is None or held in self._own
        if held is None or held.tier is reference.tier:
            return held is not None or reference.tier is Tier.ACT
        alone = _STANDING_ALONE.get(reference.tier, ())
        return held.tier is Tier.ACT and held.key.endswith(alone)

    def _missing_in_article(self, reference: LawReference, law: LawName | None) -> Missing | None:
        key = (reference.number, reference.branch)
        own = tuple(
            one
            for one in self.provisions
            if (one.article.number, one.article.branch) == key
            and self._is_meant(one.law, reference, law)
        )
        mentions = [
            one.reference
            for number in dict.fromkeys((reference.number, None))
            for one in self._by_article.get(number, ())
            if is_of_same(one.reference, reference) and self._is_meant(one.law, reference, law)
        ]
        if any(reaches(one, reference) for one in mentions):
            return None
        if any(sets_out(one.article, reference) for one in own):
            return None
        if own or mentions:
            return _missing_part(reference, own)
        level = Level.ARTICLE if self._holds_tier(reference.tier) else Level.DECREE
        same = tuple(one for one in self.provisions if one.article.number == reference.number)
        return Missing(level, same or self.provisions)

    def _missing_paragraph(self, reference: LawReference) -> Missing | None:
        if reference.paragraph == 1 or any(
            sets_out(one.article, reference) for one in self.provisions
        ):
            return None
        if any(one.reference.paragraph == reference.paragraph for one in self.mentions):
            return None
        # A contract without articles numbers its lines, and people call them 항.
        if not self.provisions and any(reference.paragraph in one.lines for one in self.sources):
            return None
        return Missing(Level.PARAGRAPH, sure=not any(one.article.cut for one in self.provisions))

    def _missing_elsewhere(self, reference: LawReference, law: LawName | None) -> Missing | None:
        """Return what is missing of a table, form, addendum or chapter."""
        found = tuple(
            one.reference
            for one in self.mentions
            if (one.reference.kind, one.reference.unit) == (reference.kind, reference.unit)
            and (law is None or one.law is None or same_law(one.law, law))
            and (reference.tier is None or one.law is None or one.law.tier is reference.tier)
        )
        if any(is_same_place(one, reference) for one in found):
            return None
        # A source that brings its addendum along sets the addendum's articles out as its own.
        brought_along = reference.kind is Kind.ADDENDUM and found and reference.promulgation is None
        if brought_along and any(one.article.number == reference.number for one in self.provisions):
            return None
        return Missing(_LEVELS[reference.kind], mentioned=found)


def _missing_part(reference: LawReference, own: tuple[Provision, ...]) -> Missing:
    """Return which part is missing of articles that the sources set out, or of a mentioned one."""
    divisions = [
        division for one in own for division in divisions_of(one.article, reference.paragraph)
    ]
    if reference.item is not None and (divisions or reference.paragraph is None):
        return Missing(Level.ITEM, own, sure=not any(one.lacks_items for one in divisions))
    return Missing(Level.PARAGRAPH, own, sure=not any(one.article.cut for one in own))
