"""The litellm SDK in front of the proxy."""

import pytest

from proxy.demo.model_server import Said
from tests.clients.litellm_process import LiteLlm
from tests.clients.scripts import PLACE, PLACES, RefusesOnce, calls
from tests.fakes.house import House
from tests.flow.canteen import CHINESE, CLEAN, LANGUAGE_TEMPLATE, STILL_CHINESE

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param(CLEAN, CLEAN, CLEAN, id="passed"),
        pytest.param(CHINESE, CLEAN, CLEAN, id="asked-again"),
        pytest.param(CHINESE, STILL_CHINESE, LANGUAGE_TEMPLATE, id="replaced"),
    ],
)
async def test_an_answer_plain_and_streamed(
    house: House, litellm: LiteLlm, first: str, second: str, expected: str
) -> None:
    house.scripted.says(first, second)

    assert await litellm.run("plain", house.proxy) == {"text": expected, "finish": "stop"}
    assert await litellm.run("stream", house.proxy) == {
        "pieces": expected,
        "text": expected,
        "finish": "stop",
    }


async def test_the_synchronous_functions_get_the_same(house: House, litellm: LiteLlm) -> None:
    house.scripted.says(CHINESE, CLEAN)

    assert await litellm.run("thread", house.proxy) == {"texts": [CLEAN, CLEAN]}


async def test_parallel_calls_of_tools(house: House, litellm: LiteLlm) -> None:
    house.scripted.script = lambda _: Said(tool_calls=calls(), finish_reason="tool_calls")

    found = [[f"call-{number}", "find", {"place": one}] for number, one in enumerate(PLACES)]
    assert await litellm.run("tools", house.proxy) == {"plain": found, "streamed": found}


async def test_structured_output_is_an_object(house: House, litellm: LiteLlm) -> None:
    house.scripted.says(PLACE.replace("본관 지하", "本馆地下的食堂"), PLACE)

    place = {"building": "본관 지하", "floor": -1}
    assert await litellm.run("structured", house.proxy) == place


async def test_embeddings_are_handed_through(house: House, litellm: LiteLlm) -> None:
    assert await litellm.run("embedding", house.proxy) == {"embedding": [1.0, 0.5]}


async def test_an_unknown_key_is_an_authentication_error(house: House, litellm: LiteLlm) -> None:
    printed = await litellm.run_as("failed", house.proxy, "gp-nobody")

    assert printed == {"name": "AuthenticationError", "status": 401}


async def test_a_limited_rate_is_told(house: House, litellm: LiteLlm) -> None:
    RefusesOnce(house.raw, always=True)

    printed = await litellm.run("failed", house.proxy, "raw")

    assert printed == {"name": "RateLimitError", "status": 429}
