"""Slots of an answer that grows, read sentence by sentence and put together.

An answer is looked at again with each further sentence; what was read of a sentence then holds for
the next look, too. That is so because no quantity and no name, and nothing that is blotted out
before they are read, reaches over the blank behind a finished sentence (``…합니다. ``,
``…합니다.[1] ``) or over the end of a line that closes with a mark. For quantities all of a line
that speaks of ways to get somewhere is one piece: a bus makes the numbers of its line routes. Read
as a whole are texts of which nothing can be said: with code, tables or tags, a caption that gives
the unit of what follows (``단위: 천원``), pages of documents, raised figures, a line that begins
with a mark (a list of references may), a sentence with a bracket that its end does not close; for
names those with quotes, files or addresses.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TypeVar

from guards.core.keeping import Keeping
from guards.text.names import Name, find_names
from guards.text.normal import normalise
from guards.text.slots.quantity import Quantity, find_quantities
from guards.text.slots.route import speaks_of_travel

_SENTENCE_ENDS = re.compile(r"[다요]\.(?:\[\d{1,2}\]){0,5}(?=\s)|\](?=\n)")
# Each way by what it begins with, for which a search is fast.
_REACHES_FAR = re.compile(
    r"[`<|¹²³⁰⁴-⁹~단쪽페p]"
    r"(?:(?<=[`<|¹²³⁰⁴-⁹쪽])|(?<=~)~~|(?<=단)위(?![ ]?[가-힣])|(?<=페)이지|(?<=p)p?\.)"
)
_MARK_FIRST = re.compile(r"\n[ \t]*(?:[-*+>•][ \t]+)?[*_]{0,2}[(\[【]")
_BRACKETS = (("(", ")"), ("[", "]"), ("【", "】"))
_QUOTE_FILE_OR_ADDRESS = re.compile(r"[\"'“-‟‘-‛＂＇´〝-〟«»「」『』《》〈〉]|[.@/][A-Za-z]")

SlotT = TypeVar("SlotT", Quantity, Name)
_Known = dict[str, tuple[int, tuple[SlotT, ...]]]


def quantities_by_sentence(raw: str, kept: Keeping) -> tuple[Quantity, ...]:
    """Return the quantities of a text, in order: the same as `find_quantities`.

    Args:
        raw: The text.
        kept: Where the readings of its sentences are kept.
    """
    found: list[Quantity] = []
    places = _with_lines_on_ways(raw, kept)
    pieces = _by_sentence(raw, places, kept.once(_known_quantities), _quantities)
    if pieces is None:
        return find_quantities(raw, normalise(raw))
    for by, of_piece in pieces:
        found += [_moved(one, by) for one in of_piece] if by else of_piece
    return tuple(found)


def names_by_sentence(raw: str, kept: Keeping) -> tuple[Name, ...]:
    """Return the names of a text, in order: the same as `find_names`."""
    found: list[Name] = []
    pieces = _by_sentence(raw, list(_pieces(raw)), kept.once(_known_names), _names)
    if pieces is None:
        return find_names(raw, normalise(raw))
    for by, of_piece in pieces:
        found += [replace(one, start=one.start + by, end=one.end + by) for one in of_piece]
    return tuple(found)


def _known_quantities(_: Keeping) -> _Known[Quantity]:
    """Return the quantities of sentences, and how far they lie from where they were read."""
    return {}


def _known_names(_: Keeping) -> _Known[Name]:
    return {}


def _by_sentence(
    raw: str,
    pieces: Sequence[tuple[int, int]],
    known: _Known[SlotT],
    read: Callable[[str], tuple[SlotT, ...] | None],
) -> list[tuple[int, tuple[SlotT, ...]]] | None:
    """Return the slots of each sentence and how far each is to be moved.

    None if something may reach from one sentence into another. Sentences in a row that are new are
    read together, which takes less time than each alone.
    """
    if _REACHES_FAR.search(raw) or _MARK_FIRST.search(f"\n{raw}"):
        return None
    for is_known, some in groupby(pieces, lambda piece: raw[piece[0] : piece[1]] in known):
        if not is_known and not _read_into(known, raw, list(some), read):
            return None
    return [
        (start - begin, slots) for start, end in pieces for begin, slots in (known[raw[start:end]],)
    ]


def _read_into(
    known: _Known[SlotT],
    raw: str,
    pieces: Sequence[tuple[int, int]],
    read: Callable[[str], tuple[SlotT, ...] | None],
) -> bool:
    """Read some sentences in a row; tell whether nothing reaches from one into another."""
    first, last = pieces[0][0], pieces[-1][1]
    new = raw[first:last]
    brackets = [pair for pair in _BRACKETS if pair[0] in new]
    if not all(_is_closed(new[start:end], brackets) for start, end in _pieces(new)):
        return False
    slots = read(new)
    if slots is None:
        return False
    starts = [first + slot.start for slot in slots]
    for start, end in pieces:
        begin, stop = bisect_left(starts, start), bisect_left(starts, end)
        known[raw[start:end]] = (start - first, slots[begin:stop])
    return True


def _pieces(raw: str) -> Iterator[tuple[int, int]]:
    """Yield the places of sentences, each with the last character before it.

    So that the white space which it begins with stands where it does in the text.
    """
    start = 0
    for over in _SENTENCE_ENDS.finditer(raw):
        yield start, over.end()
        start = over.end() - 1
    yield start, len(raw)


def _with_lines_on_ways(raw: str, kept: Keeping) -> list[tuple[int, int]]:
    """Return the places of sentences, those of a line together where one speaks of ways."""
    pieces = list(_pieces(raw))
    if not speaks_of_travel(normalise(raw).text):
        return pieces
    joined: list[tuple[int, int]] = []
    line: list[tuple[int, int]] = []
    is_on_way = False
    for start, end in pieces:
        line.append((start, end))
        is_on_way = is_on_way or kept.remembered(_speaks_of_travel, raw[start:end])
        if raw.startswith("\n", end) or end == len(raw):
            joined += [(line[0][0], end)] if is_on_way else line
            line, is_on_way = [], False
    return joined


def _speaks_of_travel(piece: str) -> bool:
    return speaks_of_travel(normalise(piece).text)


def _quantities(sentences: str) -> tuple[Quantity, ...]:
    return find_quantities(sentences, normalise(sentences))


def _names(sentences: str) -> tuple[Name, ...] | None:
    if _QUOTE_FILE_OR_ADDRESS.search(sentences):
        return None
    return find_names(sentences, normalise(sentences))


def _is_closed(piece: str, brackets: Sequence[tuple[str, str]]) -> bool:
    """Tell whether a sentence closes those of some brackets that it opens."""
    own = piece.lstrip("].")
    return all(own.count(one) in (0, own.count(other)) for one, other in brackets)


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
