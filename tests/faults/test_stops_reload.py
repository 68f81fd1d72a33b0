"""Reload under load loses nothing: every request is judged by one whole state of the policies.

The directory is laid out and swapped as Kubernetes does it with a ConfigMap, and between the good
states it is broken, half written, and away.
"""

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from policies.schema.keys import new_key
from tests.fakes.running_proxy import RunningProxy, running_proxy, tenant_yaml
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.fakes.service_process import ANSWER, asking

pytestmark = pytest.mark.asyncio(loop_scope="module")

AT_ONCE = 8


@dataclass
class Volume:
    """A mounted ConfigMap: links to what ``..data`` leads to, which is swapped whole."""

    folder: Path
    upstream: str
    key: str
    key_hash: str
    numbers: Iterator[int]

    def put(self, said: str) -> None:
        """Put another state in place: a base and a tenant that extends it, both new."""
        number = next(self.numbers)
        state = self.folder / f"..state{number}"
        state.mkdir(parents=True)
        tenant = tenant_yaml("app", self.key_hash, self.upstream).replace("default", "base")
        (state / "app.yaml").write_text(f"{tenant}reasons: {{default: {said}}}\n")
        (state / "base.yaml").write_text(f"extends: default\nreasons: {{other: {said}}}\n")
        fresh = self.folder / "..fresh"
        fresh.symlink_to(state.name)
        fresh.replace(self.folder / "..data")
        for name in ("app", "base"):
            link = self.folder / f"{name}.yaml"
            if not link.is_symlink():
                link.unlink(missing_ok=True)
                link.symlink_to(f"..data/{name}.yaml")

    def spoil(self, text: str) -> None:
        """Write a file in place, as a careless editor does, or one that was interrupted."""
        link = self.folder / "app.yaml"
        link.unlink()
        link.write_text(text)


@dataclass
class Place:
    proxy: RunningProxy
    volume: Volume


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Place, None]:
    folder = tmp_path_factory.mktemp("reload")
    async with ScriptedUpstream().running() as upstream:
        upstream.says(ANSWER)
        key, key_hash = new_key("app")
        volume = Volume(folder / "mounted", upstream.address, key, key_hash, itertools.count())
        volume.put("첫째")
        async with running_proxy(
            folder, upstream, policies=volume.folder, policies_polling=False
        ) as proxy:
            yield Place(proxy, volume)


async def storm(place: Place, requests: int, replies: list[httpx.Response]) -> None:
    """Send so many requests, some at once; half of them streams."""
    left = iter(range(requests))

    async def caller() -> None:
        for number in left:
            body = asking(stream=number % 2 == 0)
            replies.append(await place.proxy.chat(body, key=place.volume.key))

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(caller())


async def meddle(place: Place, storming: asyncio.Task[None], *, pause_s: float) -> set[str]:
    """Edit the policies until the storm is over; return the versions that were in force."""
    volume, policies = place.volume, place.proxy.services.policies
    seen = {policies.snapshot.tenants["app"].version}
    moves: Iterator[Callable[[], object]] = itertools.cycle(
        [
            lambda: volume.put("첫째"),
            lambda: volume.spoil("extends: base\nguards: {numbers: {mode: loud}}\n"),
            lambda: volume.put("둘째"),
            lambda: volume.spoil("extends: base\ntenant: app\nkeys:\n  - sha2"),
            lambda: volume.folder.rename(volume.folder.with_name("away")),
            lambda: volume.folder.with_name("away").rename(volume.folder),
        ]
    )
    while not storming.done() or not volume.folder.exists():
        next(moves)()
        await asyncio.to_thread(policies.reload)
        seen.add(policies.snapshot.tenants["app"].version)
        await asyncio.wait({storming}, timeout=pause_s)
    return seen


async def no_request_was_lost(place: Place, requests: int, pause_s: float) -> None:
    replies: list[httpx.Response] = []
    storming = asyncio.create_task(storm(place, requests, replies))
    versions = await meddle(place, storming, pause_s=pause_s)
    await storming

    assert Counter(reply.status_code for reply in replies) == {200: requests}
    used = Counter(reply.headers["x-guard-policy"].removeprefix("app@") for reply in replies)
    assert len(versions) == 2
    assert set(used) == versions, "both were in force, and nothing else ever was"
    for reply in replies:
        trace = await place.proxy.trace(reply)
        assert f"app@{trace.policy.version}" == reply.headers["x-guard-policy"]
        assert (trace.status, trace.replies) == (200, (ANSWER,))


async def test_every_request_is_answered_by_one_of_two_states(place: Place) -> None:
    await no_request_was_lost(place, 200, 0.02)


@pytest.mark.long
async def test_thousands_are(place: Place) -> None:
    await no_request_was_lost(place, 5000, 0.2)
