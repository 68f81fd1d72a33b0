"""The citation engine of LlamaIndex in front of the proxy, with its own prompts.

Its OpenAI adapter lags behind the OpenAI client, so the real client is put behind its interface.
"""

import asyncio
from collections.abc import Generator

import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from llama_index.core.query_engine import CitationQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from openai import OpenAI

from tests.fakes.running_proxy import RunningProxy
from tests.fakes.scripted_upstream import ScriptedUpstream

pytestmark = pytest.mark.asyncio(loop_scope="module")
QUESTION = "자전거 보관소는 언제 닫고 한 달에 얼마인가요?"
PASSAGES = [
    "자전거 보관소는 매일 오전 6시에 열고 오후 10시에 닫는다.",
    "자전거 보관소의 월 이용료는 4,000원이며 매월 1일에 낸다.",
    "자물쇠를 잃어버린 이용자는 관리실에 신분증을 보이고 새 자물쇠를 빌린다.",
]
WRONG = (
    "자전거 보관소는 오후 10시에 닫습니다 [1]. 월 이용료는 4,000원이며 매월 1일에 냅니다 [3]. "
    "이용하실 때 참고해 주세요 [7]."
)
# The engine shows its sources by these numbers, so they are mended and never counted anew.
RIGHT = (
    "자전거 보관소는 오후 10시에 닫습니다 [1]. 월 이용료는 4,000원이며 매월 1일에 냅니다 [2]. "
    "이용하실 때 참고해 주세요."
)


class Passages(BaseRetriever):
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(text=text), score=0.9) for text in PASSAGES]


class GuardedModel(CustomLLM):
    base_url: str
    api_key: str

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted-ko")

    def complete(
        self, prompt: str, formatted: bool = False, **kwargs: object
    ) -> CompletionResponse:
        return list(self.stream_complete(prompt, formatted, **kwargs))[-1]

    def stream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: object
    ) -> Generator[CompletionResponse, None, None]:
        said = ""
        with OpenAI(base_url=self.base_url, api_key=self.api_key, max_retries=0) as client:
            for chunk in client.chat.completions.create(
                model="scripted-ko", messages=[{"role": "user", "content": prompt}], stream=True
            ):
                said += chunk.choices[0].delta.content or ""
                yield CompletionResponse(text=said)


@pytest.mark.parametrize(
    "said", [pytest.param(WRONG, id="corrected"), pytest.param(RIGHT, id="left-alone")]
)
async def test_the_citation_engine_gets_numbers_that_fit_its_sources(
    proxy: RunningProxy, upstream: ScriptedUpstream, said: str
) -> None:
    upstream.says(said)
    engine = CitationQueryEngine(
        retriever=Passages(), llm=GuardedModel(base_url=proxy.base_url, api_key=proxy.key)
    )

    reply = await asyncio.to_thread(engine.query, QUESTION)

    assert str(reply) == RIGHT
    shown = [node.node.get_content() for node in reply.source_nodes]
    assert ["오후 10시에" in shown[0], "4,000원" in shown[1]] == [True, True]
