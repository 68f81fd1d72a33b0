"""The recorder: no request waits for it, and no trace is lost while a store is away."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import pytest
import redis
from structlog.testing import capture_logs

from guards.core.exchange import Source
from policies.schema.sections import Tracing
from proxy.traces.query import Page, Query
from proxy.traces.recorder import Limits, Recorder
from proxy.traces.redis import RedisStore
from proxy.traces.sqlite import Database, Outbox
from proxy.traces.store import Decide, Entry, TracesRefused, TraceStore, TraceStoreAway
from proxy.traces.tally import Bucket, TallyBucket
from proxy.traces.trace import Attempt, Choice, Trace
from tests.fakes.redis_process import RedisProcess
from tests.proxy.traces.making import TRACING, a_trace, entries, now_ms, until

QUICK = Limits(gather_s=0.005, first_retry_s=0.02, last_retry_s=0.1)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await Database.open(tmp_path / "traces.sqlite3")
    yield opened
    await opened.close()


@pytest.fixture
def redis_process(tmp_path: Path) -> Iterator[RedisProcess]:
    folder = tmp_path / "redis"
    folder.mkdir()
    server = RedisProcess(folder, durable=True)
    server.start()
    yield server
    server.stop()


@asynccontextmanager
async def redis_store(url: str, answer_within_s: float = 20.0) -> AsyncIterator[RedisStore]:
    store = RedisStore(url, answer_within_s)
    yield store
    await store.close()


def a_recorder(store: TraceStore, database: Database, limits: Limits = QUICK) -> Recorder:
    return Recorder(
        store,
        Outbox(database, now_ms),
        clock=time.monotonic,
        random=lambda: 0.5,
        limits=limits,
    )


async def oldest_first(store: TraceStore) -> list[str]:
    found: list[str] = []
    page = await store.page(Query(after="", limit=500))
    while page.traces:
        found += [trace.id for trace in page.traces]
        page = await store.page(Query(after=page.cursor, limit=500))
    return found


class GatedStore:
    """A store in memory whose door a test opens and shuts; it may fail after it has kept."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.tries = 0
        self.is_open = True
        self.loses_answers = False
        self.hold = asyncio.Event()
        self.hold.set()

    async def add(self, batch: Sequence[Entry]) -> None:
        self.tries += 1
        await self.hold.wait()
        if not self.is_open:
            raise TraceStoreAway("gated", ConnectionError())
        self.kept += [entry.id for entry in batch if entry.id not in self.kept]
        if self.loses_answers:
            raise TraceStoreAway("gated", TimeoutError())

    async def get(self, trace_id: str) -> Trace | None:
        raise NotImplementedError

    async def page(self, query: Query) -> Page:
        raise NotImplementedError

    async def newest(self) -> str:
        raise NotImplementedError

    async def count(self, query: Query) -> int:
        raise NotImplementedError

    async def label(self, trace_id: str, decide: Decide, keep: Tracing) -> Trace | None:
        raise NotImplementedError

    async def tallies(
        self, tenant: str | None, since: datetime, until: datetime, per: Bucket
    ) -> list[TallyBucket]:
        raise NotImplementedError

    async def ping(self) -> None:
        raise NotImplementedError

    async def close(self) -> None:
        raise NotImplementedError


async def test_traces_reach_redis_in_order(redis_url: str, database: Database) -> None:
    names = [f"t{number}" for number in range(250)]
    async with redis_store(redis_url) as store:
        recorder = a_recorder(store, database)
        await recorder.start()
        for name in names:
            recorder.record(a_trace(name), TRACING)
        await until(lambda: recorder.counters()["delivered"] == 250)
        await recorder.close()

        assert await oldest_first(store) == names
        assert recorder.counters() == {
            "queued": 250,
            "delivered": 250,
            "outboxed": 0,
            "dropped": 0,
            "refused": 0,
            "waiting": 0,
            "outbox": 0,
        }


async def test_an_answer_that_was_lost_does_not_double_a_trace(database: Database) -> None:
    gated = GatedStore()
    gated.loses_answers = True
    recorder = a_recorder(gated, database)
    await recorder.start()
    recorder.record(a_trace("one"), TRACING)
    await until(lambda: gated.tries > 2)
    gated.loses_answers = False
    recorder.record(a_trace("two"), TRACING)
    await until(lambda: recorder.counters()["delivered"] == 2)
    await recorder.close()

    assert gated.kept == ["one", "two"]


async def test_a_queue_that_grows_too_long_spills_into_the_file_and_keeps_its_order(
    database: Database,
) -> None:
    gated = GatedStore()
    gated.hold.clear()
    limits = Limits(batch=10, spill_at=20, capacity=200, gather_s=0.001)
    recorder = a_recorder(gated, database, limits)
    await recorder.start()
    names = [f"t{number:03}" for number in range(500)]
    for number, name in enumerate(names):
        recorder.record(a_trace(name), TRACING)
        if number % 100 == 99:  # the store still holds its first batch
            await until(lambda: recorder.counters()["waiting"] < 40)
    outboxed = recorder.counters()["outboxed"]
    gated.hold.set()
    await until(lambda: recorder.counters()["delivered"] == 500)
    await recorder.close()

    assert outboxed > 400
    assert gated.kept == names
    assert recorder.counters()["dropped"] == 0


