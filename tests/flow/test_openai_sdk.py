import asyncio
import json

import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from pydantic import BaseModel, JsonValue

from proxy.demo.model_server import MODEL, Said
from proxy.openai_api.json_body import JsonObject
from tests.fakes.house import House
from tests.flow.canteen import (
    CHINESE,
    CLEAN,
    COMPLAINT,
    COMPLAINT_TEMPLATE,
    LANGUAGE_TEMPLATE,
    OTHER,
    QUESTION,
    SOURCE,
    STILL_CHINESE,
)

ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": QUESTION}]
COMPLAINED: list[ChatCompletionMessageParam] = [{"role": "user", "content": COMPLAINT}]
FIND: ChatCompletionToolParam = {
    "type": "function",
    "function": {"name": "find", "parameters": {"type": "object", "properties": {}}},
}


class Place(BaseModel):
    building: str
    floor: int


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_asynchronous_client_gets_the_models_answer(house: House) -> None:
    house.scripted.says(CLEAN)

    async with house.proxy.sdk() as client:
        reply = await client.chat.completions.create(model=MODEL, messages=ASKED)

    assert reply.choices[0].message.content == CLEAN
    assert (reply.model, reply.choices[0].finish_reason) == (MODEL, "stop")
    assert reply.usage is not None
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens


async def test_the_synchronous_client_gets_the_same(house: House) -> None:
    house.scripted.says(CHINESE, CLEAN)

    def use() -> list[str | None]:
        with openai.OpenAI(base_url=house.proxy.base_url, api_key=house.proxy.key) as client:
            plain = client.chat.completions.create(model=MODEL, messages=ASKED)
            stream = client.chat.completions.create(model=MODEL, messages=ASKED, stream=True)
            pieces = [chunk.choices[0].delta.content or "" for chunk in stream]
            models = [model.id for model in client.models.list()]
        return [plain.choices[0].message.content, "".join(pieces), *models]

    assert await asyncio.to_thread(use) == [CLEAN, CLEAN, MODEL]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param(CLEAN, CLEAN, CLEAN, id="passed"),
        pytest.param(CHINESE, CLEAN, CLEAN, id="asked-again"),
        pytest.param(CHINESE, STILL_CHINESE, LANGUAGE_TEMPLATE, id="replaced"),
    ],
)
async def test_a_stream_is_a_stream(house: House, first: str, second: str, expected: str) -> None:
    house.scripted.says(first, second)

    async with house.proxy.sdk() as client:
        stream = await client.chat.completions.create(model=MODEL, messages=ASKED, stream=True)
        chunks = [chunk async for chunk in stream]

    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == expected
    assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}
    assert [chunk.choices[0].finish_reason for chunk in chunks][-1] == "stop"
    assert chunks[0].choices[0].delta.role == "assistant"


async def test_a_stream_with_usage_ends_with_it(house: House) -> None:
    house.scripted.says(CHINESE, CLEAN)

    async with house.proxy.sdk() as client:
        stream = await client.chat.completions.create(
            model=MODEL, messages=ASKED, stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
        plain = await client.chat.completions.create(model=MODEL, messages=ASKED)

    assert [chunk.usage for chunk in chunks[:-1] if chunk.usage] == []
    assert chunks[-1].usage == plain.usage


@pytest.mark.parametrize("first", [CLEAN, CHINESE])
async def test_the_stream_helper_puts_the_answer_together(house: House, first: str) -> None:
    house.scripted.says(first, CLEAN)

    async with house.proxy.sdk() as client:
        async with client.chat.completions.stream(model=MODEL, messages=ASKED) as stream:
            deltas = [event.delta async for event in stream if event.type == "content.delta"]
        final = await stream.get_final_completion()

    assert "".join(deltas) == final.choices[0].message.content == CLEAN


async def test_the_raw_reply_shows_the_guards_headers(house: House) -> None:
    house.scripted.says(CHINESE, CLEAN)

    async with house.proxy.sdk() as client:
        raw = await client.chat.completions.with_raw_response.create(model=MODEL, messages=ASKED)

    assert raw.headers["x-guard-action"] == "regenerate"
    assert raw.headers["x-guard-attempts"] == "2"
    assert raw.parse().choices[0].message.content == CLEAN
    trace = await house.proxy.trace_of(raw.headers["x-guard-request-id"])
    assert trace.replies == (CLEAN,)


async def test_sources_and_the_wish_for_a_report_go_in_the_extra_body(house: House) -> None:
    house.scripted.says(CLEAN)
    guard: JsonObject = {"sources": [{"section_content": SOURCE}], "report": True}

    async with house.proxy.sdk() as client:
        reply = await client.chat.completions.create(
            model=MODEL, messages=ASKED, extra_body={"guard": guard}
        )

    assert reply.model_extra is not None
    assert reply.model_extra["guard"]["context"] == "found"
    assert [request.get("guard") for request in house.scripted.requests] == [None]


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        pytest.param({"guard": {"intent": "policy"}}, {}, id="body"),
        pytest.param({}, {"x-guard-intent": "policy"}, id="header"),
    ],
)
async def test_the_caller_may_ask_for_evidence(
    house: House, body: dict[str, JsonValue], headers: dict[str, str]
) -> None:
    house.scripted.says(CLEAN)

    async with house.proxy.sdk() as client:
        raw = await client.chat.completions.with_raw_response.create(
            model=MODEL, messages=ASKED, extra_body=body, extra_headers=headers
        )

    assert raw.headers["x-guard-reasons"] == "answerability.no_context"
    assert house.scripted.requests == []


