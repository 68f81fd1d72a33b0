"""Counters of traces: what a request adds to them, and how stores keep them."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count, pairwise

import pytest
import redis.asyncio
from hypothesis import given
from hypothesis import strategies as st

from policies.schema.policy import Action
from policies.schema.sections import Tracing
from policies.verdict import GuardOutcome
from proxy.traces.query import Query
from proxy.traces.redis import RedisStore
from proxy.traces.redis_adding import SPREAD, portion_of
from proxy.traces.store import TracesRefused, TraceStore
from proxy.traces.tally import (
    BOUNDS_MS,
    MOST_COUNTERS,
    MOST_MODELS,
    OTHER_MODELS,
    Bucket,
    Histogram,
    Latency,
    ModelNames,
    Regenerations,
    Tally,
    TallyBucket,
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
    ReplayResult,
    SecondOpinion,
    Trace,
    Unknown,
    Usage,
)
from tests.proxy.traces.making import PATIENT_S, a_trace, entries
from tests.tables import each_row

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
    assert tally.counts["door:responses"] == 1
    assert tally.by_status == {"2xx": 1}
    assert (tally.errors, tally.clients_gone, tally.not_checked) == (0, 0, 0)
    assert tally.latency(Latency.WHOLE).count == 1
    assert tally.latency(Latency.MODEL).count == 0
    assert tally.latency(Latency.FIRST_TEXT).count == 0


@each_row("outcomes, not_checked, counted", "guards")
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

    assert tally.counts["door:other"] == 1
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


@each_row("changes, came", SECOND_ATTEMPTS)
def test_what_came_of_the_second_attempt(changes: dict[str, object], came: Regenerations) -> None:
    assert Tally.of(a_request(**changes)).regenerations == came


def test_the_share_that_helped_is_of_those_that_ended() -> None:
    assert Regenerations(helped=3, failed=1, unfinished=4).helped_share == 0.75
    assert Regenerations(unfinished=4).helped_share is None


SHADOWS = [
    pytest.param(ReplayResult(policy=STRICT, action=Action.PASS), (1, 0, 0), id="the-same"),
    pytest.param(
        ReplayResult(policy=STRICT, action=Action.REPLACE), (1, 0, 1), id="another-action"
    ),
    pytest.param(
        ReplayResult(policy=STRICT, unknown=Unknown.MODEL_NOT_ASKED),
        (1, 0, 1),
        id="would-have-asked",
    ),
    pytest.param(
        ReplayResult(policy=STRICT, unknown=Unknown.NO_ANSWER), (1, 0, 0), id="nobody-knows"
    ),
    pytest.param(
        ReplayResult(policy=STRICT, not_run=NotReplayed.NO_TEXT), (0, 1, 0), id="not-judged"
    ),
]


@each_row("shadow, counted", SHADOWS)
def test_what_a_shadow_policy_would_have_done(
    shadow: ReplayResult, counted: tuple[int, int, int]
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
        (one.tenant, one.per): (one.start_ms, one.expires_ms)
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
CLEARED = SecondOpinion(claims=1, supported=1, cleared=1, attempt=1, duration_ms=400)
SILENT = SecondOpinion(claims=1, attempt=1)
AGREEMENT = [
    pytest.param(OBJECTED, Label.MISSED, Action.PASS, (1, 0), id="it-saw-what-was-missed"),
    pytest.param(SUPPORTED, Label.MISSED, Action.PASS, (0, 1), id="it-missed-it-too"),
    pytest.param(OBJECTED, Label.RIGHT, Action.TRIM, (1, 0), id="rightly-changed"),
    pytest.param(SUPPORTED, Label.RIGHT, Action.TRIM, (0, 0), id="about-other-claims"),
    pytest.param(CLEARED, Label.RIGHT, Action.TRIM, (0, 1), id="it-takes-back-a-true-finding"),
    pytest.param(CLEARED, Label.FALSE_ALARM, Action.TRIM, (1, 0), id="it-takes-back-a-false-alarm"),
    pytest.param(OBJECTED, Label.FALSE_ALARM, Action.TRIM, (0, 1), id="it-shares-a-false-alarm"),
    pytest.param(SUPPORTED, Label.RIGHT, Action.PASS, (1, 0), id="it-too-leaves-a-good-answer"),
    pytest.param(OBJECTED, Label.RIGHT, Action.PASS, (0, 1), id="it-objects-to-a-good-answer"),
    pytest.param(SUPPORTED, Label.FALSE_ALARM, Action.TRIM, (1, 0), id="it-backs-a-good-answer"),
    pytest.param(SILENT, Label.RIGHT, Action.PASS, (0, 0), id="no-opinion-no-agreement"),
]


@each_row("opinion, label, action, counted", AGREEMENT)
def test_a_judges_agreement_with_people(
    opinion: SecondOpinion, label: Label, action: Action, counted: tuple[int, int]
) -> None:
    feedback = Feedback(label=label, at=datetime(2031, 3, 2, tzinfo=UTC))

    said = Tally.of(a_request(opinions=(opinion,), action=action, feedback=feedback)).opinions

    assert (said.agrees, said.disagrees) == counted


NOW = datetime.now(UTC)
HOUR = NOW.replace(minute=0, second=0, microsecond=0) - timedelta(hours=2)
DAY = timedelta(days=1)


def at(when: datetime, trace_id: str, tenant: str = "acme", **changes: object) -> Trace:
    trace = a_trace(trace_id, tenant=tenant, guards={"numbers": GuardOutcome.ACTED})
    return trace.model_copy(update={"started_at": when, **changes})


async def counted(store: TraceStore, tenant: str | None = None) -> Tally:
    """Return what was counted in the last two days."""
    found = await store.tallies(tenant, NOW - 2 * DAY, NOW + DAY, Bucket.HOUR)
    return Tally.sum(bucket.tally for bucket in found)


def filled(buckets: Sequence[TallyBucket]) -> dict[datetime, int]:
    return {bucket.start: bucket.tally.requests for bucket in buckets if bucket.counts}


async def test_what_a_trace_counts_is_read_back(store: TraceStore) -> None:
    trace = at(HOUR, "one", action=Action.REPLACE, status=200)
    await store.add(entries(trace))

    tally = await counted(store, "acme")

    assert tally == Tally.of(trace)
    assert tally.by_guard == {"numbers": {"acted": 1}}
    assert tally.latency(Latency.WHOLE).count == 1


async def test_each_tenant_is_counted_alone_and_all_together(store: TraceStore) -> None:
    await store.add(entries(at(HOUR, "a1"), at(HOUR, "b1", "bravo"), at(HOUR, "b2", "bravo")))
    await store.add(entries(at(HOUR, "a2")))

    assert (await counted(store, "acme")).requests == 2
    assert (await counted(store, "bravo")).requests == 2
    assert (await counted(store)).requests == 4
    assert (await counted(store, "nobody")).requests == 0


async def test_a_trace_counts_when_it_was_and_not_when_it_came(store: TraceStore) -> None:
    times = [HOUR, HOUR + timedelta(seconds=59.9), HOUR + timedelta(minutes=1), HOUR - 3 * DAY]
    await store.add(entries(*(at(when, f"t{number}") for number, when in enumerate(times))))

    minutes = await store.tallies("acme", HOUR - 9 * DAY, HOUR + DAY, Bucket.MINUTE)
    hours = await store.tallies("acme", HOUR - 9 * DAY, HOUR + DAY, Bucket.HOUR)

    assert filled(minutes) == {HOUR: 2, HOUR + timedelta(minutes=1): 1}
    assert filled(hours) == {HOUR - 3 * DAY: 1, HOUR: 3}


async def test_every_bucket_of_the_span_is_there_once(store: TraceStore) -> None:
    await store.add(entries(at(HOUR, "one")))
    since = HOUR - timedelta(hours=3, minutes=-20)

    hours = await store.tallies(None, since, HOUR + timedelta(minutes=1), Bucket.HOUR)
    none = await store.tallies(None, HOUR, HOUR, Bucket.HOUR)
    kept = await store.tallies(None, HOUR - 400 * DAY, NOW + 400 * DAY, Bucket.MINUTE)

    assert [bucket.start for bucket in hours] == [
        HOUR - timedelta(hours=back) for back in (3, 2, 1, 0)
    ]
    assert [bucket.tally.requests for bucket in hours] == [0, 0, 0, 1]
    assert none == []
    assert 26 * 60 <= len(kept) <= 26 * 60 + 3


async def test_a_batch_sent_again_counts_no_more(store: TraceStore) -> None:
    batch = entries(*(at(HOUR, f"t{number}") for number in range(20)))
    await store.add(batch[:10])

    await store.add([*batch, batch[-1]])
    await store.add(batch)

    assert (await counted(store)).requests == 20


async def test_batches_added_at_once_count_once(store: TraceStore) -> None:
    batches = [
        entries(*(at(HOUR, f"{writer}-{number}") for number in range(10))) for writer in range(8)
    ]
    mixed = [batch[:5] + other[5:] for batch, other in pairwise(batches)]

    await asyncio.gather(*(store.add(batch) for batch in [*batches, *mixed, *batches]))

    assert (await counted(store)).requests == 80
    assert (await counted(store, "acme")).by_guard == {"numbers": {"acted": 80}}


async def test_what_is_too_old_to_be_kept_is_not_counted(store: TraceStore) -> None:
    hour = Tracing(keep_days=1 / 24, keep_last=1000)
    await store.add(entries(at(NOW - 2 * timedelta(hours=1), "old"), keep=hour))
    await store.add(
        entries(
            at(NOW - timedelta(days=36), "ancient"), keep=Tracing(keep_days=100.0, keep_last=1000)
        )
    )

    found = await store.tallies(None, NOW - 40 * DAY, NOW + DAY, Bucket.HOUR)

    assert filled(found) == {}


async def test_counts_are_forgotten_with_the_traces(store: TraceStore) -> None:
    # An hour's bucket is kept from its start, so this one ends in half a second.
    spent = datetime.now(UTC) - HOUR
    brief = Tracing(keep_days=(spent + timedelta(seconds=0.5)) / DAY, keep_last=1000)
    await store.add(entries(at(HOUR, "brief"), keep=brief))
    await store.add(entries(at(HOUR, "kept", "bravo")))

    async with asyncio.timeout(10):
        while (await counted(store, "acme")).requests:  # noqa: ASYNC110 - time sets no event
            await asyncio.sleep(0.02)

    assert (await counted(store, "bravo")).requests == 1
    # Of both tenants together a Cluster forgets portion by portion.
    assert (await counted(store)).requests in {1, 2}


async def test_a_bucket_holds_only_so_many_counters(store: TraceStore) -> None:
    one = portion_of("one", SPREAD)
    beside = next(name for name in map(str, count()) if portion_of(name, SPREAD) == one)
    first, second = entries(at(HOUR, "one"), at(HOUR, beside))
    many = {f"made_up_{number}": 1 for number in range(2 * MOST_COUNTERS)}

    await store.add([first])
    await store.add([replace(second, tally=Tally({**many, **second.tally.counts}))])

    found = await counted(store, "acme")
    assert len(found.counts) == MOST_COUNTERS
    assert found.requests == 2


async def test_a_batch_that_redis_refuses_is_neither_kept_nor_counted(redis_url: str) -> None:
    """Redis has no rollback, and a stream that cannot be written shows only in the middle."""
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        await client.set("guard-proxy:{traces}:stream:bravo", "not a stream")
        store = RedisStore(redis_url, PATIENT_S)
        batch = entries(at(HOUR, "good"), at(HOUR, "bad", "bravo"), at(HOUR, "better"))
        with pytest.raises(TracesRefused):
            await store.add(batch)
        assert (await counted(store)).requests == 0
        assert (await store.page(Query(tenant="acme"))).traces == ()
        await store.close()
