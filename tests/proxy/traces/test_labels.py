"""Labels of traces, over all stores: given, changed, withdrawn, found, counted and pinned."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from guards.core.finding import Span
from policies.schema.policy import Action
from policies.schema.sections import StoredText, Tracing
from policies.verdict import GuardOutcome
from proxy.traces.masking import stored_note
from proxy.traces.query import Query
from proxy.traces.store import Decide, TraceStore, walk
from proxy.traces.tally import Alarms, Bucket, Share, Tally
from proxy.traces.trace import ANY_LABEL, PINNED, Feedback, Label, Trace
from tests.proxy.traces.making import KEEP, a_trace, entries

AT = datetime(2026, 11, 23, 12, tzinfo=UTC)
SHORT = Tracing(keep_days=30.0, keep_last=5)


def a_label(
    label: Label, *, note: str = "", span: Span | None = None, pinned: bool = False
) -> Feedback:
    return Feedback(label=label, note=note, span=span, pinned=pinned, at=AT)


def says(feedback: Feedback | None) -> Decide:
    return lambda _: feedback


async def found(store: TraceStore, query: Query) -> list[str]:
    return [trace.id async for trace in walk(store, query)]


async def test_a_label_stands_in_the_trace_until_it_is_withdrawn(store: TraceStore) -> None:
    trace = a_trace("one")
    await store.add(entries(trace))
    missed = a_label(Label.MISSED, note="20일이 아니라 15일", span=Span(3, 6))

    given = await store.label("one", says(missed), KEEP)
    assert given == trace.model_copy(update={"feedback": missed})
    assert await store.get("one") == given

    await store.label("one", says(None), KEEP)
    assert await store.get("one") == trace
    assert await found(store, Query(label=ANY_LABEL)) == []


async def test_a_trace_that_is_not_there_gets_no_label(store: TraceStore) -> None:
    assert await store.label("nobody", says(a_label(Label.RIGHT)), KEEP) is None


async def test_what_objects_changes_nothing(store: TraceStore) -> None:
    await store.add(entries(a_trace("one")))

    def object_to(_: Trace) -> Feedback:
        raise LookupError

    with pytest.raises(LookupError):
        await store.label("one", object_to, KEEP)

    assert await store.get("one") is not None
    assert await found(store, Query(label=ANY_LABEL)) == []


async def test_labels_given_at_once_leave_one_that_is_found_and_counted_once(
    store: TraceStore,
) -> None:
    await store.add(entries(a_trace("one")))

    await asyncio.gather(
        *(store.label("one", says(a_label(label)), KEEP) for label in [*Label] * 4)
    )

    trace = await store.get("one")
    assert trace is not None
    assert trace.feedback is not None
    assert await found(store, Query(label=ANY_LABEL)) == ["one"]
    assert (await counted(store)).by_label == {trace.feedback.label: 1}


async def test_labelled_traces_are_found_newest_first_and_page_by_page(store: TraceStore) -> None:
    names = [f"t{number:02}" for number in range(40)]
    traces = [
        a_trace(name, tenant=f"tenant-{number % 2}", age=timedelta(minutes=40 - number))
        for number, name in enumerate(names)
    ]
    await store.add(entries(*traces))
    labelled = names[::3]
    for number, name in enumerate(reversed(labelled)):  # the order of labelling is of no account
        await store.label(name, says(a_label([*Label][number % 3], pinned=number % 4 == 0)), KEEP)

    assert await found(store, Query(label=ANY_LABEL, limit=4)) == labelled[::-1]
    assert [
        trace.id async for trace in walk(store, Query(label=ANY_LABEL, limit=4, after=""))
    ] == labelled
    of_one = await found(store, Query(label=ANY_LABEL, tenant="tenant-0"))
    assert of_one == [name for name in labelled[::-1] if int(name[1:]) % 2 == 0]
    for kind in Label:
        each = await found(store, Query(label=kind, limit=2))
        assert each == [
            name for number, name in enumerate(reversed(labelled)) if [*Label][number % 3] is kind
        ]
        assert await store.count(Query(label=kind)) == len(each)


async def test_other_filters_go_with_a_label(store: TraceStore) -> None:
    replaced = {"numbers": GuardOutcome.ACTED}
    await store.add(
        entries(
            a_trace("acted", action=Action.REPLACE, guards=replaced),
            a_trace("passed"),
            a_trace("old", age=timedelta(days=2)),
        )
    )
    for name in ("acted", "passed", "old"):
        await store.label(name, says(a_label(Label.RIGHT)), KEEP)

    assert await found(store, Query(label=Label.RIGHT, action="replace")) == ["acted"]
    assert await found(store, Query(label=Label.RIGHT, guard="numbers")) == ["acted"]
    since = datetime.now(UTC) - timedelta(days=1)
    assert set(await found(store, Query(label=Label.RIGHT, since=since))) == {"acted", "passed"}


async def test_a_pinned_trace_outlives_its_number(store_in_one_place: TraceStore) -> None:
    store = store_in_one_place
    await store.add(entries(a_trace("pinned"), a_trace("labelled"), keep=SHORT))
    await store.label("pinned", says(a_label(Label.MISSED, pinned=True)), SHORT)
    await store.label("labelled", says(a_label(Label.MISSED)), SHORT)

    # Redis drops surplus by the hundred.
    await store.add(entries(*(a_trace(f"t{number}") for number in range(150)), keep=SHORT))

    assert await store.get("pinned") is not None
    assert await store.get("labelled") is None
    assert await found(store, Query(label=ANY_LABEL)) == ["pinned"]
    assert await found(store, Query(label=PINNED)) == ["pinned"]


@pytest.fixture
def stores(
    embedded_store: TraceStore, redis_store: TraceStore, cluster_store: TraceStore
) -> Sequence[TraceStore]:
    """All of them, for tests that wait for time to pass."""
    return embedded_store, redis_store, cluster_store


KEPT = timedelta(seconds=5)
"""Long enough for a busy machine to give a label meanwhile."""


async def test_a_pinned_trace_outlives_its_time_and_no_longer_than_its_pin(
    stores: Sequence[TraceStore],
) -> None:
    await asyncio.gather(*map(a_pinned_trace_outlives_its_time, stores))


async def a_pinned_trace_outlives_its_time(store: TraceStore) -> None:
    brief = Tracing(keep_days=KEPT / timedelta(days=1), keep_last=1_000)
    await store.add(entries(a_trace("pinned"), a_trace("other"), keep=brief))
    await store.label("pinned", says(a_label(Label.RIGHT, pinned=True)), brief)
    await store.label("other", says(a_label(Label.RIGHT)), brief)

    async with asyncio.timeout(20):
        while await store.get("other") is not None:  # noqa: ASYNC110 - the store's clock sets no event
            await asyncio.sleep(0.05)

    assert await store.get("pinned") is not None
    assert await found(store, Query(label=ANY_LABEL)) == ["pinned"]
    await store.label("pinned", says(a_label(Label.RIGHT)), brief)
    assert await store.get("pinned") is None
    assert await found(store, Query(label=ANY_LABEL)) == []


async def test_a_pinned_label_counts_longer_than_what_else_is_counted(
    stores: Sequence[TraceStore],
) -> None:
    await asyncio.gather(*map(a_pinned_label_counts_longer, stores))


async def a_pinned_label_counts_longer(store: TraceStore) -> None:
    # Both began with their hour, so that traces and counts are forgotten at one time.
    now = datetime.now(UTC)
    began = now.replace(minute=0, second=0, microsecond=0)
    guards = {"numbers": GuardOutcome.ACTED}
    pinned, other = (
        a_trace(name, tenant=name, action=Action.REPLACE, guards=guards).model_copy(
            update={"started_at": began}
        )
        for name in ("pinned", "other")
    )
    keep = Tracing(keep_days=(now - began + KEPT) / timedelta(days=1), keep_last=1_000)
    await store.add(entries(pinned, other, keep=keep))
    for one in (pinned, other):
        await store.label(one.id, says(a_label(Label.RIGHT)), keep)
    await store.label("pinned", says(a_label(Label.RIGHT, pinned=True)), keep)
    assert (await counted(store, "other")).by_label == {"right": 1}

    async with asyncio.timeout(20):
        while (await counted(store, "other")).requests:  # noqa: ASYNC110 - the store's clock sets no event
            await asyncio.sleep(0.05)

    assert await store.get("other") is None
    assert (await counted(store, "pinned")).alarms["numbers"].precision == Share(1, 1)
    await store.label("pinned", says(a_label(Label.FALSE_ALARM, pinned=True)), keep)
    assert (await counted(store, "pinned")).by_label == {"false_alarm": 1}


async def test_a_label_changed_after_its_counts_are_gone_takes_nothing_off(
    store: TraceStore,
) -> None:
    now = datetime.now(UTC)
    hour = now.replace(minute=0, second=0, microsecond=0)
    began = hour - timedelta(milliseconds=1)  # the counts are kept from the begin of its hour
    keep = Tracing(
        keep_days=(now - began + timedelta(minutes=30)) / timedelta(days=1), keep_last=1_000
    )
    trace = a_trace("one").model_copy(update={"started_at": began})
    await store.add(entries(trace, keep=keep))
    await store.label("one", says(a_label(Label.RIGHT)), keep)
    assert (await counted(store)).by_label == {}

    await store.label("one", says(a_label(Label.MISSED, pinned=True)), keep)

    assert (await counted(store)).by_label == {"missed": 1}


async def counted(store: TraceStore, tenant: str | None = None) -> Tally:
    now = datetime.now(UTC)
    buckets = await store.tallies(tenant, now - timedelta(hours=5), now, Bucket.HOUR)
    return Tally.sum(bucket.tally for bucket in buckets)


async def test_labels_are_counted_by_guard_and_taken_back_when_they_change(
    store: TraceStore,
) -> None:
    guards = {
        "numbers": GuardOutcome.ACTED,
        "names": GuardOutcome.WOULD_ACT,
        "scope": GuardOutcome.CLEAN,
        "language": GuardOutcome.NOT_RUN,
    }
    await store.add(entries(a_trace("replaced", action=Action.REPLACE, guards=guards)))
    await store.add(entries(a_trace("passed", guards={"numbers": GuardOutcome.CLEAN})))

    await store.label("replaced", says(a_label(Label.FALSE_ALARM)), KEEP)
    await store.label("passed", says(a_label(Label.RIGHT)), KEEP)
    tally = await counted(store)
    assert tally.by_label == {"false_alarm": 1, "right": 1}
    assert tally.alarms == {
        "numbers": Alarms(wrong=1, silent=1),
        "names": Alarms(wrong=1),
        "scope": Alarms(silent=1),
    }
    assert tally.alarms["numbers"].false_alarms == Share(1, 2)

    await store.label("replaced", says(a_label(Label.RIGHT)), KEEP)
    await store.label("passed", says(a_label(Label.MISSED)), KEEP)
    tally = await counted(store)
    assert tally.by_label == {"right": 1, "missed": 1}
    assert tally.alarms == {"numbers": Alarms(right=1), "names": Alarms(right=1)}
    assert tally.alarms["numbers"].precision == Share(1, 1)

    for name in ("replaced", "passed"):
        await store.label(name, says(None), KEEP)
    tally = await counted(store)
    assert (tally.by_label, tally.alarms, tally.requests) == ({}, {}, 2)


def test_a_note_is_kept_as_the_policy_keeps_words() -> None:
    note = "담당자 010-1234-5678에게 물어봄"

    assert stored_note(note, StoredText.FULL) == note
    assert "010-1234-5678" not in stored_note(note, StoredText.MASKED)
    assert stored_note(note, StoredText.NONE) == ""


def test_few_labels_leave_a_wide_interval() -> None:
    # Wilson's interval of 9 in 10, as tables have it.
    low, high = Share(9, 10).interval

    assert (round(low, 3), round(high, 3)) == (0.596, 0.982)
    assert Share(0, 0).rate is None
    assert Share(0, 0).interval == (0.0, 1.0)
