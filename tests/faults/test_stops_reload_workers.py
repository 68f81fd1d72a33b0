"""Reload under load with several workers: each of them takes what is good, and nothing else."""

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from tests.fakes.command import DEADLINE_S
from tests.fakes.service_process import Service, serving

WORKERS = {1, 2}
CALLERS = 6
ROUNDS = 5


@dataclass
class Storm:
    """Callers who ask without a pause, over a new connection each time."""

    service: Service
    sent: int = 0
    replies: dict[int, httpx.Response] = field(default_factory=dict)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)
    is_over: bool = False

    async def call(self) -> None:
        while not self.is_over:
            self.sent = number = self.sent + 1
            reply = await self.service.chat(stream=number % 2 == 0)
            async with self.news:
                self.replies[number] = reply
                self.news.notify_all()

    async def versions(self, requests: int) -> set[str]:
        """Return by what policies some requests were judged that are sent from now on."""
        wanted = range(self.sent + 1, self.sent + 1 + requests)
        async with asyncio.timeout(DEADLINE_S), self.news:
            await self.news.wait_for(lambda: self.replies.keys() >= set(wanted))
        return {version(self.replies[number]) for number in wanted}


def version(reply: httpx.Response) -> str:
    return reply.headers["x-guard-policy"]


@asynccontextmanager
async def storm(service: Service) -> AsyncGenerator[Storm, None]:
    made = Storm(service)
    async with asyncio.TaskGroup() as group:
        for _ in range(CALLERS):
            group.create_task(made.call())
        try:
            yield made
        finally:
            made.is_over = True


@dataclass
class Policy:
    """The policy file, swapped whole as an editor or a mounted volume does it."""

    service: Service
    path: Path

    async def becomes(self, text: str, event: str, *, is_told: bool) -> None:
        """Put another text in place, and wait until every worker has said what it made of it."""
        before = len(self.service.command.err)
        fresh = self.path.with_name(".fresh")
        fresh.write_text(text)
        fresh.replace(self.path)
        if is_told:
            self.service.command.signal(signal.SIGHUP)

        def all_have_said() -> bool:
            said = [one for one in self.service.command.log[before:] if one["event"] == event]
            return {one["worker"] for one in said if one.get("changed") != []} == WORKERS

        await self.service.command.until(all_have_said)

    async def is_stale(self) -> dict[int, bool]:
        """Return what each worker says of the files on disk."""
        found: dict[int, bool] = {}
        async with asyncio.timeout(DEADLINE_S):
            while found.keys() != WORKERS:
                async with self.service.client() as client:
                    ready = (await client.get("/readyz")).json()
                found[ready["worker"]["number"]] = ready["policies"]["stale"]
        return found


@pytest.mark.long
@pytest.mark.parametrize("is_told", [False, True], ids=["file-changes", "signal"])
async def test_every_worker_takes_a_good_policy_and_none_a_broken_one(
    tmp_path: Path, *, is_told: bool
) -> None:
    async with serving(tmp_path, workers=str(len(WORKERS))) as service:
        service.model.gate.set()
        policy = Policy(service, tmp_path / "policies.d" / "app.yaml")
        good = policy.path.read_text()
        async with storm(service) as storming:
            [old] = await storming.versions(20)
            for number in range(ROUNDS):
                text = f"{good}reasons: {{other: 이유 {number}}}\n"
                await policy.becomes(text, "policies.reloaded", is_told=is_told)
                [new] = await storming.versions(20)
                assert new != old

                broken = f"{text}upstram: {number}\n"
                await policy.becomes(broken, "policies.refused", is_told=is_told)
                assert await storming.versions(20) == {new}
                assert await policy.is_stale() == dict.fromkeys(WORKERS, True)
                old = new
        told = [line for line in service.command.log if line["event"] == "policies.refused"]

    replies = storming.replies.values()
    assert Counter(reply.status_code for reply in replies) == {200: storming.sent}
    assert len(set(map(version, replies))) == ROUNDS + 1
    assert all("upstram" in str(line["errors"]) for line in told)
