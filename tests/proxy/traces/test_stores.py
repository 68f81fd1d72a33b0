"""One suite over both stores: what a trace store promises."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from policies.schema.policy import Action
from policies.schema.sections import Tracing
from policies.verdict import GuardOutcome
from proxy.traces.query import Query
from proxy.traces.store import TraceStore, tail, walk
from proxy.traces.trace import Trace
from tests.proxy.traces.making import KEEP, a_trace, entries


def ids(traces: tuple[Trace, ...] | list[Trace]) -> list[str]:
    return [trace.id for trace in traces]


async def everything(store: TraceStore, query: Query) -> list[Trace]:
    """Follow the cursors to the end."""
    return [trace async for trace in walk(store, query)]


async def test_gives_back_the_trace_it_was_given(store: TraceStore) -> None:
    trace = a_trace("one", action=Action.REPLACE, guards={"citations": GuardOutcome.ACTED})

    await store.add(entries(trace))

    assert await store.get("one") == trace
    assert await store.get("another") is None


async def test_pages_meet_without_gap_or_overlap(store: TraceStore) -> None:
    names = [f"t{number:03}" for number in range(150)]
    await store.add(
        entries(*(a_trace(name, tenant=f"tenant-{int(name[1:]) % 3}") for name in names))
    )

    assert ids(await everything(store, Query(limit=40))) == names[::-1]


async def test_goes_on_from_a_cursor_towards_newer_ones(store: TraceStore) -> None:
    await store.add(entries(a_trace("one")))
    seen = await store.page(Query(after=""))
    await store.add(entries(a_trace("two"), a_trace("three", tenant="bravo")))

    newer = await store.page(Query(after=seen.cursor))
    nothing = await store.page(Query(after=newer.cursor))

    assert ids(seen.traces) == ["one"]
    assert ids(newer.traces) == ["two", "three"]
    assert (nothing.traces, nothing.cursor) == ((), newer.cursor)


async def test_an_id_added_again_is_kept_once_and_where_it_was(store: TraceStore) -> None:
    batch = entries(a_trace("one"), a_trace("two"))
    await store.add(batch)

    await store.add([*batch, *entries(a_trace("three"))])

    assert ids((await store.page(Query(after=""))).traces) == ["one", "two", "three"]


async def test_batches_added_at_once_are_all_kept_once(store: TraceStore) -> None:
    batches = [
        entries(*(a_trace(f"{writer}-{number}") for number in range(20))) for writer in range(10)
    ]

    await asyncio.gather(*(store.add(batch) for batch in [*batches, *batches]))

    found = ids(await everything(store, Query(limit=50)))
    assert sorted(found) == sorted(entry.id for batch in batches for entry in batch)


async def test_batches_of_many_writers_each_keep_their_order_on_one_server(
    store_in_one_place: TraceStore,
) -> None:
    store = store_in_one_place
    batches = [
        entries(*(a_trace(f"{writer}-{number}") for number in range(20))) for writer in range(10)
    ]

    await asyncio.gather(*(store.add(batch) for batch in batches))

    found = ids(await everything(store, Query(limit=50)))
    for batch in batches:
        writer = batch[0].id.partition("-")[0]
        own = [name for name in found if name.startswith(f"{writer}-")]
        assert own == [entry.id for entry in reversed(batch)]


async def test_forgets_by_age_counted_from_the_request(store: TraceStore) -> None:
    week = Tracing(keep_days=7.0, keep_last=1000)
    await store.add(
        entries(
            a_trace("old", age=timedelta(days=8)),
            a_trace("young", age=timedelta(days=6)),
            keep=week,
        )
    )

    assert ids((await store.page(Query())).traces) == ["young"]
    assert await store.get("old") is None


async def test_a_stored_trace_is_gone_when_its_time_is_over(store: TraceStore) -> None:
    three_seconds = Tracing(keep_days=3 / 86_400, keep_last=1000)
    await store.add(entries(a_trace("short"), keep=three_seconds))
    assert await store.get("short") is not None

    async with asyncio.timeout(30):
        while await store.get("short") is not None:  # noqa: ASYNC110 - time sets no event
            await asyncio.sleep(0.02)

    assert (await store.page(Query())).traces == ()


async def test_keeps_about_the_last_of_each_tenant(store: TraceStore) -> None:
    few = Tracing(keep_days=30.0, keep_last=10)
    await store.add(entries(a_trace("calm", tenant="bravo"), keep=few))
    for start in range(0, 300, 100):
        batch = [a_trace(f"t{number}") for number in range(start, start + 100)]
        await store.add(entries(*batch, keep=few))

    left = ids(await everything(store, Query(tenant="acme", limit=200)))

    assert left[:10] == [f"t{number}" for number in range(299, 289, -1)]
    assert len(left) <= 110
    assert await store.get("t0") is None
    assert await store.get("calm") is not None


async def test_tail_gives_what_comes_in_from_now_on(store: TraceStore) -> None:
    await store.add(entries(a_trace("before")))
    coming = ["one", "two", "three"]

    async def sleep(_: float) -> None:
        if coming:
            await store.add(entries(a_trace(coming.pop(0))))

    seen: list[str] = []
    async with asyncio.timeout(10):
        async for trace in tail(store, Query(), sleep=sleep):
            seen.append(trace.id)
            if len(seen) == 3:
                break

    assert seen == ["one", "two", "three"]


async def test_a_record_that_cannot_be_read_does_not_hide_the_others(store: TraceStore) -> None:
    broken, good = entries(a_trace("broken"), a_trace("good"), keep=KEEP)
    unreadable = replace(broken, record='{"id": "broken"}')

    await store.add([unreadable, good])

    assert ids((await store.page(Query())).traces) == ["good"]
    assert await store.get("broken") is None
