"""The `openai` package for Python in front of the proxy: what an app may do with chat."""

import asyncio
import json
from collections.abc import Iterator

import openai
import pytest
from openai.types.chat import (
    ChatCompletionMessageFunctionToolCall,
    ChatCompletionMessageParam,
    ChatCompletionToolParam,
)
from pydantic import BaseModel

from proxy.demo import MODEL, Said
from tests.clients.scripts import (
    PLACE,
    PLACES,
    calls,
    finds_then_says,
)
from tests.fakes.rig import Rig
from tests.flow.canteen import CHINESE, CLEAN, LANGUAGE_TEMPLATE, OTHER, QUESTION

ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": QUESTION}]
FIND: ChatCompletionToolParam = {
    "type": "function",
    "function": {
        "name": "find",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"place": {"type": "string"}},
            "required": ["place"],
            "additionalProperties": False,
        },
    },
}

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Place(BaseModel):
    building: str
    floor: int


class Find(BaseModel):
    place: str


def synchronous(rig: Rig) -> openai.OpenAI:
    return openai.OpenAI(base_url=rig.proxy.base_url, api_key=rig.proxy.key, max_retries=0)


# The synchronous client.


async def test_the_synchronous_stream_helper_tells_of_the_answer_as_it_comes(rig: Rig) -> None:
    rig.scripted.says(CHINESE, CLEAN)

    def use() -> Iterator[str | None]:
        with (
            synchronous(rig) as client,
            client.chat.completions.stream(model=MODEL, messages=ASKED) as stream,
        ):
            for event in stream:
                if event.type == "content.delta":
                    yield event.delta
            yield stream.get_final_completion().choices[0].message.content

    *deltas, final = await asyncio.to_thread(lambda: [*use()])

    assert "".join(delta or "" for delta in deltas) == final == CLEAN


# Replies with their heads.


# Several choices.


async def test_two_choices_stream_side_by_side(rig: Rig) -> None:
    rig.scripted.says_choices([CLEAN, OTHER])

    async with (
        rig.proxy.sdk() as client,
        client.chat.completions.stream(model=MODEL, messages=ASKED, n=2) as stream,
    ):
        final = await stream.get_final_completion()

    told = [(one.index, one.message.content, one.finish_reason) for one in final.choices]
    assert told == [(0, CLEAN, "stop"), (1, OTHER, "stop")]


# Tools.


async def test_arguments_of_calls_are_parsed(rig: Rig) -> None:
    rig.scripted.script = lambda _: Said(tool_calls=calls(), finish_reason="tool_calls")
    find = openai.pydantic_function_tool(Find, name="find")

    async with rig.proxy.sdk() as client:
        plain = await client.chat.completions.parse(model=MODEL, messages=ASKED, tools=[find])
        async with client.chat.completions.stream(
            model=MODEL, messages=ASKED, tools=[find]
        ) as stream:
            streamed = await stream.get_final_completion()

    for reply in (plain, streamed):
        found = reply.choices[0].message.tool_calls
        assert found is not None
        parsed = [call.function.parsed_arguments for call in found]
        assert parsed == [Find(place=place) for place in PLACES]


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "stream"])
async def test_a_loop_of_tools_ends_with_a_guarded_answer(rig: Rig, streamed: bool) -> None:
    rig.scripted.script = finds_then_says(CHINESE, CLEAN)
    messages = [*ASKED]

    async with rig.proxy.sdk() as client:
        while True:
            if streamed:
                async with client.chat.completions.stream(
                    model=MODEL, messages=messages, tools=[FIND]
                ) as stream:
                    message = (await stream.get_final_completion()).choices[0].message
            else:
                message = (
                    (
                        await client.chat.completions.parse(
                            model=MODEL, messages=messages, tools=[FIND]
                        )
                    )
                    .choices[0]
                    .message
                )
            if not message.tool_calls:
                break
            messages += with_results(list(message.tool_calls))

    assert message.content == CLEAN
    assert [turn["role"] for turn in messages] == ["user", "assistant", "tool", "tool"]


def with_results(
    made: list[ChatCompletionMessageFunctionToolCall],
) -> list[ChatCompletionMessageParam]:
    """Return the turn with the calls and what each of them found."""
    asked: ChatCompletionMessageParam = {
        "role": "assistant",
        "tool_calls": [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function.name, "arguments": call.function.arguments},
            }
            for call in made
        ],
    }
    results: list[ChatCompletionMessageParam] = [
        {
            "role": "tool",
            "tool_call_id": call.id,
            "content": f"구내식당은 {json.loads(call.function.arguments)['place']} 지하에 있다.",
        }
        for call in made
    ]
    return [asked, *results]


# Structured output.


async def test_structured_output_is_parsed_from_a_stream(rig: Rig) -> None:
    rig.scripted.says(PLACE.replace("본관 지하", "本馆地下的食堂"), PLACE)

    async with (
        rig.proxy.sdk() as client,
        client.chat.completions.stream(
            model=MODEL, messages=ASKED, response_format=Place
        ) as stream,
    ):
        done = [event.parsed async for event in stream if event.type == "content.done"]
        final = await stream.get_final_completion()

    expected = Place(building="본관 지하", floor=-1)
    assert [*done, final.choices[0].message.parsed] == [expected, expected]


async def test_a_refusal_is_told_as_it_streams(rig: Rig) -> None:
    rig.scripted.says(PLACE.replace("본관 지하", "本馆地下的食堂"))

    async with (
        rig.proxy.sdk() as client,
        client.chat.completions.stream(
            model=MODEL, messages=ASKED, response_format=Place
        ) as stream,
    ):
        deltas = [event.delta async for event in stream if event.type == "refusal.delta"]

    assert "".join(deltas) == LANGUAGE_TEMPLATE
