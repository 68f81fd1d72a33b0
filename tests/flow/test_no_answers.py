import json

import pytest
from pydantic import JsonValue

from proxy.demo.model_server import Said
from proxy.openai_api.json_body import JsonObject
from tests.fakes.house import House
from tests.flow.canteen import (
    CHINESE,
    CLEAN,
    LANGUAGE_TEMPLATE,
    STILL_CHINESE,
    answers,
    ask,
    first_message,
    not_checked,
    texts,
)

CALLS: list[JsonObject] = [
    {
        "index": number,
        "id": f"call-{number}",
        "type": "function",
        "function": {"name": "find", "arguments": json.dumps({"질문": STILL_CHINESE})},
    }
    for number in range(2)
]
TOOLS: list[JsonValue] = [{"type": "function", "function": {"name": "find", "parameters": {}}}]

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_turn_that_calls_tools_passes(house: House, stream: bool) -> None:
    house.scripted.script = lambda _: Said(tool_calls=CALLS, finish_reason="tool_calls")

    reply = await ask(house, stream=stream, tools=TOOLS, parallel_tool_calls=True)

    assert reply.headers["x-guard-action"] == "pass"
    assert "tool_calls" in not_checked(reply)
    [answer] = answers(reply)
    assert (answer.tool_turn, answer.finish_reason) == (True, "tool_calls")
    assert first_message(reply)["tool_calls"] == CALLS


async def test_reasoning_in_a_field_of_its_own_is_not_the_answer(
    house: House, stream: bool
) -> None:
    house.scripted.script = lambda _: Said((CLEAN,), message={"reasoning_content": CHINESE})

    reply = await ask(house, stream=stream)

    assert (reply.headers["x-guard-action"], texts(reply)) == ("pass", [CLEAN])
    assert "reasoning_content" in not_checked(reply)
    assert "reasoning_content" in (await house.proxy.trace(reply)).not_checked


async def test_a_closed_block_of_thoughts_is_not_the_answer(house: House, stream: bool) -> None:
    said = f"<think>\n{CHINESE}\n</think>\n\n{CLEAN}"
    house.scripted.says(said)

    reply = await ask(house, stream=stream)

    assert (reply.headers["x-guard-action"], texts(reply)) == ("pass", [said])
    assert "think" in not_checked(reply)


async def test_an_open_block_of_thoughts_is_guarded(house: House, stream: bool) -> None:
    house.scripted.says(f"<think>\n{CHINESE}")

    reply = await ask(house, stream=stream)

    assert (reply.headers["x-guard-action"], texts(reply)) == ("replace", [LANGUAGE_TEMPLATE])


async def test_an_answer_behind_thoughts_is_guarded(house: House, stream: bool) -> None:
    house.scripted.says(f"<think>음…</think>{CHINESE}", f"<think>음…</think>{CLEAN}")

    reply = await ask(house, stream=stream)

    assert reply.headers["x-guard-action"] == "regenerate"


async def test_an_empty_answer_passes_and_says_so(house: House, stream: bool) -> None:
    house.scripted.says("")

    reply = await ask(house, stream=stream)

    assert reply.headers["x-guard-action"] == "pass"
    assert "empty_answer" in not_checked(reply)
