"""Clients for Node at the doors beside chat: responses and completions."""

import pytest

from proxy.openai_api.json_body import member
from tests.clients.endpoint_server import EndpointRig
from tests.clients.processes import Client
from tests.clients.scripts import PLACE, PLACES, finds_then_says
from tests.flow.canteen import (
    CHINESE,
    CLEAN,
    LANGUAGE_TEMPLATE,
    STILL_CHINESE,
)

OPENAI = "openai_endpoints"
VERCEL = "ai_sdk"
ENDS = [
    pytest.param(CLEAN, CLEAN, CLEAN, id="passed"),
    pytest.param(CHINESE, CLEAN, CLEAN, id="asked-again"),
    pytest.param(CHINESE, STILL_CHINESE, LANGUAGE_TEMPLATE, id="replaced"),
]

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def node(node_at_doors: Client) -> Client:
    return node_at_doors


# The openai package.


@pytest.mark.parametrize(("first", "second", "expected"), ENDS)
async def test_a_response_plain_and_streamed(
    doors: EndpointRig, node: Client, first: str, second: str, expected: str
) -> None:
    doors.server.says(first, second)

    assert await node.run(OPENAI, "responses") == {
        "plain": expected,
        "status": "completed",
        "streamed": expected,
        "ends": ["response.created", "response.completed"],
        "whole": expected,
    }


@pytest.mark.parametrize(
    ("second", "action"),
    [pytest.param(CLEAN, "regenerate"), pytest.param(STILL_CHINESE, "replace")],
)
async def test_changed_answers_say_so(
    doors: EndpointRig, node: Client, second: str, action: str
) -> None:
    doors.server.says(CHINESE, second)

    assert await node.run(OPENAI, "changed") == {"actions": [action] * 5}


async def test_unchanged_answers_say_nothing(doors: EndpointRig, node: Client) -> None:
    doors.server.says(CLEAN)

    assert await node.run(OPENAI, "changed") == {"actions": [None] * 5}


async def test_a_loop_of_tools_ends_with_a_guarded_response(
    doors: EndpointRig, node: Client
) -> None:
    doors.server.script = finds_then_says(CHINESE, CLEAN)

    assert await node.run(OPENAI, "roundTrip") == {"text": CLEAN}


async def test_a_response_in_json_stays_json(doors: EndpointRig, node: Client) -> None:
    doors.server.says(PLACE)

    place = {"building": "본관 지하", "floor": -1}
    assert await node.run(OPENAI, "json") == {"plain": place, "streamed": place}


@pytest.mark.parametrize(("first", "second", "expected"), ENDS)
async def test_a_completion(
    doors: EndpointRig, node: Client, first: str, second: str, expected: str
) -> None:
    doors.server.says(first, second)

    printed = await node.run(OPENAI, "completions")

    assert printed == {"plain": expected, "streamed": expected}


# Vercel's AI SDK: what its provider for OpenAI speaks unless it is told otherwise.


@pytest.mark.parametrize("provider", ["responses", "completion", "compatibleCompletion"])
@pytest.mark.parametrize(("first", "second", "expected"), ENDS)
async def test_a_text_of_the_ai_sdk(
    doors: EndpointRig, node: Client, provider: str, first: str, second: str, expected: str
) -> None:
    doors.server.says(first, second)

    printed = await node.run(VERCEL, "texts", provider)

    plain = member(printed, "plain")
    assert printed["streamed"] == plain
    assert (member(plain, "text"), member(plain, "finishReason")) == (expected, "stop")
    assert printed["named"] is True


async def test_a_browser_shows_the_response(doors: EndpointRig, node: Client) -> None:
    doors.server.says(CHINESE, CLEAN)

    printed = await node.run(VERCEL, "ui", "responses")

    assert printed == {"role": "assistant", "texts": [CLEAN]}


async def test_a_loop_of_tools_of_the_ai_sdk(doors: EndpointRig, node: Client) -> None:
    doors.server.script = finds_then_says(CHINESE, CLEAN)

    ended = {"text": CLEAN, "places": [*PLACES], "steps": 2}
    printed = await node.run(VERCEL, "tools", "responses")
    assert printed == {"plain": ended, "streamed": ended}


async def test_objects_of_the_ai_sdk_are_valid(doors: EndpointRig, node: Client) -> None:
    doors.server.says(PLACE)

    place = {"building": "본관 지하", "floor": -1}
    printed = await node.run(VERCEL, "objects", "responses")
    assert printed == dict.fromkeys(("generated", "output", "lastPart", "streamed"), place)
