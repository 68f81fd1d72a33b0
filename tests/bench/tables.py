"""The results as tables, for a terminal and as Markdown."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table as RichTable

from tests.bench import idle, long_request
from tests.bench.figures import Metric, added, ratio, spread
from tests.bench.goals import GOALS
from tests.bench.lineup import DIRECT, NGINX
from tests.bench.loads import LOADS, PACED_8, PLAIN_1, PLAIN_32, STREAM_32, Load
from tests.bench.results import Results

_NOTHING = "–"


@dataclass(frozen=True)
class Table:
    """A heading, names of columns, and rows of words."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def rich(self) -> RichTable:
        table = RichTable(*self.columns, title=self.title, title_justify="left")
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        lines = [self.columns, ["---", *["---:"] * (len(self.columns) - 1)], *self.rows]
        return "\n".join([f"**{self.title}**", "", *(f"| {' | '.join(row)} |" for row in lines)])


@dataclass(frozen=True)
class _Cells:
    """What can be said of one subject under one load."""

    results: Results
    subject: str
    load: str

    def median(self, metric: Metric) -> str:
        found = self.results.median(self.subject, self.load, metric)
        return _NOTHING if found is None else number(found)

    def spread(self, metric: Metric) -> str:
        values = self._values(self.subject, metric)
        return f"±{spread(values):.0%}" if values else _NOTHING

    def ratio(self, metric: Metric) -> str:
        """The ratio to nginx."""
        mine, theirs = self._values(self.subject, metric), self._values(NGINX, metric)
        return f"{number(ratio(mine, theirs))} x" if mine and theirs else _NOTHING

    def added(self, metric: Metric) -> str:
        """What it adds to the direct way, in the same round."""
        mine, direct = self._values(self.subject, metric), self._values(DIRECT, metric)
        return f"{added(mine, direct):+.2f}" if mine and direct else _NOTHING

    def busy(self) -> str:
        shares = [
            self.results.median(self.subject, self.load, metric)
            for metric in (Metric.MODEL_BUSY, Metric.CALLER_BUSY)
        ]
        return " / ".join(_NOTHING if share is None else f"{share:.0%}" for share in shares)

    def _values(self, subject: str, metric: Metric) -> Sequence[float]:
        return self.results.values(subject, self.load, metric)


_Column = tuple[str, Callable[[_Cells], str]]
_THROUGHPUT: tuple[_Column, ...] = (
    ("requests/s", lambda cells: cells.median(Metric.PER_S)),
    ("spread", lambda cells: cells.spread(Metric.PER_S)),
    ("to nginx", lambda cells: cells.ratio(Metric.PER_S)),
    ("per CPU-s", lambda cells: cells.median(Metric.PER_CPU_S)),
    ("CPU ms", lambda cells: cells.median(Metric.CPU_MS)),
    ("CPU to nginx", lambda cells: cells.ratio(Metric.CPU_MS)),
)
_LATENCY: tuple[_Column, ...] = (
    ("p50 ms", lambda cells: cells.median(Metric.P50_MS)),
    ("p99 ms", lambda cells: cells.median(Metric.P99_MS)),
    ("added p50", lambda cells: cells.added(Metric.P50_MS)),
    ("added p99", lambda cells: cells.added(Metric.P99_MS)),
)
_STREAMS: tuple[_Column, ...] = (
    ("first byte ms", lambda cells: cells.median(Metric.FIRST_BYTE_MS)),
    ("added", lambda cells: cells.added(Metric.FIRST_BYTE_MS)),
    ("first sentence ms", lambda cells: cells.median(Metric.SENTENCE_MS)),
    ("added", lambda cells: cells.added(Metric.SENTENCE_MS)),
    ("after the model p50", lambda cells: cells.median(Metric.SENTENCE_LATER_MS)),
    ("p99", lambda cells: cells.median(Metric.SENTENCE_LATER_P99_MS)),
    ("chunk delay p50", lambda cells: cells.median(Metric.CHUNK_MS)),
    ("p99", lambda cells: cells.median(Metric.CHUNK_P99_MS)),
    ("p99 to nginx", lambda cells: cells.ratio(Metric.CHUNK_P99_MS)),
)
_AROUND: tuple[_Column, ...] = (
    ("memory MB", lambda cells: cells.median(Metric.MEMORY_MB)),
    ("model / callers busy", _Cells.busy),
)
_IDLE: tuple[_Column, ...] = (
    ("memory before MB", lambda cells: cells.median(Metric.MEMORY_MB)),
    ("added MB per 1,000", lambda cells: cells.median(Metric.STREAMS_MB)),
    ("to nginx", lambda cells: cells.ratio(Metric.STREAMS_MB)),
    ("open", lambda cells: cells.median(Metric.STREAMS_OPEN)),
    ("open 30 s after the callers went", lambda cells: cells.median(Metric.STREAMS_LEFT)),
)
_LONG: tuple[_Column, ...] = (
    ("others' p99 alone ms", lambda cells: cells.median(Metric.OTHERS_ALONE_P99_MS)),
    ("beside it ms", lambda cells: cells.median(Metric.OTHERS_P99_MS)),
    ("to nginx", lambda cells: cells.ratio(Metric.OTHERS_P99_MS)),
    ("the long one ms", lambda cells: cells.median(Metric.LONG_MS)),
)


