"""What is counted of traces that have ended, case by case."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from guards.core.guard import Stage
from policies.schema.base import Mode
from policies.schema.guard_rule import Action
from policies.verdict import GuardOutcome
from proxy.metrics import Metrics
from proxy.telemetry.counting import Regenerated, count, count_passed, count_shadow
from proxy.traces.trace import (
    Attempt,
    GuardRun,
    Made,
    PolicyUsed,
    Replayed,
    Trace,
)
from tests.fakes.exposition import samples

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


@pytest.mark.parametrize(("trace", "outcome"), REGENERATIONS)
def test_what_came_of_a_second_attempt(trace: Trace, outcome: Regenerated) -> None:
    assert counted(trace, "regenerations_total") == {(outcome.value, "app"): 1}


def test_failures_of_the_model_server_are_its_own() -> None:
    failed = but(attempts=attempts("upstream_broken", "client_gone"), error="client_gone")

    assert counted(failed, "upstream_errors_total") == {("upstream_broken", "app"): 1}
    assert counted(failed, "upstream_seconds_count") == {("app",): 2}


@pytest.mark.parametrize(
    ("status", "code"),
    [(400, "refused_request"), (404, "refused_request"), (429, "upstream_refused")],
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


@pytest.mark.parametrize(
    ("error", "code"),
    [
        pytest.param("upstream_timeout", "upstream_timeout", id="one-of-ours"),
        pytest.param("rate_limit_exceeded", "rate_limit_exceeded", id="a-limit"),
        pytest.param("client_gone", "client_gone", id="nobody-there"),
        pytest.param("주차비는 얼마", "other", id="anything-else"),
    ],
)
def test_codes_of_errors_are_a_closed_set(error: str, code: str) -> None:
    assert counted(but(error=error), "errors_total") == {(code, "app"): 1}


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        pytest.param("no_answer", "no_answer", id="a-guards"),
        pytest.param("failed:ValueError", "failed", id="broken"),
        pytest.param("refused:503", "refused", id="a-judges"),
        pytest.param("주차비 for me", "other", id="anything-else"),
    ],
)
def test_reasons_for_not_running_are_a_closed_set(reason: str, word: str) -> None:
    unrun = but(guards=(run(GuardOutcome.NOT_RUN, reason),))

    assert counted(unrun, "guard_not_run_total") == {("numbers", word): 1}
    assert counted(unrun, "one_guard_seconds_count") == {}


def test_answers_that_a_template_ended_are_counted_by_it() -> None:
    made = (Made(action=Action.REPLACE, closed_with="closing.cut"), Made(action=Action.PASS))

    assert counted(but(made=made), "closings_total") == {("closing.cut", "app"): 1}


SHADOWS = [
    pytest.param(Action.REPLACE, ("true", "app", "replace"), id="something-else"),
    pytest.param(Action.PASS, ("false", "app", "pass"), id="the-same"),
    pytest.param(None, ("false", "app", "unknown"), id="nobody-knows"),
]


@pytest.mark.parametrize(("action", "labels"), SHADOWS)
def test_what_the_shadow_policy_would_have_done(
    action: Action | None, labels: tuple[str, ...]
) -> None:
    tried = but(shadow=Replayed(policy=OTHERS, action=action))

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
