"""What the guards alone cost, without a proxy around them, and how that grows."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

from tests.bench import micro_loads as loads
from tests.bench.measuring import machine
from tests.bench.micro_texts import KB
from tests.bench.micro_timing import Growth, Part


class Extent(BaseModel):
    """How far a run goes."""

    model_config = ConfigDict(frozen=True)

    rounds: int
    few: int
    """Rounds of what takes long."""
    sources_kb: list[int]
    answers_bytes: list[int]
    odd_kb: list[int]
    far_sources_kb: int = 128
    """Size of the sources under a growing answer."""
    names: list[int] = [1, 10, 100, 1000]
    phrases: list[int] = [1, 10, 50, 200]
    """The most that a policy may have is 200."""
    patterns: list[int] = [1, 10, 100, 500]


WHOLE = Extent(
    rounds=15,
    few=3,
    sources_kb=[1, 5, 32, 128, 512, 1024],
    answers_bytes=[100, KB, 10 * KB, 100 * KB],
    odd_kb=[25, 50, 100],
)
QUICK = Extent(
    rounds=5,
    few=3,
    sources_kb=[1, 5, 32, 128],
    answers_bytes=[100, KB, 10 * KB],
    odd_kb=[6, 12, 25],
)


class Micro(BaseModel):
    """All of a run, as it is kept in a file."""

    model_config = ConfigDict(extra="forbid")

    machine: str
    alone: list[Part]
    growths: list[Growth]


def main(*, quick: bool = False, file: Path | None = None) -> None:
    """Measure, print, and keep the result in a file if one is named."""
    found = run(Console(width=110, highlight=False), quick=quick)
    if file is not None:
        file.write_text(found.model_dump_json(indent=1), "utf-8")


def run(out: Console, *, quick: bool) -> Micro:
    """Measure and print; the quick way takes under 40 seconds."""
    return measured(out, QUICK if quick else WHOLE)


def measured(out: Console, extent: Extent) -> Micro:
    """Measure so far, and print each table as soon as it is there."""
    found = Micro(machine=machine(), alone=loads.alone(extent.rounds), growths=[])
    out.print(_costs(found.alone))
    for growth in _growths(extent):
        found.growths.append(growth)
        out.print(_grown(growth))
    out.print(_exponents(found.growths))
    return found


def _growths(extent: Extent) -> Iterator[Growth]:
    yield from loads.by_sources(extent.sources_kb, extent.few)
    yield loads.by_answer(extent.answers_bytes, extent.far_sources_kb, extent.few)
    yield loads.by_known_names(extent.names, extent.rounds)
    yield loads.by_phrases(extent.phrases, extent.rounds)
    yield loads.by_patterns(extent.patterns, extent.rounds)
    yield from loads.odd(extent.odd_kb, extent.few)


def _costs(found: list[Part]) -> Table:
    table = Table("what", "CPU", "spread", title="1 KB of answer, five sources of 1 KB")
    for one in found:
        table.add_row(one.name, f"{one.median_ms:.2f} ms", f"±{one.spread:.0%}")
    return table


def _grown(growth: Growth) -> Table:
    table = Table(growth.unit, "CPU", "spread", "for each", title=growth.title)
    for point in growth.points:
        table.add_row(
            f"{point.size:,.4g}",
            f"{point.median_ms:,.2f} ms",
            f"±{point.spread:.0%}",
            f"{point.us_each:,.1f} µs",
        )
    return table


def _exponents(growths: list[Growth]) -> Table:
    table = Table("what", "grows with", "exponent", "at the end", title="growth; 1 is linear")
    for one in growths:
        table.add_row(one.title, one.unit, f"{one.exponent:.2f}", f"{one.exponent_at_the_end:.2f}")
    return table
