"""The texts that users read over the wire, in the tone of the policy."""

import pytest
from pydantic import JsonValue

from tests.fakes.running_proxy import RunningProxy, chat_body
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.replies import said

ROOMS: list[JsonValue] = [
    {
        "section_title": "객실 요금",
        "section_content": "| 객실 | 주중 | 주말 |\n|---|---|---|\n"
        "| 스탠다드 | 90,000원 | 120,000원 |\n| 디럭스 | 150,000원 | 180,000원 |",
    }
]
WRONG = "스탠다드 객실 주말 요금은 300,000원이고 예약은 02-999-8888로 받습니다."
FORMAL = (
    "자료에는 다음과 같이 안내되어 있습니다.\n\n"
    "스탠다드 주말 요금은 120,000원입니다.\n(출처: 객실 요금)"
)
FRIENDLY = (
    "자료에는 다음과 같이 안내되어 있어요.\n\n"
    "스탠다드 주말 요금은 120,000원이에요.\n(출처: 객실 요금)"
)


TENANTS = {"formal": "tone: formal", "friendly": "tone: friendly"}

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(params=TENANTS)
def tone(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_a_row_of_a_table_answers_in_the_place_of_a_wrong_answer(
    proxy: RunningProxy, upstream: ScriptedUpstream, tone: str, stream: bool
) -> None:
    upstream.says(WRONG)
    question = "스탠다드 객실 주말 요금은 얼마인가요?"

    reply = await proxy.as_tenant(tone).chat(chat_body(question, ROOMS, stream=stream))

    assert said(reply) == (FORMAL if tone == "formal" else FRIENDLY)


async def test_a_complaint_is_answered_in_the_tone(
    proxy: RunningProxy, tone: str, stream: bool
) -> None:
    reply = await proxy.as_tenant(tone).chat(
        chat_body("진짜 답답하네요. 짜증나요.", ROOMS, stream=stream)
    )

    ending = "니다" if tone == "formal" else "요"
    sentences = [one for one in said(reply).replace("\n", " ").split(".") if one.strip()]
    assert len(sentences) > 1
    assert all(one.rstrip().endswith(ending) for one in sentences)
