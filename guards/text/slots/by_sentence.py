"""Slots of an answer that grows, read sentence by sentence and put together.

An answer is looked at again with each further sentence; what was read of a sentence then holds for
the next look, too. That is so because no quantity and no name, and nothing that is blanked out
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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby

from guards.core.keeping import Keeping
from guards.text.names import Name, find_names
from guards.text.normal import normalise
from guards.text.slots.quantity import Quantity, find_quantities, sentence_quantities
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

_BEFORE_WORDS = re.compile(r"\A\s*(?:[-*•][ ])?")
_MARKS_BEHIND = re.compile(r"(?:\[\d{1,2}\])+$")
# 2. would number a line if its sentence were one.
_LIKE_A_LINE = re.compile(r"(?:[>#|○●▪■◦]+[ \t]*)?[*_]{0,3}\d{1,3}[.)][ \t*]")
_PIECES_KEPT = 512


def quantities_by_sentence(raw: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text, in order: the same as `find_quantities`."""
    pieces = _with_lines_on_ways(raw)
    if _reaches_far(raw) or not _are_closed(raw, pieces):
        return find_quantities(raw, normalise(raw))
    found: list[Quantity] = []
    for start, end in pieces:
        # Without the end of the sentence before and its own mark, as the reader of claims asks.
        own = _BEFORE_WORDS.sub("", raw[start + bool(start) : end])
        begin = end - len(own)
        if start and raw[start] != "\n" and _LIKE_A_LINE.match(own):
            return find_quantities(raw, normalise(raw))
        of_piece = sentence_quantities(_MARKS_BEHIND.sub("", own))
        found += [_shifted(one, begin) for one in of_piece] if begin else of_piece
    return tuple(found)


def names_by_sentence(raw: str, kept: Keeping) -> tuple[Name, ...]:
    """Return the names of a text, in order: the same as `find_names`."""
    known, pieces = kept.once(_known_names), list(_pieces(raw))
    if _reaches_far(raw):
        return find_names(raw, normalise(raw))
    # Sentences in a row that are new are read together, which takes less time than each alone.
    for is_known, some in groupby(pieces, lambda piece: raw[piece[0] : piece[1]] in known):
        if not is_known and not _read_into(known, raw, list(some)):
            return find_names(raw, normalise(raw))
    found: list[Name] = []
    for start, end in pieces:
        begin, of_piece = known[raw[start:end]]
        by = start - begin
        found += [replace(one, start=one.start + by, end=one.end + by) for one in of_piece]
    return tuple(found)


def _known_names(_: Keeping) -> dict[str, tuple[int, tuple[Name, ...]]]:
    """Return the names of sentences, each with where it stood in what was read with it."""
    return {}


def _reaches_far(raw: str) -> bool:
    """Tell whether something in a text may change what its other sentences mean."""
    return bool(_REACHES_FAR.search(raw) or _MARK_FIRST.search(f"\n{raw}"))


def _read_into(
    known: dict[str, tuple[int, tuple[Name, ...]]], raw: str, pieces: Sequence[tuple[int, int]]
) -> bool:
    """Read the names of some sentences in a row; tell whether each can be read by itself."""
    first, last = pieces[0][0], pieces[-1][1]
    new = raw[first:last]
    if _QUOTE_FILE_OR_ADDRESS.search(new) or not _are_closed(new, list(_pieces(new))):
        return False
    names = find_names(new, normalise(new))
    starts = [first + name.start for name in names]
    for start, end in pieces:
        begin, stop = bisect_left(starts, start), bisect_left(starts, end)
        known[raw[start:end]] = (start - first, names[begin:stop])
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


def _with_lines_on_ways(raw: str) -> list[tuple[int, int]]:
    """Return the places of sentences, those of a line together where one speaks of ways."""
    pieces = list(_pieces(raw))
    if not speaks_of_travel(normalise(raw).text):
        return pieces
    joined: list[tuple[int, int]] = []
    line: list[tuple[int, int]] = []
    is_on_way = False
    for start, end in pieces:
        line.append((start, end))
        is_on_way = is_on_way or _speaks_of_travel(raw[start:end])
        if raw.startswith("\n", end) or end == len(raw):
            joined += [(line[0][0], end)] if is_on_way else line
            line, is_on_way = [], False
    return joined


@lru_cache(maxsize=_PIECES_KEPT)
def _speaks_of_travel(piece: str) -> bool:
    return speaks_of_travel(normalise(piece).text)


def _are_closed(raw: str, pieces: Iterable[tuple[int, int]]) -> bool:
    """Tell whether each sentence closes the brackets that it opens."""
    brackets = [pair for pair in _BRACKETS if pair[0] in raw]
    return not brackets or all(_is_closed(raw[start:end], brackets) for start, end in pieces)


def _is_closed(piece: str, brackets: Sequence[tuple[str, str]]) -> bool:
    own = piece.lstrip("].")
    return all(own.count(one) in (0, own.count(other)) for one, other in brackets)


def _shifted(one: Quantity, by: int) -> Quantity:
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
