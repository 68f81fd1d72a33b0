"""The litellm SDK in front of the proxy."""

import pytest

from proxy.demo import Said
from tests.clients.endpoint_server import EndpointRig
from tests.clients.processes import Client, Program
from tests.clients.scripts import PLACE, PLACES, RefusesOnce, calls
from tests.fakes.rig import Rig
from tests.flow.canteen import CHINESE, CLEAN, LANGUAGE_TEMPLATE, STILL_CHINESE

# Importing litellm takes ten seconds of a processor; it speaks by way of the openai package.
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]


ENDS = [
    pytest.param(CLEAN, CLEAN, CLEAN, id="passed"),
    pytest.param(CHINESE, CLEAN, CLEAN, id="asked-again"),
    pytest.param(CHINESE, STILL_CHINESE, LANGUAGE_TEMPLATE, id="replaced"),
]


@pytest.mark.parametrize(("first", "second", "expected"), ENDS)
async def test_an_answer_plain_and_streamed(
    rig: Rig, litellm: Client, first: str, second: str, expected: str
) -> None:
    rig.scripted.says(first, second)

    assert await litellm.run("plain") == {"text": expected, "finish": "stop"}
    assert await litellm.run("stream") == {
        "pieces": expected,
        "text": expected,
        "finish": "stop",
    }


async def test_the_synchronous_functions_get_the_same(rig: Rig, litellm: Client) -> None:
    rig.scripted.says(CHINESE, CLEAN)

    assert await litellm.run("thread") == {"texts": [CLEAN, CLEAN]}


async def test_parallel_calls_of_tools(rig: Rig, litellm: Client) -> None:
    rig.scripted.script = lambda _: Said(tool_calls=calls(), finish_reason="tool_calls")

    found = [[f"call-{number}", "find", {"place": one}] for number, one in enumerate(PLACES)]
    assert await litellm.run("tools") == {"plain": found, "streamed": found}


async def test_structured_output_is_an_object(rig: Rig, litellm: Client) -> None:
    rig.scripted.says(PLACE.replace("본관 지하", "本馆地下的食堂"), PLACE)

    place = {"building": "본관 지하", "floor": -1}
    assert await litellm.run("structured") == place


async def test_embeddings_are_handed_through(litellm: Client) -> None:
    assert await litellm.run("embedding") == {"embedding": [1.0, 0.5]}


async def test_an_unknown_key_is_an_authentication_error(litellm: Client) -> None:
    printed = await litellm.with_key("gp-nobody").run("failed")

    assert printed == {"name": "AuthenticationError", "status": 401}


async def test_a_limited_rate_is_told(rig: Rig, litellm: Client) -> None:
    RefusesOnce(rig.raw, always=True)

    printed = await litellm.as_tenant("raw").run("failed")

    assert printed == {"name": "RateLimitError", "status": 429}


@pytest.mark.parametrize("case", ["response", "completion"])
@pytest.mark.parametrize(("first", "second", "expected"), ENDS)
async def test_other_doors_plain_and_streamed(
    doors: EndpointRig,
    litellm_program: Program,
    case: str,
    first: str,
    second: str,
    expected: str,
) -> None:
    doors.server.says(first, second)

    printed = await Client(litellm_program, doors.proxy, doors.proxy.key).run(case)

    assert printed == {"plain": expected, "streamed": expected}
