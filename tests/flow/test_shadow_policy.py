"""A shadow policy, tried on real requests by a real process."""

import signal
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from concurrent.futures import Executor
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from policies.schema.keys import new_key
from policies.schema.policy import Action
from proxy.app import create_app
from proxy.openai_api.json_body import JsonObject
from proxy.replay.workers import Shadows, Workers
from proxy.server.serving import served
from proxy.traces.trace import NotReplayed, ReplayResult, Trace, Unknown
from tests.fakes.command import DEADLINE_S, Running, running
from tests.fakes.held_executor import HeldExecutor
from tests.fakes.processes import children_of, is_there
from tests.fakes.running_proxy import RunningProxy, running_proxy, tenant_yaml
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.pool import FEE, WRONG_FEE, WRONG_LOCKER, asked
from tests.flow.replies import said
from tests.flow.waiting import eventually

NEXT = "shadow_policy: next\n"
UNNUMBERED = "extends: app\nguards: {numbers: {mode: off}}\n"
ONCE = "extends: app\nregeneration: {enabled: false}\n"
COUNTS = "guard_proxy_shadow_decisions_total"

pytestmark = pytest.mark.asyncio(loop_scope="module")


def write_next(folder: Path, text: str = ONCE) -> None:
    (folder / "policies").mkdir(exist_ok=True)
    (folder / "policies" / "next.yaml").write_text(text, encoding="utf-8")


@dataclass
class Hand:
    """A proxy whose shadows work by hand, beside one whose shadows are its own."""

    proxy: RunningProxy
    address: str
    shadows: Shadows
    started: list[Executor]

    async def chat(self, body: JsonObject) -> httpx.Response:
        return await self.proxy.client.post(
            f"{self.address}/v1/chat/completions",
            json=body,
            headers={"authorization": f"Bearer {self.proxy.key}"},
        )

    async def trace(self, reply: httpx.Response) -> Trace:
        return await self.proxy.trace(reply)


@asynccontextmanager
async def by_hand(
    folder: Path, upstream: ScriptedUpstream, *, held: bool, policy: str = NEXT
) -> AsyncGenerator[Hand, None]:
    """Run a proxy with a shadow policy; `held` work waits until it is let go."""
    started: list[Executor] = []

    def start() -> Workers:
        workers = Workers(HeldExecutor(), ()) if held else Workers.start(1)
        started.append(workers.pool)
        return workers

    async with running_proxy(folder, upstream, policy) as proxy:
        shadows = Shadows(proxy.services.recorder.record, start=start)
        app = create_app(replace(proxy.services, shadows=shadows))
        async with served(app) as address:
            yield Hand(proxy, address, shadows, started)
            await shadows.close(within_s=0.1)


@pytest.fixture
def logs() -> Iterator[list[EventDict]]:
    with capture_logs() as captured:
        yield captured


def shadow_of(trace: Trace) -> ReplayResult:
    assert trace.shadow is not None
    return trace.shadow


def found_in(shadow: ReplayResult) -> list[tuple[int, str]]:
    return [(one.attempt, each.observed) for one in shadow.choices for each in one.findings]


