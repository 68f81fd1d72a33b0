"""The SQLite file of a proxy, with the outbox of traces that wait for their store.

The embedded trace store stands in the same file.
"""

import asyncio
import json
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import aiosqlite

from policies.schema.sections import Tracing
from proxy.traces.query import readable
from proxy.traces.store import Entry, TraceStoreAway
from proxy.workers import ALONE, Place

_TABLES = Path(__file__).with_name("tables.sql").read_text("utf-8")
SCHEMA_VERSION = 4
_BUSY_MS = 5_000
_AGAIN_S = 0.01
_PRAGMAS = (
    "PRAGMA synchronous = NORMAL",
    f"PRAGMA busy_timeout = {_BUSY_MS}",
    "PRAGMA secure_delete = ON",
)


class UnknownSchema(Exception):
    """The file was written by another version of the proxy, whose tables this one does not know."""

    def __init__(self, path: Path, version: int) -> None:
        super().__init__(
            f"{path} has tables of version {version}; this proxy knows version {SCHEMA_VERSION}"
        )
        self.path = path
        self.version = version


class Database:
    """One connection to the file; what happens in it happens one after the other."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, path: Path, *, may_create: bool = True) -> "Database":
        """Open the file, readable by its owner only; make it, and tables that are not there.

        Args:
            path: The file, in a directory that is there.
            may_create: Whether to make a file that is not there.

        Raises:
            TraceStoreAway: The file cannot be opened, or is not there.
            UnknownSchema: It belongs to another version of the proxy.
        """
        with _as_away():
            await asyncio.to_thread(_make_private_file if may_create else _find_file, path)
            # Transactions are opened by hand: the driver would begin them only at the first write.
            connection = await aiosqlite.connect(path, isolation_level=None)
        database = cls(connection)
        try:
            await database._prepare(path)
        except BaseException:
            await connection.close()
            raise
        return database

    async def _prepare(self, path: Path) -> None:
        for pragma in _PRAGMAS:
            await self.rows(pragma)
        await self._write_ahead()
        [(version,)] = await self.rows("PRAGMA user_version")
        if version == SCHEMA_VERSION:
            return  # whoever writes meanwhile holds up no start
        async with self.transaction() as change:
            [(version,)] = await change.execute_fetchall("PRAGMA user_version")
            if version == SCHEMA_VERSION:
                return  # another process has made the tables meanwhile
            if version != 0:
                raise UnknownSchema(path, version)
            for statement in _TABLES.split(";"):
                await change.execute(statement)
            await change.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    async def _write_ahead(self) -> None:
        """Have changes written ahead of the file, and wait for whoever opens a new file as well.

        Where two would wait for each other, SQLite refuses one of them without waiting.
        """
        until_s = time.monotonic() + _BUSY_MS / 1000
        while True:
            try:
                await self.rows("PRAGMA journal_mode = WAL")
            except TraceStoreAway as away:
                if not _is_busy(away.__cause__) or time.monotonic() > until_s:
                    raise
                await asyncio.sleep(_AGAIN_S)
            else:
                return

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[aiosqlite.Connection]:
        """Give the connection for changes that are made together or not at all."""
        async with self._turn:
            with _as_away():
                try:
                    await self._connection.execute("BEGIN IMMEDIATE")
                    yield self._connection
                    await self._connection.commit()
                except BaseException:
                    # Also after a cancelled BEGIN, which may still have run in the driver's thread.
                    await self._connection.rollback()
                    raise

    async def rows(self, sql: str, values: Iterable[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        async with self._turn:
            with _as_away():
                return [tuple(row) for row in await self._connection.execute_fetchall(sql, values)]

    async def close(self) -> None:
        """Close the file."""
        await self._connection.close()


async def insert(change: aiosqlite.Connection, into: str, rows: Sequence[Sequence[object]]) -> None:
    """Insert rows by one statement.

    The driver gives up the interpreter for every step of a statement, and has to wait for it again
    where other work keeps it busy: a statement for each row would take seconds for a hundred.

    Args:
        into: What stands behind ``INSERT``, our own text: ``INTO table (columns)``.
        rows: Values in the order of the columns.
    """
    if not rows:
        return
    places = f"({', '.join('?' * len(rows[0]))})"
    statement = f"INSERT {into} VALUES {', '.join([places] * len(rows))}"  # noqa: S608 - our own text
    await change.execute(statement, [value for row in rows for value in row])


def _make_private_file(path: Path) -> None:
    # A directory made here would hide that a volume is not mounted, or a name mistyped.
    if not path.parent.is_dir():
        raise _missing(f"there is no directory {path.parent.absolute()}")
    path.touch(mode=0o600)


def _find_file(path: Path) -> None:
    if not path.exists():
        raise _missing(
            f"there is no file {path.absolute()}; GUARD_PROXY_SQLITE_PATH names the one that the "
            "service writes, or GUARD_PROXY_REDIS_URL its Redis"
        )


def _missing(said: str) -> TraceStoreAway:
    return TraceStoreAway("embedded", FileNotFoundError(said), said)


@contextmanager
def _as_away() -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise TraceStoreAway("embedded", error, _error_text(error)) from error


def _is_busy(error: BaseException | None) -> bool:
    # Behind the lowest byte stands what it is busy with.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def _error_text(error: Exception) -> str | None:
    if getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return "the file that GUARD_PROXY_SQLITE_PATH names is no SQLite database, or a broken one"
    return None


class OutboxFull(Exception):
    """So many traces wait that no more may."""

    def __init__(self, most_bytes: int) -> None:
        super().__init__(f"{most_bytes} bytes of traces wait, which is all that may")
        self.most_bytes = most_bytes


class Outbox:
    """Traces in the order of their places, across restarts.

    Several processes may keep theirs in one file. Each has every so manieth place, so that none
    delivers what another does, and that all is delivered when they are more or fewer next time.

    Args:
        database: The open file; closing it is its opener's business.
        now_ms: Wall clock, in milliseconds since 1970.
        most_bytes: Most bytes of traces that may wait, for all of them together; None for any.
    """

    def __init__(
        self,
        database: Database,
        now_ms: Callable[[], int],
        owner: Place = ALONE,
        most_bytes: int | None = None,
    ) -> None:
        self._database = database
        self._now_ms = now_ms
        self._count = owner.count
        self._rest = owner.number % owner.count
        self._own_bytes = None if most_bytes is None else most_bytes // owner.count
        # At most so much of ours waits; what was sent is noticed only when it would be too much.
        self._held_bytes: int | None = None

    async def put(self, batch: Sequence[tuple[int, Entry]]) -> None:
        """Let traces wait at their places; an id that waits already is passed over.

        Raises:
            OutboxFull: There is no room for all of them; then none waits.
        """
        rows = [
            (
                place * self._count + self._rest,
                entry.id,
                entry.expires_ms,
                entry.tracing.keep_days,
                entry.tracing.keep_last,
                entry.record,
                len(entry.record.encode()),
            )
            for place, entry in batch
        ]
        async with self._database.transaction() as change:
            await change.execute("DELETE FROM outbox WHERE expires_ms <= ?", [self._now_ms()])
            await self._make_room(change, sum(row[-1] for row in rows))
            await insert(
                change,
                "OR IGNORE INTO outbox"
                " (place, id, expires_ms, keep_days, keep_last, record, bytes)",
                rows,
            )

    async def _make_room(self, change: aiosqlite.Connection, more: int) -> None:
        if self._own_bytes is None:
            return
        if self._held_bytes is None or self._held_bytes + more > self._own_bytes:
            [(self._held_bytes,)] = await change.execute_fetchall(
                "SELECT coalesce(sum(bytes), 0) FROM outbox WHERE place % ? = ?",
                [self._count, self._rest],
            )
        if self._held_bytes + more > self._own_bytes:
            raise OutboxFull(self._own_bytes)
        self._held_bytes += more

    async def first(self, limit: int) -> list[Entry]:
        """Return the traces that have waited longest; forget what nobody can read any more."""
        while True:
            rows = await self._database.rows(
                "SELECT id, keep_days, keep_last, record FROM outbox WHERE place % ? = ?"
                " ORDER BY place LIMIT ?",
                [self._count, self._rest, limit],
            )
            entries = await asyncio.to_thread(_entries, rows)
            lost = [trace_id for trace_id, entry in entries if entry is None]
            if lost:
                await self._forget(lost)
            if len(lost) < len(rows) or not rows:
                return [entry for _, entry in entries if entry is not None]

    async def remove(self, batch: Sequence[Entry]) -> None:
        """Forget traces that were delivered."""
        await self._forget(entry.id for entry in batch)

    async def waiting(self) -> tuple[int, int]:
        """Return how many traces wait, and the first place behind them."""
        [(count, last)] = await self._database.rows(
            "SELECT count(*), coalesce(max(place), 0) FROM outbox WHERE place % ? = ?",
            [self._count, self._rest],
        )
        return count, last // self._count + 1

    async def _forget(self, ids: Iterable[str]) -> None:
        async with self._database.transaction() as change:
            await change.execute(
                "DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(?))",
                [json.dumps(list(ids))],
            )


def _entries(rows: Iterable[tuple[str, float, int, str]]) -> list[tuple[str, Entry | None]]:
    return [
        (
            trace_id,
            Entry.of(trace, Tracing(keep_days=days, keep_last=last), record) if trace else None,
        )
        for trace_id, days, last, record in rows
        for trace in [readable(record)]
    ]
