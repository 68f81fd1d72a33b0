"""Slots of an answer that grows, read sentence by sentence and put together.

An answer is looked at again with each further sentence; what was read of a sentence then holds for
the next look, too. That is so because no quantity and no name, and nothing that is blotted out
before they are read, reaches over the blank behind a finished sentence (``…합니다. ``,
``…합니다.[1] ``) or over the end of a line that closes with a mark. Read as a whole are texts of
which that cannot be said: with code, tables or tags, a caption that gives the unit of what follows
(``단위: 천원``), pages of documents, raised figures, a line that begins with a mark (a list of
references may), a sentence with a bracket that its end does not close; for quantities those that
speak of ways to get somewhere (a bus makes the numbers of its line routes), for names those with
quotes, files or addresses.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from guards.core.keeping import Keeping
from guards.text.normal import normalise
from guards.text.slots.name import Name
from guards.text.slots.names import find_names
from guards.text.slots.quantity import Quantity, find_quantities
from guards.text.slots.route import speaks_of_travel

_SENTENCE_ENDS = re.compile(r"[다요]\.(?:\[\d{1,2}\]){0,5}(?=\s)|\](?=\n)")
_REACHES_FAR = re.compile(
    r"[`<|¹²³⁰⁴-⁹]|~~~|단위|쪽|페이지|pp?\.|^[ \t]*(?:[-*+>•][ \t]+)?[*_]{0,2}[(\[【]",
    re.MULTILINE,
)
_BRACKETS = (("(", ")"), ("[", "]"), ("【", "】"))
_QUOTE_FILE_OR_ADDRESS = re.compile(r"[\"'“-‟‘-‛＂＇´〝-〟«»「」『』《》〈〉]|[.@/][A-Za-z]")

SlotT = TypeVar("SlotT")


def quantities_by_sentence(raw: str, kept: Keeping) -> tuple[Quantity, ...]:
    """Return the quantities of a text, in order: the same as `find_quantities`.

    Args:
        raw: The text.
        kept: Where the readings of its sentences are kept.
    """
    found: list[Quantity] = []
    for start, of_piece in _by_sentence(raw, kept, _quantities):
        if of_piece is None:
            return find_quantities(raw, normalise(raw))
        found += (_moved(one, start) for one in of_piece) if start else of_piece
    return tuple(found)


def names_by_sentence(raw: str, kept: Keeping) -> tuple[Name, ...]:
    """Return the names of a text, in order: the same as `find_names`."""
    found: list[Name] = []
    for start, of_piece in _by_sentence(raw, kept, _names):
        if of_piece is None:
            return find_names(raw, normalise(raw))
        found += (replace(one, start=one.start + start, end=one.end + start) for one in of_piece)
    return tuple(found)


def _by_sentence(
    raw: str, kept: Keeping, read: Callable[[str], tuple[SlotT, ...] | None]
) -> Iterator[tuple[int, tuple[SlotT, ...] | None]]:
    """Yield where each sentence begins and what stands in it; None if something may reach far."""
    if _REACHES_FAR.search(raw):
        yield 0, None
        return
    for start, end in _pieces(raw):
        yield start, kept.remembered(read, raw[start:end])


def _pieces(raw: str) -> Iterator[tuple[int, int]]:
    """Yield the places of sentences, each with the last character before it.

    So that the white space which it begins with stands where it does in the text.
    """
    start = 0
    for over in _SENTENCE_ENDS.finditer(raw):
        yield start, over.end()
        start = over.end() - 1
    yield start, len(raw)


def _quantities(piece: str) -> tuple[Quantity, ...] | None:
    normal = normalise(piece)
    if not _is_closed(piece) or speaks_of_travel(normal.text):
        return None
    return find_quantities(piece, normal)


def _names(piece: str) -> tuple[Name, ...] | None:
    if not _is_closed(piece) or _QUOTE_FILE_OR_ADDRESS.search(piece):
        return None
    return find_names(piece, normalise(piece))


def _is_closed(piece: str) -> bool:
    """Tell whether a sentence closes the brackets that it opens."""
    own = piece.lstrip("].")
    return all(own.count(one) in (0, own.count(other)) for one, other in _BRACKETS)


def _moved(one: Quantity, by: int) -> Quantity:
    # Twice as fast as `replace`, and there are many.
    return Quantity(
        one.text,
        one.start + by,
        one.end + by,
        one.measure,
        one.comparing_word,
        one.approximate,
        one.is_length,
    )
