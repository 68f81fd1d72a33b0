"""All stores: on a SQLite file, on a real Redis, and on a real Redis Cluster."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proxy.traces.embedded import EmbeddedStore
from proxy.traces.redis import RedisStore
from proxy.traces.sqlite import Database
from proxy.traces.store import TraceStore
from tests.fakes.redis_cluster import RedisCluster
from tests.proxy.traces.making import PATIENT_S, now_ms


@pytest.fixture
async def embedded_store(tmp_path: Path) -> AsyncIterator[TraceStore]:
    database = await Database.open(tmp_path / "traces.sqlite3")
    yield EmbeddedStore(database, now_ms)
    await database.close()


@pytest.fixture
async def redis_store(redis_url: str) -> AsyncIterator[TraceStore]:
    store = RedisStore(redis_url, PATIENT_S)
    yield store
    await store.close()


@pytest.fixture
async def cluster_store(cluster: RedisCluster) -> AsyncIterator[TraceStore]:
    store = RedisStore(cluster.url, PATIENT_S)
    yield store
    await store.close()


@pytest.fixture(params=["embedded_store", "redis_store"])
def store_in_one_place(request: pytest.FixtureRequest) -> TraceStore:
    found: TraceStore = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=["embedded_store", "redis_store", "cluster_store"])
def store(request: pytest.FixtureRequest) -> TraceStore:
    found: TraceStore = request.getfixturevalue(request.param)
    return found
