import asyncio

import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam
from pydantic import JsonValue

from proxy.demo import MODEL
from tests.fakes.rig import Rig
from tests.flow.canteen import (
    CHINESE,
    CLEAN,
    LANGUAGE_TEMPLATE,  # noqa: F401 - the table names it
    QUESTION,
    STILL_CHINESE,  # noqa: F401 - the table names it
)
from tests.tables import each_row

ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": QUESTION}]
pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_synchronous_client_gets_the_same(rig: Rig) -> None:
    rig.scripted.says(CHINESE, CLEAN)

    def use() -> list[str | None]:
        with openai.OpenAI(base_url=rig.proxy.base_url, api_key=rig.proxy.key) as client:
            plain = client.chat.completions.create(model=MODEL, messages=ASKED)
            stream = client.chat.completions.create(model=MODEL, messages=ASKED, stream=True)
            pieces = [chunk.choices[0].delta.content or "" for chunk in stream]
            models = [model.id for model in client.models.list()]
        return [plain.choices[0].message.content, "".join(pieces), *models]

    assert await asyncio.to_thread(use) == [CLEAN, CLEAN, MODEL]


@each_row("first, second, expected", "a_stream_is_a_stream")
async def test_a_stream_is_a_stream(rig: Rig, first: str, second: str, expected: str) -> None:
    rig.scripted.says(first, second)

    async with rig.proxy.sdk() as client:
        stream = await client.chat.completions.create(model=MODEL, messages=ASKED, stream=True)
        chunks = [chunk async for chunk in stream]

    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == expected
    assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}
    assert [chunk.choices[0].finish_reason for chunk in chunks][-1] == "stop"
    assert chunks[0].choices[0].delta.role == "assistant"


async def test_the_raw_reply_shows_the_guards_headers(rig: Rig) -> None:
    rig.scripted.says(CHINESE, CLEAN)

    async with rig.proxy.sdk() as client:
        raw = await client.chat.completions.with_raw_response.create(model=MODEL, messages=ASKED)

    assert raw.headers["x-guard-action"] == "regenerate"
    assert raw.headers["x-guard-attempts"] == "2"
    assert raw.parse().choices[0].message.content == CLEAN
    trace = await rig.proxy.trace_of(raw.headers["x-guard-request-id"])
    assert trace.replies == (CLEAN,)


@each_row("body, headers", "the_caller_may_ask_for_evidence")
async def test_the_caller_may_ask_for_evidence(
    rig: Rig, body: dict[str, JsonValue], headers: dict[str, str]
) -> None:
    rig.scripted.says(CLEAN)

    async with rig.proxy.sdk() as client:
        raw = await client.chat.completions.with_raw_response.create(
            model=MODEL, messages=ASKED, extra_body=body, extra_headers=headers
        )

    assert raw.headers["x-guard-reasons"] == "answerability.no_context"
    assert rig.scripted.requests == []
