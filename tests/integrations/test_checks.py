"""The checks of answers for LangChain and LlamaIndex, as their page has them."""

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncGenerator, Generator
from typing import Any

import pytest
import pytest_asyncio
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from tests.fakes.rig import Rig, open_rig
from tests.fakes.running_proxy import DEADLINE_S
from tests.integrations.page import blocks

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = "langchain-llamaindex"
QUESTION = "방문객 주차비는 1시간에 얼마인가요?"
SOURCE = "방문객의 주차비는 1시간에 2천원이다. 주차장은 오전 9시에 연다."
RIGHT = "방문객의 주차비는 1시간에 2천원입니다."
WRONG = "방문객의 주차비는 1시간에 9천원입니다."
CITED = "방문객의 주차비는 1시간에 2천원입니다[†1]. 주차장은 오전 9시에 엽니다[†7]."
NOTICE = "자료에서 확인하지 못해 정확하게 안내해 드리기 어렵습니다."
ANSWERS = [
    pytest.param(RIGHT, RIGHT, True, id="supported"),
    pytest.param(WRONG, NOTICE, False, id="contradicted"),
    pytest.param(CITED, CITED.replace("[†7]", ""), False, id="mended"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rig(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig, None]:
    async with open_rig(tmp_path_factory.mktemp("checks")) as opened:
        yield opened


def code_of(rig: Rig, *starts: str, **known: object) -> dict[str, Any]:
    """Run blocks of the page that hold these words, with the address and the key of a proxy."""
    names: dict[str, Any] = dict(known)
    for start in starts:
        [block] = [block for block in blocks(PAGE, "python") if start in block]
        block = block.replace("http://127.0.0.1:8080/v1", rig.proxy.base_url)
        exec(block.replace("gp-hr-…", rig.proxy.key), names)
    return names


def chain_of(rig: Rig, answer: str) -> Any:  # noqa: ANN401 - of the page's own code
    """Return the chain of the page, with a model that says only this."""
    found = [Document(SOURCE, metadata={"title": "제31조(주차비)"})]
    return code_of(
        rig,
        "def check(reply",
        "chain.invoke",
        retriever=RunnableLambda(lambda _: found),
        prompt=ChatPromptTemplate.from_template("{documents}\n{question}"),
        llm=FakeListChatModel(responses=[answer]),
    )["chain"]


@pytest.mark.parametrize(("answer", "expected", "verified"), ANSWERS)
async def test_a_chain_of_langchain(rig: Rig, answer: str, expected: str, verified: bool) -> None:
    chain = await asyncio.to_thread(chain_of, rig, answer)
    asked = {"question": QUESTION}

    for done in (await asyncio.to_thread(chain.invoke, asked), await chain.ainvoke(asked)):
        assert done["answer"] == expected
        assert done["verification"]["verified"] is verified
        assert done["verification"]["sources"][0]["title"] == "제31조(주차비)"


class Passages(BaseRetriever):
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(text=SOURCE), score=0.9)]


class Says(CustomLLM):
    """Says the same whatever it is asked."""

    text: str

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    def complete(
        self, prompt: str, formatted: bool = False, **kwargs: object
    ) -> CompletionResponse:
        return CompletionResponse(text=self.text)

    def stream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: object
    ) -> Generator[CompletionResponse, None, None]:
        yield self.complete(prompt)


def engine_of(answer: str) -> RetrieverQueryEngine:
    llm = Says(text=answer)
    return RetrieverQueryEngine(Passages(), get_response_synthesizer(llm=llm))


@pytest.mark.parametrize(("answer", "expected", "verified"), ANSWERS)
async def test_a_response_of_llama_index(
    rig: Rig, answer: str, expected: str, verified: bool
) -> None:
    class Index:
        @staticmethod
        def as_query_engine() -> RetrieverQueryEngine:
            return engine_of(answer)

    def run() -> dict[str, Any]:
        return code_of(rig, "def check(question", "engine.query(question)", index=Index)

    names = await asyncio.to_thread(run)
    response = engine_of(answer).query(QUESTION)

    done = await asyncio.to_thread(names["check"], QUESTION, response)

    assert done.response == expected
    assert done.metadata["verification"]["verified"] is verified


@pytest.mark.parametrize(("answer", "expected", "verified"), ANSWERS)
async def test_an_engine_of_llama_index(
    rig: Rig, answer: str, expected: str, verified: bool
) -> None:
    names = code_of(rig, "def check(question", "class CheckedQueryEngine")
    engine = names["CheckedQueryEngine"](engine=engine_of(answer))

    for done in (await asyncio.to_thread(engine.query, QUESTION), await engine.aquery(QUESTION)):
        assert done.response == expected
        assert done.metadata["verification"]["verified"] is verified


@pytest.mark.parametrize("start", ["def check(reply", "def check(question"])
async def test_a_check_is_about_ten_lines(start: str) -> None:
    [block] = [block for block in blocks(PAGE, "python") if start in block]

    assert len([line for line in block.splitlines() if line.strip()]) <= 12


async def test_the_library_and_the_command_say_the_same(rig: Rig) -> None:
    [command] = blocks(PAGE, "sh")
    printed = await asyncio.to_thread(
        subprocess.run,
        ["sh", "-c", command.replace("http://127.0.0.1:8080/v1", rig.proxy.base_url)],
        env={"PATH": os.defpath, "KEY": rig.proxy.key, "no_proxy": "*"},
        capture_output=True,
        check=True,
        timeout=DEADLINE_S,
    )
    over_http = json.loads(printed.stdout)
    in_process = code_of(rig, "from policies import verify")["verification"]

    assert (over_http["verified"], over_http["corrected_answer"]) == (False, None)
    assert (in_process.verified, list(in_process.issues)) == (False, over_http["issues"])