async def test_two_choices_are_guarded_each_for_itself(house: House) -> None:
    house.scripted.says_choices([CHINESE, CLEAN], [OTHER])

    async with house.proxy.sdk() as client:
        reply = await client.chat.completions.create(model=MODEL, messages=ASKED, n=2)

    assert [(one.index, one.message.content) for one in reply.choices] == [(0, OTHER), (1, CLEAN)]


async def test_a_complaint_gets_its_reply_without_the_model(house: House) -> None:
    async with house.proxy.sdk() as client:
        reply = await client.chat.completions.create(model=MODEL, messages=COMPLAINED)

    assert reply.choices[0].message.content == COMPLAINT_TEMPLATE
    assert reply.usage is not None
    assert reply.usage.total_tokens == 0
    assert house.scripted.requests == []


async def test_a_filtered_answer_says_so(house: House) -> None:
    async with house.proxy.sdk("filtering") as client:
        reply = await client.chat.completions.create(model=MODEL, messages=COMPLAINED)

    assert reply.choices[0].finish_reason == "content_filter"


# Tools.

CALLS: list[JsonObject] = [
    {
        "index": number,
        "id": f"call-{number}",
        "type": "function",
        "function": {"name": "find", "arguments": json.dumps({"place": place})},
    }
    for number, place in enumerate(["본관", "별관"])
]


async def test_calls_of_tools_arrive_plain_and_streamed(house: House) -> None:
    house.scripted.script = lambda _: Said(tool_calls=CALLS, finish_reason="tool_calls")

    async with house.proxy.sdk() as client:
        plain = await client.chat.completions.create(model=MODEL, messages=ASKED, tools=[FIND])
        async with client.chat.completions.stream(
            model=MODEL, messages=ASKED, tools=[FIND]
        ) as stream:
            streamed = await stream.get_final_completion()

    for reply in (plain, streamed):
        calls = reply.choices[0].message.tool_calls
        assert calls is not None
        assert [call.id for call in calls] == ["call-0", "call-1"]
        assert reply.choices[0].finish_reason == "tool_calls"
    assert plain.choices[0].message.content is None


async def test_the_answer_after_the_tools_is_guarded(house: House) -> None:
    house.scripted.says(CHINESE, CLEAN)
    messages: list[ChatCompletionMessageParam] = [
        *ASKED,
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": SOURCE},
    ]

    async with house.proxy.sdk() as client:
        raw = await client.chat.completions.with_raw_response.create(
            model=MODEL, messages=messages, tools=[FIND]
        )

    assert raw.headers["x-guard-action"] == "regenerate"
    assert raw.parse().choices[0].message.content == CLEAN


# Structured output.

PLACE = json.dumps({"building": "본관 지하", "floor": -1}, ensure_ascii=False)
FOREIGN_PLACE = json.dumps({"building": "本馆地下的食堂", "floor": -1}, ensure_ascii=False)


@pytest.mark.parametrize("first", [PLACE, FOREIGN_PLACE])
async def test_structured_output_parses(house: House, first: str) -> None:
    house.scripted.says(first, PLACE)

    async with house.proxy.sdk() as client:
        reply = await client.chat.completions.parse(
            model=MODEL, messages=ASKED, response_format=Place
        )

    assert reply.choices[0].message.parsed == Place(building="본관 지하", floor=-1)


async def test_structured_output_that_is_replaced_is_a_refusal(house: House) -> None:
    house.scripted.says(FOREIGN_PLACE)

    async with house.proxy.sdk() as client:
        plain = await client.chat.completions.parse(
            model=MODEL, messages=ASKED, response_format=Place
        )
        async with client.chat.completions.stream(
            model=MODEL, messages=ASKED, response_format=Place
        ) as stream:
            streamed = await stream.get_final_completion()

    for reply in (plain, streamed):
        message = reply.choices[0].message
        assert (message.parsed, message.refusal) == (None, LANGUAGE_TEMPLATE)
        assert not message.content


async def test_structured_output_that_is_filtered_raises(house: House) -> None:
    house.scripted.says(FOREIGN_PLACE)

    async with house.proxy.sdk("filtering") as client:
        with pytest.raises(openai.ContentFilterFinishReasonError):
            await client.chat.completions.parse(model=MODEL, messages=ASKED, response_format=Place)


# What is handed through.


async def test_models_are_listed(house: House) -> None:
    async with house.proxy.sdk() as client:
        assert [model.id async for model in client.models.list()] == [MODEL]


async def test_embeddings_are_handed_through(house: House) -> None:
    async with house.proxy.sdk() as client:
        reply = await client.embeddings.create(model=MODEL, input=["가", "나다"])

    assert [one.embedding for one in reply.data] == [[1.0, 0.5], [2.0, 0.5]]
