"""Several cases at once, in order, and ended early."""

import asyncio

from proxy.golden.results import CaseResult, Outcome
from proxy.golden.runner import run_cases
from proxy.golden.shape import Case
from tests.proxy.golden.sets import golden_of, result_of

CASES = golden_of(
    "cases:\n" + "".join(f"  - {{id: case-{n}, query: 네?}}\n" for n in range(6))
).cases


class Stage:
    """Plays cases one step at a time; `open` lets those go on that wait."""

    def __init__(self, faulty: str = "") -> None:
        self.faulty = faulty
        self.open = asyncio.Event()
        self.under_way: set[str] = set()
        self.most = 0
        self.waiting = asyncio.Event()

    async def play(self, case: Case) -> CaseResult:
        self.under_way.add(case.id)
        self.most = max(self.most, len(self.under_way))
        if case.id != self.faulty:
            self.waiting.set()
            await self.open.wait()
        self.under_way.remove(case.id)
        return result_of(case.id, Outcome.FAILED if case.id == self.faulty else Outcome.PASSED)


def outcomes(results: tuple[CaseResult, ...]) -> list[tuple[str, str]]:
    return [(result.id, result.outcome.value) for result in results]


async def test_no_more_than_wanted_are_under_way_and_the_order_is_the_files() -> None:
    stage = Stage()
    stage.open.set()
    seen: list[str] = []

    results = await run_cases(
        CASES,
        stage.play,
        concurrency=3,
        stop=asyncio.Event(),
        on_result=lambda result: seen.append(result.id),
    )

    assert outcomes(results) == [(case.id, "passed") for case in CASES]
    assert sorted(seen) == [case.id for case in CASES]
    assert stage.most <= 3


async def test_who_says_stop_gets_what_is_known() -> None:
    stage = Stage(faulty="case-0")
    stop = asyncio.Event()
    running = asyncio.create_task(
        run_cases(CASES, stage.play, concurrency=1, stop=stop, on_result=lambda _: None)
    )

    await stage.waiting.wait()
    stop.set()
    results = await running

    assert outcomes(results) == [
        ("case-0", "failed"),
        *((case.id, "not_run") for case in CASES[1:]),
    ]


async def test_the_first_fault_ends_a_run_that_is_to_fail_fast() -> None:
    stage = Stage(faulty="case-2")
    stage.open.set()

    results = await run_cases(
        CASES,
        stage.play,
        concurrency=1,
        stop=asyncio.Event(),
        fail_fast=True,
        on_result=lambda _: None,
    )

    assert [result.outcome.value for result in results[:3]] == ["passed", "passed", "failed"]
    assert {result.outcome for result in results[3:]} == {Outcome.NOT_RUN}
