"""Many traces as lines for people: a table whose ids and times can be copied whole."""

from collections.abc import Sequence

from rich.table import Table

from proxy.cli.output import excerpt
from proxy.cli.times import shown
from proxy.cli.traces_page import action_of
from proxy.traces.trace import Trace

_EXCERPT_CHARS = 40
_WIDE_CHARS = 120
_COLUMNS = ("time", "id", "tenant", "action", "status", "ms", "reasons", "question")
_WHOLE = ("time", "id")
_NARROW = (*_WHOLE, "action", "status")
"""What an ordinary terminal of 80 columns has room for beside a whole id."""


def table(found: Sequence[Trace], width: int) -> Table:
    """Return the table that fits into so many columns of a terminal."""
    names = _COLUMNS if width >= _WIDE_CHARS else _NARROW
    made = Table()
    for name in names:
        made.add_column(name, no_wrap=name in _WHOLE, overflow="fold")
    for trace in found:
        cells = dict(zip(_COLUMNS, row(trace), strict=True))
        made.add_row(*(cells[name] for name in names))
    return made


def row(trace: Trace) -> tuple[str, ...]:
    """Return what a line says of a trace, in the order of the whole table."""
    return (
        shown(trace.started_at),
        trace.id,
        trace.tenant,
        action_of(trace),
        str(trace.status),
        f"{trace.duration_ms:.0f}",
        ", ".join(trace.reasons) or trace.error or "",
        excerpt(trace.question, _EXCERPT_CHARS),
    )
