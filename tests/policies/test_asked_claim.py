"""Which claims carry what was asked for, and so never go."""

import pytest

from policies.asked_claim import is_lost, tellings

HOURS = "매장은 오전 10시부터 오후 8시까지 엽니다."
REST = "매월 셋째 주 목요일에 쉽니다."
DELIVERY = "배송비는 3,000원입니다."


def lost(question: str, answer: str, gone: str) -> bool:
    made = tellings(answer)
    going = {claim for claim in made if gone in claim.text}
    assert going
    return is_lost(question, answer, made, going)


LOST = [
    pytest.param("배송비는 얼마인가요?", f"{HOURS} {DELIVERY}", DELIVERY, id="nearest-in-words"),
    pytest.param(
        "정기 휴무일이 언제예요?",
        f"네, 휴무일을 알려 드릴게요! 😊\n\n매월 셋째 주 목요일에 휴무입니다.\n\n{HOURS}",
        "휴무입니다",
        id="announcement-is-no-claim",
    ),
    pytest.param(
        "휴무일이 언제예요?",
        f"{HOURS} 매월 셋째 주 목요일에 휴무합니다.",
        "휴무",
        id="part-of-a-word",
    ),
    pytest.param("휴일은 언제인가요?", f"{HOURS} {REST}", REST, id="one-of-values-that-may-be-it"),
    pytest.param(
        "포장 비용을 알려 주세요",
        f"배송 비용은 3,000원입니다. 포장 비용은 아래와 같습니다:\n- 선물 상자 4,000원\n{REST}",
        "선물 상자",
        id="item-below-its-lead-in",
    ),
    pytest.param(
        "포장 비용을 알려 주세요",
        f"{DELIVERY}\n\n## 포장 비용\n선물 상자는 4,000원입니다.\n\n## 매장\n{HOURS}",
        "선물 상자",
        id="below-its-heading",
    ),
    pytest.param(
        "포장 비용을 알려 주세요",
        f"{DELIVERY}\n\n- 포장\n  - 선물 상자 4,000원\n- 교환\n  - 무료",
        "선물 상자",
        id="below-its-item",
    ),
    pytest.param(
        "선물 포장 상자 값은 얼마인가요?",
        "선물 포장 상자에는 리본이 달립니다. 4,000원입니다.",
        "4,000원",
        id="value-that-was-asked-for",
    ),
    pytest.param(
        "배송비는 얼마인가요? 몇 시까지 여나요?",
        f"{DELIVERY} {HOURS}",
        "오전",
        id="second-question",
    ),
    pytest.param("그냥요", f"{HOURS} {REST}", HOURS, id="first-where-nothing-ties-any"),
    pytest.param("", f"{HOURS} {REST}", HOURS, id="first-without-a-question"),
    pytest.param(
        "신청 절차를 설명해 주세요.",
        "1. 신청서를 씁니다.\n2. 냅니다.\n3. 기다립니다.",
        "신청서",
        id="step",
    ),
    pytest.param("매장 규정", f"- {HOURS}\n- {REST}", HOURS, id="half-of-a-list"),
]


@pytest.mark.parametrize(("question", "answer", "gone"), LOST)
def test_carries_what_was_asked_for(question: str, answer: str, gone: str) -> None:
    assert lost(question, answer, gone)


SPARED = [
    pytest.param("배송비는 얼마인가요?", f"{HOURS} {DELIVERY}", HOURS, id="something-else"),
    pytest.param(
        "안녕하세요! 배송비는 얼마인가요?", f"{HOURS} {DELIVERY}", HOURS, id="greeting-asks-nothing"
    ),
    pytest.param("매장 규정", f"(1) {HOURS}\n(2) {REST}\n(3) {DELIVERY}", HOURS, id="item-of-many"),
    pytest.param("그냥요", f"{HOURS} {REST}", REST, id="second-where-nothing-ties-any"),
]


@pytest.mark.parametrize(("question", "answer", "gone"), SPARED)
def test_may_go(question: str, answer: str, gone: str) -> None:
    assert not lost(question, answer, gone)


def test_what_only_says_that_an_answer_follows_is_no_claim() -> None:
    answer = f"휴무일을 알려 드려요~ 😊\n\n{REST}\n\n👍"

    assert [claim.text for claim in tellings(answer)] == [REST]
