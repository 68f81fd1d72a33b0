"""Totals that an answer gives of the items of a list or of the cells of a column."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from guards.claims.layout import Block, Level
from guards.claims.reader import Reading
from guards.evidence.calculations.reckoning import kind_of, says
from guards.evidence.figures import Figure
from guards.text.slots.units import Dimension

_TOTAL = re.compile(
    r"합계|총계|소계|총액|총합|합산|^총(?![가-힣])|^총 |^계$|^합$|^전체$|모두 합|다 합"
)
_PART = re.compile(r"소계")
_TAKEN_OFF = re.compile(r"할인|감면|공제|차감")
_BEGINS = re.compile(r"\W*(?:합계|총액|총합|총|모두)[은는]?(?: |:)")
_MINUS = re.compile(r"[-−–]\s*[₩]?$")
_FEWEST = 2
_OF_LINE = frozenset({Level.ROW, Level.LABEL})


@dataclass(frozen=True, slots=True)
class Total:
    """A total that an answer gives.

    Attributes:
        figure: The total.
        items: What it adds up.
        right: What they come to.
        is_right: Whether that is the total.
        is_certain: Whether it can be nothing else that is added up.
    """

    figure: Figure
    items: tuple[Figure, ...]
    right: Fraction
    is_right: bool
    is_certain: bool


def totals(answer: Reading, figures: Sequence[Figure], results: frozenset[int]) -> Iterator[Total]:
    """Yield the totals of an answer.

    Args:
        answer: The answer.
        figures: Its figures, in order.
        results: Where the results of its equations begin.
    """
    yield from _of_columns(answer, figures)
    yield from _of_lists(answer, figures, results)


def _text(answer: Reading, block: Block) -> str:
    return answer.page.plain[block.start : block.end].strip()


def _of_columns(answer: Reading, figures: Sequence[Figure]) -> Iterator[Total]:
    names: dict[tuple[int, int], str] = {}
    for block in answer.page.blocks:
        if block.is_cell and (block.table, block.line) not in names:
            names[block.table, block.line] = _text(answer, block)
    cells: dict[tuple[int, int], list[Figure]] = {}
    for figure in figures:
        block = figure.claim.block
        if block.is_cell and not _is_head(block):
            cells.setdefault((block.table, block.column), []).append(figure)
    for (table, _), column in cells.items():
        for figure in column:
            line = figure.claim.block.line
            if not says("total", names[table, line]):
                continue
            above = [
                one
                for one in column
                if one.claim.block.line < line
                and kind_of(one.measure) == kind_of(figure.measure)
                and not says("total", names[table, one.claim.block.line])
            ]
            lines = [one.claim.block.line for one in above]
            is_certain = len(set(lines)) == len(lines) and not figure.quantity.comparing_word
            total = _total(answer, figure, above, is_certain=is_certain)
            if total is not None:
                yield total


def _is_head(block: Block) -> bool:
    return block.is_heading and block.column > 0


def _total(
    answer: Reading, figure: Figure, items: Sequence[Figure], *, is_certain: bool
) -> Total | None:
    if len(items) < _FEWEST:
        return None
    width = len(figure.measure.values)
    sums = tuple(
        sum((_signed(answer, one, at) for one in items), Fraction(0)) for at in range(width)
    )
    plain = tuple(sum((_at(one, at) for one in items), Fraction(0)) for at in range(width))
    is_right = figure.measure.values in {sums, plain}
    if figure.measure.dimension == Dimension.PERCENT and not is_right:
        return None
    return Total(figure, tuple(items), sums[0], is_right, is_certain)


def _signed(answer: Reading, figure: Figure, at: int) -> Fraction:
    value = _at(figure, at)
    before = answer.page.plain[max(0, figure.start - 3) : figure.start]
    labels = [label.text for label in figure.claim.block.labels if label.level in _OF_LINE]
    is_less = _MINUS.search(before) or any(says("less", label) for label in labels)
    return -value if is_less else value


def _at(figure: Figure, at: int) -> Fraction:
    values = figure.measure.values
    return values[min(at, len(values) - 1)]


def _of_lists(
    answer: Reading, figures: Sequence[Figure], results: frozenset[int]
) -> Iterator[Total]:
    blocks = [block for block in answer.page.blocks if not block.is_cell]
    for at, block in enumerate(blocks):
        names = [label.text for label in block.labels if label.level is Level.LABEL]
        text = _text(answer, block)
        if not (any(says("total", name) for name in names) or _BEGINS.match(text)):
            continue
        own = [one for one in figures if one.claim.block is block]
        if len(own) != 1 or own[0].start in results:
            continue
        items: list[Figure] = []
        is_certain = True
        for other in reversed(blocks[:at]):
            if other.is_heading or block.line - other.line > 12:
                break
            inside = [one for one in figures if one.claim.block is other]
            same = [one for one in inside if kind_of(one.measure) == kind_of(own[0].measure)]
            shown = [one for one in same if one.start in results]
            picked = shown or same
            if not picked:
                if items:
                    break
                continue
            is_certain &= len(picked) == 1
            items.append(picked[-1])
        total = _total(answer, own[0], items[::-1], is_certain=is_certain)
        if total is not None:
            yield total
