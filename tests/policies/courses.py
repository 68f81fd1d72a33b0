"""Courses of a pool that does not exist, and answers about them."""

from guards.core.exchange import Exchange, Source

NO_REFUND = "하루짜리 체험 강좌는 환불하지 않습니다."
COURSES = Source(
    "1",
    "강좌 운영 안내",
    "수강료는 개강 전날까지 전액 환불합니다. 개강한 뒤에는 남은 횟수만큼 환불합니다. "
    f"다만, {NO_REFUND} 결석한 날은 보강하지 않습니다. 강좌는 매주 화요일과 목요일에 엽니다.",
)
POOL = Source(
    "2",
    "시설 이용 안내",
    "수영모와 수영복을 갖추어야 수영장에 들어갈 수 있습니다. "
    "보호자는 관람석에서 기다릴 수 있습니다.",
)
QUESTION = "체험 강좌는 환불되나요?"
KNOWN = "수강료는 개강 전날까지 전액 환불합니다."
DENIED = "체험 강좌는 취소해도 낸 돈을 다시 보내 줍니다."
"""Says the opposite of a source in other words; `overlap` has a weak doubt about it."""
REWORDED = "체험 강좌는 취소해도 돈을 돌려주지 않습니다."
"""Says what a source says in other words; `overlap` has a weak doubt about it."""
UNHEARD_OF = "수강생이 원하면 담당 조교가 댁으로 교재와 간식을 보내 줍니다."
"""Of this the sources have nothing; `overlap` objects."""
SETTLED = "강좌의 정원은 20명입니다."
"""A figure that no source has; `numbers` objects."""


def answered(answer: str, *sources: Source, question: str = QUESTION) -> Exchange:
    return Exchange(question=question, sources=sources or (COURSES, POOL), answer=answer)
