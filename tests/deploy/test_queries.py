"""Dashboard, alerts and recording rules name only what `/metrics` says."""

import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from ruamel.yaml import YAML

from guards.core.guard import Stage
from policies.verdict import GuardOutcome
from proxy.judge.book import BreakerState
from proxy.metrics import Kind
from proxy.telemetry.counting import ERRORS, NOT_RUN, PASSED_THROUGH, REFUSED_REQUEST, Regenerated
from proxy.traces.trace import ACTION_NAMES, NotReplayed
from tests.deploy.promql import Query, read_query
from tests.fakes.exposition import scraped
from tests.fakes.running_proxy import chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.tables import each_row

DEPLOY = Path(__file__).parents[2] / "deploy"
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana/guard-proxy.json").read_text("utf-8"))
OF_SCRAPING = frozenset({"instance", "job"})
"""Labels that Prometheus adds."""
HANGUL = re.compile("[가-힣]")
WORDS: Mapping[str, frozenset[str]] = {
    "action": frozenset({*ACTION_NAMES, PASSED_THROUGH}),
    "changed": frozenset({"true", "false"}),
    "code": ERRORS | {REFUSED_REQUEST},
    "door": frozenset(
        {"chat.completions", "responses", "completions", "verify", "guardrail", PASSED_THROUGH}
    ),
    "outcome": frozenset({*GuardOutcome, *Regenerated, "taken", "refused"}),
    "reason": NOT_RUN | frozenset(NotReplayed),
    "stage": frozenset(Stage),
    "state": frozenset(BreakerState),
}
"""What labels with a closed set of values can be."""

Exposed = Mapping[str, frozenset[str]]


def rules(name: str) -> list[dict[str, Any]]:
    document = YAML(typ="safe").load(DEPLOY / "prometheus" / name)
    return [rule for group in document["groups"] for rule in group["rules"]]


RECORDING, ALERTS = rules("recording.yaml"), rules("alerts.yaml")
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def of_rules() -> Iterator[tuple[str, str]]:
    """Yield the query of every rule, by its name."""
    for rule in RECORDING:
        yield rule["record"], rule["expr"]
    for rule in ALERTS:
        yield rule["alert"], rule["expr"]


def of_dashboard() -> Iterator[tuple[str, str]]:
    """Yield every query of the dashboard, by where it stands."""
    for panel in PANELS:
        for target in panel["targets"]:
            yield f"{panel['title']} {target['refId']}", target["expr"]


def of_variables() -> Iterator[tuple[str, str]]:
    """Yield what the dashboard asks for its choices and marks, put as queries."""
    for note in DASHBOARD["annotations"]["list"]:
        yield note["name"], note["expr"]
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            asked = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]["query"])
            assert asked
            yield variable["name"], f"sum by ({asked[2]}) ({asked[1]})"


RULES = [pytest.param(text, id=name) for name, text in of_rules()]
SHOWN = [pytest.param(text, id=name) for name, text in of_dashboard()]
QUERIES = [*RULES, *SHOWN, *(pytest.param(text, id=name) for name, text in of_variables())]


