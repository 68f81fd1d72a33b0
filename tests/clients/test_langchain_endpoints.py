"""LangChain at the doors beside chat: its chat model over responses, its model of completions."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage

from tests.clients.endpoint_server import EndpointRig
from tests.clients.langchain_app import LangChainApp, Place, find, langchain_app
from tests.clients.scripts import PLACE, PLACES, finds_then_says
from tests.flow.canteen import CHINESE, CLEAN, QUESTION

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def app(doors: EndpointRig) -> AsyncGenerator[LangChainApp, None]:
    async with langchain_app(doors.proxy) as running:
        yield running


async def test_a_streamed_response(doors: EndpointRig, app: LangChainApp) -> None:
    doors.server.says(CHINESE, CLEAN)

    chunks = [chunk async for chunk in app.chat_model(responses=True).astream(QUESTION)]

    whole = sum(chunks[1:], chunks[0])
    assert isinstance(whole, AIMessageChunk)
    assert "".join(chunk.text for chunk in chunks) == whole.text == CLEAN


async def test_a_loop_of_tools_ends_with_a_guarded_response(
    doors: EndpointRig, app: LangChainApp
) -> None:
    doors.server.script = finds_then_says(CHINESE, CLEAN)
    model = app.chat_model(responses=True).bind_tools([find])
    messages: list[BaseMessage] = [HumanMessage(QUESTION)]

    asking = await model.ainvoke(messages)
    results = [await find.ainvoke(call) for call in asking.tool_calls]
    answer = await model.ainvoke([*messages, asking, *results])

    assert [call["args"] for call in asking.tool_calls] == [{"place": one} for one in PLACES]
    assert answer.text == CLEAN


async def test_structured_output_is_an_object(doors: EndpointRig, app: LangChainApp) -> None:
    doors.server.says(PLACE)
    model = app.chat_model(responses=True).with_structured_output(Place, method="json_schema")

    assert await model.ainvoke(QUESTION) == Place(building="본관 지하", floor=-1)


async def test_a_completion_plain_and_streamed(doors: EndpointRig, app: LangChainApp) -> None:
    doors.server.says(CHINESE, CLEAN)
    model = app.completing_model()

    assert await model.ainvoke(QUESTION) == CLEAN
    assert "".join([piece async for piece in model.astream(QUESTION)]) == CLEAN