async def test_an_outbox_that_is_full_costs_what_comes_last_and_says_so(
    database: Database,
) -> None:
    gated = GatedStore()
    gated.is_open = False
    limits = Limits(batch=10, capacity=20, gather_s=0.001, first_retry_s=0.01, last_retry_s=0.01)
    names = [f"t{number:03}" for number in range(100)]
    record_bytes = len(entries(a_trace(names[0]))[0].record.encode())
    outbox = Outbox(database, now_ms, most_bytes=int(50.5 * record_bytes))
    recorder = Recorder(gated, outbox, clock=time.monotonic, random=lambda: 0.5, limits=limits)
    await recorder.start()
    with capture_logs() as logs:
        for name in names[:50]:
            recorder.record(a_trace(name), TRACING)
            await asyncio.sleep(0.001)
        await until(lambda: recorder.counters()["outbox"] == 50)
        # They are counted there before they are written and leave the queue.
        await until(lambda: recorder.counters()["waiting"] == 0)
        assert recorder.outbox_state == "ok"
        for name in names[50:]:
            recorder.record(a_trace(name), TRACING)
        await until(lambda: recorder.outbox_state == "failing: OutboxFull")
        held = recorder.counters()
        gated.is_open = True
        await until(lambda: recorder.counters()["delivered"] == 70)
        await recorder.close()

    assert (held["outbox"], held["waiting"], held["dropped"]) == (50, 20, 30)
    assert gated.kept == names[:70]
    assert recorder.outbox_state == "ok"
    told = [(line["event"], line.get("error"), line.get("reason")) for line in logs]
    assert ("trace.outbox_failed", "OutboxFull", None) in told
    assert ("trace.dropped", "", "queue_full") in told


async def test_closing_leaves_in_the_outbox_what_there_is_room_for(database: Database) -> None:
    gated = GatedStore()
    gated.is_open = False
    limits = Limits(batch=10, gather_s=60.0)
    names = [f"t{number:03}" for number in range(100)]
    record_bytes = len(entries(a_trace(names[0]))[0].record.encode())
    outbox = Outbox(database, now_ms, most_bytes=int(50.5 * record_bytes))
    recorder = Recorder(gated, outbox, clock=time.monotonic, random=lambda: 0.5, limits=limits)
    await recorder.start()
    for name in names:
        recorder.record(a_trace(name), TRACING)
    with capture_logs() as logs:
        await recorder.close()

    assert [entry.id for entry in await outbox.first(100)] == names[:50]
    counted = recorder.counters()
    assert (counted["outboxed"], counted["dropped"]) == (50, 50)
    assert [line["traces"] for line in logs if line["event"] == "trace.lost"] == [50]


async def test_beyond_its_capacity_the_newest_are_dropped_and_counted(database: Database) -> None:
    gated = GatedStore()
    recorder = a_recorder(gated, database, Limits(capacity=3, gather_s=0.001))
    await recorder.start()
    with capture_logs() as logs:
        for number in range(10):  # nothing else runs meanwhile
            recorder.record(a_trace(f"t{number}"), TRACING)
    await recorder.close()

    assert gated.kept == ["t0", "t1", "t2"]
    assert recorder.counters()["dropped"] == 7
    assert [line["event"] for line in logs] == ["trace.dropped"]


async def test_closing_does_not_wait_for_a_store_that_hangs(database: Database) -> None:
    gated = GatedStore()
    gated.hold.clear()
    recorder = a_recorder(gated, database)
    await recorder.start()
    for number in range(120):
        recorder.record(a_trace(f"t{number}"), TRACING)
    await until(lambda: gated.tries == 1)
    await recorder.close(within_s=0.4)

    assert not gated.hold.is_set()
    waiting = await Outbox(database, now_ms).first(200)
    assert [entry.id for entry in waiting] == [f"t{number}" for number in range(120)]


async def test_large_traces_go_in_smaller_batches(database: Database) -> None:
    gated = GatedStore()
    recorder = a_recorder(gated, database, Limits(batch_chars=1_000, gather_s=0.001))
    await recorder.start()
    for number in range(4):
        recorder.record(a_trace(f"t{number}", question="가" * 2_000), TRACING)
    await until(lambda: len(gated.kept) == 4)
    await recorder.close()

    assert gated.tries == 4


async def test_retries_wait_longer_each_time_and_never_too_long(database: Database) -> None:
    waits_s: list[float] = []

    async def sleep(seconds: float) -> None:
        waits_s.append(seconds)
        await asyncio.sleep(0)

    gated = GatedStore()
    gated.is_open = False
    recorder = Recorder(
        gated,
        Outbox(database, now_ms),
        clock=time.monotonic,
        random=lambda: 1.0,
        sleep=sleep,
        limits=Limits(gather_s=0.0, first_retry_s=1.0, last_retry_s=5.0),
    )
    await recorder.start()
    recorder.record(a_trace("one"), TRACING)
    await until(lambda: gated.tries >= 6)
    await recorder.close()

    assert [wait for wait in waits_s if wait][:5] == [1.0, 2.0, 4.0, 5.0, 5.0]


