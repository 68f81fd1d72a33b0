"""The SQLite file: private, of a known version, and never left in the middle of a change."""

import asyncio
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from policies.schema.sections import Tracing
from proxy.traces.embedded import EmbeddedStore
from proxy.traces.query import Query
from proxy.traces.sqlite import SCHEMA_VERSION, Database, Outbox, OutboxFull, UnknownSchema
from proxy.traces.store import Entry, TraceStoreAway
from proxy.traces.tally import Bucket
from proxy.workers import Place
from tests.proxy.traces.making import KEEP, a_trace, entries, now_ms


async def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "traces.sqlite3"
    database = await Database.open(path)
    await database.close()

    assert path.stat().st_mode & 0o777 == 0o600


async def test_a_directory_that_is_not_there_is_named_and_not_made(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "mounted"

    with pytest.raises(TraceStoreAway, match=f"there is no directory {folder}"):
        await Database.open(folder / "traces.sqlite3")

    assert not folder.parent.exists()


async def test_only_what_is_there_is_opened_for_reading(tmp_path: Path) -> None:
    path = tmp_path / "traces.sqlite3"

    with pytest.raises(TraceStoreAway, match=f"there is no file {path}"):
        await Database.open(path, may_create=False)

    assert not path.exists()


async def test_what_was_written_is_there_after_opening_again(tmp_path: Path) -> None:
    path = tmp_path / "traces.sqlite3"
    database = await Database.open(path)
    [entry] = entries(a_trace("one"))
    await Outbox(database, now_ms).put([(7, entry)])
    await database.close()

    database = await Database.open(path)
    outbox = Outbox(database, now_ms)

    assert await outbox.waiting() == (1, 8)
    assert await outbox.first(10) == [entry]
    await database.close()


async def test_what_nobody_can_read_leaves_the_outbox_and_lets_others_out(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "traces.sqlite3")
    outbox = Outbox(database, now_ms)
    broken, good = entries(a_trace("broken"), a_trace("good"))
    await outbox.put([(0, replace(broken, record='{"id": "broken"}')), (1, good)])

    assert await outbox.first(1) == [good]
    assert await outbox.waiting() == (1, 2)
    await database.close()


def of_bytes(name: str, size: int, keep: Tracing = KEEP) -> Entry:
    """Return an entry whose record takes so many bytes; half as many as it has letters."""
    [entry] = entries(a_trace(name), keep=keep)
    return replace(entry, record="é" * (size // 2))


async def test_an_outbox_takes_so_many_bytes_and_then_whole_batches_no_more(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "traces.sqlite3")
    outbox = Outbox(database, now_ms, most_bytes=1_000)
    first = of_bytes("first", 600)
    await outbox.put([(0, first)])

    with pytest.raises(OutboxFull):
        await outbox.put([(1, of_bytes("small", 100)), (2, of_bytes("large", 302))])
    assert await outbox.waiting() == (1, 1)
    await outbox.put([(1, of_bytes("fits", 400))])
    with pytest.raises(OutboxFull):
        await outbox.put([(2, of_bytes("more", 2))])
    await outbox.remove([first])
    await outbox.put([(2, of_bytes("instead", 600))])

    assert await outbox.waiting() == (2, 3)
    await database.close()


async def test_what_expires_makes_room_in_the_outbox(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "traces.sqlite3")
    now = [now_ms()]
    outbox = Outbox(database, lambda: now[0], most_bytes=1_000)
    await outbox.put([(0, of_bytes("brief", 900, Tracing(keep_days=1, keep_last=10)))])
    with pytest.raises(OutboxFull):
        await outbox.put([(1, of_bytes("early", 900))])

    now[0] += 2 * 86_400_000
    await outbox.put([(1, of_bytes("late", 900))])

    assert await outbox.waiting() == (1, 2)
    await database.close()


async def test_processes_share_what_an_outbox_may_hold_and_know_it_after_a_restart(
    tmp_path: Path,
) -> None:
    database = await Database.open(tmp_path / "traces.sqlite3")
    for number in (1, 2):
        outbox = Outbox(database, now_ms, Place(number, 2), most_bytes=1_000)
        await outbox.put([(0, of_bytes(f"first-{number}", 500))])
    for number in (1, 2):
        again = Outbox(database, now_ms, Place(number, 2), most_bytes=1_000)
        with pytest.raises(OutboxFull):
            await again.put([(1, of_bytes(f"second-{number}", 2))])
    await database.close()


async def test_a_file_of_a_later_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "traces.sqlite3"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()

    with pytest.raises(UnknownSchema):
        await Database.open(path)


async def test_a_file_that_somebody_writes_to_is_opened_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "traces.sqlite3"
    await (await Database.open(path)).close()
    writing = sqlite3.connect(path, isolation_level=None)
    writing.execute("BEGIN IMMEDIATE")  # another worker, to the end of this test

    database = await Database.open(path)

    assert await database.rows("SELECT count(*) FROM traces") == [(0,)]
    await database.close()
    writing.close()


async def test_a_file_is_brought_up_to_date_by_one_of_many(tmp_path: Path) -> None:
    path = tmp_path / "traces.sqlite3"

    opened = await asyncio.gather(*(Database.open(path) for _ in range(8)))

    for database in opened:
        assert await database.rows("PRAGMA user_version") == [(SCHEMA_VERSION,)]
        await database.close()


async def test_a_file_that_is_no_database_is_away(tmp_path: Path) -> None:
    path = tmp_path / "traces.sqlite3"
    path.write_text("이것은 데이터베이스가 아닙니다." * 100)

    with pytest.raises(TraceStoreAway):
        await Database.open(path)


async def test_a_change_that_is_cancelled_leaves_nothing_behind(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "traces.sqlite3")
    outbox = Outbox(database, now_ms)
    batch = list(enumerate(entries(*(a_trace(f"t{number}") for number in range(50)))))

    for turns in range(12):  # wherever in the change it is hit
        change = asyncio.create_task(outbox.put(batch))
        for _ in range(turns):
            await asyncio.sleep(0)
        change.cancel()
        await asyncio.gather(change, return_exceptions=True)
        count, _ = await outbox.waiting()
        assert count in (0, 50)

    await outbox.put(batch)
    assert len(await outbox.first(100)) == 50
    await database.close()


async def test_adding_does_not_read_all_that_was_ever_counted(tmp_path: Path) -> None:
    path = tmp_path / "traces.sqlite3"
    database = await Database.open(path)
    store = EmbeddedStore(database, now_ms)
    await store.add(entries(a_trace("first")))
    steps = await _steps_of_adding(database, store, "before")
    rows = [("old", "minute", start_ms, now_ms() + 86_400_000, "{}") for start_ms in range(5_000)]
    async with database.transaction() as change:
        await change.executemany("INSERT INTO tallies VALUES (?, ?, ?, ?, ?)", rows)

    assert await _steps_of_adding(database, store, "after") < 2 * steps + 100
    await database.close()


async def _steps_of_adding(database: Database, store: EmbeddedStore, trace_id: str) -> int:
    """Return how much the file's engine has to do for it, in tens of its own steps."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    async with database.transaction() as change:
        await change.set_progress_handler(count, 10)
    await store.add(entries(a_trace(trace_id)))
    return steps


async def test_processes_that_share_a_file_lose_and_double_nothing(tmp_path: Path) -> None:
    path = tmp_path / "traces.sqlite3"
    databases = [await Database.open(path) for _ in range(3)]
    stores = [EmbeddedStore(database, now_ms) for database in databases]

    async def fill(number: int) -> None:
        for batch in range(20):
            named = (a_trace(f"{number}-{batch}-{place}") for place in range(3))
            await stores[number].add(entries(*named, a_trace(f"same-{batch}")))

    await asyncio.gather(*map(fill, range(3)))

    until = datetime.now(UTC)
    counted = await stores[0].tallies(None, until - timedelta(days=1), until, Bucket.HOUR)
    kept = await stores[0].count(Query())
    for database in databases:
        await database.close()

    assert kept == 3 * 20 * 3 + 20
    assert sum(bucket.tally.requests for bucket in counted) == kept


async def test_each_process_delivers_its_own_part_of_a_shared_outbox(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "traces.sqlite3")
    own = [Outbox(database, now_ms, Place(number, 3)) for number in (1, 2, 3)]
    named = [entries(*(a_trace(f"{number}-{place}") for place in range(4))) for number in range(3)]
    for outbox, batch in zip(own, named, strict=True):
        await outbox.put(list(enumerate(batch)))

    assert [await outbox.first(10) for outbox in own] == named
    assert [await outbox.waiting() for outbox in own] == [(4, 4)] * 3

    await own[0].remove(named[0])
    fewer = [Outbox(database, now_ms, Place(number, 2)) for number in (1, 2)]
    left = [entry.id for outbox in fewer for entry in await outbox.first(10)]
    assert sorted(left) == sorted(entry.id for batch in named[1:] for entry in batch)
    await database.close()


async def test_what_a_replica_left_is_delivered_by_whoever_shares_its_file(tmp_path: Path) -> None:
    path = tmp_path / "traces.sqlite3"
    gone, there = [await Database.open(path) for _ in range(2)]
    left, own = entries(a_trace("left"), a_trace("own"))
    await Outbox(gone, now_ms).put([(0, left)])
    await Outbox(there, now_ms).put([(0, own)])  # replicas do not know each other's places
    await gone.close()
    new = await Database.open(path)
    replicas = [Outbox(there, now_ms), Outbox(new, now_ms)]

    both = [await outbox.first(10) for outbox in replicas]  # the store keeps each once
    assert [{entry.id for entry in batch} for batch in both] == [{"left", "own"}] * 2

    for outbox, batch in zip(replicas, both, strict=True):
        await outbox.remove(batch)
    assert [await outbox.first(10) for outbox in replicas] == [[], []]
    for database in (there, new):
        await database.close()
