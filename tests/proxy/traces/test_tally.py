"""What one trace counts, and what is read from the counts of many."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.schema.guard_rule import Action
from policies.verdict import GuardOutcome
from proxy.traces.tally import (
    BOUNDS_MS,
    MOST_MODELS,
    OTHER_MODELS,
    Bucket,
    Histogram,
    Latency,
    ModelNames,
    Regenerations,
    Tally,
    Tokens,
    buckets_of,
    label_of,
)
from proxy.traces.trace import (
    Attempt,
    Choice,
    Feedback,
    GuardRun,
    Label,
    NotReplayed,
    PolicyUsed,
    Replayed,
    SecondOpinion,
    Trace,
    Unknown,
    Usage,
)
from tests.proxy.traces.making import a_trace

STRICT = PolicyUsed(name="strict", version="1")


def a_request(**changes: object) -> Trace:
    return a_trace("one").model_copy(update=changes)


def a_run(outcome: GuardOutcome, guard: str = "numbers", **changes: object) -> GuardRun:
    [run] = a_trace("run", guards={guard: outcome}).guards
    return run.model_copy(update=changes)


def test_a_request_counts_once_under_each_of_its_sides() -> None:
    tally = Tally.of(a_request(action=Action.TRIM, door="responses", status=200))

    assert tally.requests == 1
    assert tally.by_action == {"trim": 1}
    assert tally.by_door == {"responses": 1}
    assert tally.by_status == {"2xx": 1}
    assert (tally.errors, tally.clients_gone, tally.not_checked) == (0, 0, 0)
    assert tally.latency(Latency.WHOLE).count == 1
    assert tally.latency(Latency.MODEL).count == 0
    assert tally.latency(Latency.FIRST_TEXT).count == 0


GUARDS = [
    pytest.param([GuardOutcome.CLEAN, GuardOutcome.ACTED], (), "acted", id="acted-once"),
    pytest.param([GuardOutcome.NOTED, GuardOutcome.WOULD_ACT], (), "would_act", id="would-act"),
    pytest.param([GuardOutcome.NOT_RUN, GuardOutcome.CLEAN], (), "clean", id="ran-in-the-end"),
    pytest.param(
        [GuardOutcome.NOT_RUN, GuardOutcome.CLEAN],
        ("numbers:no_sources",),
        "not_run",
        id="one-answer-missed",
    ),
    pytest.param([GuardOutcome.NOT_RUN], ("numbers:no_sources",), "not_run", id="never-ran"),
]


@pytest.mark.parametrize(("outcomes", "not_checked", "counted"), GUARDS)
def test_a_guard_counts_once_a_request(
    outcomes: list[GuardOutcome], not_checked: tuple[str, ...], counted: str
) -> None:
    trace = a_request(guards=tuple(map(a_run, outcomes)), not_checked=not_checked)

    assert Tally.of(trace).by_guard == {"numbers": {counted: 1}}
    assert Tally.of(trace).not_checked == len(not_checked)


def test_reasons_count_once_a_request_and_what_is_no_guard_by_its_name() -> None:
    trace = a_request(
        not_checked=(
            "numbers:no_sources",
            "names:no_sources",
            "scope:failed:ValueError",
            "image_parts",
        )
    )

    counted = Tally.of(trace).by_not_run_reason
    assert counted == {"no_sources": 1, "failed": 1, "image_parts": 1}


def test_a_guard_that_had_no_call_to_run_missed_nothing() -> None:
    idle = a_run(GuardOutcome.NOT_RUN, "answerability", reason="no_evidence_demanded")
    tally = Tally.of(a_request(guards=(idle,)))

    assert tally.by_guard == {}
    assert tally.by_not_run_reason == {}


def test_names_that_are_none_of_ours_are_counted_as_other() -> None:
    trace = a_request(
        door="김철수 010-1234-5678",
        guards=(a_run(GuardOutcome.NOT_RUN, "이름", reason="말씀"),),
        not_checked=("이름:말씀",),
        question="비밀",
    )

    tally = Tally.of(trace)

    assert tally.by_door == {"other": 1}
    assert tally.by_guard == {"other": {"not_run": 1}}
    assert tally.by_not_run_reason == {"other": 1}
    assert all(name.isascii() for name in tally.counts)


TWO = (Attempt(upstream_ms=10), Attempt(upstream_ms=10))
SECOND_ATTEMPTS = [
    pytest.param({"attempts": TWO, "kept_attempt": 2}, Regenerations(helped=1), id="helped"),
    pytest.param({"attempts": TWO, "kept_attempt": 1}, Regenerations(failed=1), id="first-kept"),
    pytest.param({"attempts": TWO, "kept_attempt": None}, Regenerations(failed=1), id="replaced"),
    pytest.param(
        {"attempts": TWO, "error": "client_gone"}, Regenerations(unfinished=1), id="left-meanwhile"
    ),
    pytest.param({"attempts": TWO[:1], "kept_attempt": 1}, Regenerations(), id="asked-once"),
]


@pytest.mark.parametrize(("changes", "came"), SECOND_ATTEMPTS)
def test_what_came_of_the_second_attempt(changes: dict[str, object], came: Regenerations) -> None:
    assert Tally.of(a_request(**changes)).regenerations == came


def test_the_share_that_helped_is_of_those_that_ended() -> None:
    assert Regenerations(helped=3, failed=1, unfinished=4).helped_share == 0.75
    assert Regenerations(unfinished=4).helped_share is None


SHADOWS = [
    pytest.param(Replayed(policy=STRICT, action=Action.PASS), (1, 0, 0), id="the-same"),
    pytest.param(Replayed(policy=STRICT, action=Action.REPLACE), (1, 0, 1), id="another-action"),
    pytest.param(
        Replayed(policy=STRICT, unknown=Unknown.MODEL_NOT_ASKED), (1, 0, 1), id="would-have-asked"
    ),
    pytest.param(Replayed(policy=STRICT, unknown=Unknown.NO_ANSWER), (1, 0, 0), id="nobody-knows"),
    pytest.param(Replayed(policy=STRICT, not_run=NotReplayed.NO_TEXT), (0, 1, 0), id="not-judged"),
]


@pytest.mark.parametrize(("shadow", "counted"), SHADOWS)
def test_what_a_shadow_policy_would_have_done(
    shadow: Replayed, counted: tuple[int, int, int]
) -> None:
    found = Tally.of(a_request(shadow=shadow)).shadow

    assert (found.judged, found.not_judged, found.changed) == counted
    assert found.actions == ({} if shadow.not_run else {shadow.action_name: 1})


def test_what_guards_in_shadow_would_have_done() -> None:
    watched = a_run(GuardOutcome.WOULD_ACT, action=Action.REPLACE)

    assert Tally.of(a_request(guards=(watched,))).would == {"replace": 1}
    assert Tally.of(a_request()).would == {}


def test_counts_of_many_are_those_of_each_added_up() -> None:
    both = Tally.sum([Tally.of(a_request()), Tally.of(a_request(action=Action.FIX))])

    assert both.requests == 2
    assert both.by_action == {"pass": 1, "fix": 1}
    assert Tally.sum([]).requests == 0


TIMES = st.lists(st.floats(0, 1_000_000, exclude_min=True), min_size=1, max_size=60)


@given(times=TIMES, share=st.floats(0, 1))
def test_an_estimate_lies_in_the_bucket_of_the_true_percentile(
    times: list[float], share: float
) -> None:
    counts: dict[str, int] = {}
    for time_ms in times:
        counts[label_of(time_ms)] = counts.get(label_of(time_ms), 0) + 1
    true = sorted(times)[max(1, math.ceil(share * len(times))) - 1]

    estimate = Histogram(counts).percentile(share)

    assert estimate is not None
    assert label_of(estimate) == label_of(min(true, BOUNDS_MS[-1]))


def test_a_time_counts_in_the_minute_and_hour_in_which_it_lies() -> None:
    week_ms = timedelta(days=7) // timedelta(milliseconds=1)
    kept = {
        (one.bucket.tenant, one.bucket.per): (one.bucket.start_ms, one.expires_ms)
        for one in buckets_of("acme", 7_384_567, keep_ms=week_ms)
    }

    assert kept == {
        (tenant, per): times
        for tenant in ("acme", "")
        for per, times in {
            Bucket.MINUTE: (7_380_000, 7_380_000 + 26 * 3_600_000),
            Bucket.HOUR: (7_200_000, 7_200_000 + week_ms),
        }.items()
    }


def test_tokens_and_models_are_counted_where_a_model_server_answered() -> None:
    attempts = (
        Attempt(choices=(Choice(text="가"),), usage=Usage(prompt_tokens=900, completion_tokens=40)),
        Attempt(choices=(Choice(text="나"),), usage=Usage(prompt_tokens=950, completion_tokens=60)),
    )
    answered = Tally.of(a_request(model="qwen3", attempts=attempts))
    refused = Tally.of(
        a_request(model="gpt-9", attempts=(Attempt(error="upstream_refused"),), status=404)
    )

    assert answered.tokens == Tokens(prompt=1850, answer=100)
    assert (answered.by_model, answered.tokens_by_model) == ({"qwen3": 1}, {"qwen3": 1950})
    assert (refused.tokens, refused.by_model) == (Tokens(), {})


def test_no_client_can_fill_the_counters_with_names_of_models() -> None:
    names = ModelNames()
    counted = {names.known(f"model-{number}") for number in range(3 * MOST_MODELS)}

    assert len(counted) == MOST_MODELS + 1
    assert names.known("model-0") == "model-0"
    assert names.known("한국어 문장입니다 010-1234-5678") == OTHER_MODELS


OBJECTED = SecondOpinion(claims=2, objected=1, attempt=1, duration_ms=300)
SUPPORTED = SecondOpinion(claims=1, supported=1, attempt=1, duration_ms=400)
SILENT = SecondOpinion(claims=1, attempt=1)
AGREEMENT = [
    pytest.param(OBJECTED, Label.MISSED, Action.PASS, (1, 0), id="it-saw-what-was-missed"),
    pytest.param(SUPPORTED, Label.MISSED, Action.PASS, (0, 1), id="it-missed-it-too"),
    pytest.param(OBJECTED, Label.RIGHT, Action.TRIM, (1, 0), id="rightly-changed"),
    pytest.param(OBJECTED, Label.RIGHT, Action.PASS, (0, 1), id="it-objects-to-a-good-answer"),
    pytest.param(SUPPORTED, Label.FALSE_ALARM, Action.TRIM, (1, 0), id="it-backs-a-good-answer"),
    pytest.param(SILENT, Label.RIGHT, Action.PASS, (0, 0), id="no-opinion-no-agreement"),
]


@pytest.mark.parametrize(("opinion", "label", "action", "counted"), AGREEMENT)
def test_a_judges_agreement_with_people(
    opinion: SecondOpinion, label: Label, action: Action, counted: tuple[int, int]
) -> None:
    feedback = Feedback(label=label, at=datetime(2031, 3, 2, tzinfo=UTC))

    said = Tally.of(a_request(opinions=(opinion,), action=action, feedback=feedback)).opinions

    assert (said.agrees, said.disagrees) == counted
