"""A retrieval chain of LangChain in front of the proxy: its own client, prompt and parser."""

import pytest
from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from tests.fakes.running_proxy import RunningProxy
from tests.fakes.scripted_upstream import ScriptedUpstream

pytestmark = pytest.mark.asyncio(loop_scope="module")
QUESTION = "자전거 보관소는 언제까지 열고, 한 달에 얼마인가요?"
PASSAGES = [
    Document(
        "자전거 보관소는 매일 오전 6시에 열고 오후 10시에 닫는다.",
        metadata={"source": "보관소 안내.pdf", "page": 2},
    ),
    Document(
        "자전거 보관소의 월 이용료는 4,000원이며 매월 1일에 낸다.",
        metadata={"source": "요금표.pdf", "page": 1},
    ),
    Document(
        "자물쇠를 잃어버린 이용자는 관리실에 신분증을 보이고 새 자물쇠를 빌린다.",
        metadata={"source": "관리 규칙.pdf", "page": 7},
    ),
]
PROMPT = ChatPromptTemplate.from_messages(
    [
        (
            "system",
            "아래 자료만 근거로 답하세요. 문장 끝에 [번호]로 출처를 표시하고, "
            "마지막에 참고 자료 목록을 붙이세요.\n\n참고 자료:\n{context}",
        ),
        ("human", "{question}"),
    ]
)
WRONG = """자전거 보관소는 오후 10시에 닫습니다[1].
월 이용료는 4,000원이며 매월 1일에 냅니다[3].
새 자물쇠는 관리실에서 신분증을 보이고 빌립니다[9].

### 참고 자료
- [1] 보관소 안내.pdf, p.2
- [3] 관리 규칙.pdf, p.7
- [9] 이용 약관.pdf, p.1"""
RIGHT = """자전거 보관소는 오후 10시에 닫습니다[1].
월 이용료는 4,000원이며 매월 1일에 냅니다[2].
새 자물쇠는 관리실에서 신분증을 보이고 빌립니다.

### 참고 자료
- [1] 보관소 안내.pdf, p.2
- [2] 요금표.pdf, p.1"""


def numbered(passages: list[Document]) -> str:
    return "\n\n".join(
        f"[{number}] {one.metadata['source']}, p.{one.metadata['page']}\n{one.page_content}"
        for number, one in enumerate(passages, 1)
    )


def with_context(question: str) -> dict[str, str]:
    return {"question": question, "context": numbered(PASSAGES)}


def chain(proxy: RunningProxy) -> Runnable[str, str]:
    model = ChatOpenAI(
        base_url=proxy.base_url, api_key=SecretStr(proxy.key), model="scripted-ko", max_retries=0
    )
    return RunnableLambda(with_context) | PROMPT | model | StrOutputParser()


async def test_a_chain_gets_the_corrected_answer_with_its_references(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(WRONG)

    assert await chain(proxy).ainvoke(QUESTION) == RIGHT


async def test_a_streaming_chain_gets_the_same(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(WRONG)

    assert "".join([piece async for piece in chain(proxy).astream(QUESTION)]) == RIGHT


async def test_an_answer_with_nothing_wrong_stays_as_it_is(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(RIGHT)

    assert await chain(proxy).ainvoke(QUESTION) == RIGHT
