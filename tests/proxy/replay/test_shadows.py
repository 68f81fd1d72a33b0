"""Traces on their way to be kept: what of them waits for a shadow policy, and what does not."""

import asyncio
import os
import signal
from collections.abc import Iterator
from unittest.mock import ANY

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from policies.schema.loader import LoadedPolicy, load_shipped
from policies.schema.policy import Action
from policies.schema.sections import StoredText, Tracing
from proxy.replay.workers import Shadows, Workers, judge_again, packed
from proxy.traces.trace import NotReplayed, Trace
from tests.fakes.held_executor import HeldExecutor
from tests.proxy.replay.asking import unanswerable
from tests.proxy.traces.making import a_trace, until

STRICT = load_shipped("strict")


def tried_by(shadow: LoadedPolicy | None, text: StoredText = StoredText.FULL) -> LoadedPolicy:
    """Return a policy with a shadow policy."""
    judged = load_shipped("default")
    tracing = judged.policy.model_copy(update={"tracing": Tracing(text=text)})
    return LoadedPolicy(
        name="acme",
        policy=tracing,
        version="0123abcd",
        path="acme.yaml",
        templates=judged.templates,
        intents=judged.intents,
        entry=judged.entry,
        shadow=shadow,
    )


TRIED = tried_by(STRICT)
HANGS_S = 4.0


class Keeper:
    """Keeps what it gets, and the executors that were started."""

    def __init__(self, most_waiting: int = 500, most_chars: int = 50_000_000) -> None:
        self.kept: list[Trace] = []
        self.tracing: list[Tracing] = []
        self.started: list[HeldExecutor] = []
        self.shadows = Shadows(
            self._keep, start=self._start, most_waiting=most_waiting, most_chars=most_chars
        )

    @property
    def ids(self) -> list[str]:
        return [trace.id for trace in self.kept]

    @property
    def not_run(self) -> list[NotReplayed | None]:
        return [trace.shadow.not_run for trace in self.kept if trace.shadow]

    async def takes(self, *traces: Trace, loaded: LoadedPolicy = TRIED) -> None:
        """Take traces, and let what they need of other tasks happen."""
        for trace in traces:
            self.shadows.take(trace, loaded)
        await asyncio.sleep(0)

    async def keeps(self, many: int) -> None:
        await until(lambda: len(self.kept) == many)

    def _keep(self, trace: Trace, tracing: Tracing) -> None:
        self.kept.append(trace)
        self.tracing.append(tracing)

    def _start(self) -> Workers:
        self.started.append(HeldExecutor())
        return Workers(self.started[-1], ())


@pytest.fixture
def logs() -> Iterator[list[EventDict]]:
    with capture_logs() as captured:
        yield captured


async def test_with_one_it_is_kept_once_that_was_tried() -> None:
    keeper = Keeper()

    await keeper.takes(unanswerable("one"))
    assert keeper.kept == []
    keeper.started[0].let_go()
    await keeper.keeps(1)

    [trace] = keeper.kept
    assert trace.shadow is not None
    assert (trace.shadow.policy.name, trace.shadow.action) == ("strict", Action.REPLACE)
    assert trace.shadow.reasons == ("answerability.empty_context",)
    assert trace.shadow.duration_ms > 0
    assert trace.model_copy(update={"shadow": None}) == unanswerable("one").model_copy(
        update={"started_at": trace.started_at}
    )


async def test_what_cannot_be_judged_again_does_not_wait() -> None:
    keeper = Keeper()

    await keeper.takes(a_trace("wordless").model_copy(update={"text": StoredText.NONE}))

    assert keeper.not_run == [NotReplayed.NO_TEXT]
    assert keeper.started == []


async def test_one_process_serves_all_requests() -> None:
    keeper = Keeper()

    await keeper.takes(unanswerable("one"), unanswerable("two"))
    keeper.started[0].let_go()
    await keeper.keeps(2)
    await keeper.takes(unanswerable("three"), loaded=tried_by(load_shipped("default")))
    keeper.started[0].let_go()
    await keeper.keeps(3)

    assert len(keeper.started) == 1
    shadows = [trace.shadow.policy.name for trace in keeper.kept if trace.shadow]
    assert shadows == ["strict", "strict", "default"]


async def test_what_comes_while_too_much_waits_is_kept_without(logs: list[EventDict]) -> None:
    keeper = Keeper(most_waiting=2)

    await keeper.takes(
        unanswerable("one"), unanswerable("two"), unanswerable("three"), unanswerable("four")
    )

    assert keeper.ids == ["three", "four"]
    assert keeper.not_run == [NotReplayed.QUEUE_FULL] * 2
    full = {"event": "shadow.queue_full", "log_level": "warning", "waiting": 2, "chars": ANY}
    assert logs == [full]  # once for a whole row
    keeper.started[0].let_go()
    await keeper.keeps(4)
    await keeper.takes(unanswerable("five"))
    keeper.started[0].let_go()
    await keeper.keeps(5)
    assert keeper.not_run[2:] == [None] * 3


async def test_at_the_end_nothing_is_lost() -> None:
    keeper = Keeper()
    await keeper.takes(unanswerable("one"), unanswerable("two"))

    await keeper.shadows.close(within_s=0.01)
    await keeper.takes(unanswerable("three"))

    assert sorted(keeper.ids) == ["one", "three", "two"]
    assert keeper.not_run == [NotReplayed.STOPPED] * 3
    assert keeper.started[0].is_shut


@pytest.mark.long
async def test_a_process_that_hangs_is_ended_and_another_one_goes_on() -> None:
    kept: list[Trace] = []
    hanging, working = Workers.start(1), Workers.start(1)
    hanging.pool.submit(os.getpid).result()
    # The second has loaded all that it needs before anyone waits for it: what is measured is a
    # process that stands still, not one that a busy machine lets start slowly.
    working.pool.submit(judge_again, packed(STRICT), unanswerable("zero")).result()
    [process] = hanging.processes
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)
    started = iter([hanging, working])
    shadows = Shadows(
        lambda trace, _: kept.append(trace), start=lambda: next(started), patience_s=HANGS_S
    )

    with capture_logs() as logs:
        shadows.take(unanswerable("one"), TRIED)
        shadows.take(unanswerable("two"), TRIED)
        await until(lambda: len(kept) == 2)
    shadows.take(unanswerable("three"), TRIED)
    await until(lambda: len(kept) == 3)
    await shadows.close()

    not_run = [trace.shadow.not_run for trace in kept if trace.shadow]
    assert not_run == [NotReplayed.FAILED, NotReplayed.FAILED, None]
    assert [line["event"] for line in logs] == ["shadow.stuck", "shadow.failed", "shadow.failed"]
    assert not process.is_alive()
