"""What is measured: the counters, and the closed set of words that they use."""

import ast
import inspect
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader

from guards.core.guard import Stage
from guards.core.registry import GuardType, all_guards
from policies.schema.base import Mode
from policies.schema.policy import Action
from policies.verdict import GuardOutcome
from proxy import errors
from proxy import errors as refusals
from proxy import errors as upstream_errors
from proxy.errors import GuardProxyError
from proxy.metrics import Metrics
from proxy.telemetry.counting import (
    ERRORS,
    NOT_RUN,
    OTHER,
    UPSTREAM_ERRORS,
    Regenerated,
    count,
    count_passed,
    count_shadow,
    not_run_reason,
)
from proxy.telemetry.otel import MOST_MODELS, Attributes, Instruments, call_attributes
from proxy.traces.trace import (
    Attempt,
    GuardRun,
    PolicyUsed,
    ReplayResult,
    ReplyOrigin,
    Trace,
)
from tests.fakes.exposition import samples
from tests.tables import each_row


def reasons_of(guard: GuardType) -> set[str]:
    """Return the texts that a guard's `not_checkable` returns somewhere."""
    tree = ast.parse(dedent(inspect.getsource(guard.not_checkable)))
    returns = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
    return {word for found in returns for word in _words(found)}


def _words(node: ast.expr | None) -> list[str]:
    """Return the texts that an expression can be, or how they begin."""
    match node:
        case ast.IfExp():
            return [*_words(node.body), *_words(node.orelse)]
        case ast.JoinedStr():
            return _words(node.values[0])
        case ast.Constant(value=str(text)):
            return [text]
    return []


@each_row("name", list(all_guards()))
def test_every_reason_of_a_guard_is_a_word_of_ours(name: str) -> None:
    assert reasons_of(all_guards()[name]) <= NOT_RUN


@each_row("path", "judges")
def test_every_reason_of_a_judge_is_a_word_of_ours(path: str) -> None:
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    failures = [
        node.args[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"JudgeFailure", "JudgeCallFailed"}
    ]

    said = {word for found in failures for word in _words(found)}

    assert said
    assert {not_run_reason(word) for word in said} <= NOT_RUN


def test_every_error_that_a_client_can_see_is_among_them() -> None:
    kinds = [
        kind
        for module in (errors, refusals, upstream_errors)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, GuardProxyError)
    ]

    assert {kind.code or kind.type for kind in kinds} <= ERRORS
    assert {"upstream_refused", "upstream_timeout"} <= UPSTREAM_ERRORS < ERRORS


def test_what_is_no_word_of_ours_is_other() -> None:
    assert not_run_reason("a sentence of somebody's") == OTHER
    assert OTHER not in NOT_RUN | ERRORS


OURS = PolicyUsed(name="app", version="1")
OTHERS = PolicyUsed(name="strict", version="2")
ASKED = Trace(
    id="0" * 32,
    tenant="app",
    policy=OURS,
    door="chat.completions",
    started_at=datetime(2026, 3, 1, tzinfo=UTC),
    duration_ms=1500,
    action=Action.PASS,
    kept_attempt=1,
    attempts=(Attempt(upstream_ms=1200),),
    status=200,
)


def counted(trace: Trace, name: str) -> dict[tuple[str, ...], float]:
    """Return a family's figures by the values of its labels, in the order of their names."""
    metrics = Metrics()
    count(metrics, trace)
    count_shadow(metrics, trace)
    return {
        tuple(value for _, value in sorted(each.labels.items())): each.value
        for each in samples(metrics.as_text().decode())
        if each.name == f"guard_proxy_{name}"
    }


def but(**changes: object) -> Trace:
    """Return the usual trace but for some of its attributes."""
    return ASKED.model_copy(update=changes)


def run(outcome: GuardOutcome, reason: str = "", guard: str = "numbers") -> GuardRun:
    return GuardRun(
        guard=guard, mode=Mode.ENFORCE, stage=Stage.OUTPUT, outcome=outcome, reason=reason
    )


def attempts(*errors: str | None) -> Sequence[Attempt]:
    return tuple(Attempt(upstream_ms=100, error=error) for error in errors)


REGENERATIONS = [
    pytest.param(
        but(attempts=attempts(None, None), kept_attempt=2, action=Action.REGENERATE),
        Regenerated.LEFT,
        id="the-second-leaves",
    ),
    pytest.param(
        but(attempts=attempts(None, None), kept_attempt=2, action=Action.FIX),
        Regenerated.LEFT,
        id="the-second-leaves-mended",
    ),
    pytest.param(
        but(attempts=attempts(None, None), kept_attempt=1, action=Action.TRIM),
        Regenerated.FIRST_KEPT,
        id="the-first-was-better",
    ),
    pytest.param(
        but(attempts=attempts(None, None), kept_attempt=None, action=Action.REPLACE),
        Regenerated.REPLACED,
        id="neither",
    ),
    pytest.param(
        but(attempts=attempts(None, None), kept_attempt=2, action=Action.REPLACE),
        Regenerated.REPLACED,
        id="the-second-began-and-was-ended",
    ),
    pytest.param(
        but(attempts=attempts(None, "upstream_timeout"), action=Action.TRIM),
        Regenerated.FAILED,
        id="the-server-failed",
    ),
    pytest.param(
        but(attempts=attempts(None, "client_gone"), error="client_gone"),
        Regenerated.UNFINISHED,
        id="the-client-left",
    ),
]