class PickyStore(GatedStore):
    """A store that never takes some traces, and takes nothing that comes together with them."""

    def __init__(self, refused: str, error: Exception) -> None:
        super().__init__()
        self.refused = refused
        self.error = error

    async def add(self, batch: Sequence[Entry]) -> None:
        if any(self.refused in entry.id for entry in batch):
            self.tries += 1
            raise self.error
        await super().add(batch)


REFUSALS = [
    pytest.param(TracesRefused("picky", ValueError()), "picky:ValueError", id="by-the-store"),
    pytest.param(ValueError("연차는 며칠인가요?"), "ValueError", id="by-what-it-is-written-in"),
]


@pytest.mark.parametrize(("error", "named"), REFUSALS)
async def test_a_trace_that_is_refused_again_and_again_is_dropped_and_the_others_are_kept(
    database: Database, error: Exception, named: str
) -> None:
    store = PickyStore("bad", error)
    recorder = a_recorder(store, database)
    await recorder.start()

    with capture_logs() as logs:
        for name in ("t1", "bad", "t2"):
            recorder.record(a_trace(name), TRACING)
        await until(lambda: recorder.counters()["refused"] == 1)
        recorder.record(a_trace("t3"), TRACING)
        await until(lambda: recorder.counters()["delivered"] == 3)
    await recorder.close()

    assert store.kept == ["t1", "t2", "t3"]
    assert recorder.counters()["outbox"] == recorder.counters()["waiting"] == 0
    [line] = [line for line in logs if line["event"] == "trace.refused"]
    assert (line["log_level"], line["id"], line["error"]) == ("error", "bad", named)
    assert "연차" not in str(logs)
    assert await Outbox(database, now_ms).first(10) == []


async def test_a_store_that_goes_away_while_it_refuses_loses_nothing(database: Database) -> None:
    store = PickyStore("bad", TracesRefused("picky", ValueError()))
    recorder = a_recorder(store, database)
    await recorder.start()

    for name in ("t1", "bad", "t2"):
        recorder.record(a_trace(name), TRACING)
    await until(lambda: store.tries > 0)
    store.is_open = False
    await until(lambda: store.tries > 2 * QUICK.most_refusals)
    assert recorder.counters()["refused"] == 0
    store.is_open = True
    await until(lambda: recorder.counters()["refused"] == 1)
    await recorder.close()

    assert store.kept == ["t1", "t2"]


async def test_redis_that_holds_something_else_in_a_tenants_place_refuses_that_tenant_only(
    redis_url: str, database: Database
) -> None:
    client = redis.Redis.from_url(redis_url)
    client.set("guard-proxy:{traces}:stream:blocked", "something else")
    async with redis_store(redis_url) as store:
        recorder = a_recorder(store, database)
        await recorder.start()
        for name, tenant in (("b1", "blocked"), ("t1", "acme"), ("b2", "blocked")):
            recorder.record(a_trace(name, tenant=tenant), TRACING)
        await until(lambda: recorder.counters()["refused"] == 2)
        await recorder.close()

        assert [trace.id for trace in (await store.page(Query(tenant="acme"))).traces] == ["t1"]
    client.close()


@pytest.mark.parametrize("failures", [0, 1, 9])
async def test_a_very_long_trace_is_masked_apart_if_that_can_be(
    database: Database, failures: int
) -> None:
    gated = GatedStore()
    recorder = a_recorder(gated, database, Limits(gather_s=0.001, long_chars=1, very_long_chars=2))
    given = 0

    with ThreadPoolExecutor(max_workers=1) as pool:

        def run_apart(work: Callable[[], Entry | Exception]) -> Future[Entry | Exception]:
            nonlocal given
            given += 1
            if given <= failures:
                raise BrokenProcessPool("it has died")
            return pool.submit(work)

        recorder.run_apart = run_apart
        await recorder.start()
        recorder.record(a_trace("t"), TRACING)
        await until(lambda: gated.kept == ["t"])
        await recorder.close()

    assert given == min(failures + 1, 2)


LONG = "가" * 30_000


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"model": LONG}, id="model"),
        pytest.param({"sources": (Source("1", LONG, "글"),)}, id="title"),
        pytest.param({"sources": (Source("1", "", "글", file=LONG),)}, id="file"),
        pytest.param(
            {"attempts": (Attempt(choices=(Choice(text="네.", finish_reason=LONG),)),)},
            id="finish-reason",
        ),
    ],
)
def test_a_long_name_makes_a_trace_a_long_one(changes: dict[str, object]) -> None:
    trace = a_trace("t1").model_copy(update=changes)

    assert trace.chars > Limits().long_chars
