"""Provisions of law in one source: the articles that it contains, and all that it mentions."""

import re
from dataclasses import dataclass

from guards.core.exchange import Source
from guards.core.reading import SourceSet, Text
from guards.text.laws.article import Article, read_articles
from guards.text.laws.law import Kind, LawReference, read_laws
from guards.text.laws.name import (
    STATUTE,
    LawName,
    Tier,
    is_generic,
    is_law_name,
    key_of,
    law_name,
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
