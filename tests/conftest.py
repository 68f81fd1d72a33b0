"""What all tests share: a real Redis, and patience with a busy machine."""

import os
from collections.abc import Iterator

import pytest
import redis
from hypothesis import settings

from tests.fakes.redis_process import RedisProcess

# Laws are about results; how long one example takes says how busy the machine is.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a Redis that tests may empty: the one named in the environment, else our own."""
    named = os.environ.get("GUARD_PROXY_TEST_REDIS_URL")
    if named:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
        yield f"{named}{'&' if '?' in named else '?'}db={worker}"  # so that none empties another's
        return
    server = RedisProcess(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server.url
    server.stop()


@pytest.fixture
def redis_url(redis_server: str) -> str:
    """Address of an empty Redis database."""
    with redis.Redis.from_url(redis_server) as client:
        client.flushdb()
    return redis_server
