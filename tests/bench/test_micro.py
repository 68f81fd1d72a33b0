"""What could make the figures of the guards mean something else than they say."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from rich.console import Console

from guards.core.guard import Stage
from policies.inspection import Inspector
from policies.schema.guard_rule import Action
from policies.schema.loader import load_shipped
from tests.bench import micro
from tests.bench.micro_texts import (
    KB,
    Library,
    exchange,
    known_names,
    patterns,
    phrases,
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


def test_a_point_is_the_median_of_its_rounds_and_its_share_for_each_unit() -> None:
    point = Point(size=4, ms=[2, 900, 1])
    assert point.median_ms == 2
    assert point.us_each == 500


@pytest.mark.parametrize("size_kb", [1, 5, 32])
def test_sources_have_about_the_size_that_was_asked_for(size_kb: int) -> None:
    size = sum(len(source.text.encode()) for source in LIBRARY.sources(size_kb * KB))
    assert size == pytest.approx(size_kb * KB, abs=0.6 * KB)


@pytest.mark.parametrize("size_bytes", [100, KB, 10 * KB])
def test_answers_have_about_the_size_that_was_asked_for(size_bytes: int) -> None:
    sources = LIBRARY.sources(32 * KB)
    size = len(LIBRARY.answer(size_bytes, len(sources), 0).encode())
    assert size_bytes - 1 <= size < size_bytes + 300


def test_no_two_sentences_of_an_answer_are_alike() -> None:
    lines = LIBRARY.answer(10 * KB, 32, 0).splitlines()
    assert len(set(lines)) == len(lines) > 50


def test_answers_with_different_numbers_share_no_sentence() -> None:
    answers = [set(LIBRARY.answer(KB, 5, number).splitlines()) for number in range(6)]
    for one, other in pairwise(answers):
        assert not one & other


def test_libraries_that_begin_far_apart_share_no_source() -> None:
    mine, other = Library(1000).sources(5 * KB), Library(2000).sources(5 * KB)
    assert not {one.text for one in mine} & {one.text for one in other}


def test_an_answer_of_the_sources_passes_the_default_policy() -> None:
    inspector = Inspector(load_shipped("default").policy)
    sources = LIBRARY.sources(5 * KB)
    for number in range(3):
        answer = LIBRARY.answer(KB, len(sources), number)
        verdict = inspector.inspect(exchange(sources, answer), Stage.OUTPUT)
        assert verdict.action is Action.PASS


@pytest.mark.parametrize("lists", [known_names, phrases, patterns])
def test_lists_have_as_many_different_entries_as_were_asked_for(
    lists: Callable[[int], tuple[str, ...]],
) -> None:
    assert len(set(lists(1000))) == 1000


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