async def test_the_trace_says_what_another_policy_would_have_done(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    write_next(tmp_path)
    upstream.says(WRONG_FEE, FEE)
    others = {"wordless": f"{NEXT}tracing: {{text: none}}", "shipped": "shadow_policy: strict"}

    async with running_proxy(tmp_path, upstream, NEXT, others=others) as proxy:
        reply = await proxy.chat(asked())
        beside = shadow_of(await proxy.trace(reply))
        wordless = await proxy.trace(await proxy.chat(asked(), key=proxy.keys["wordless"]))
        upstream.says(f"{FEE} {WRONG_LOCKER}")
        trimmed = await proxy.trace(await proxy.chat(asked(), key=proxy.keys["shipped"]))
        metrics = await proxy.client.get(f"{proxy.address}/metrics")

    assert (said(reply), reply.headers["x-guard-action"]) == (FEE, "regenerate")
    assert (beside.policy.name, beside.not_run, beside.unknown) == ("next", None, None)
    assert (beside.action, beside.reasons) == (Action.REPLACE, ("numbers.value_differs",))
    assert [WRONG_FEE in text for text in beside.replies] == [False]
    assert found_in(beside) == [(1, "57,000원")]
    # What is kept of it goes by the policy that judged the request.
    assert (shadow_of(wordless).action, shadow_of(wordless).replies) == (Action.REPLACE, ("",))
    assert found_in(shadow_of(wordless)) == [(1, "")]
    shipped = shadow_of(trimmed)
    assert (shipped.policy.name, trimmed.action) == ("strict", Action.TRIM)
    assert (shipped.action, shipped.unknown) == (Action.REGENERATE, Unknown.NO_SECOND_ATTEMPT)
    assert f'{COUNTS}{{changed="true",tenant="app",would="replace"}} 1.0' in metrics.text


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
async def test_the_reply_does_not_wait_for_it(
    tmp_path: Path, upstream: ScriptedUpstream, stream: bool
) -> None:
    write_next(tmp_path)
    upstream.says(FEE)

    async with by_hand(tmp_path, upstream, held=True) as hand:
        reply = await hand.chat(asked(stream=stream))
        assert said(reply) == FEE
        [held] = hand.started
        assert isinstance(held, HeldExecutor)
        assert len(held.waiting) == 1
        assert hand.proxy.services.recorder.counters()["queued"] == 0
        held.let_go()
        trace = await hand.trace(reply)

    assert shadow_of(trace).action is Action.PASS


async def test_a_process_that_dies_costs_nobody_but_its_own_work(
    tmp_path: Path, upstream: ScriptedUpstream, logs: list[EventDict]
) -> None:
    write_next(tmp_path)
    upstream.says(FEE)

    async with by_hand(tmp_path, upstream, held=True) as hand:
        reply = await hand.chat(asked())
        [held] = hand.started
        assert isinstance(held, HeldExecutor)
        [(work, _)] = held.waiting
        work.set_exception(BrokenProcessPool())
        first = await hand.trace(reply)
        next_reply = await hand.chat(asked())
        _, another = hand.started
        assert isinstance(another, HeldExecutor)
        another.let_go()
        second = await hand.trace(next_reply)

    assert said(reply) == FEE
    assert [shadow_of(trace).not_run for trace in (first, second)] == [NotReplayed.FAILED, None]
    [failed] = [line for line in logs if line["event"] == "shadow.failed"]
    assert failed["request_id"] == first.id
    assert failed["error"] == "BrokenProcessPool"


async def test_a_proxy_that_stops_keeps_what_was_under_way(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    write_next(tmp_path)
    upstream.says(FEE)

    async with by_hand(tmp_path, upstream, held=True) as hand:
        reply = await hand.chat(asked())
        await hand.shadows.close(within_s=0.01)
        trace = await hand.trace(reply)

    assert shadow_of(trace).not_run is NotReplayed.STOPPED
    assert trace.replies == (FEE,)


async def test_an_edit_of_its_file_takes_effect(tmp_path: Path, upstream: ScriptedUpstream) -> None:
    write_next(tmp_path)
    upstream.says(WRONG_FEE)

    async with running_proxy(tmp_path, upstream, NEXT) as proxy:
        before = shadow_of(await proxy.trace(await proxy.chat(asked())))
        write_next(tmp_path, UNNUMBERED)

        async def is_read() -> bool:
            loaded = proxy.services.policies.snapshot.tenants["app"].shadow
            return loaded is not None and loaded.version != before.policy.version

        await eventually(is_read)
        after = shadow_of(await proxy.trace(await proxy.chat(asked())))

    assert (before.action, after.action) == (Action.REPLACE, Action.PASS)
    assert after.replies == (WRONG_FEE,)


# --- a process of its own ------------------------------------------------------------------------


def none_of(numbers: set[int]) -> Callable[[], Awaitable[bool]]:
    """Return what tells whether none of these processes is there any more."""

    async def are_gone() -> bool:
        return not any(map(is_there, numbers))

    return are_gone


@asynccontextmanager
async def serving(
    folder: Path, upstream: ScriptedUpstream
) -> AsyncGenerator[tuple[Running, set[int]], None]:
    """Run the service until a shadow policy was tried; yields it and its processes."""
    write_next(folder)
    key, key_hash = new_key("app")
    text = tenant_yaml("app", key_hash, upstream.address, NEXT)
    (folder / "policies" / "app.yaml").write_text(text, encoding="utf-8")
    async with (
        running(folder, "serve", "--policies", "policies", port="0") as command,
        httpx.AsyncClient(timeout=DEADLINE_S) as client,
    ):
        address = str((await command.logged("service.started"))["address"])
        reply = await client.post(
            f"{address}/v1/chat/completions",
            json=asked(),
            headers={"authorization": f"Bearer {key}"},
        )
        assert reply.status_code == httpx.codes.OK
        counted = f'{COUNTS}{{changed="false",tenant="app",would="pass"}} 1.0'

        async def is_tried() -> bool:
            return counted in (await client.get(f"{address}/metrics")).text

        await eventually(is_tried)
        children = children_of(command.process.pid)
        assert children
        yield command, children


async def test_a_process_ends_by_itself_when_the_service_is_gone(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    upstream.says(FEE)
    async with serving(tmp_path, upstream) as (command, children):
        command.signal(signal.SIGKILL)
        await eventually(none_of(children))
