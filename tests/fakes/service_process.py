"""A service as a process of its own, beside a model server that answers when it is let."""

import asyncio
import json
import signal
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from policies.schema.keys import new_key
from proxy.demo import Said, completion
from proxy.openai_api.json_body import JsonObject
from proxy.traces.embedded import EmbeddedStore
from proxy.traces.query import Query
from proxy.traces.sqlite import Database
from proxy.traces.trace import Trace
from tests.fakes.command import DEADLINE_S, Running, running
from tests.fakes.raw_upstream import RawUpstream, Talk, http_reply
from tests.fakes.running_proxy import chat_body, tenant_yaml
from tests.proxy.traces.making import now_ms

QUESTION = "구내식당은 몇 시에 여나요?"
ANSWER = "구내식당은 오전 11시 30분에 엽니다."
SOURCES: list[JsonObject] = [
    {"section_title": "제4조(식당)", "section_content": "구내식당은 오전 11시 30분에 연다."}
]


def asking(*, stream: bool = False) -> JsonObject:
    return chat_body(QUESTION, [*SOURCES], stream=stream)


@dataclass
class Model:
    """A model server that answers only while its gate is open."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    asked: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    async def act(self, talk: Talk) -> None:
        self.asked.release()
        await self.gate.wait()
        body = completion(json.loads(talk.request.body), Said((ANSWER,)))
        await talk.send(http_reply(json.dumps(body, ensure_ascii=False).encode()))

    async def was_asked(self, times: int) -> None:
        async with asyncio.timeout(DEADLINE_S):
            for _ in range(times):
                await self.asked.acquire()


@dataclass
class Service:
    """The service under way."""

    command: Running
    address: str
    key: str
    model: Model
    folder: Path

    @property
    def pid(self) -> int:
        return self.command.process.pid

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=self.address,
            timeout=DEADLINE_S,
            headers={"authorization": f"Bearer {self.key}"},
        )

    async def get(self, path: str) -> httpx.Response:
        async with self.client() as client:
            return await client.get(path)

    async def chat(self, body: JsonObject | None = None, *, stream: bool = False) -> httpx.Response:
        async with self.client() as client:
            return await client.post("/v1/chat/completions", json=body or asking(stream=stream))

    async def stopped(self, by: signal.Signals = signal.SIGTERM) -> int:
        self.command.signal(by)
        return await self.command.ended()

    async def handed_through(self) -> httpx.Response:
        async with self.client() as client:
            return await client.get("/v1/models")

    async def traces(self) -> list[Trace]:
        """Return the traces that it left, oldest first, once it has ended."""
        database = await Database.open(self.folder / "guard-proxy.sqlite3")
        try:
            return [
                *(await EmbeddedStore(database, now_ms).page(Query(after="", limit=200))).traces
            ]
        finally:
            await database.close()


@asynccontextmanager
async def serving(
    folder: Path, more: str = "", files: Mapping[str, str] | None = None, **settings: str
) -> AsyncGenerator[Service, None]:
    """Serve one tenant within this block; `more` is YAML for its policy."""
    key, key_hash = new_key("app")
    policies = folder / "policies.d"
    policies.mkdir(exist_ok=True)
    model = Model()
    async with RawUpstream(act=model.act).running() as server:
        texts = {"app": tenant_yaml("app", key_hash, server.address, more), **(files or {})}
        for name, text in texts.items():
            (policies / f"{name}.yaml").write_text(text)
        async with running(folder, "serve", **({"port": "0"} | settings)) as command:
            started = await command.logged("service.started")
            yield Service(command, str(started["address"]), key, model, folder)
        model.gate.set()
