"""Metrics that several processes keep together, as whoever of them is asked shows them."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from proxy.judge.breaker import BreakerState
from proxy.metrics import Metrics
from proxy.metrics.families import keep_alone, keep_together, note_end
from tests.fakes.exposition import samples, value

ROOT = Path(__file__).parents[2]
# Another process, as whose number it may be; it counts and ends without a word of farewell.
_OTHER = """
import os, sys
from pathlib import Path
from proxy.metrics import Metrics
from proxy.metrics.families import keep_together
keep_together(Path(sys.argv[1]), int(sys.argv[2]))
metrics = Metrics(Path(sys.argv[1]))
metrics.requests.labels("app", "chat.completions", "pass", 200).inc(5)
metrics.request_seconds.labels("app", "chat.completions").observe(0.03)
metrics.requests_in_flight.labels("chat.completions").inc(2)
metrics.policies_stale.set(1)
metrics.watch_traces(lambda: {"queued": 7, "waiting": 3})
metrics.watch_policies(lambda: (1000.0, 4))
metrics.follow()
os._exit(9)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Where this process, number 1, keeps its metrics with others."""
    keep_together(tmp_path, 1)
    yield tmp_path
    keep_alone()


@pytest.fixture
def mine(folder: Path) -> Metrics:
    metrics = Metrics(folder)
    metrics.requests.labels("app", "chat.completions", "pass", 200).inc(3)
    metrics.requests.labels("app", "chat.completions", "replace", 200).inc()
    metrics.request_seconds.labels("app", "chat.completions").observe(0.3)
    metrics.requests_in_flight.labels("chat.completions").inc()
    metrics.watch_traces(lambda: {"queued": 4, "waiting": 1})
    metrics.watch_policies(lambda: (2000.0, 3))
    return metrics


def other(folder: Path, number: int) -> None:
    """Let another process count."""
    ended = subprocess.run(
        [sys.executable, "-c", _OTHER, folder, str(number)], cwd=ROOT, check=False
    )
    assert ended.returncode == 9


def test_counts_add_up_and_gauges_do_as_they_should(mine: Metrics, folder: Path) -> None:
    other(folder, 2)

    seen = samples(mine.as_text().decode())

    assert value(seen, "guard_proxy_requests_total", action="pass") == 8
    assert value(seen, "guard_proxy_requests_total", action="replace") == 1
    assert value(seen, "guard_proxy_request_seconds_count") == 2
    assert value(seen, "guard_proxy_request_seconds_bucket", le="0.05") == 1
    assert value(seen, "guard_proxy_request_seconds_bucket", le="+Inf") == 2
    assert value(seen, "guard_proxy_requests_in_flight") == 3
    assert value(seen, "guard_proxy_policies_stale") == 1
    assert value(seen, "guard_proxy_policies_loaded_timestamp_seconds") == 1000
    assert value(seen, "guard_proxy_tenants") == 4
    assert value(seen, "guard_proxy_build_info") == 1
    assert value(seen, "guard_proxy_traces_queued_total") == 11
    assert value(seen, "guard_proxy_traces_waiting") == 4


def test_what_one_that_died_has_counted_stays_and_what_it_was_goes(
    mine: Metrics, folder: Path
) -> None:
    other(folder, 2)
    note_end(folder, 2)

    seen = samples(mine.as_text().decode())

    assert value(seen, "guard_proxy_requests_total", action="pass") == 8
    assert value(seen, "guard_proxy_traces_queued_total") == 11
    assert value(seen, "guard_proxy_requests_in_flight") == 1
    assert value(seen, "guard_proxy_traces_waiting") == 1
    assert value(seen, "guard_proxy_policies_stale") == 0
    assert value(seen, "guard_proxy_tenants") == 3


def test_who_takes_its_place_counts_on(mine: Metrics, folder: Path) -> None:
    files = set()
    for _ in range(3):
        other(folder, 2)
        note_end(folder, 2)
        files.add(frozenset(path.name for path in folder.iterdir()))

    seen = samples(mine.as_text().decode())

    assert value(seen, "guard_proxy_requests_total", action="pass") == 18
    assert value(seen, "guard_proxy_traces_queued_total") == 25
    assert len(files) == 1


def test_each_has_the_type_and_the_words_that_it_has_alone(mine: Metrics) -> None:
    alone = {one.name.removesuffix("_total"): (one.kind, one.said) for one in Metrics().described}
    mine.watch_judges(lambda: {"app": BreakerState.OPEN})

    families = list(text_string_to_metric_families(mine.as_text().decode()))

    assert len(families) > 10
    assert [(one.name, one.type, one.documentation) for one in families] == [
        (one.name, *alone[one.name]) for one in families
    ]