def query_of(text: str) -> Query:
    """Read a query of a dashboard or a rule; Grafana puts in a span of its own."""
    return read_query(text.replace("$__rate_interval", "5m"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def exposed(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Exposed, None]:
    """Labels of each metric by its name, as they are after a few requests, or would be."""
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(tmp_path_factory.mktemp("proxy"), upstream) as proxy,
    ):
        upstream.says("네.")
        await proxy.chat(chat_body("안녕하세요?"))
        await proxy.chat({"model": 3})
        found = {
            name: frozenset(family.labels)
            for family in proxy.services.metrics.described
            for name in _names(family.name, family.kind)
        }
        seen = {each.name: frozenset(each.labels) - {"le"} for each in await scraped(proxy)}
        assert len(seen) > 20
        assert seen.items() <= found.items()
        yield found | _recorded(found)


def _names(name: str, kind: Kind) -> list[str]:
    histogram = kind is Kind.HISTOGRAM
    return [f"{name}_{part}" for part in ("bucket", "sum", "count")] if histogram else [name]


def _recorded(found: Exposed) -> dict[str, frozenset[str]]:
    """Return the labels that recorded metrics are left with."""
    known: dict[str, frozenset[str]] = {}
    for rule in RECORDING:
        known[rule["record"]] = frozenset(query_of(rule["expr"]).grouped) - {"le"}
    assert not known.keys() & found.keys()
    return known


@pytest.mark.asyncio(loop_scope="module")
@each_row("text", QUERIES)
async def test_a_query_names_what_there_is(text: str, exposed: Exposed) -> None:
    query = query_of(text)

    assert query.selectors
    labels: set[str] = set(OF_SCRAPING)
    for metric, wanted in query.selectors:
        assert metric in exposed
        assert wanted.keys() <= exposed[metric] | {"le"}
        labels |= exposed[metric] | ({"le"} if metric.endswith("_bucket") else set())
    assert query.grouped <= labels


@each_row("text", QUERIES)
def test_a_query_asks_for_values_that_there_can_be(text: str) -> None:
    for _, wanted in query_of(text).selectors:
        for label, (sign, value) in wanted.items():
            words = value.split("|") if "~" in sign else [value]
            if label in WORDS:
                assert set(words) <= WORDS[label]


@each_row("text", [*RULES, *SHOWN])
def test_counters_are_asked_how_they_rise(text: str) -> None:
    """A counter begins again with each start, so that its own figure says nothing."""
    for metric, _ in query_of(text).selectors:
        if metric.endswith(("_total", "_bucket", "_sum", "_count")):
            mentions = re.findall(rf"{metric}(?:{{[^}}]*}})?(\[|\s+unless|\s+offset)?", text)
            assert all(mentions)


def test_a_share_is_zero_where_nothing_of_it_was_counted() -> None:
    """A counter that never rose has no series, and what is divided by has nothing to divide."""
    low = [alert["expr"] for alert in ALERTS if "/" in alert["expr"] and "<" in alert["expr"]]
    shown = [
        target["expr"]
        for panel in PANELS
        if panel["type"] in {"stat", "timeseries"}
        for target in panel["targets"]
        if "/" in target["expr"]
    ]

    assert len(low) == 1
    assert len(shown) == 3
    assert all(re.search(r"\bor\b", share) for share in [*low, *shown])


@each_row("alert", [pytest.param(one, id=one["alert"]) for one in ALERTS])
def test_an_alert_says_in_two_languages_what_is_wrong(alert: Mapping[str, Any]) -> None:
    assert alert["labels"]["severity"] in {"critical", "warning", "info"}
    said = alert["annotations"]
    assert not HANGUL.search(said["summary"])
    assert HANGUL.search(said["summary_ko"])
    labels = query_of(alert["expr"]).grouped | {"instance", "tenant"}
    for text in said.values():
        assert set(re.findall(r"\$labels\.(\w+)", text)) <= labels


def test_every_recorded_metric_is_used() -> None:
    named = {metric for _, text in of_rules() for metric, _ in query_of(text).selectors}

    assert {rule["record"] for rule in RECORDING} <= named


def test_nothing_that_is_said_is_left_out_of_the_dashboard(exposed: Exposed) -> None:
    named = {metric for _, text in of_dashboard() for metric, _ in query_of(text).selectors}
    families = {re.sub("_(bucket|sum|count)$", "", name) for name in exposed if ":" not in name}

    assert {re.sub("_bucket$", "", name) for name in named} == families


def test_panels_do_not_lie_on_one_another() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & taken
        taken |= cells
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)


BROKEN = [
    pytest.param("rate(guard_proxy_requests_total[5m)", "brackets", id="bracket"),
    pytest.param("sum(guard_proxy_tenants", "unclosed", id="parenthesis"),
    pytest.param("raet(guard_proxy_requests_total[5m])", "unknown function", id="function"),
    pytest.param("rate(guard_proxy_requests_total[five])", "brackets", id="span"),
    pytest.param("rate(guard_proxy_requests_total)", "expected type matrix", id="no-span"),
    pytest.param('guard_proxy_requests_total{action=pass"}', "unterminated", id="quote"),
    pytest.param("guard_proxy_requests_total{action=pass}", "expected string", id="value"),
    pytest.param("sum § 3", "unexpected character", id="sign"),
]


@each_row("text, kind", BROKEN)
def test_what_is_no_query_is_noticed(text: str, kind: str) -> None:
    with pytest.raises(ValueError, match=kind):
        read_query(text)


def test_what_a_query_names_is_found() -> None:
    query = read_query(
        'histogram_quantile(0.9, sum by (le, tenant) (rate(a_bucket{b!="c", d=~"e|f"}[1h30m])))'
        " / on (tenant) group_left x:y:z offset 5m > 1e-3 # why"
    )

    assert query.selectors == [("a_bucket", {"b": ("!=", "c"), "d": ("=~", "e|f")}), ("x:y:z", {})]
    assert query.grouped == {"le", "tenant"}
