"""No lost answer, no lost trace: a Redis that is full, read-only, locked, slow or silent.

What each costs is the same: answers leave as ever, limits are counted by each process, traces wait
in the outbox, readiness says so, and whoever looks at a page is told so in time.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
import redis

from proxy.traces.redis import RedisStore
from proxy.traces.store import TraceStoreAway
from proxy.traces.tally import Bucket
from tests.fakes.redis_process import RedisProcess
from tests.fakes.redis_relay import RedisRelay
from tests.fakes.running_proxy import RunningProxy, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.loading import ANSWER, ASKED, Load
from tests.flow.waiting import eventually
from tests.proxy.dashboard.visitor import Visitor

LIMITED = "limits: {requests_per_minute: 1000}"
"""Such a limit is asked of Redis at each request, and never reached."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisProcess]:
    process = RedisProcess(tmp_path_factory.mktemp("redis"))
    process.start()
    yield process
    process.stop()


@asynccontextmanager
async def proxy_on(folder: Path, url: str) -> AsyncGenerator[RunningProxy, None]:
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(
            folder, upstream, LIMITED, others={"other": LIMITED}, redis_url=url, dashboard=True
        ) as proxy,
    ):
        upstream.says(ANSWER)
        yield proxy


@dataclass(frozen=True)
class Fault:
    """How a server comes to take nothing, and how it is mended; what readiness calls it.

    A full one still counts: the script of the limits makes room before it takes any.
    """

    begin: Callable[[redis.Redis], object]
    mend: Callable[[redis.Redis], object]
    called: str
    limits: str = "away"


def lock(client: redis.Redis) -> None:
    client.config_set("requirepass", "another-word")
    client.client_kill_filter(_type="normal", skipme=True)


def unlock(client: redis.Redis) -> None:
    client.config_set("requirepass", "")


FAULTS = [
    pytest.param(
        Fault(
            lambda client: client.config_set("maxmemory", 1),
            lambda client: client.config_set("maxmemory", 0),
            "OutOfMemoryError|ResponseError",
            limits="ok",
        ),
        id="full",
    ),
    pytest.param(
        Fault(
            lambda client: client.replicaof("127.0.0.1", 1),
            lambda client: client.replicaof("NO", "ONE"),
            "ReadOnlyError|ResponseError",
        ),
        id="read-only",
    ),
    pytest.param(Fault(lock, unlock, "AuthenticationError"), id="another-password"),
]


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_redis_that_takes_nothing_costs_no_answer_and_no_trace(
    tmp_path: Path, server: RedisProcess, fault: Fault
) -> None:
    async with proxy_on(tmp_path, server.url) as proxy:
        load = Load(proxy)
        await load.run(3)
        await eventually(load.is_settled)
        with server.client() as client:
            fault.begin(client)
            try:
                await load.run(10)
                await eventually(load.waits_in_the_outbox)
                state = await load.store_state()
                counted_by = proxy.services.limiter.state
            finally:
                fault.mend(client)
        await eventually(load.is_settled)
        await eventually(load.store_is_back)

        kind, _, cause = state.partition(": ")
        assert (kind, cause in fault.called.split("|")) == ("away", True), state
        assert counted_by.partition(": ")[0] == fault.limits
        load.assert_nothing_was_felt()
        await load.assert_all_kept_once()
        assert proxy.services.recorder.counters()["dropped"] == 0


async def test_scripts_that_the_server_has_forgotten_cost_nothing(
    tmp_path: Path, server: RedisProcess
) -> None:
    async with proxy_on(tmp_path, server.url) as proxy:
        load = Load(proxy)
        await load.run(2)
        with server.client() as client:
            client.script_flush()
        await load.run(2)
        await eventually(load.is_settled)

        assert proxy.services.limiter.state == "ok"
        assert proxy.services.recorder.counters()["outboxed"] == 0
        await load.assert_all_kept_once()


# Silent while somebody looks.

