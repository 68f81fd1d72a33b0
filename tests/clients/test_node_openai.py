"""The `openai` package for Node in front of the proxy."""

import pytest

from proxy.demo import MODEL, Said
from proxy.openai_api.json_body import JsonObject, member
from tests.clients.processes import Client
from tests.clients.scripts import (
    PLACE,
    PLACES,
    FallsSilent,
    breaks_off,
    calls,
    finds_then_says,
)
from tests.fakes.rig import Rig
from tests.flow.canteen import (
    CHINESE,
    CLEAN,
    COMPLAINT_TEMPLATE,
    LANGUAGE_TEMPLATE,
    STILL_CHINESE,
)

PROGRAM = "openai_chat"

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
    rig: Rig, node: Client, first: str, second: str, expected: str
) -> None:
    rig.scripted.says(first, second)

    answer = {"text": expected, "role": "assistant", "finish": "stop"}
    assert await node.run(PROGRAM, "answers") == {
        "plain": answer,
        "streamed": answer,
        "models": [MODEL],
        "objects": ["chat.completion", "chat.completion.chunk"],
    }


async def test_parallel_calls_of_tools(rig: Rig, node: Client) -> None:
    rig.scripted.script = lambda _: Said(tool_calls=calls(), finish_reason="tool_calls")

    found = [[f"call-{number}", "find", {"place": one}] for number, one in enumerate(PLACES)]
    assert await node.run(PROGRAM, "tools") == {
        "finishes": ["tool_calls", "tool_calls"],
        "calls": [found, found],
    }


async def test_a_loop_of_tools_ends_with_a_guarded_answer(rig: Rig, node: Client) -> None:
    rig.scripted.script = finds_then_says(CHINESE, CLEAN)

    assert await node.run(PROGRAM, "roundTrip") == {
        "plain": CLEAN,
        "streamed": CLEAN,
        "places": [*PLACES, *PLACES],
    }


async def test_an_answer_in_json_stays_json(rig: Rig, node: Client) -> None:
    rig.scripted.says(PLACE)

    place = {"building": "본관 지하", "floor": -1}
    assert await node.run(PROGRAM, "json") == {"plain": place, "streamed": place}


async def test_an_answer_in_json_that_is_replaced_is_a_refusal(rig: Rig, node: Client) -> None:
    rig.scripted.says(PLACE.replace("본관 지하", "本馆地下的食堂"))

    assert await node.run(PROGRAM, "refused") == {"content": None, "refusal": LANGUAGE_TEMPLATE}


async def test_a_complaint_is_met_without_the_model(rig: Rig, node: Client) -> None:
    printed = await node.run(PROGRAM, "complaint")

    assert printed == {"plain": COMPLAINT_TEMPLATE, "streamed": COMPLAINT_TEMPLATE}
    assert rig.scripted.requests == []


# What is caught.


def error(name: str, status: int | None, code: str | None = None, **more: str) -> object:
    return {
        "name": name,
        "isApiError": True,
        "status": status,
        "code": code,
        "retryAfter": None,
    } | more


async def test_an_unknown_key_is_an_authentication_error(node: Client) -> None:
    printed = await node.with_key("gp-nobody").run(PROGRAM, "failed")

    told = error("AuthenticationError", 401, "invalid_api_key")
    assert printed == {"plain": told, "streamed": told}


async def test_a_stream_that_breaks_off_is_an_error(rig: Rig, node: Client) -> None:
    rig.raw.act = breaks_off

    printed = await node.as_tenant("raw").run(PROGRAM, "failed")

    assert member(printed["streamed"], "isApiError") is True


# Clients that leave.


@pytest.mark.parametrize(
    ("case", "expected"),
    [("aborted", {"finish": None}), ("abortedHelper", {"name": "APIUserAbortError"})],
)
async def test_an_aborted_stream_ends_the_models_work(
    rig: Rig, node: Client, case: str, expected: JsonObject
) -> None:
    silent = FallsSilent(rig.raw)

    async with node.as_tenant("raw").running(PROGRAM, case) as running:
        await silent.spoken.wait()
        printed = await running.printed("leave")
        await rig.raw.hung_up.wait()

    assert printed == expected
