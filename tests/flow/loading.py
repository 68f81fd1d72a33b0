"""Clients that keep a proxy busy, and what became of their requests."""

import asyncio

import httpx

from proxy.openai_api.json_body import JsonObject
from proxy.traces.query import Query
from proxy.traces.store import walk
from tests.fakes.running_proxy import RunningProxy, chat_body
from tests.flow.replies import said

SOURCES: list[JsonObject] = [
    {
        "section_title": "제22조(출장비)",
        "section_content": "국내 출장을 가는 직원에게 1일당 일비 3만원을 지급한다.",
    }
]
ASKED = chat_body("출장 일비는 얼마인가요?", [*SOURCES])
ANSWER = "일비는 1일당 3만원입니다."
TENANTS = ("app", "other")


class Load:
    """Clients of two tenants: each asks again as soon as it has its reply."""

    def __init__(self, proxy: RunningProxy) -> None:
        self.proxy = proxy
        self.replies: dict[str, list[httpx.Response]] = {tenant: [] for tenant in TENANTS}

    def ids(self, tenant: str) -> list[str]:
        return [reply.headers["x-guard-request-id"] for reply in self.replies[tenant]]

    async def run(self, times: int) -> None:
        async def ask(tenant: str) -> None:
            for _ in range(times):
                reply = await self.proxy.chat(ASKED, key=self.proxy.keys[tenant])
                self.replies[tenant].append(reply)

        await asyncio.gather(*map(ask, TENANTS))

    async def is_settled(self) -> bool:
        counters = self.proxy.services.recorder.counters()
        return counters["waiting"] == counters["outbox"] == 0

    async def waits_in_the_outbox(self) -> bool:
        return self.proxy.services.recorder.counters()["outbox"] > 0

    async def store_state(self) -> str:
        reply = await self.proxy.client.get(f"{self.proxy.address}/readyz")
        assert (reply.status_code, reply.json()["status"]) == (200, "ready")
        return str(reply.json()["traces"]["store"])

    async def store_is_back(self) -> bool:
        return await self.store_state() == "ok"

    def assert_nothing_was_felt(self) -> None:
        for replies in self.replies.values():
            assert {reply.status_code for reply in replies} == {200}
            assert {said(reply) for reply in replies} == {ANSWER}

    async def assert_all_kept_once_and_in_order(self) -> None:
        for tenant in TENANTS:
            page = await self.proxy.services.traces.page(Query(tenant=tenant, after="", limit=500))
            assert [trace.id for trace in page.traces] == self.ids(tenant)

    async def has_begun(self) -> bool:
        return all(len(replies) >= 20 for replies in self.replies.values())

    async def assert_all_kept_once(self) -> None:
        store = self.proxy.services.traces
        for tenant in TENANTS:
            own = set(self.ids(tenant))
            kept = [one.id async for one in walk(store, Query(tenant=tenant, limit=500))]
            assert sorted(one for one in kept if one in own) == sorted(own)
