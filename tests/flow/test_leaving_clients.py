import asyncio
from collections.abc import AsyncGenerator

import httpx
import pytest
import pytest_asyncio

from proxy.app import create_app
from tests.fakes.log_lines import json_logs
from tests.fakes.raw_upstream import Talk
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import DEADLINE_S, chat_body
from tests.flow.canteen import QUESTION
from tests.flow.leaving import assert_gone, connect, only_trace

TENANTS = ("streaming", "plain", "streaming-half", "plain-half", "uploading", "cancelled")


@pytest_asyncio.fixture(
    scope="module", loop_scope="module", params=[0.02, 60.0], ids=["held", "not-yet-held"]
)
async def shared_rig(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Rig, None]:
    """A rig with a tenant for each way to leave, so that its one trace is found."""
    others = {name: upstream_yaml(RAW) for name in TENANTS}
    folder = tmp_path_factory.mktemp("rig")
    async with open_rig(folder, others=others, keep_alive_s=request.param) as rig:
        yield rig


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def asked(rig: Rig) -> asyncio.Event:
    """Set when the model server was asked; it never answers."""
    event = asyncio.Event()

    async def act(talk: Talk) -> None:
        event.set()
        await talk.hang()

    rig.raw.act = act
    return event


@pytest.mark.parametrize("half", ["", "-half"], ids=["closed", "half-closed"])
@pytest.mark.parametrize(("tenant", "stream"), [("streaming", True), ("plain", False)])
async def test_a_client_that_leaves_ends_the_work_and_leaves_a_trace(
    rig: Rig,
    asked: asyncio.Event,
    tenant: str,
    stream: bool,
    half: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One that closes only its sending side says the same on the wire."""
    tenant += half
    with json_logs():
        async with asyncio.timeout(DEADLINE_S):
            writer = await connect(rig, tenant, chat_body(QUESTION, stream=stream))
            await asked.wait()
            assert not rig.raw.hung_up.is_set()

            if half:
                writer.write_eof()
            else:
                writer.close()

            await rig.raw.hung_up.wait()
        writer.close()
        trace = await only_trace(rig, tenant)

    assert capsys.readouterr().err == ""
    assert_gone(trace)
    assert (trace.question, trace.stream, trace.replies) == (QUESTION, stream, ())


async def test_a_client_that_leaves_in_the_middle_of_its_request_leaves_a_trace(
    rig: Rig, capsys: pytest.CaptureFixture[str]
) -> None:
    with json_logs():
        writer = await connect(rig, "uploading", chat_body(QUESTION), sent_bytes=10)
        writer.close()
        trace = await only_trace(rig, "uploading")

    assert_gone(trace)
    assert capsys.readouterr().err == ""


async def test_a_request_that_the_server_gives_up_leaves_a_trace(
    rig: Rig, asked: asyncio.Event
) -> None:
    # Both sides mean an ASGI app; their types for its messages differ.
    transport = httpx.ASGITransport(create_app(rig.proxy.services))  # type: ignore[arg-type]
    headers = {"authorization": f"Bearer {rig.proxy.keys['cancelled']}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://proxy") as client:
        asking = asyncio.create_task(
            client.post("/v1/chat/completions", json=dict(chat_body(QUESTION)), headers=headers)
        )
        async with asyncio.timeout(DEADLINE_S):
            await asked.wait()
            asking.cancel()
            await rig.raw.hung_up.wait()

    with pytest.raises(asyncio.CancelledError):
        await asking
    assert_gone(await only_trace(rig, "cancelled"))