@each_row("trace, outcome", REGENERATIONS)
def test_what_came_of_a_second_attempt(trace: Trace, outcome: Regenerated) -> None:
    assert counted(trace, "regenerations_total") == {(outcome.value, "app"): 1}


def test_failures_of_the_model_server_are_its_own() -> None:
    failed = but(attempts=attempts("upstream_broken", "client_gone"), error="client_gone")

    assert counted(failed, "upstream_errors_total") == {("upstream_broken", "app"): 1}
    assert counted(failed, "upstream_seconds_count") == {("app",): 2}


@each_row(
    "status, code", [(400, "refused_request"), (404, "refused_request"), (429, "upstream_refused")]
)
def test_what_a_client_may_not_ask_for_is_no_failure_of_the_model_server(
    status: int, code: str
) -> None:
    refused = but(
        attempts=attempts("upstream_refused"), error="upstream_refused", status=status, action=None
    )

    assert counted(refused, "upstream_errors_total") == {(code, "app"): 1}


def test_a_second_attempt_that_is_refused_is_counted_as_the_model_servers() -> None:
    kept = but(attempts=attempts(None, "upstream_refused"), action=Action.TRIM)

    assert counted(kept, "upstream_errors_total") == {("upstream_refused", "app"): 1}


@each_row("error, code", "codes_of_errors_are_a_closed_set")
def test_codes_of_errors_are_a_closed_set(error: str, code: str) -> None:
    assert counted(but(error=error), "errors_total") == {(code, "app"): 1}


@each_row("reason, word", "reasons_for_not_running_are_a_closed_set")
def test_reasons_for_not_running_are_a_closed_set(reason: str, word: str) -> None:
    unrun = but(guards=(run(GuardOutcome.NOT_RUN, reason),))

    assert counted(unrun, "guard_not_run_total") == {("numbers", word): 1}
    assert counted(unrun, "one_guard_seconds_count") == {}


def test_answers_that_a_template_ended_are_counted_by_it() -> None:
    made = (
        ReplyOrigin(action=Action.REPLACE, closed_with="closing.cut"),
        ReplyOrigin(action=Action.PASS),
    )

    assert counted(but(made=made), "closings_total") == {("closing.cut", "app"): 1}


@each_row("action, labels", "shadows")
def test_what_the_shadow_policy_would_have_done(
    action: Action | None, labels: tuple[str, ...]
) -> None:
    tried = but(shadow=ReplayResult(policy=OTHERS, action=action))

    assert counted(tried, "shadow_decisions_total") == {labels: 1}
    assert counted(tried, "shadow_not_judged_total") == {}


def test_what_is_handed_through_has_no_action_of_the_guards() -> None:
    metrics = Metrics()
    count_passed(metrics, "app", 200)

    [seen] = [
        each
        for each in samples(metrics.as_text().decode())
        if each.name == "guard_proxy_requests_total"
    ]
    assert (seen.labels["door"], seen.labels["action"]) == ("passthrough", "passthrough")


@pytest.fixture
def reader() -> InMemoryMetricReader:
    return InMemoryMetricReader()


@pytest.fixture
def instruments(reader: InMemoryMetricReader) -> Instruments:
    return Instruments(MeterProvider([reader], shutdown_on_exit=False).get_meter("test"))


def answered(error: str | None = None) -> Trace:
    return Trace(
        id="0" * 32,
        tenant="app",
        policy=PolicyUsed(name="app", version="1"),
        door="chat.completions",
        started_at=datetime(2026, 3, 1, tzinfo=UTC),
        duration_ms=1500,
        attempts=(Attempt(upstream_ms=1200, error=error),),
        status=200,
    )


def calls(model: str) -> dict[int, Attributes]:
    return {1: call_attributes("chat.completions", model, "http://127.0.0.1:8000/v1")}


def requests_by_model(reader: InMemoryMetricReader) -> dict[object, int]:
    read = reader.get_metrics_data()
    assert read is not None
    [operations] = [
        metric
        for resource in read.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
        if metric.name == "gen_ai.client.operation.duration"
    ]
    found: dict[object, int] = {}
    for point in operations.data.data_points:
        assert isinstance(point, HistogramDataPoint)
        found[(point.attributes or {}).get("gen_ai.request.model")] = point.count
    return found


def test_a_client_that_names_models_as_it_likes_makes_no_series_of_each(
    instruments: Instruments, reader: InMemoryMetricReader
) -> None:
    names = [f"model-{number}" for number in range(MOST_MODELS + 20)]
    for name in [*names, names[0]]:
        instruments.measure(answered(), calls(name))

    found = requests_by_model(reader)
    assert found[names[0]] == 2
    assert found[names[MOST_MODELS - 1]] == 1
    assert found["other"] == 20
    assert len(found) == MOST_MODELS + 1


def test_a_name_that_the_model_server_did_not_take_is_not_told(
    instruments: Instruments, reader: InMemoryMetricReader
) -> None:
    instruments.measure(answered("upstream_refused"), calls("no-such-model"))

    assert requests_by_model(reader) == {None: 1}
