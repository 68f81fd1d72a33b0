"""The service as a process of its own that a test may kill, starve and start again."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from policies.schema.keys import new_key
from proxy.openai_api.json_body import JsonObject
from tests.fakes.command import DEADLINE_S, Running, running
from tests.fakes.running_proxy import tenant_yaml
from tests.flow.loading import ASKED

TENANT = "app"


@dataclass(frozen=True)
class Answered:
    """An answer that reached its client whole."""

    id: str
    at_s: float


@dataclass
class Service:
    """The service under way, and what its tenant's clients got from it."""

    command: Running
    address: str
    key: str
    client: httpx.AsyncClient
    answers: list[Answered] = field(default_factory=list)
    statuses: set[int] = field(default_factory=set)

    async def ask(self, times: int = 1) -> None:
        for _ in range(times):
            reply = await self.client.post(
                f"{self.address}/v1/chat/completions",
                json=ASKED,
                headers={"authorization": f"Bearer {self.key}"},
            )
            self.statuses.add(reply.status_code)
            self.answers.append(Answered(reply.headers["x-guard-request-id"], time.monotonic()))

    async def ask_until_it_dies(self, clients: int) -> None:
        async def go_on() -> None:
            try:
                while True:
                    await self.ask()
            except httpx.TransportError:
                pass  # it was killed, and this answer did not leave

        await asyncio.gather(*(go_on() for _ in range(clients)))

    async def ready(self) -> JsonObject:
        body: JsonObject = (await self.client.get(f"{self.address}/readyz")).json()
        return body

    async def traces(self) -> dict[str, object]:
        said = (await self.ready())["traces"]
        assert isinstance(said, dict)
        return {**said}

    async def kept(self) -> list[str]:
        """Return the ids of all traces of the tenant, newest first."""
        ids: list[str] = []
        cursor: str | None = None
        while True:
            reply = await self.client.get(
                f"{self.address}/traces",
                params={"limit": 500} | ({"before": cursor} if cursor else {}),
                headers={"authorization": f"Bearer {self.key}"},
            )
            body = reply.json()
            ids += [trace["id"] for trace in body["data"]]
            cursor = body["cursor"]
            if cursor is None:
                return ids

    async def store_is_away(self) -> bool:
        return str((await self.traces())["store"]).startswith("away: ")

    async def is_settled(self) -> bool:
        traces = await self.traces()
        return traces["waiting"] == traces["outbox"] == 0


@asynccontextmanager
async def service(folder: Path, upstream: str, **settings: str) -> AsyncGenerator[Service, None]:
    """Run the service in a folder, with one tenant; again with the same key if it ran before."""
    kept_key = folder / "key"
    policies = folder / "policies.d"
    if not kept_key.exists():
        key, key_hash = new_key(TENANT)
        policies.mkdir(parents=True)
        (policies / f"{TENANT}.yaml").write_text(tenant_yaml(TENANT, key_hash, upstream))
        kept_key.write_text(key)
    async with (
        running(folder, "serve", port="0", **settings) as command,
        httpx.AsyncClient(timeout=DEADLINE_S) as client,
    ):
        started = await command.logged("service.started")
        yield Service(command, str(started["address"]), kept_key.read_text(), client)
