"""An app of LangChain: its models and a tool, over connections that are closed in the end."""

import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAI, OpenAIEmbeddings
from openai import DefaultAsyncHttpxClient, DefaultHttpxClient
from pydantic import BaseModel, SecretStr

from proxy.demo import MODEL
from tests.fakes.running_proxy import RunningProxy


class Place(BaseModel):
    """Where something is."""

    building: str
    floor: int


@tool
def find(place: str) -> str:
    """Find out where the canteen of a building is."""
    return f"구내식당은 {place} 지하에 있다."


@dataclass(frozen=True)
class LangChainApp:
    """Builds the models; left to themselves they would keep their connections for ever."""

    proxy: RunningProxy
    threads: DefaultHttpxClient
    tasks: DefaultAsyncHttpxClient

    def chat_model(
        self, tenant: str = "app", *, max_retries: int = 0, responses: bool = False
    ) -> ChatOpenAI:
        return ChatOpenAI(
            base_url=self.proxy.base_url,
            api_key=SecretStr(self.proxy.keys[tenant]),
            model=MODEL,
            max_retries=max_retries,
            use_responses_api=responses,
            http_client=self.threads,
            http_async_client=self.tasks,
        )

    def completing_model(self) -> OpenAI:
        return OpenAI(
            base_url=self.proxy.base_url,
            api_key=SecretStr(self.proxy.key),
            model=MODEL,
            max_retries=0,
            http_client=self.threads,
            http_async_client=self.tasks,
        )

    def embeddings(self) -> OpenAIEmbeddings:
        # Its own tokeniser would have to be downloaded; texts are sent as they are.
        return OpenAIEmbeddings(
            openai_api_base=self.proxy.base_url,
            openai_api_key=SecretStr(self.proxy.key),
            model=MODEL,
            check_embedding_ctx_length=False,
            http_client=self.threads,
            http_async_client=self.tasks,
        )


@contextlib.asynccontextmanager
async def langchain_app(proxy: RunningProxy) -> AsyncGenerator[LangChainApp, None]:
    with DefaultHttpxClient() as threads:
        async with DefaultAsyncHttpxClient() as tasks:
            yield LangChainApp(proxy, threads, tasks)
