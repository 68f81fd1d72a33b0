"""What apps of LangChain do with its chat model: tools, a retrieval chain, structured output."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from langchain_core.documents import Document
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from proxy.demo import Said
from tests.clients.langchain_app import LangChainApp, Place, find, langchain_app
from tests.clients.scripts import PLACE, PLACES, calls, finds_then_says
from tests.fakes.rig import Rig
from tests.flow.canteen import CHINESE, CLEAN, QUESTION
from tests.flow.library import ASKED, ONE_WRONG, TRUE_ANSWER

PASSAGES = [
    Document(
        "참새골 도서관의 대출 기간은 9일이고 한 번에 6권까지 빌릴 수 있습니다.",
        metadata={"source": "대출 안내.pdf"},
    ),
    Document("연체료는 하루에 70원입니다.", metadata={"source": "요금 안내.pdf"}),
]
PROMPT = ChatPromptTemplate.from_messages(
    [
        ("system", "주어진 자료에 있는 내용만으로 답하세요.\n\n자료:\n{context}"),
        ("human", "{question}"),
    ]
)

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def app(rig: Rig) -> AsyncGenerator[LangChainApp, None]:
    async with langchain_app(rig.proxy) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def chain(rig: Rig, app: LangChainApp) -> Runnable[str, str]:
    """A chain over a vector store; even its embeddings come through the proxy."""
    rig.scripted.says(ONE_WRONG, TRUE_ANSWER)
    store = await InMemoryVectorStore.afrom_documents(PASSAGES, app.embeddings())
    return (
        {"context": store.as_retriever() | joined, "question": RunnablePassthrough()}
        | PROMPT
        | app.chat_model()
        | StrOutputParser()
    )


def joined(passages: list[Document]) -> str:
    return "\n\n".join(f"[{one.metadata['source']}]\n{one.page_content}" for one in passages)


async def test_a_retrieval_chain_answers_from_what_it_retrieved(chain: Runnable[str, str]) -> None:
    assert await asyncio.to_thread(chain.invoke, ASKED) == TRUE_ANSWER
    assert await chain.ainvoke(ASKED) == TRUE_ANSWER
    assert await chain.abatch([ASKED, ASKED]) == [TRUE_ANSWER, TRUE_ANSWER]


async def test_a_retrieval_chain_streams_the_same(chain: Runnable[str, str]) -> None:
    assert "".join([piece async for piece in chain.astream(ASKED)]) == TRUE_ANSWER


async def test_the_events_of_a_chain_carry_what_the_guards_let_out(
    chain: Runnable[str, str],
) -> None:
    events = [event async for event in chain.astream_events(ASKED)]

    pieces = [one["data"]["chunk"] for one in events if one["event"] == "on_chat_model_stream"]
    assert "".join(piece.text for piece in pieces) == TRUE_ANSWER
    assert events[-1]["data"]["output"] == TRUE_ANSWER


async def test_a_loop_of_tools_ends_with_a_guarded_answer(rig: Rig, app: LangChainApp) -> None:
    rig.scripted.script = finds_then_says(CHINESE, CLEAN)
    model = app.chat_model().bind_tools([find])
    messages: list[BaseMessage] = [HumanMessage(QUESTION)]

    asking = await model.ainvoke(messages)
    results = [await find.ainvoke(call) for call in asking.tool_calls]
    answer = await model.ainvoke([*messages, asking, *results])

    assert [call["args"] for call in asking.tool_calls] == [{"place": one} for one in PLACES]
    assert answer.content == CLEAN


async def test_calls_of_tools_are_put_together_from_a_stream(rig: Rig, app: LangChainApp) -> None:
    rig.scripted.script = lambda _: Said(tool_calls=calls(), finish_reason="tool_calls")
    model = app.chat_model().bind_tools([find])

    chunks = [chunk async for chunk in model.astream(QUESTION)]

    whole = sum(chunks[1:], chunks[0])
    assert isinstance(whole, AIMessageChunk)
    assert [call["args"] for call in whole.tool_calls] == [{"place": one} for one in PLACES]


async def test_structured_output_is_an_object(rig: Rig, app: LangChainApp) -> None:
    rig.scripted.says(PLACE.replace("본관 지하", "本馆地下的食堂"), PLACE)
    model = app.chat_model().with_structured_output(Place, method="json_schema")

    assert await model.ainvoke(QUESTION) == Place(building="본관 지하", floor=-1)


async def test_a_stream_tells_the_usage_of_a_plain_answer(rig: Rig, app: LangChainApp) -> None:
    rig.scripted.says(CLEAN)
    model = app.chat_model()

    plain = await model.ainvoke(QUESTION)
    chunks = [chunk async for chunk in model.astream(QUESTION, stream_usage=True)]

    whole = sum(chunks[1:], chunks[0])
    assert isinstance(whole, AIMessageChunk)
    assert plain.usage_metadata is not None
    assert whole.usage_metadata == plain.usage_metadata
