"""What all tests share: a real Redis, and patience with a busy machine."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from hypothesis import settings

from tests.browser import chromium
from tests.clients.node_packages import FOLDER, LLAMA_INDEX, why_not
from tests.deploy import front
from tests.fakes import warm_start
from tests.fakes.redis_cluster import RedisCluster
from tests.fakes.redis_process import RedisProcess

# Laws are about results; how long one example takes says how busy the machine is.
settings.register_profile("suite", deadline=None, max_examples=15)
# `make fuzz` runs three hundred times as many.
settings.register_profile("fuzz", deadline=None, max_examples=5_000)
settings.load_profile("suite")

warm_start.start_pools_warm()

gc.disable()  # while thousands of tests are imported, all of which stay


def pytest_xdist_auto_num_workers() -> int:
    """Start half as many workers again as there are processors: a third of the time is waiting."""
    processors = len(os.sched_getaffinity(0))
    return processors + processors // 2


def pytest_collection_finish() -> None:
    """Collect garbage again, but look no more through what has been imported."""
    gc.freeze()
    gc.enable()


PAGE_TEST = "test_changed_answers.py"


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


@pytest.fixture(scope="session")
def redis_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisCluster]:
    """Three servers that share the keys, and want to hear a word."""
    servers = RedisCluster(tmp_path_factory.mktemp("cluster"), password="shared-word")
    servers.start()
    yield servers
    servers.stop()


@pytest.fixture
def cluster(redis_cluster: RedisCluster) -> RedisCluster:
    """An empty Redis Cluster."""
    redis_cluster.empty()
    return redis_cluster


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say at the end which tests could not be run here; nothing is left out in silence."""
    asked = [Path(one.partition("::")[0]).resolve() for one in terminalreporter.config.args]
    reason = why_not()
    if reason and any(one in FOLDER.parents or one.match("test_node_*.py") for one in asked):
        terminalreporter.section("not run: clients for Node")
        terminalreporter.line(f"tests/clients/test_node_*.py did not run: {reason}.", yellow=True)
    if not LLAMA_INDEX.exists() and any(_holds(one, FOLDER.parent, PAGE_TEST) for one in asked):
        terminalreporter.section("not run: LlamaIndex's adapter for OpenAI")
        terminalreporter.line("'make llama-index' runs its example in the docs.", yellow=True)
    browser = chromium.why_no_browser() or chromium.why_no_axe()
    left_out = "test_*.py" if chromium.why_no_browser() else "test_accessibility*.py"
    if browser and any(_holds(one, chromium.FOLDER, left_out) for one in asked):
        terminalreporter.section("not run: the dashboard in a browser")
        terminalreporter.line(f"tests/browser/{left_out} did not run: {browser}.", yellow=True)
    no_nginx = front.why_no_nginx()
    if no_nginx and any(_holds(one, front.FOLDER, "test_nginx*.py") for one in asked):
        terminalreporter.section("not run: the front proxy")
        terminalreporter.line(f"tests/deploy/test_nginx*.py did not run: {no_nginx}.", yellow=True)


def _holds(asked: Path, folder: Path, left_out: str) -> bool:
    """Tell whether what was asked for holds a folder, or is what is left out of it."""
    return asked in (folder, *folder.parents) or (asked.parent == folder and asked.match(left_out))


KNOWN_MISSES = Path(__file__).parent / "known_misses.txt"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Expect the known misses to fail: the file says which and why; one that passes is an error."""
    lines = KNOWN_MISSES.read_text(encoding="utf-8").splitlines()
    known = {line for line in lines if line and not line.startswith("#")}
    for item in items:
        if item.nodeid.encode("unicode_escape").decode() in known or item.nodeid in known:
            # What goes over sockets and clocks may also pass by luck.
            is_sure = item.nodeid.startswith(("tests/guards/", "tests/policies/"))
            item.add_marker(pytest.mark.xfail(reason="tests/known_misses.txt", strict=is_sure))
