"""``make bench``: what reading, guarding and waiting cost, as ratios side by side in one run."""

import math
from collections.abc import Callable
from functools import partial

from rich.console import Console
from rich.table import Table

from guards.core.exchange import Exchange
from guards.core.guard import Stage
from guards.core.reading import Reading, forget_sources, read
from guards.core.registry import all_guards
from policies.inspection import Inspector
from policies.loader import load_shipped
from tests.bench.measuring import Measured, machine, side_by_side
from tests.bench.streams import first_sentences
from tests.bench.texts import QUESTION, exchange, grown, sized

OUT = Console(width=110, highlight=False)
SIZES_KB = (1, 3, 10, 30, 100)
BOTH_KB = (5, 10, 20, 40)
ODD_KB = (25, 50, 100)
ODD = ("[1", "가. ", "제1조 ", "(", "약 3만원 ", "1%", "아마 ", "국민은행 ")
FEW_ROUNDS = 5


def main() -> None:
    OUT.print(f"machine: {machine()}")
    first_sentences(OUT)
    guards()
    whole_pass()
    growth()
    growth_of_both()
    odd_texts()


def guards() -> None:
    """Each guard alone, over a 1 KB answer with five 1 KB sources that are read already."""
    reading = read(exchange(1, 5))
    tasks: dict[str, Callable[[], object]] = {
        "reading (cold)": lambda: read_all(fresh(exchange(1, 5))),
    }
    for name, guard in all_guards().items():
        tasks[name] = partial(guard(guard.settings_type()).check, reading)
    for task in tasks.values():
        task()
    show("one guard, sources read (answer 1 KB, sources 5 x 1 KB)", side_by_side(tasks), 1)


def whole_pass() -> None:
    """All guards of the default policy, the way a request meets them."""
    inspector = Inspector(load_shipped("strict").policy)
    case = exchange(1, 5)

    def cold() -> object:
        forget_sources()
        return inspector.inspect(case, Stage.OUTPUT)

    def cached() -> object:
        return inspector.inspect(case, Stage.OUTPUT)

    cached()
    show("whole pass over one answer", side_by_side({"cached sources": cached, "cold": cold}), 1)


def growth() -> None:
    """How the whole pass grows with the sources: the exponent is 1 where it is linear."""
    inspector = Inspector(load_shipped("strict").policy)

    def cold(size_kb: int) -> Callable[[], object]:
        case = exchange(1, size_kb)

        def run() -> object:
            forget_sources()
            return inspector.inspect(case, Stage.OUTPUT)

        return run

    found = side_by_side({f"{size} KB of sources": cold(size) for size in SIZES_KB})
    show("whole pass, cold, by size of the sources", found, 1)
    show_exponent([(size, one) for size, one in zip(SIZES_KB, found.values(), strict=True)][-3:])


def growth_of_both() -> None:
    """How the whole pass grows with the answer, when the sources are as long and are read."""
    inspector = Inspector(load_shipped("strict").policy)
    tasks = {
        f"{size} KB of each": partial(inspector.inspect, grown(size), Stage.OUTPUT)
        for size in BOTH_KB
    }
    found = side_by_side(tasks, FEW_ROUNDS)
    show("whole pass, sources read, by size of answer and sources", found, 1)
    show_exponent(list(zip(BOTH_KB, found.values(), strict=True)))


def odd_texts() -> None:
    """How long the whole pass takes over answers of one thing again and again."""
    inspector = Inspector(load_shipped("strict").policy)
    sources = exchange(1, 1).sources
    for unit in ODD:
        tasks = {
            f"{unit!r}, {size} KB": partial(
                inspector.inspect,
                Exchange(QUESTION, sources, answer=sized(unit, size)),
                Stage.OUTPUT,
            )
            for size in ODD_KB
        }
        found = side_by_side(tasks, FEW_ROUNDS)
        show("whole pass over an odd answer", found, 1)
        show_exponent(list(zip(ODD_KB, found.values(), strict=True)))


def fresh(case: Exchange) -> Reading:
    forget_sources()
    return read(case)


def read_all(reading: Reading) -> None:
    for part in reading.parts:
        _ = part.text.normal, part.text.sentences, part.text.laws, part.text.quantities


def show_exponent(found: list[tuple[int, Measured]]) -> None:
    points = [(math.log(size), math.log(measured.median_s)) for size, measured in found]
    first, last = found[0][0], found[-1][0]
    OUT.print(f"fitted exponent from {first} to {last} KB: {slope(points):.2f}\n")


def slope(points: list[tuple[float, float]]) -> float:
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    above = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return above / sum((x - mean_x) ** 2 for x, _ in points)


def show(title: str, found: dict[str, Measured], answer_kb: int) -> None:
    table = Table("what", "median", "spread", "to the first row", title=title, title_justify="left")
    first = next(iter(found.values())).median_s
    for name, measured in found.items():
        per_kb = measured.median_s * 1e6 / answer_kb
        ratio = f"{measured.median_s / first:.2f} x"
        table.add_row(name, f"{per_kb:,.0f} µs", f"±{measured.spread:.0%}", ratio)
    OUT.print(table)


if __name__ == "__main__":
    main()
