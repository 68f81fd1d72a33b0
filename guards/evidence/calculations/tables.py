"""What the rows of an answer's table keep to, and totals that its text gives before a table.

Where a column is the sum or the rest of others in every row but one, that one is wrong. A total
that introduces a table is the one of its last row, or the sum of its column of totals.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations

from guards.claims.layout import Level
from guards.claims.reader import Reading
from guards.core.keeping import lazy
from guards.evidence.calculations.points import POINTS
from guards.evidence.calculations.reckoning import kind_of, says
from guards.evidence.calculations.totals import Total, signed
from guards.evidence.figures import Figure

_FEWEST_ROWS, _MOST_COLUMNS, _MOST_ROWS = 3, 8, 40
_LEAD_CHARS = 300

Row = Mapping[int, Figure]


class Tables:
    """The tables of an answer.

    Args:
        answer: The answer.
        figures: Its figures, in order.
        totals: Its totals, by where they begin.
    """

    def __init__(
        self, answer: Reading, figures: Sequence[Figure], totals: Mapping[int, Total]
    ) -> None:
        self._answer = answer
        self._figures = figures
        self._totals = totals

    def of_row(self, figure: Figure) -> Total | None:
        """Return what the other columns of its row give, if the other rows keep to that."""
        return self._of_rows.get(figure.start) if figure.claim.block.is_cell else None

    def introduced(self, figure: Figure) -> Total | None:
        """Return the total of the table that comes next, for a figure that is called a total."""
        until = figure.end + _LEAD_CHARS
        table = next((one for one in self._tables if figure.end < self._start(one) < until), None)
        if table is None:
            return None
        added = self._added_up(figure, table)
        if added is not None:
            return added
        own = [
            one
            for one in self._totals_of(table)
            if kind_of(one[0].measure) == kind_of(figure.measure)
        ]
        if not own:
            return None
        value = figure.measure.values[0]
        right = next((one for one in own if one[1] == value), own[0])
        is_certain = len({one[1] for one in own}) == 1
        return Total(figure, right[2], right[1], right[1] == value, is_certain)

    def _added_up(self, figure: Figure, table: int) -> Total | None:
        """Return a figure as the sum of a column, or of all amounts of a table; None if it is none.

        The unit may stand at the head of the column alone: USD.
        """
        value, kind = figure.measure.values[0], kind_of(figure.measure)
        # Cells may hold a share beside the amount: 3,400원(4%).
        amounts = [
            one
            for one in self._figures
            if one.claim.block.table == table and kind_of(one.measure) == kind
        ]
        for items in (*self._columns(table).values(), amounts):
            if len(items) > 1 and value == sum(signed(self._answer, one, 0) for one in items):
                return Total(figure, tuple(items), value, is_right=True, is_certain=True)
        return None

    def _totals_of(self, table: int) -> list[tuple[Figure, Fraction, tuple[Figure, ...]]]:
        """Return the totals of a table: a figure each, its value, and what is added up."""
        found = [
            (one.figure, one.right, one.items)
            for one in self._totals.values()
            if one.figure.claim.block.table == table and one.is_right
        ]
        return found or list(self._sums(table))

    def _sums(self, table: int) -> Iterator[tuple[Figure, Fraction, tuple[Figure, ...]]]:
        """Yield the sums of the columns that are headed as totals."""
        for column, some in self._columns(table).items():
            heads = _labels(some[:1], Level.COLUMN)
            if len(some) < 2 or not column or not any(says("total", one) for one in heads):
                continue
            if not any(says("less", one) for one in _labels(some, Level.ROW)):
                yield (
                    some[-1],
                    sum((one.measure.values[0] for one in some), Fraction(0)),
                    tuple(some),
                )

    def _columns(self, table: int) -> dict[int, list[Figure]]:
        """Return the figures of each column of a table, from above."""
        found: dict[int, list[Figure]] = {}
        for row in self._tables[table].values():
            for column, one in row.items():
                found.setdefault(column, []).append(one)
        return found

    def _start(self, table: int) -> int:
        return min(one.start for row in self._tables[table].values() for one in row.values())

    @lazy
    def _tables(self) -> dict[int, dict[int, dict[int, Figure]]]:
        """The figures of each table by line and column, where a cell has one alone."""
        found: dict[int, dict[int, dict[int, Figure]]] = {}
        count = Counter(one.claim.block.start for one in self._figures)
        for one in self._figures:
            block = one.claim.block
            is_body = block.is_cell and not (block.is_heading and block.column > 0)
            if not is_body or count[block.start] > 1 or len(one.measure.values) != 1:
                continue
            if one.measure.dimension not in POINTS:
                found.setdefault(block.table, {}).setdefault(block.line, {})[block.column] = one
        return found

    @lazy
    def _of_rows(self) -> dict[int, Total]:
        return {
            one.figure.start: one
            for rows in self._tables.values()
            if _FEWEST_ROWS <= len(rows) <= _MOST_ROWS
            for one in _relations(list(rows.values()))
        }


def _labels(figures: Sequence[Figure], level: Level) -> list[str]:
    return [
        label.text for one in figures for label in one.claim.block.labels if label.level is level
    ]


def _relations(rows: Sequence[Row]) -> Iterator[Total]:
    """Yield the figures of a column that all rows, or all but one, give in the same way."""
    columns = sorted({column for row in rows for column in row})[:_MOST_COLUMNS]
    for column in columns:
        some = [row for row in rows if column in row]
        if len(some) < _FEWEST_ROWS or len({kind_of(row[column].measure) for row in some}) > 1:
            continue
        for rights in (*_sums(some, column), *_rests(some, columns, column)):
            wrong = [
                row
                for row, (right, _) in zip(some, rights, strict=True)
                if right != _value(row, column)
            ]
            if len(wrong) > 1 or len(some) - len(wrong) < _FEWEST_ROWS - 1:
                continue
            for row, (right, items) in zip(some, rights, strict=True):
                yield Total(row[column], items, right, row not in wrong, is_certain=True)
            break


Rights = list[tuple[Fraction, tuple[Figure, ...]]]


def _sums(rows: Sequence[Row], column: int) -> Iterator[Rights]:
    """Yield what the amounts to the left of a column come to in each row."""
    parts = [
        tuple(
            one
            for other, one in sorted(row.items())
            if other < column and kind_of(one.measure) == kind_of(row[column].measure)
        )
        for row in rows
    ]
    if min(map(len, parts)) > 1:
        yield [(sum((one.measure.values[0] for one in some), Fraction(0)), some) for some in parts]


def _rests(rows: Sequence[Row], columns: Sequence[int], column: int) -> Iterator[Rights]:
    """Yield what is left of another column, or of what the rows have in common."""
    left = [
        one
        for one in columns
        if one < column
        and all(
            one in row and kind_of(row[one].measure) == kind_of(row[column].measure) for row in rows
        )
    ]
    for whole, part in permutations(left, 2):
        yield [(_value(row, whole) - _value(row, part), (row[whole], row[part])) for row in rows]
    if len(rows) <= _FEWEST_ROWS:
        return
    for part in left:
        whole_of = Counter(_value(row, part) + _value(row, column) for row in rows)
        common = whole_of.most_common(1)[0][0]
        yield [(common - _value(row, part), (row[part],)) for row in rows]


def _value(row: Row, column: int) -> Fraction:
    return row[column].measure.values[0]
