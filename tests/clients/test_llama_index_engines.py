"""Engines of LlamaIndex that chat and stream, with their own prompts.

Its OpenAI adapter lags behind the OpenAI client, so the real client is put behind its interface.
"""

import asyncio
from collections.abc import Generator, Sequence

import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    LLMMetadata,
    MessageRole,
)
from llama_index.core.base.response.schema import StreamingResponse
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine
from llama_index.core.llms import CustomLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam

from proxy.demo import MODEL
from tests.fakes.rig import Rig
from tests.flow.library import ASKED, ONE_WRONG, TRUE_ANSWER

PASSAGES = [
    "참새골 도서관의 대출 기간은 9일이고 한 번에 6권까지 빌릴 수 있습니다.",
    "참새골 도서관의 연체료는 하루에 70원입니다.",
]

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Passages(BaseRetriever):
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(text=text), score=0.9) for text in PASSAGES]


class GuardedModel(CustomLLM):
    base_url: str
    api_key: str

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name=MODEL, is_chat_model=True)

    def chat(self, messages: Sequence[ChatMessage], **kwargs: object) -> ChatResponse:
        with self._client() as client:
            reply = client.chat.completions.create(model=MODEL, messages=_turns(messages))
        return _said(reply.choices[0].message.content or "", "")

    def stream_chat(
        self, messages: Sequence[ChatMessage], **kwargs: object
    ) -> Generator[ChatResponse, None, None]:
        said = ""
        with (
            self._client() as client,
            client.chat.completions.stream(model=MODEL, messages=_turns(messages)) as stream,
        ):
            for event in stream:
                if event.type == "content.delta":
                    said += event.delta
                    yield _said(said, event.delta)

    def complete(
        self, prompt: str, formatted: bool = False, **kwargs: object
    ) -> CompletionResponse:
        reply = self.chat([ChatMessage(prompt)])
        return CompletionResponse(text=reply.message.content or "")

    def stream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: object
    ) -> Generator[CompletionResponse, None, None]:
        for reply in self.stream_chat([ChatMessage(prompt)]):
            yield CompletionResponse(text=reply.message.content or "", delta=reply.delta)

    def _client(self) -> OpenAI:
        return OpenAI(base_url=self.base_url, api_key=self.api_key, max_retries=0)


def _turns(messages: Sequence[ChatMessage]) -> list[ChatCompletionMessageParam]:
    turns: list[ChatCompletionMessageParam] = []
    for message in messages:
        text = message.content or ""
        if message.role is MessageRole.SYSTEM:
            turns.append({"role": "system", "content": text})
        elif message.role is MessageRole.ASSISTANT:
            turns.append({"role": "assistant", "content": text})
        else:
            turns.append({"role": "user", "content": text})
    return turns


def _said(text: str, delta: str) -> ChatResponse:
    message = ChatMessage(role=MessageRole.ASSISTANT, content=text)
    return ChatResponse(message=message, delta=delta)


@pytest.fixture
def model(rig: Rig) -> GuardedModel:
    rig.scripted.says(ONE_WRONG, TRUE_ANSWER)
    return GuardedModel(base_url=rig.proxy.base_url, api_key=rig.proxy.key)


async def test_a_query_engine_streams(model: GuardedModel) -> None:
    engine = RetrieverQueryEngine.from_args(Passages(), llm=model, streaming=True)

    def use() -> list[str]:
        reply = engine.query(ASKED)
        assert isinstance(reply, StreamingResponse)
        return [*reply.response_gen]

    assert "".join(await asyncio.to_thread(use)) == TRUE_ANSWER


async def test_a_chat_engine_puts_its_passages_in_the_conversation(model: GuardedModel) -> None:
    engine = ContextChatEngine.from_defaults(
        retriever=Passages(),
        llm=model,
        memory=ChatMemoryBuffer.from_defaults(token_limit=3000, tokenizer_fn=list),
    )

    def use() -> list[str]:
        plain = engine.chat(ASKED).response
        return [plain, "".join(engine.stream_chat(ASKED).response_gen)]

    assert await asyncio.to_thread(use) == [TRUE_ANSWER, TRUE_ANSWER]


async def test_a_chat_engine_that_condenses_the_question_streams(model: GuardedModel) -> None:
    engine = CondensePlusContextChatEngine.from_defaults(
        retriever=Passages(),
        llm=model,
        memory=ChatMemoryBuffer.from_defaults(token_limit=3000, tokenizer_fn=list),
    )

    def use() -> str:
        return "".join(engine.stream_chat(ASKED).response_gen)

    assert await asyncio.to_thread(use) == TRUE_ANSWER
