"""The articles, paragraphs and numbered lines of an exchange's sources, each as a text of its own.

A paragraph carries the heading of its article in its title. Figures of a source's title are left
out: they number the document, and every piece of it would seem to hold them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from guards.core.exchange import Source
from guards.text.citing.articles import number_of
from guards.text.laws.article import paragraph_marks
from guards.text.laws.index import LawIndex
from guards.text.laws.source import Provision

_NUMBERED_LINE = re.compile(r"^[ \t]*(?P<number>\d{1,3})[.)][ \t]+(?P<text>[^\n]+)$", re.MULTILINE)
_DIGITS = re.compile(r"\d+")
_QUOTE_CHARS = 80


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the sources that a reference may mean.

    Attributes:
        label: What it is called: ``제5조``, ``제5조제2항``, ``제2항``.
        provision: The article that it is, or is a part of; None for a numbered line.
        paragraph: Number of the paragraph or line; None for a whole article.
        source: Its text under its heading, as a source.
    """

    label: str
    provision: Provision | None
    paragraph: int | None
    source: Source

    @property
    def quote(self) -> str:
        """Its beginning, verbatim."""
        return self.source.text.strip().split("\n", 1)[0][:_QUOTE_CHARS]


def pieces_of(index: LawIndex, sources: Mapping[str, Source]) -> tuple[Piece, ...]:
    """Return all pieces; numbered lines only where no source sets out an article."""
    if index.provisions:
        return tuple(
            piece for one in index.provisions for piece in _of_article(one, sources[one.source_id])
        )
    return tuple(piece for source in sources.values() for piece in _lines(source))


def _of_article(provision: Provision, source: Source) -> Iterator[Piece]:
    article = provision.article
    label = number_of(provision)
    title = _DIGITS.sub("", source.title)
    text = source.text[article.start : article.end]
    yield Piece(label, provision, None, replace(source, title=title, file="", text=text))
    marks = paragraph_marks(source.text, article.start, article.end)
    borders = [position for _, position in marks] + [article.end]
    heading = source.text[article.start : borders[0]].strip()
    for place, (number, position) in enumerate(marks):
        body = source.text[position : borders[place + 1]]
        part = replace(source, title=f"{title} {heading}", file="", text=body)
        yield Piece(f"{label}제{number}항", provision, number, part)


def _lines(source: Source) -> Iterator[Piece]:
    for line in _NUMBERED_LINE.finditer(source.text):
        number = int(line["number"])
        part = replace(source, title=_DIGITS.sub("", source.title), file="", text=line["text"])
        yield Piece(f"제{number}항", None, number, part)
