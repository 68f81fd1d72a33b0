"""Places where a text names its sources: citation marks, and pages of documents.

What stands there is no figure, name or way that a source would have to hold; every reading of
those leaves these places out.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from guards.text.citing.references import read_references
from guards.text.slots.citation_mark import FILE, PAGES, read_marks

_PAGE_OF_FILE = re.compile(rf"{FILE}[\"'」』]?[\s,(:·]{{1,3}}(?P<page>{PAGES})", re.IGNORECASE)
_PAGE_OF_TITLE = re.compile(rf"[\s,(]{{1,3}}(?P<page>{PAGES})\)?[ \t]*$")
_NAMES_PAGE = ("p.", "P.", "쪽", "페이지")
_LOOK_BACK_CHARS = 24
_TEXTS_KEPT = 32


# Figures, names and ways of a text ask one after the other.
@lru_cache(maxsize=_TEXTS_KEPT)
def citation_places(text: str) -> tuple[tuple[int, int], ...]:
    """Return the half-open places in a text that name its sources, in order.

    Words that a mark stands around (``<cite id="1">…</cite>``) are not among them.
    """
    places: list[tuple[int, int]] = []
    for start, end in sorted((*_of_marks(text), *_of_pages(text))):
        if not places or places[-1][1] <= start:
            places.append((start, end))
    return tuple(places)


def _of_marks(text: str) -> Iterator[tuple[int, int]]:
    for mark in read_marks(text):
        if not mark.wrapped:
            yield mark.start, mark.end
            continue
        words = text.rfind(mark.wrapped, mark.start, mark.end)
        yield mark.start, words
        yield words + len(mark.wrapped), mark.end


def _of_pages(text: str) -> Iterator[tuple[int, int]]:
    if not any(name in text for name in _NAMES_PAGE):
        return
    for found in _PAGE_OF_FILE.finditer(text):
        yield found.span("page")
    references = read_references(text)
    for line in references.lines if references else ():
        end = line.span.end
        page = _PAGE_OF_TITLE.search(text, max(line.span.start, end - _LOOK_BACK_CHARS), end)
        if page:
            yield page.span("page")
