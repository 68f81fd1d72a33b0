"""The SQLite file: private, of a known version, and never left in the middle of a change."""

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from proxy.traces.outbox import Outbox
from proxy.traces.sqlite import SCHEMA_VERSION, Database, UnknownSchema
from proxy.traces.store import TraceStoreAway
from tests.proxy.traces.making import a_trace, entries, now_ms


async def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "traces.sqlite3"
    database = await Database.open(path)
    await database.close()

    assert path.stat().st_mode & 0o777 == 0o600


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


async def test_a_file_of_a_later_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "traces.sqlite3"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()

    with pytest.raises(UnknownSchema):
        await Database.open(path)


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
