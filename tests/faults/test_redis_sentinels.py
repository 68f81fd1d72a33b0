"""No lost answer, no lost trace: behind Sentinels, when the servers change their parts.

Replicas of the proxy share limits, traces, sessions and hints about judges through whatever server
is in charge, and need nothing else in common.
"""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from policies.schema.sections import Tracing
from proxy.shared_redis import NotReplicated
from proxy.traces.redis import RedisStore
from proxy.traces.store import Entry, TraceStoreAway
from tests.fakes.redis_process import RedisProcess
from tests.fakes.redis_sentinels import RedisSentinels
from tests.fakes.running_proxy import running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.faults.sharing import assert_all_is_shared, two_proxies
from tests.flow.loading import ANSWER, Load
from tests.flow.waiting import eventually
from tests.proxy.traces.making import a_trace

KEEP = Tracing(keep_days=1, keep_last=1000)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisSentinels]:
    pair = RedisSentinels(tmp_path_factory.mktemp("pair"), password="shared-word")
    pair.start()
    yield pair
    pair.stop()


@pytest.fixture
def own_servers(tmp_path: Path) -> Iterator[RedisSentinels]:
    """A pair that a test may break."""
    pair = RedisSentinels(tmp_path / "pair")
    pair.start()
    yield pair
    pair.stop()


async def test_replicas_share_all_they_share_through_sentinels(
    tmp_path: Path, servers: RedisSentinels
) -> None:
    async with two_proxies(tmp_path, servers.url) as (first, second):
        await assert_all_is_shared(first, second)


async def why_away(store: RedisStore, entry: Entry) -> str:
    with pytest.raises(TraceStoreAway) as away:
        await store.add([entry])
    return away.value.cause


async def test_a_trace_that_no_replica_has_yet_is_not_taken_for_stored(
    servers: RedisSentinels,
) -> None:
    replica = servers.replica()
    store = RedisStore(servers.url, answer_within_s=0.4)
    entry = Entry.of(a_trace("unreplicated"), KEEP)
    replica.hang()
    try:
        causes = [await why_away(store, entry) for _ in range(2)]  # by now the server itself has it
    finally:
        replica.resume()

    assert causes == [NotReplicated.__name__] * 2

    async def is_taken() -> bool:
        try:
            await store.add([entry])
        except TraceStoreAway:
            return False
        return True

    await eventually(is_taken)
    await store.close()


FORBIDDEN = [
    pytest.param("-@dangerous", id="as-is-usual"),
    pytest.param("-wait", id="to-wait-for-replicas"),
    pytest.param("-role", id="what-nobody-needs"),
]


@pytest.mark.parametrize("forbidden", FORBIDDEN)
async def test_an_account_that_may_not_ask_for_replicas_can_keep_traces(
    servers: RedisSentinels, forbidden: str
) -> None:
    account = ("on", ">word", "~*", "+@all", forbidden)
    with servers.master().client() as client:
        client.execute_command("ACL", "SETUSER", "narrow", *account)
    store = RedisStore(servers.url.replace(f":{servers.password}@", "narrow:word@"))
    kept = Entry.of(a_trace(f"narrow{forbidden}"), KEEP)
    await store.add([kept])

    assert await store.get(kept.id) is not None
    await store.close()


async def test_sentinels_that_say_nothing_are_passed_over(servers: RedisSentinels) -> None:
    silent = servers.sentinels[:2]
    store = RedisStore(servers.url)
    for sentinel in silent:
        sentinel.hang()
    try:
        await store.add([Entry.of(a_trace("by-the-third"), KEEP)])
    finally:
        for sentinel in silent:
            sentinel.resume()

    assert await store.get("by-the-third") is not None
    await store.close()


async def test_servers_that_change_their_parts_are_felt_by_nobody(
    tmp_path: Path, servers: RedisSentinels
) -> None:
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(tmp_path, upstream, others={"other": ""}, redis_url=servers.url) as proxy,
    ):
        upstream.says(ANSWER)
        load = Load(proxy)
        await load.run(5)
        under_way = asyncio.create_task(load.run(20))
        await asyncio.to_thread(servers.fail_over)
        await under_way
        await load.run(5)
        await eventually(load.store_is_back)
        await eventually(load.is_settled)

        load.assert_nothing_was_felt()
        await load.assert_all_kept_once()


@pytest.mark.long
async def test_a_server_alone_without_a_replica_takes_traces_all_the_same(
    own_servers: RedisSentinels,
) -> None:
    store = RedisStore(own_servers.url)
    own_servers.replica().kill()

    async def is_taken() -> bool:
        try:
            await store.add([Entry.of(a_trace("alone"), KEEP)])
        except TraceStoreAway:
            return False
        return True

    await eventually(is_taken)
    assert await store.get("alone") is not None
    await store.close()


@pytest.mark.long
async def test_a_replica_that_is_still_given_everything_is_not_waited_for(
    tmp_path: Path, own_servers: RedisSentinels
) -> None:
    with own_servers.first.client() as client:
        client.config_set("repl-diskless-sync", "yes")
        client.config_set("repl-diskless-sync-delay", 600)  # it waits for others before it gives
    own_servers.second.kill()
    (tmp_path / "pair" / "second" / "dump.rdb").unlink()  # all it had
    own_servers.second.start()

    async def is_asking() -> bool:
        with own_servers.first.client() as client:
            replica = client.info("replication").get("slave0")
        return bool(replica and replica["state"] == "wait_bgsave")

    await eventually(is_asking)
    store = RedisStore(own_servers.url)
    await store.add([Entry.of(a_trace("meanwhile"), KEEP)])

    assert await store.get("meanwhile") is not None
    await store.close()


@pytest.mark.long
async def test_a_server_that_just_lost_its_replica_may_have_been_replaced(
    own_servers: RedisSentinels,
) -> None:
    store = RedisStore(own_servers.url)
    await store.add([Entry.of(a_trace("followed"), KEEP)])
    own_servers.replica().kill()

    assert await why_away(store, Entry.of(a_trace("left-alone"), KEEP)) == NotReplicated.__name__
    await store.close()


BREAKS = [
    pytest.param(RedisProcess.kill, id="killed"),
    pytest.param(RedisProcess.hang, id="hung"),
]


@pytest.mark.long
@pytest.mark.parametrize("how", BREAKS)
async def test_a_master_that_goes_under_load_loses_no_answer_and_no_trace(
    tmp_path: Path, own_servers: RedisSentinels, how: Callable[[RedisProcess], None]
) -> None:
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(tmp_path, upstream, others={"other": ""}, redis_url=own_servers.url) as proxy,
    ):
        upstream.says(ANSWER)
        load = Load(proxy)
        under_way = asyncio.create_task(load.run(200))
        await eventually(load.has_begun)
        master = own_servers.master()
        how(master)

        async def another_is_in_charge() -> bool:
            return await asyncio.to_thread(own_servers.master) is not master

        await eventually(another_is_in_charge)
        await under_way
        await eventually(load.store_is_back)
        await eventually(load.is_settled)
        if how is RedisProcess.hang:
            master.resume()
            await load.run(5)
            await eventually(load.is_settled)

        load.assert_nothing_was_felt()
        await load.assert_all_kept_once()
        assert proxy.services.recorder.counters()["dropped"] == 0