SLOW_S = 3600.0
PAGES = [
    "/dashboard",
    "/dashboard/live?range=1h",
    "/dashboard/traces",
    "/dashboard/traces?text=x&guard=numbers",
    "/dashboard/traces/{trace}",
    "/dashboard/traces/{trace}/json",
    "/dashboard/playground?trace={trace}",
]


@pytest.fixture
async def relay(server: RedisProcess) -> AsyncIterator[RedisRelay]:
    async with RedisRelay(server.port).running() as between:
        yield between


async def test_pages_say_in_time_that_a_silent_store_cannot_be_reached(
    tmp_path: Path, relay: RedisRelay
) -> None:
    async with (
        proxy_on(tmp_path, relay.url) as proxy,
        Visitor(proxy.address) as visitor,
    ):
        reply = await proxy.chat(ASKED)
        await proxy.trace(reply)
        await visitor.sign_in(proxy.key)
        trace = reply.headers["x-guard-request-id"]
        paths = [page.format(trace=trace) for page in PAGES]
        before = await asyncio.gather(*map(visitor.get, paths))
        relay.silent_on = b"{traces}"  # sessions are found, and what is on the page is not
        key = f"Bearer {proxy.key}"
        told, pages = await asyncio.gather(
            asyncio.gather(
                *(visitor.get(path, authorization=key) for path in ("/traces", f"/traces/{trace}"))
            ),
            asyncio.gather(*map(visitor.get, paths)),
        )
        relay.silent_on = b"{dashboard}"
        without_session = await visitor.get("/dashboard/policies")
        relay.silent_on = None

        assert [one.status_code for one in before] == [httpx.codes.OK] * len(PAGES)
        seen = dict(zip(PAGES, (page.status_code for page in pages), strict=True))
        assert seen == dict.fromkeys(PAGES, httpx.codes.SERVICE_UNAVAILABLE)
        assert {page.headers["retry-after"] for page in pages} == {"5"}
        assert [one.json()["error"]["code"] for one in told] == ["trace_store_unavailable"] * 2
        assert without_session.status_code == httpx.codes.SERVICE_UNAVAILABLE


@pytest.mark.long
async def test_readiness_is_told_before_who_asks_gives_up(
    tmp_path: Path, relay: RedisRelay
) -> None:
    async with proxy_on(tmp_path, relay.url) as proxy:
        load = Load(proxy)
        await load.run(1)
        relay.silent_on = b"{traces}"
        began_s = time.monotonic()
        state = await load.store_state()
        took_s = time.monotonic() - began_s
        relay.silent_on = None
        await eventually(load.is_settled)

    assert state == "away: TimeoutError"
    assert took_s < 1.8  # less than the store gives a server


async def test_a_redis_that_is_slow_at_each_of_many_exchanges_is_away_in_the_end(
    relay: RedisRelay,
) -> None:
    store = RedisStore(relay.url, answer_within_s=0.3)
    await store.ping()
    now = datetime.now(UTC)
    relay.delay_s = 0.27  # a server may take 0.3, all together 1.5
    relay.asked.clear()
    with pytest.raises(TraceStoreAway):
        await store.tallies(None, now - timedelta(days=30), now, Bucket.MINUTE)

    assert len(relay.asked) <= 6  # as many as go into the time that all have together
    relay.delay_s = 0.0
    await store.close()


async def test_a_slow_redis_holds_no_request_longer_than_it_may_take_to_count(
    tmp_path: Path, relay: RedisRelay
) -> None:
    async with proxy_on(tmp_path, relay.url) as proxy:
        load = Load(proxy)
        await load.run(1)
        relay.delay_s = SLOW_S
        await load.run(5)
        is_away = proxy.services.limiter.is_away
        relay.delay_s = 0.0
        await eventually(load.is_settled)

        load.assert_nothing_was_felt()
        assert is_away  # so that it was asked once, not by each request
        await load.assert_all_kept_once()
