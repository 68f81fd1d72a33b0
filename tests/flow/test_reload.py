"""Policies edited while requests come in: taken when they are good, and never felt when not."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from prometheus_client.parser import text_string_to_metric_families
from pydantic import JsonValue
from structlog.testing import capture_logs
from structlog.typing import EventDict

from policies.schema.base import Mode
from policies.schema.keys import new_key
from proxy.demo import Said, completion
from proxy.openai_api.json_body import JsonObject, member
from tests.fakes.raw_upstream import RawUpstream, Talk, http_reply
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy, tenant_yaml
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.waiting import eventually

SOURCES: list[JsonValue] = [
    {
        "section_title": "제22조(출장비)",
        "section_content": "국내 출장을 가는 직원에게 1일당 일비 3만원을 지급한다.",
    }
]
ASKED = chat_body("국내 출장 일비는 얼마인가요?", SOURCES)
WRONG = "국내 출장 일비는 1일당 5만원입니다."
SHADOW = "guards:\n  numbers:\n    mode: shadow\n"
BROKEN = "guards:\n  numbers:\n    mode: loud\n"

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Edited:
    """The running proxy and the files that an operator edits."""

    def __init__(self, proxy: RunningProxy, upstream: ScriptedUpstream) -> None:
        self.proxy = proxy
        self.upstream = upstream
        self.folder = proxy.services.settings.policies
        self.good = (self.folder / "app.yaml").read_text()

    def add_tenant(self, name: str, more: str = "") -> str:
        key, key_hash = new_key(name)
        self.write(name, tenant_yaml(name, key_hash, self.upstream.address, more))
        return key

    def write(self, name: str, text: str) -> None:
        """Write a file the way editors do: nobody sees a half of it."""
        fresh = self.folder / f".{name}.tmp"
        fresh.write_text(text)
        fresh.replace(self.folder / f"{name}.yaml")

    def add_to(self, name: str, more: str) -> None:
        self.write(name, (self.folder / f"{name}.yaml").read_text() + more)

    async def is_in_force(self, name: str, mode: str) -> bool:
        """Tell whether a tenant is there, with the guard of numbers in this mode."""
        loaded = self.proxy.services.policies.snapshot.tenants.get(name)
        return loaded is not None and loaded.policy.guards["numbers"].mode == mode

    async def status(self, key: str) -> int:
        return (await self.proxy.chat(ASKED, key=key)).status_code

    async def has_status(self, key: str, status: int) -> bool:
        return await self.status(key) == status

    async def acts(self, action: str) -> bool:
        return (await self.proxy.chat(ASKED)).headers["x-guard-action"] == action

    async def readiness(self) -> JsonObject:
        reply = await self.proxy.client.get(f"{self.proxy.address}/readyz")
        assert reply.status_code == 200
        body: JsonObject = reply.json()
        assert body["status"] == "ready"
        return body

    async def is_stale(self) -> bool:
        return member((await self.readiness())["policies"], "stale") is True

    async def is_in_order(self) -> bool:
        return not await self.is_stale()

    async def errors(self) -> list[str]:
        errors = member((await self.readiness())["policies"], "errors")
        assert isinstance(errors, list)
        return [str(error) for error in errors]

    async def complains_of(self, key: str) -> bool:
        return any(key in error for error in await self.errors())

    async def metric(self, name: str, **labels: str) -> float:
        reply = await self.proxy.client.get(f"{self.proxy.address}/metrics")
        samples = [
            sample
            for family in text_string_to_metric_families(reply.text)
            for sample in family.samples
        ]
        return next(
            (each.value for each in samples if (each.name, each.labels) == (name, labels)), 0.0
        )


@pytest_asyncio.fixture(loop_scope="module")
async def edited(tmp_path: Path, upstream: ScriptedUpstream) -> AsyncGenerator[Edited, None]:
    upstream.says(WRONG)
    async with running_proxy(tmp_path, upstream) as proxy:
        yield Edited(proxy, upstream)


@pytest.fixture
def logs() -> Iterator[list[EventDict]]:
    with capture_logs() as captured:
        yield captured


async def test_a_key_that_is_taken_away_opens_nothing_any_more(edited: Edited) -> None:
    _, other_hash = new_key("app")
    assert await edited.status(edited.proxy.key) == 200

    edited.write("app", tenant_yaml("app", other_hash, edited.upstream.address))

    await eventually(lambda: edited.has_status(edited.proxy.key, 401))


async def test_a_broken_edit_changes_nothing_and_is_shown_until_it_is_mended(
    edited: Edited, logs: list[EventDict]
) -> None:
    before = await edited.proxy.chat(ASKED)

    edited.add_to("app", BROKEN)
    await eventually(edited.is_stale)

    kept = await edited.proxy.chat(ASKED)
    assert kept.headers["x-guard-action"] == "replace"
    assert kept.headers["x-guard-policy"] == before.headers["x-guard-policy"]
    errors = await edited.errors()
    [error] = errors
    line = edited.good.count("\n") + 3
    assert error.startswith(f"{edited.folder}/app.yaml:{line}:5: guards.numbers.mode: ")
    assert await edited.metric("guard_proxy_policies_stale") == 1
    assert await edited.metric("guard_proxy_policy_reloads_total", outcome="refused") == 1
    [refused] = [entry for entry in logs if entry["event"] == "policies.refused"]
    assert (refused["log_level"], refused["errors"]) == ("error", errors)

    edited.write("app", edited.good)
    await eventually(edited.is_in_order)

    assert await edited.errors() == []
    assert await edited.metric("guard_proxy_policies_stale") == 0
    assert await edited.metric("guard_proxy_policy_reloads_total", outcome="taken") == 1
    assert [entry["event"] for entry in logs][-1] == "policies.reloaded"


async def test_a_broken_file_holds_back_the_good_edits_beside_it(edited: Edited) -> None:
    edited.write("broken", BROKEN)
    await eventually(edited.is_stale)
    key = edited.add_tenant("late")
    edited.write("broken", BROKEN.replace("numbers", "overlap"))
    await eventually(lambda: edited.complains_of("guards.overlap.mode"))

    assert await edited.status(key) == 401
    assert await edited.status(edited.proxy.key) == 200

    (edited.folder / "broken.yaml").unlink()
    await eventually(lambda: edited.has_status(key, 200))


async def test_a_request_under_way_keeps_the_policy_it_began_with(edited: Edited) -> None:
    asked, gate = asyncio.Event(), asyncio.Event()

    async def answer_later(talk: Talk) -> None:
        asked.set()
        await gate.wait()
        body = completion(json.loads(talk.request.body), Said((WRONG,)))
        await talk.send(http_reply(json.dumps(body).encode()))

    async with RawUpstream(act=answer_later).running() as slow:
        server = f"upstream:\n  base_url: {slow.address}/v1\n"
        key = edited.add_tenant("slow", server)
        await eventually(lambda: edited.is_in_force("slow", "enforce"))
        under_way = asyncio.create_task(edited.proxy.chat(ASKED, key=key))
        await asked.wait()
        edited.add_to("slow", SHADOW)
        await eventually(lambda: edited.is_in_force("slow", "shadow"))
        gate.set()
        old = await under_way
        new = await edited.proxy.chat(ASKED, key=key)

    assert [reply.headers["x-guard-action"] for reply in (old, new)] == ["replace", "pass"]
    traces = [await edited.proxy.trace(reply) for reply in (old, new)]
    assert [{run.mode for run in trace.guards if run.guard == "numbers"} for trace in traces] == [
        {Mode.ENFORCE},
        {Mode.SHADOW},
    ]
    for reply, trace in zip((old, new), traces, strict=True):
        assert reply.headers["x-guard-policy"] == f"slow@{trace.policy.version}"
    assert traces[0].policy.version != traces[1].policy.version
