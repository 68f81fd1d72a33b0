"""Results as a picture: panels of bars, some of them in colour."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from tests.bench.figures import Metric
from tests.bench.lineup import DIRECT, OURS
from tests.bench.loads import PACED_8, PLAIN_32, STREAM_32, Load
from tests.bench.results import Results
from tests.bench.tables import number

WIDTH = 870
BARS_LEFT = 300
LONGEST_BAR = 460
BAR_STEP = 22
_HEAD = 74
_PANEL_GAP = 34
_TEMPLATE = Path(__file__).with_name("chart.svg.jinja")
_SHOWN: tuple[tuple[str, Load, Metric, str], ...] = (
    ("Requests per second, 32 at a time (more is better)", PLAIN_32, Metric.PER_S, ""),
    ("CPU of a stream of 100 chunks (less is better)", STREAM_32, Metric.CPU_MS, " ms"),
    ("p99 of a chunk's delay, paced (less is better)", PACED_8, Metric.CHUNK_P99_MS, " ms"),
)


@dataclass(frozen=True)
class Bar:
    name: str
    own: bool
    width: float
    label: str


@dataclass(frozen=True)
class Panel:
    title: str
    bars: Sequence[Bar]

    @property
    def height(self) -> int:
        return len(self.bars) * BAR_STEP + _PANEL_GAP


def svg(results: Results) -> str:
    """Return the chart of a run: bars on a logarithmic scale, this proxy's own in colour."""
    panels = []
    for title, load, metric, unit in _SHOWN:
        found = {
            one.name: value
            for one in results.subjects
            if one.name != DIRECT
            and (value := results.median(one.name, load.name, metric)) is not None
        }
        if found:
            panels.append(Panel(title, _bars(found, unit)))
    title = "guard-proxy, side by side in one run (logarithmic scales)"
    return drawn(title, f"{results.machine}; {results.date}", panels)


def drawn(title: str, below: str, panels: Sequence[Panel]) -> str:
    """Return panels of bars, one below the other."""
    page = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        _TEMPLATE.read_text("utf-8")
    )
    tops = [*accumulate((one.height for one in panels), initial=_HEAD)]
    return page.render(
        title=title,
        below=below,
        panels=[*zip(tops, panels, strict=False)],
        width=WIDTH,
        height=tops[-1],
        bars_left=BARS_LEFT,
        bar_step=BAR_STEP,
    )


def _bars(found: dict[str, float], unit: str) -> list[Bar]:
    widths = lengths(list(found.values()))
    return [
        Bar(name, name.startswith(OURS), LONGEST_BAR * width, f"{number(value)}{unit}")
        for (name, value), width in zip(found.items(), widths, strict=True)
    ]


def lengths(values: Sequence[float]) -> list[float]:
    """Return the bars' lengths: 1 for the largest, one tenth below the least, logarithmic."""
    logs = [math.log10(max(value, 1e-3)) for value in values]
    least, most = min(logs), max(logs)
    if most == least:
        return [1.0] * len(logs)
    return [0.1 + 0.9 * (one - least) / (most - least) for one in logs]
