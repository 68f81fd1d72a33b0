"""Plays the cases of a set, several at once, until all are done or somebody says stop."""

import asyncio
from collections.abc import Callable, Sequence

from proxy.golden.playing import Play, not_run
from proxy.golden.results import CaseResult, Outcome
from proxy.golden.shape import Case


async def run_cases(
    cases: Sequence[Case],
    play: Play,
    *,
    concurrency: int,
    stop: asyncio.Event,
    fail_fast: bool = False,
    on_result: Callable[[CaseResult], None],
) -> tuple[CaseResult, ...]:
    """Return what came of each case, in their order.

    Args:
        cases: The cases.
        play: Plays one.
        concurrency: How many are under way at once.
        stop: Set to end early: what is under way is given up, and counts as not run.
        fail_fast: End early at the first case that does not pass.
        on_result: Called with each result as it comes.
    """
    found: dict[str, CaseResult] = {}
    enough = asyncio.Event()
    waiting = iter(cases)

    async def work() -> None:
        for case in waiting:
            result = found[case.id] = await play(case)
            on_result(result)
            if fail_fast and result.outcome is not Outcome.PASSED:
                enough.set()
            if enough.is_set():
                return

    async def work_all() -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(cases))):
                group.create_task(work())

    tasks = [asyncio.create_task(one) for one in (work_all(), _set(stop), _set(enough))]
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
    return tuple(found.get(case.id) or not_run(case) for case in cases)


async def _set(event: asyncio.Event) -> None:
    await event.wait()
