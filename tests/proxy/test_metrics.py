"""The metrics: of one service, and of several workers together."""

import re
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import JsonValue

from proxy.judge.book import BreakerState
from proxy.metrics import Kind, Metrics, keep_alone, keep_together, note_end, product_version
from tests.fakes.exposition import samples, scraped, value
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.reference import metrics_table

SOURCES: list[JsonValue] = [
    {
        "section_title": "제22조(출장비)",
        "section_content": "국내 출장을 가는 직원에게 1일당 일비 3만원을 지급한다.",
    }
]
QUESTION = "출장 일비는 얼마인가요?"
TRACES = {
    "queued": 7,
    "delivered": 4,
    "outboxed": 2,
    "dropped": 1,
    "refused": 6,
    "waiting": 3,
    "outbox": 5,
}


@pytest.fixture
async def upstream() -> AsyncGenerator[ScriptedUpstream, None]:
    async with ScriptedUpstream().running() as server:
        yield server


@pytest.fixture
async def proxy(tmp_path: Path, upstream: ScriptedUpstream) -> AsyncGenerator[RunningProxy, None]:
    async with running_proxy(tmp_path, upstream) as running:
        yield running


async def test_requests_are_counted_by_what_became_of_them(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says("일비는 1일당 3만원입니다.")
    for stream in (False, True):
        await proxy.chat(chat_body(QUESTION, SOURCES, stream=stream))
    upstream.says("일비는 1일당 5만원입니다.")
    await proxy.chat(chat_body(QUESTION, SOURCES))
    await proxy.chat({"model": 3})

    seen = await scraped(proxy)

    requests = "guard_proxy_requests_total"
    chat = {"tenant": "app", "door": "chat.completions"}
    assert value(seen, requests, **chat, action="pass", status="200") == 2
    assert value(seen, requests, **chat, action="replace", status="200") == 1
    assert value(seen, requests, **chat, action="none", status="400") == 1
    assert value(seen, "guard_proxy_request_seconds_count", **chat) == 4
    code = {"tenant": "app", "code": "invalid_request"}
    assert value(seen, "guard_proxy_errors_total", **code) == 1


async def test_guards_and_times_are_counted(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says("일비는 1일당 5만원입니다.", "일비는 1일당 3만원입니다.")
    await proxy.chat(chat_body(QUESTION, SOURCES))

    seen = await scraped(proxy)

    outcomes = "guard_proxy_guard_outcomes_total"
    assert value(seen, outcomes, tenant="app", guard="numbers", outcome="acted") == 1
    assert value(seen, outcomes, tenant="app", guard="numbers", outcome="clean") == 1
    assert value(seen, "guard_proxy_upstream_seconds_count", tenant="app") == 2
    assert value(seen, "guard_proxy_upstream_seconds_sum", tenant="app") > 0
    guards = "guard_proxy_guard_seconds_count"
    assert value(seen, guards, tenant="app", stage="input") == 1
    assert value(seen, guards, tenant="app", stage="output") == 2
    assert value(seen, "guard_proxy_one_guard_seconds_count", guard="numbers") == 2
    assert value(seen, "guard_proxy_one_guard_seconds_sum", guard="numbers") > 0
    regenerated = {"tenant": "app", "outcome": "second_left"}
    assert value(seen, "guard_proxy_regenerations_total", **regenerated) == 1


async def test_the_recorder_is_asked_at_the_moment_of_asking(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says("일비는 1일당 3만원입니다.")
    before = await scraped(proxy)
    await proxy.trace(await proxy.chat(chat_body(QUESTION, SOURCES)))
    after = await scraped(proxy)

    assert value(before, "guard_proxy_traces_queued_total") == 0
    assert value(after, "guard_proxy_traces_queued_total") == 1
    assert value(after, "guard_proxy_traces_delivered_total") == 1
    assert value(after, "guard_proxy_traces_dropped_total") == 0


async def test_what_clients_send_makes_no_labels(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says("네.")
    mark = "kennzeichen"
    await proxy.chat(chat_body(mark) | {"model": mark, "guard": {"intent": mark}})
    await proxy.chat(chat_body("안녕"), key=mark)
    await proxy.client.get(f"{proxy.address}/{mark}")
    await proxy.client.get(f"{proxy.address}/traces/{mark}?tenant={mark}")

    seen = await scraped(proxy)

    assert {name for each in seen for name in each.labels} == {
        *("tenant", "door", "action", "status", "guard", "outcome", "reason", "stage"),
        *("signal", "version", "le", "limit"),
    }
    assert {each.labels["tenant"] for each in seen if "tenant" in each.labels} == {"app"}
    assert not [each for each in seen if mark in str(each)]


def test_totals_of_traces_are_counters_and_what_waits_is_a_gauge() -> None:
    metrics = Metrics()
    metrics.watch_traces(lambda: TRACES)

    families = {
        family.name: family.type
        for family in text_string_to_metric_families(metrics.as_text().decode())
    }

    for name in ("queued", "delivered", "outboxed", "dropped", "refused"):
        assert families[f"guard_proxy_traces_{name}"] == "counter"
    for name in ("waiting", "outbox"):
        assert families[f"guard_proxy_traces_{name}"] == "gauge"
    seen = samples(metrics.as_text().decode())
    assert value(seen, "guard_proxy_traces_waiting") == 3
    assert value(seen, "guard_proxy_traces_delivered_total") == 4


async def test_how_long_a_reader_waits_stands_beside_how_long_the_model_does(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    upstream.says("국내 출장의 일비는 1일당 3만원입니다.")
    names = ("guard_proxy_model_text_seconds", "guard_proxy_first_text_seconds")

    async with running_proxy(tmp_path, upstream) as proxy:
        for stream in (False, True, True):
            await proxy.trace(await proxy.chat(chat_body(QUESTION, SOURCES, stream=stream)))
        told = samples((await proxy.client.get(f"{proxy.address}/metrics")).text)

    assert [value(told, f"{name}_count", tenant="app") for name in names] == [2, 2]
    model_s, reader_s = (value(told, f"{name}_sum", tenant="app") for name in names)
    assert 0 < model_s <= reader_s


async def test_what_is_known_of_the_service_is_shown(proxy: RunningProxy) -> None:
    seen = await scraped(proxy)

    loaded_at = proxy.services.policies.snapshot.loaded_at.timestamp()
    assert value(seen, "guard_proxy_policies_loaded_timestamp_seconds") == pytest.approx(loaded_at)
    assert value(seen, "guard_proxy_tenants") == 1
    assert value(seen, "guard_proxy_build_info", version=product_version()) == 1
    assert value(seen, "guard_proxy_policy_reloads_total", outcome="refused") == 0


async def test_every_series_is_described_and_named_as_prometheus_does(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says("일비는 1일당 5만원입니다.", "일비는 1일당 3만원입니다.")
    await proxy.chat(chat_body(QUESTION, SOURCES))
    described = {family.name: family for family in proxy.services.metrics.described}

    for sample in await scraped(proxy):
        base = re.sub("_(bucket|sum|count)$", "", sample.name)
        family = described[sample.name if sample.name in described else base]
        assert sample.labels.keys() - {"le"} == set(family.labels)
    for name, family in described.items():
        assert name.startswith("guard_proxy_")
        assert name.endswith("_total") == (family.kind is Kind.COUNTER)
        assert name.endswith("_seconds") or family.kind is not Kind.HISTOGRAM


def test_the_readmes_table_has_a_row_for_each_family() -> None:
    table = metrics_table().splitlines()

    assert len(table) == len(list(Metrics().described)) + 2
    assert "| `guard_proxy_tenants` | gauge |  |" in "\n".join(table)


ROOT = Path(__file__).parents[2]
# Another process, as whose number it may be; it counts and ends without a word of farewell.
_OTHER = """
import os, sys
from pathlib import Path
from proxy.metrics import Metrics
from proxy.metrics import keep_together
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
