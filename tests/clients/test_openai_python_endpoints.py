"""The `openai` package for Python at the doors beside chat: responses and completions."""

import json

import pytest
from openai import AsyncStream
from openai.types import Completion
from openai.types.responses import (
    FunctionToolParam,
    ParsedResponse,
    Response,
    ResponseFunctionToolCall,
    ResponseInputItemParam,
    ResponseOutputMessage,
    ResponseStreamEvent,
)
from pydantic import BaseModel

from proxy.demo import MODEL, Said
from tests.clients.endpoint_server import EndpointRig
from tests.clients.scripts import PLACE, PLACES, calls, finds_then_says
from tests.flow.canteen import (
    CHINESE,
    CLEAN,
    LANGUAGE_TEMPLATE,
    OTHER,
    QUESTION,
    SOURCE,
    STILL_CHINESE,
)

ENDS = [
    pytest.param(CLEAN, CLEAN, CLEAN, id="passed"),
    pytest.param(CHINESE, CLEAN, CLEAN, id="asked-again"),
    pytest.param(CHINESE, STILL_CHINESE, LANGUAGE_TEMPLATE, id="replaced"),
]
FOREIGN_PLACE = PLACE.replace("본관 지하", "本馆地下的食堂")
FIND: FunctionToolParam = {
    "type": "function",
    "name": "find",
    "strict": True,
    "parameters": {
        "type": "object",
        "properties": {"place": {"type": "string"}},
        "required": ["place"],
        "additionalProperties": False,
    },
}


class Place(BaseModel):
    building: str
    floor: int


pytestmark = pytest.mark.asyncio(loop_scope="module")


# Responses.


def calls_in(response: Response) -> list[ResponseFunctionToolCall]:
    return [item for item in response.output if isinstance(item, ResponseFunctionToolCall)]


@pytest.mark.parametrize(("first", "second", "expected"), ENDS)
async def test_a_response(doors: EndpointRig, first: str, second: str, expected: str) -> None:
    doors.server.says(first, second)

    async with doors.proxy.sdk() as client:
        response = await client.responses.create(model=MODEL, input=QUESTION)

    assert (response.output_text, response.status) == (expected, "completed")
    assert response.model == MODEL


@pytest.mark.parametrize(("first", "second", "expected"), ENDS)
async def test_a_streamed_response(
    doors: EndpointRig, first: str, second: str, expected: str
) -> None:
    doors.server.says(first, second)

    async with doors.proxy.sdk() as client:
        stream: AsyncStream[ResponseStreamEvent] = await client.responses.create(
            model=MODEL, input=QUESTION, stream=True
        )
        events = [event async for event in stream]

    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    done = [event.text for event in events if event.type == "response.output_text.done"]
    whole = [one.response.output_text for one in events if one.type == "response.completed"]
    assert (events[0].type, events[-1].type) == ("response.created", "response.completed")
    assert ("".join(deltas), done, whole) == (expected, [expected], [expected])
    numbers = [event.sequence_number for event in events]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("first", [PLACE, FOREIGN_PLACE], ids=["passed", "asked-again"])
async def test_a_response_is_parsed(doors: EndpointRig, first: str) -> None:
    doors.server.says(first, PLACE)

    async with doors.proxy.sdk() as client:
        plain = await client.responses.parse(model=MODEL, input=QUESTION, text_format=Place)
        async with client.responses.stream(
            model=MODEL, input=QUESTION, text_format=Place
        ) as stream:
            streamed = await stream.get_final_response()

    expected = Place(building="본관 지하", floor=-1)
    assert [plain.output_parsed, streamed.output_parsed] == [expected, expected]


async def test_a_structured_response_that_is_replaced_is_a_refusal(doors: EndpointRig) -> None:
    doors.server.says(FOREIGN_PLACE)

    async with doors.proxy.sdk() as client:
        plain = await client.responses.parse(model=MODEL, input=QUESTION, text_format=Place)
        async with client.responses.stream(
            model=MODEL, input=QUESTION, text_format=Place
        ) as stream:
            streamed = await stream.get_final_response()

    for response in (plain, streamed):
        assert response.output_parsed is None
        assert refusals(response) == [LANGUAGE_TEMPLATE]


