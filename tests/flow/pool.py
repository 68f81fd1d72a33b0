"""A swimming pool that does not exist, its rules, and what a model says of them."""

from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject
from tests.fakes.running_proxy import chat_body

QUESTION = "솔내수영장 이용료와 이용 시간, 환불 방법을 알려 주세요."
SOURCES: list[JsonValue] = [
    {
        "section_title": "솔내수영장 운영 규정 제8조(이용료)",
        "section_content": "제8조(이용료) ① 월 이용료는 45,000원으로 한다. "
        "② 사물함 보증금은 10,000원으로 하고 사물함을 비울 때 돌려준다.",
        "file": "solnae.pdf",
        "page": 3,
    },
    {
        "section_title": "솔내수영장 운영 규정 제9조(이용 시간)",
        "section_content": "제9조(이용 시간) 평일에는 06:00부터 21:00까지 연다. "
        "매월 둘째 월요일에는 쉰다.",
        "file": "solnae.pdf",
        "page": 4,
    },
    {
        "section_title": "솔내수영장 운영 규정 제11조(환불)",
        "section_content": "제11조(환불) 이용을 시작하기 7일 전까지 환불을 신청하면 "
        "전액을 돌려준다.",
        "file": "solnae.pdf",
        "page": 5,
    },
]
FEE = "월 이용료는 45,000원입니다. [1]"
LOCKER = "사물함 보증금은 10,000원이며 사물함을 비울 때 돌려드립니다. [1]"
HOURS = "평일에는 06:00부터 21:00까지 엽니다. [2]"
WRONG_FEE = "솔내수영장 월 이용료는 57,000원입니다. [1]"
WRONG_LOCKER = "사물함 보증금은 30,000원이며 사물함을 비울 때 돌려드립니다. [1]"
WRONG_HOURS = "평일에는 23:00까지 엽니다. [2]"


def asked(**more: JsonValue) -> JsonObject:
    """Return the chat completion that asks about the pool."""
    return chat_body(QUESTION, SOURCES, **more)
