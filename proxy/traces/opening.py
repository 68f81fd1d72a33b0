"""Opens the trace store that the settings name, and the recorder in front of it."""

import contextlib
import random
import time
from collections.abc import AsyncGenerator

from proxy.settings import Settings
from proxy.traces.embedded import EmbeddedStore
from proxy.traces.recorder import Limits, Recorder
from proxy.traces.sqlite import Database, Outbox
from proxy.traces.store import TraceStore
from proxy.traces.tally import now_ms
from proxy.workers import ALONE, Place


@contextlib.asynccontextmanager
async def open_traces(
    settings: Settings, limits: Limits | None = None, place: Place = ALONE
) -> AsyncGenerator[tuple[TraceStore, Recorder], None]:
    """Open the store and a recorder that delivers to it, and close both in the end.

    Raises:
        TraceStoreAway: the SQLite file cannot be opened. A Redis that is away is waited for.
    """
    async with contextlib.AsyncExitStack() as stack:
        database = await Database.open(settings.sqlite_path)
        stack.push_async_callback(database.close)
        store = _store(settings, database)
        stack.push_async_callback(store.close)
        outbox = Outbox(database, now_ms, place, settings.max_outbox_bytes)
        # The random number only spreads retries in time.
        recorder = Recorder(
            store, outbox, clock=time.monotonic, random=random.random, limits=limits
        )
        await recorder.start()
        stack.push_async_callback(recorder.close)
        yield store, recorder


@contextlib.asynccontextmanager
async def open_store(settings: Settings) -> AsyncGenerator[TraceStore, None]:
    """Open the store for reading, and close it in the end.

    Raises:
        TraceStoreAway: the SQLite file cannot be opened, or nobody has made it yet.
    """
    async with contextlib.AsyncExitStack() as stack:
        if settings.shared_redis is None:
            database = await Database.open(settings.sqlite_path, may_create=False)
            stack.push_async_callback(database.close)
            yield EmbeddedStore(database, now_ms)
            return
        store = _redis_store(settings.shared_redis)
        stack.push_async_callback(store.close)
        yield store


def _store(settings: Settings, database: Database) -> TraceStore:
    if settings.shared_redis is None:
        return EmbeddedStore(database, now_ms)
    return _redis_store(settings.shared_redis)


def _redis_store(address: str) -> TraceStore:
    # Its library costs a tenth of a second, which is much for a command that needs none.
    from proxy.traces.redis import RedisStore

    return RedisStore(address)
