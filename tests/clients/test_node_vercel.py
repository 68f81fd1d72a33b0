"""Vercel's AI SDK in front of the proxy, with both providers that speak chat completions."""

import pytest

from proxy.openai_api.json_body import member
from tests.clients.processes import Client
from tests.clients.scripts import (
    PLACE,
    PLACES,
    FallsSilent,
    finds_then_says,
)
from tests.fakes.rig import Rig
from tests.flow.canteen import CHINESE, CLEAN, LANGUAGE_TEMPLATE, STILL_CHINESE

PROGRAM = "ai_sdk"
ENDS = [
    pytest.param(CLEAN, CLEAN, CLEAN, id="passed"),
    pytest.param(CHINESE, CLEAN, CLEAN, id="asked-again"),
    pytest.param(CHINESE, STILL_CHINESE, LANGUAGE_TEMPLATE, id="replaced"),
]

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(params=["openai", "compatible"])
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize(("first", "second", "expected"), ENDS)
async def test_a_text_generated_and_streamed(
    rig: Rig, node: Client, provider: str, first: str, second: str, expected: str
) -> None:
    rig.scripted.says(first, second)

    printed = await node.run(PROGRAM, "texts", provider)

    plain = member(printed, "plain")
    assert printed["streamed"] == plain
    assert (member(plain, "text"), member(plain, "finishReason")) == (expected, "stop")
    assert member(plain, "totalTokens") != 0
    assert printed["named"] is True


async def test_the_parts_of_a_stream_come_in_order(rig: Rig, node: Client, provider: str) -> None:
    rig.scripted.says(CLEAN)

    assert await node.run(PROGRAM, "parts", provider) == {
        "text": CLEAN,
        "types": [
            "start",
            "start-step",
            "text-start",
            "text-delta",
            "text-end",
            "finish-step",
            "finish",
        ],
    }


async def test_a_browser_shows_the_answer(rig: Rig, node: Client, provider: str) -> None:
    rig.scripted.says(CHINESE, CLEAN)

    assert await node.run(PROGRAM, "ui", provider) == {"role": "assistant", "texts": [CLEAN]}


async def test_a_loop_of_tools_ends_with_a_guarded_answer(
    rig: Rig, node: Client, provider: str
) -> None:
    rig.scripted.script = finds_then_says(CHINESE, CLEAN)

    ended = {"text": CLEAN, "places": [*PLACES], "steps": 2}
    assert await node.run(PROGRAM, "tools", provider) == {"plain": ended, "streamed": ended}


async def test_objects_are_valid(rig: Rig, node: Client, provider: str) -> None:
    rig.scripted.says(PLACE)

    place = {"building": "본관 지하", "floor": -1}
    printed = await node.run(PROGRAM, "objects", provider)
    assert printed == dict.fromkeys(("generated", "output", "lastPart", "streamed"), place)


# What is caught.


async def test_an_unknown_key_is_told(node: Client, provider: str) -> None:
    printed = await node.with_key("gp-nobody").run(PROGRAM, "failed", provider)

    error = {
        "isApiCallError": True,
        "status": 401,
        "retryable": False,
        "code": "invalid_api_key",
        "retryAfter": None,
    }
    assert printed == {"plain": error, "streamed": [error]}


async def test_an_aborted_stream_ends_the_models_work(
    rig: Rig, node: Client, provider: str
) -> None:
    silent = FallsSilent(rig.raw)

    async with node.as_tenant("raw").running(PROGRAM, "aborted", provider) as running:
        await silent.spoken.wait()
        printed = await running.printed("leave")
        await rig.raw.hung_up.wait()

    types = printed["types"]
    assert isinstance(types, list)
    assert types[-1] == "abort"