def refusals(response: ParsedResponse[Place]) -> list[str]:
    messages = [item for item in response.output if isinstance(item, ResponseOutputMessage)]
    parts = [part for message in messages for part in message.content]
    return [part.refusal for part in parts if part.type == "refusal"]


async def test_calls_of_tools_arrive_in_a_response(doors: EndpointRig) -> None:
    doors.server.script = lambda _: Said(tool_calls=calls())

    async with doors.proxy.sdk() as client:
        plain = await client.responses.create(model=MODEL, input=QUESTION, tools=[FIND])
        async with client.responses.stream(model=MODEL, input=QUESTION, tools=[FIND]) as stream:
            streamed = await stream.get_final_response()

    for response in (plain, streamed):
        found = [(call.call_id, json.loads(call.arguments)) for call in calls_in(response)]
        assert found == [(f"call-{index}", {"place": one}) for index, one in enumerate(PLACES)]


async def test_a_loop_of_tools_ends_with_a_guarded_response(doors: EndpointRig) -> None:
    doors.server.script = finds_then_says(CHINESE, CLEAN)
    items: list[ResponseInputItemParam] = [{"role": "user", "content": QUESTION}]

    async with doors.proxy.sdk() as client:
        asking = await client.responses.create(model=MODEL, input=items, tools=[FIND])
        for call in calls_in(asking):
            items.append(
                {
                    "type": "function_call",
                    "call_id": call.call_id,
                    "name": call.name,
                    "arguments": call.arguments,
                }
            )
            items.append(
                {"type": "function_call_output", "call_id": call.call_id, "output": SOURCE}
            )
        response = await client.responses.create(model=MODEL, input=items, tools=[FIND])

    assert response.output_text == CLEAN
    assert len(doors.server.requests) == 3


# Completions.


@pytest.mark.parametrize(("first", "second", "expected"), ENDS)
async def test_a_completion_plain_and_streamed(
    doors: EndpointRig, first: str, second: str, expected: str
) -> None:
    doors.server.says(first, second)
    named = {CLEAN: "regenerate", LANGUAGE_TEMPLATE: "replace"}
    wanted = [] if first == CLEAN else [named[expected]]

    async with doors.proxy.sdk() as client:
        plain = await client.completions.create(model=MODEL, prompt=QUESTION)
        stream: AsyncStream[Completion] = await client.completions.create(
            model=MODEL, prompt=QUESTION, stream=True, stream_options={"include_usage": True}
        )
        *chunks, usage = [chunk async for chunk in stream]

    assert (plain.choices[0].text, plain.object) == (expected, "text_completion")
    assert "".join(chunk.choices[0].text for chunk in chunks) == expected
    assert {chunk.object for chunk in chunks} == {"text_completion"}
    assert plain.choices[0].finish_reason == chunks[-1].choices[0].finish_reason == "stop"
    for replies in ([plain], chunks):
        found = [one.model_extra["guard"] for one in replies if one.model_extra]
        assert [guard["action"] for guard in found] == wanted
    assert (usage.choices, usage.model_extra) == ([], {})


async def test_two_completions_are_guarded_each_for_itself(doors: EndpointRig) -> None:
    doors.server.script = lambda _: Said((CLEAN, OTHER))

    async with doors.proxy.sdk() as client:
        plain = await client.completions.create(model=MODEL, prompt=QUESTION, n=2)
        stream: AsyncStream[Completion] = await client.completions.create(
            model=MODEL, prompt=QUESTION, n=2, stream=True
        )
        streamed = ["", ""]
        async for chunk in stream:
            for choice in chunk.choices:
                streamed[choice.index] += choice.text

    assert [(one.index, one.text) for one in plain.choices] == [(0, CLEAN), (1, OTHER)]
    assert streamed == [CLEAN, OTHER]
