"""On a Redis Cluster: traces spread over its servers, read as if they stood in one place."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redis.cluster import RedisCluster as ClusterClient
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot

from policies.schema.policy import Action
from policies.schema.sections import Tracing
from proxy.traces.query import BadCursor, Page, Query
from proxy.traces.redis import RedisStore
from proxy.traces.redis_adding import ADD, SPREAD, BatchEntry, keys_and_values, portion_of
from proxy.traces.store import Entry, TraceStore, walk
from tests.fakes.redis_cluster import PRIMARIES, RedisCluster
from tests.proxy.traces.making import PATIENT_S, a_trace, entries, now_ms

TENANTS = ("acme", "bravo", "charlie")
ACTIONS = (Action.PASS, Action.TRIM)


def client_of(cluster: RedisCluster) -> ClusterClient:
    first = cluster.nodes[0]
    return ClusterClient(
        host="127.0.0.1", port=first.port, password="shared-word", decode_responses=True
    )


def test_the_portions_slots_divide_a_cluster_evenly() -> None:
    slots = [key_slot(portion.tenants.encode()) for portion in SPREAD]

    sixteenth = REDIS_CLUSTER_HASH_SLOTS // len(SPREAD)
    assert [slot // sixteenth for slot in slots] == list(range(len(SPREAD)))


async def test_every_server_keeps_its_share_of_the_traces(
    cluster_store: TraceStore, cluster: RedisCluster
) -> None:
    await cluster_store.add(entries(*(a_trace(f"t{number}") for number in range(300))))

    kept = []
    for node in cluster.nodes[:PRIMARIES]:
        with node.client() as client:
            kept.append(len(list(client.scan_iter("*:record:*", count=1_000))))
    assert sum(kept) == 300
    assert min(kept) > 300 / PRIMARIES / 2


async def test_a_batch_keeps_its_order_over_all_portions(cluster_store: TraceStore) -> None:
    names = [f"t{number}" for number in range(300)]
    for start in range(0, 300, 100):
        await cluster_store.add(entries(*map(a_trace, names[start : start + 100])))

    found = [one.id async for one in walk(cluster_store, Query(limit=40, after=""))]

    assert found == names


async def test_a_page_reads_a_few_of_each_portion_and_no_record_that_it_does_not_show(
    cluster_store: TraceStore, cluster: RedisCluster
) -> None:
    await cluster_store.add(entries(*(a_trace(f"t{number}") for number in range(600))))
    for node in cluster.nodes[:PRIMARIES]:
        with node.client() as client:
            client.config_resetstat()

    page = await cluster_store.page(Query(tenant="acme", limit=10))

    assert len(page.traces) == 10
    assert called(cluster, "get") == 10
    assert called(cluster, "xrevrange") <= 2 * len(SPREAD)


def called(cluster: RedisCluster, command: str) -> int:
    """Return how often the servers have been given a command."""
    found = 0
    for node in cluster.nodes[:PRIMARIES]:
        with node.client() as client:
            said = client.info("commandstats").get(f"cmdstat_{command}")
            found += said["calls"] if said else 0
    return found


def added_late(client: ClusterClient, entry: Entry, at_ms: int) -> None:
    """Add a trace at a place of a minute ago, as a server does whose clock is behind."""
    portion = portion_of(entry.id, SPREAD)
    keys, values = keys_and_values([BatchEntry(0, entry)], portion, len(SPREAD), at_ms)
    assert client.eval(ADD, len(keys), *keys, *values) == []


async def test_who_reads_on_misses_nothing_that_comes_with_a_place_of_before(
    cluster_store: TraceStore, cluster: RedisCluster
) -> None:
    await cluster_store.add(entries(a_trace("one")))
    first = await cluster_store.page(Query(after=""))
    from_now_on = await cluster_store.newest()
    elsewhere = portion_of("one", SPREAD)
    late = next(name for name in map(str, range(99)) if portion_of(name, SPREAD) != elsewhere)
    with closing(client_of(cluster)) as client:
        added_late(client, entries(a_trace(late))[0], at_ms=now_ms() - 60_000)

    for cursor in (first.cursor, from_now_on):
        page = await cluster_store.page(Query(after=cursor))
        assert [trace.id for trace in page.traces] == [late]


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(Query(after="5-3.5-3"), id="of-another-number-of-portions"),
        pytest.param(Query(before="." * 15), id="for-the-other-direction"),
        pytest.param(Query(after="words"), id="no-place"),
    ],
)
async def test_a_cursor_that_the_store_never_gave_is_refused(
    cluster_store: TraceStore, query: Query
) -> None:
    with pytest.raises(BadCursor):
        await cluster_store.page(query)


async def test_a_tenant_that_keeps_few_keeps_its_newest_whatever_portions_they_fall_on(
    cluster_store: TraceStore,
) -> None:
    names = [f"t{number}" for number in range(1_200)]
    for start in range(0, len(names), 100):
        batch = entries(
            *map(a_trace, names[start : start + 100]), keep=Tracing(keep_days=30.0, keep_last=200)
        )
        await cluster_store.add(batch)

    left = [one.id async for one in walk(cluster_store, Query(limit=500))]

    assert left[:200] == names[:-201:-1]
    assert len(left) < 600


@dataclass(frozen=True)
class Written:
    """A trace of the law below: whose it is, and what became of it."""

    tenant: str
    action: Action


WRITTEN = st.builds(Written, st.sampled_from(TENANTS), st.sampled_from(ACTIONS))


@settings(max_examples=25)
@given(
    batches=st.lists(st.lists(WRITTEN, min_size=1, max_size=40), max_size=4),
    tenant=st.sampled_from([None, *TENANTS]),
    action=st.sampled_from([None, *ACTIONS]),
    limit=st.integers(1, 30),
    oldest_first=st.booleans(),
)
async def test_pages_put_together_are_all_that_a_query_wants_in_order(
    redis_cluster: RedisCluster,
    batches: Sequence[Sequence[Written]],
    tenant: str | None,
    action: Action | None,
    limit: int,
    oldest_first: bool,
) -> None:
    redis_cluster.empty()
    store = RedisStore(redis_cluster.url, PATIENT_S)
    wanted: list[str] = []
    for number, batch in enumerate(batches):
        traces = [
            a_trace(f"{number}-{place}", tenant=one.tenant, action=one.action)
            for place, one in enumerate(batch)
        ]
        await store.add(entries(*traces))
        wanted += [
            one.id
            for one in traces
            if tenant in {None, one.tenant} and action in {None, one.action}
        ]
    query = Query(tenant=tenant, action=action, limit=limit, after="" if oldest_first else None)

    pages = await pages_of(store, query)
    counted = await store.count(query)
    await store.close()

    assert [trace.id for page in pages for trace in page.traces] == (
        wanted if oldest_first else wanted[::-1]
    )
    assert max((len(page.traces) for page in pages), default=0) <= limit
    assert counted == len(wanted)


async def pages_of(store: TraceStore, query: Query) -> list[Page]:
    """Follow the cursors to the end."""
    pages: list[Page] = []
    while True:
        page = await store.page(query)
        pages.append(page)
        if page.cursor in {None, query.after}:
            return pages
        if query.after is None:
            query = replace(query, before=page.cursor)
        else:
            query = replace(query, after=page.cursor)
