"""What `guard-proxy demo` shows of its tour: a table, or a block for each stop on a narrow page."""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from proxy.cli.output import excerpt, harmless
from proxy.demo.tour import Stop

BRIEF_CHARS = 90
NARROWEST_TABLE = 120


def tour_page(stops: Sequence[Stop], width: int) -> RenderableType:
    """Return the whole tour for a page of this width; ids and codes stay in one piece."""
    if width < NARROWEST_TABLE:
        return Group(*(part for stop in stops for part in _block(stop)))
    return _table(stops)


def _table(stops: Iterable[Stop]) -> Table:
    table = Table(show_lines=True, title="what the guard makes of it")
    for column in ("", "asked", "the model said", "left the proxy"):
        table.add_column(column, overflow="fold")
    table.add_column("action, why, trace", no_wrap=True)
    for stop in stops:
        table.add_row(
            _mark(stop),
            Text(f"{stop.scene.asked}\n({stop.scene.name})"),
            Text(_said(stop)),
            Text(_left(stop)),
            Text("\n".join((stop.action, *_codes(stop), stop.trace_id))),
        )
    return table


def _block(stop: Stop) -> tuple[RenderableType, ...]:
    block = Table.grid(padding=(0, 1, 0, 0))
    block.add_column(no_wrap=True)
    block.add_column(overflow="fold")
    block.add_row(_mark(stop), Text(f"{stop.action}  ({stop.scene.name})", style="bold"))
    for name, text in (
        ("asked", stop.scene.asked),
        ("model", _said(stop)),
        ("left", _left(stop)),
        ("why", "\n".join(_codes(stop))),
        ("trace", stop.trace_id),
    ):
        if text:
            block.add_row(name, Text(text))
    return block, Text()


def _mark(stop: Stop) -> Text:
    return Text("✗", style="red") if stop.faults else Text("✓", style="green")


def _said(stop: Stop) -> str:
    return harmless("\n→ ".join(stop.scene.says)) if stop.asked_model else "(was not asked)"


def _left(stop: Stop) -> str:
    if stop.left == stop.scene.says[0] and not stop.faults:
        return "(the same, byte for byte)"
    return excerpt(stop.left, BRIEF_CHARS)


def _codes(stop: Stop) -> list[str]:
    return list(filter(None, stop.reasons.split(",")))
