"""A shared kitchen that does not exist: long rules, long answers, and what is wrong in them."""

from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject
from tests.fakes.running_proxy import chat_body

QUESTION = (
    "한들공유주방을 처음 이용하려고 합니다. 이용 요금과 예약 방법, 취소하면 얼마를 돌려받는지, "
    "그리고 청소는 어디까지 해야 하는지 표로 정리해서 알려 주세요."
)
_RULES = (
    (
        "한들공유주방 이용 안내 1. 이용 요금",
        "평일 이용 요금은 시간당 12,000원, 주말과 공휴일은 시간당 16,000원입니다. 한 번에 "
        "2시간부터 예약할 수 있고, 하루에 최대 8시간까지 이용할 수 있습니다. 보증금 50,000원은 "
        "이용이 끝난 날부터 3영업일 안에 돌려드립니다.",
    ),
    (
        "한들공유주방 이용 안내 2. 예약과 취소",
        "예약은 이용일 14일 전부터 누리집에서 받습니다. 이용일 5일 전까지 취소하면 전액을, "
        "2일 전까지 취소하면 요금의 절반을 돌려드립니다. 그 뒤에는 돌려드리지 않습니다.",
    ),
    (
        "한들공유주방 이용 안내 3. 청소와 정리",
        "이용자는 조리대와 개수대를 닦고, 음식물 쓰레기는 전용 통에 버린 뒤 나가야 합니다. "
        "오븐 내부 청소는 관리자가 합니다. 정리가 되어 있지 않으면 보증금에서 20,000원을 뺍니다.",
    ),
    (
        "한들공유주방 이용 안내 4. 안전",
        "조리복과 미끄럼 방지 신발을 갖추어야 하고, 튀김 요리는 3번 조리대에서만 할 수 있습니다. "
        "화재 감지기를 가리거나 끄면 그날의 이용을 끝냅니다.",
    ),
)
SOURCES: list[JsonValue] = [
    {"section_title": title, "section_content": text, "file": "handeul-guide.pdf", "page": page}
    for page, (title, text) in enumerate(_RULES, start=2)
]
_RIGHT = """한들공유주방 이용에 대해 안내해 드립니다.

| 항목 | 내용 |
|---|---|
| 평일 요금 | 시간당 12,000원 [1] |
| 주말 요금 | 시간당 16,000원 [1] |

예약은 이용일 14일 전부터 누리집에서 받습니다. [2] 이용일 5일 전까지 취소하면 전액을, 2일 전까지 \
취소하면 요금의 절반을 돌려드립니다. [2]

조리대와 개수대를 닦고, 음식물 쓰레기는 전용 통에 버린 뒤 나가셔야 합니다. [3] 오븐 내부 청소는 \
관리자가 합니다. [3]"""
LONG = _RIGHT
LONG_WRONG = (
    _RIGHT.replace("12,000원", "13,500원")
    .replace("누리집에서 받습니다", "전화 1588-0000으로 받습니다")
    .replace("관리자가 합니다", "이용자가 합니다")
)
OTHER_WRONG = (
    "예약은 이용일 14일 전부터 전화 1588-0000으로 받습니다. [2] 평일에는 시간당 12,000원이고 "
    "주말에는 시간당 18,000원입니다. [1]\n\n보통 청소에는 20분 정도 걸립니다."
)
PRICE = "평일 이용 요금은 시간당 12,000원입니다. [1] "
BOOKING = "예약은 이용일 14일 전부터 누리집에서 받습니다. [2] "
WRONG_REST = "보증금은 90,000원이고 7영업일 안에 돌려드립니다. [1] 문의 전화는 1588-0000입니다. [1]"


def asked(**more: JsonValue) -> JsonObject:
    """Return the chat completion that asks about the kitchen."""
    return chat_body(QUESTION, SOURCES, **more)


def to_verify(answer: str) -> JsonObject:
    """Return the request that has an answer verified."""
    return {"question": QUESTION, "sources": SOURCES, "answer": answer}