_SUMMARY: tuple[tuple[Load, _Column], ...] = (
    (PLAIN_32, ("requests/s", lambda cells: cells.median(Metric.PER_S))),
    (PLAIN_32, ("to nginx", lambda cells: cells.ratio(Metric.PER_S))),
    (PLAIN_32, ("CPU ms", lambda cells: cells.median(Metric.CPU_MS))),
    (PLAIN_1, ("added p50 ms, alone", lambda cells: cells.added(Metric.P50_MS))),
    (STREAM_32, ("CPU ms of a stream", lambda cells: cells.median(Metric.CPU_MS))),
    (PACED_8, ("paced: first byte, added ms", lambda cells: cells.added(Metric.FIRST_BYTE_MS))),
    (PACED_8, ("chunk delay p99 ms", lambda cells: cells.median(Metric.CHUNK_P99_MS))),
    (PLAIN_32, ("memory MB", lambda cells: cells.median(Metric.MEMORY_MB))),
)


def number(value: float) -> str:
    """Write a figure with two or three digits that count."""
    size = abs(value)
    if size < 0.1:
        return f"{value:.2g}"
    digits = 0 if size >= 100 else 1 if size >= 10 else 2
    return f"{value:,.{digits}f}"


def all_tables(results: Results) -> list[Table]:
    """Return every table of a run."""
    made = [_subjects(results)]
    for load in LOADS:
        waiting = _STREAMS if load.way.streams else _LATENCY
        made.append(_measured(results, load.name, (*_THROUGHPUT, *_AROUND)))
        made.append(_measured(results, load.name, waiting, f"{load.name}: waiting"))
    made.append(_measured(results, idle.NAME, _IDLE))
    made.append(_measured(results, long_request.NAME, _LONG))
    made += [summary(results), goals(results)]
    return [table for table in made if table.rows]


def summary(results: Results) -> Table:
    """Return the figures that a reader wants first, one row for each subject."""
    rows = []
    for one in results.subjects:
        row = [write(_Cells(results, one.name, load.name)) for load, (_, write) in _SUMMARY]
        if any(words != _NOTHING for words in row):
            rows.append([one.name, *row])
    return Table("In short", ("subject", *(name for _, (name, _) in _SUMMARY)), rows)


def goals(results: Results) -> Table:
    """Return what was promised next to what was found."""
    rows = []
    for goal in GOALS:
        value = goal.measure(results)
        wanted = f"{'≤' if goal.at_most else '≥'} {goal.limit:g} {goal.unit}"
        found = "not measured" if value is None else f"{number(value)} {goal.unit}"
        met = _NOTHING if value is None else "met" if goal.met(value) else "missed"
        rows.append([goal.text, wanted, found, met])
    return Table("Goals", ("goal", "wanted", "measured", ""), rows)


def show(results: Results, out: Console) -> None:
    """Print every table."""
    out.print(_head(results))
    for table in all_tables(results):
        out.print(table.rich())
    if results.guard_pass_seen_ms:
        out.print(_guard_pass(results))


def markdown(results: Results, *, brief: bool = False) -> str:
    """Return every table for a page, or only those in short."""
    tables = [summary(results), goals(results)] if brief else all_tables(results)
    parts = [_head(results), *(table.markdown() for table in tables)]
    if results.guard_pass_seen_ms:
        parts.append(_guard_pass(results))
    return "\n\n".join(parts)


def _head(results: Results) -> str:
    return f"{results.machine}; {results.date}; each load {results.seconds:g} s a round"


def _guard_pass(results: Results) -> str:
    seen = statistics.median(results.guard_pass_seen_ms)
    new = statistics.median(results.guard_pass_new_ms)
    return (
        f"The guards alone over one answer: {seen:.2f} ms where the sources were seen before, "
        f"{new:.2f} ms where they are new."
    )


def _subjects(results: Results) -> Table:
    rows = []
    for one in results.subjects:
        version = f"absent: {one.absent}" if one.absent else one.version
        rows.append([one.name, str(one.workers or _NOTHING), version])
    return Table("Who was measured", ("subject", "workers", "version"), rows)


def _measured(
    results: Results, load: str, columns: Sequence[_Column], title: str | None = None
) -> Table:
    rows = []
    for one in results.measurements:
        if one.load != load:
            continue
        cells = _Cells(results, one.subject, load)
        words = [write(cells) for _, write in columns]
        rows.append([f"{one.subject}: {one.problem}" if one.problem else one.subject, *words])
    return Table(title or load, ("subject", *(name for name, _ in columns)), rows)
