"""What could make the figures of the guards mean something else than they say."""

from collections.abc import Callable

import pytest
from rich.console import Console

from guards.core.guard import Stage
from policies.inspection import Inspector
from policies.schema.loader import load_shipped
from policies.schema.policy import Action
from tests.bench import micro
from tests.bench.micro_texts import (
    KB,
    Library,
    exchange,
)
from tests.bench.micro_timing import Growth, Point, costs

LIBRARY = Library()


class Clock:
    """Processor time that passes only where a test lets it."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def read(self) -> float:
        return self.now_s


def test_what_is_made_ready_is_not_counted_and_the_first_round_neither() -> None:
    clock = Clock()
    numbers = []

    def prepare(number: int) -> Callable[[], object]:
        numbers.append(number)
        clock.now_s += 100

        def call() -> None:
            clock.now_s += 0.005 if number else 7

        return call

    found = costs({"a": prepare, "b": prepare}, 2, clock.read)
    assert found["a"] == pytest.approx([5, 5])
    assert found["b"] == pytest.approx([5, 5])
    assert numbers == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("costs_ms", "exponent", "at_the_end"),
    [
        pytest.param([1, 10, 100, 1000], 1, 1, id="linear"),
        pytest.param([1, 100, 10_000, 1_000_000], 2, 2, id="quadratic"),
        pytest.param([5, 5, 5, 5], 0, 0, id="constant"),
        pytest.param([10, 10, 100, 1000], 0.7, 1, id="what-is-always-paid-hides-the-beginning"),
    ],
)
def test_growth_is_the_slope_of_the_logarithms(
    costs_ms: list[float], exponent: float, at_the_end: float
) -> None:
    points = [Point(size=10**place, ms=[cost]) for place, cost in enumerate(costs_ms)]
    growth = Growth(title="a pass", unit="KB", points=points)
    assert growth.exponent == pytest.approx(exponent)
    assert growth.exponent_at_the_end == pytest.approx(at_the_end)


def test_an_answer_of_the_sources_passes_the_default_policy() -> None:
    inspector = Inspector(load_shipped("default").policy)
    sources = LIBRARY.sources(5 * KB)
    for number in range(3):
        answer = LIBRARY.answer(KB, len(sources), number)
        verdict = inspector.inspect(exchange(sources, answer), Stage.OUTPUT)
        assert verdict.action is Action.PASS


@pytest.mark.long
def test_a_run_measures_every_guard_and_every_growth() -> None:
    shortest = micro.Extent(
        rounds=2,
        few=2,
        sources_kb=[1, 2],
        answers_bytes=[100, 200],
        odd_kb=[1, 2],
        names=[1, 2],
        phrases=[1, 2],
        patterns=[1, 2],
        far_sources_kb=2,
    )
    out = Console(width=110, quiet=True)
    found = micro.Micro.model_validate_json(micro.measured(out, shortest).model_dump_json())
    assert {"numbers", "names", "whole pass, sources seen"} <= {one.name for one in found.alone}
    assert {one.unit for one in found.growths} == {
        "KB of sources", "KB of answer", "known names", "phrases", "patterns",
    }  # fmt: skip
    for growth in found.growths:
        assert [point.median_ms > 0 for point in growth.points] == [True, True]
