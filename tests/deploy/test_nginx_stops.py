"""The shipped nginx in front of replicas that are told to stop: nothing is lost."""

import asyncio
import signal
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
import pytest

from policies.schema.keys import new_key
from tests.deploy.front import nginx
from tests.fakes.command import Running, running
from tests.fakes.paced_upstream import paced_upstream
from tests.fakes.running_proxy import DEADLINE_S, ModelServer, chat_body, tenant_yaml
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.listening import Listener, begun
from tests.flow.waiting import eventually


@asynccontextmanager
async def serving(
    folder: Path, model: ModelServer, hashed: str
) -> AsyncGenerator[tuple[Running, str], None]:
    """Run the service as a process; yields it and its address."""
    policies = folder / "policies.d"
    policies.mkdir(parents=True)
    policy = tenant_yaml("app", hashed, model.address, "stream: {mode: monitor}")
    (policies / "app.yaml").write_text(policy, "utf-8")
    async with running(folder, "serve", port="0", unready_s="0.5") as command:
        started = await command.logged("service.started")
        yield command, str(started["address"])


async def lets_nobody_in(address: str) -> None:
    """Wait until nobody listens at an address any more."""

    async def is_closed() -> bool:
        try:
            _, writer = await asyncio.open_connection(*address.removeprefix("http://").split(":"))
        except ConnectionRefusedError:
            return True
        writer.close()
        return False

    await eventually(is_closed)


@pytest.mark.long
async def test_a_stream_outlives_the_door_of_its_replica(tmp_path: Path) -> None:
    key, hashed = new_key("app")
    async with (
        paced_upstream() as model,
        serving(tmp_path / "replica", model.raw, hashed) as (replica, replica_address),
        nginx(tmp_path, replica_address) as address,
        httpx.AsyncClient(timeout=DEADLINE_S) as client,
        AsyncExitStack() as open_streams,
    ):
        beginning = asyncio.create_task(begun(model))
        stream = client.stream(
            "POST",
            f"{address}/v1/chat/completions",
            json=chat_body("안녕하세요?", stream=True),
            headers={"authorization": f"Bearer {key}"},
        )
        listener = Listener(await open_streams.enter_async_context(stream))
        writing = await beginning
        await writing.say("하나")
        await listener.hears("하나")
        replica.signal(signal.SIGTERM)
        await lets_nobody_in(replica_address)
        refused = await client.get(f"{address}/v1/models")
        await writing.say(" 둘")
        await listener.hears(" 둘")
        await writing.finish()
        await listener.rest()
        status = await replica.ended()

    assert refused.status_code == 503
    assert listener.said() == "하나 둘"
    assert listener.finish_reasons() == ["stop"]
    assert listener.is_done
    assert status == 0


async def more_requests(model: ScriptedUpstream) -> None:
    """Wait until the model server was asked forty times more."""
    wanted = len(model.requests) + 40

    async def reached() -> bool:
        return len(model.requests) >= wanted

    await eventually(reached)


@pytest.mark.long
async def test_no_request_is_lost_when_a_replica_is_told_to_stop(tmp_path: Path) -> None:
    key, hashed = new_key("app")
    async with (
        ScriptedUpstream().running() as model,
        serving(tmp_path / "first", model, hashed) as (first, first_address),
        serving(tmp_path / "second", model, hashed) as (_, second_address),
        nginx(tmp_path, first_address, second_address) as address,
        httpx.AsyncClient(timeout=DEADLINE_S) as client,
    ):
        stopped = asyncio.Event()

        async def ask() -> list[int]:
            statuses = []
            while not stopped.is_set():
                reply = await client.post(
                    f"{address}/v1/chat/completions",
                    json=chat_body("안녕하세요?"),
                    headers={"authorization": f"Bearer {key}"},
                )
                statuses.append(reply.status_code)
            return statuses

        asking = asyncio.gather(*(ask() for _ in range(8)))
        await more_requests(model)
        first.signal(signal.SIGTERM)
        status = await first.ended()
        await more_requests(model)
        stopped.set()
        statuses = [status for each in await asking for status in each]

    assert status == 0
    assert len(statuses) > 80
    assert set(statuses) == {200}
