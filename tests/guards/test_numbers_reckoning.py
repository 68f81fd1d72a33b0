"""What an answer reckons from the sources and the question, and what only looks like it."""

import sys
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.numbers import Numbers, NumbersSettings
from tests.fakes.growth import assert_grows_with_its_input

MOST_CALLS = 1_000_000
BOATS = (
    "| 배 | 1시간 | 하루 |\n|---|---|---|\n"
    "| 오리배 | 14,000원 | 70,000원 |\n| 카약 | 22,000원 | 96,000원 |\n"
    "구명조끼 대여는 1벌 3,000원이다.\n"
    "주차는 최초 30분 무료, 이후 20분마다 600원이다.\n"
    "이용 시간이 끝나면 10분마다 2,500원을 추가로 받는다.\n"
    "성수기에는 30%를 할증하고, 단체는 15%를 할인한다.\n"
    "미끼는 2kg 9,000원이다. 왕복 셔틀의 편도 요금은 1,700원이다.\n"
    "선착장은 09:30에 열고 18:00에 닫는다. 예약금은 40,000원이며 3일 전까지 취소하면 "
    "70%를 돌려준다.\n"
    "체험은 만 12세 이상만 할 수 있고 정원은 9명이다. 안전 교육은 접수한 날부터 6일 뒤에 한다."
)
RECKONED = [
    pytest.param("오리배 2대는 28,000원입니다.", "오리배 2대면?", id="price-of-several"),
    pytest.param("구명조끼 5벌은 15,000원입니다.", "구명조끼 5벌은?", id="unit-that-is-unknown"),
    pytest.param(
        "카약 1시간 22,000원에 구명조끼 3,000원을 더하면 25,000원입니다.", "얼마죠?", id="sum"
    ),
    pytest.param(
        "카약은 22,000원, 오리배는 14,000원으로 카약이 8,000원 비쌉니다.",
        "차이는?",
        id="difference",
    ),
    pytest.param(
        "단체는 15%가 할인되어 카약 하루 요금 96,000원이 81,600원이 됩니다.", "단체는?", id="less"
    ),
    pytest.param(
        "성수기 할증 30%를 더하면 오리배 하루 70,000원이 91,000원입니다.", "성수기엔?", id="more"
    ),
    pytest.param("예약금의 70%인 28,000원을 돌려받습니다.", "4일 전에 취소하면?", id="share-only"),
    pytest.param("미끼 6kg은 27,000원입니다.", "미끼 6kg은?", id="price-for-a-size"),
    pytest.param(
        "무료 30분 뒤 20분마다 600원이므로 1시간이면 1,200원입니다.", "1시간 반이면?", id="begun"
    ),
    pytest.param("셔틀은 편도 1,700원이므로 왕복 3,400원입니다.", "셔틀은?", id="there-and-back"),
    pytest.param("선착장은 하루 8시간 30분 엽니다.", "몇 시간 열어요?", id="hours-between"),
    pytest.param("정원이 9명이라 2명은 타지 못합니다.", "11명이 가면?", id="beyond-what-is-asked"),
    pytest.param(
        "만 12세 이상만 할 수 있으므로 3년 뒤에 할 수 있습니다.", "만 9세인데요", id="ages"
    ),
    pytest.param("6일 뒤인 5월 30일에 안전 교육을 받습니다.", "5월 24일에 접수하면?", id="date"),
    pytest.param("어른과 아이를 합쳐 5명입니다.", "어른 3명, 아이 2명이 가요", id="people-asked"),
    pytest.param("셔틀을 6회 이용하십니다.", "셔틀을 6번 타면?", id="same-count-other-counter"),
    pytest.param(
        "총 36,000원입니다.\n\n- 카약: 22,000원\n- 오리배: 14,000원", "둘 다 타면?", id="list-below"
    ),
    pytest.param(
        "- 카약: 22,000원\n- 오리배: 14,000원\n- **총 요금: 36,000원**", "둘 다?", id="list-above"
    ),
    pytest.param(
        "| 항목 | 금액 |\n|---|---|\n| 카약 | 22,000원 |\n| 오리배 | 14,000원 |\n"
        "| **합계** | **36,000원** |",
        "둘 다?",
        id="last-row",
    ),
    pytest.param("22,000원 + 14,000원 + 3,000원 + 1,700원 = 40,700원", "전부?", id="long-equation"),
    pytest.param("(14,000원 + 3,000원) × 2명 = 34,000원", "2명이면?", id="equation-with-brackets"),
    pytest.param("96,000원 − 40,000원 = 56,000원", "잔금은?", id="subtraction-is-no-range"),
    pytest.param("카약 하루 96,000원의 15% → 14,400원", "할인액은?", id="arrow"),
]
NOT_RECKONED = [
    pytest.param("오리배 2대는 29,000원입니다.", "29,000원", "오리배 2대면?", id="price"),
    pytest.param("구명조끼는 1벌에 4,500원입니다.", "4,500원", "구명조끼는?", id="unit-price"),
    pytest.param(
        "카약 1시간 22,000원에 구명조끼 3,000원을 더하면 26,000원입니다.",
        "26,000원",
        "얼마죠?",
        id="sum",
    ),
    pytest.param(
        "단체는 15%가 할인되어 카약 하루 요금 96,000원이 80,000원이 됩니다.",
        "80,000원",
        "단체는?",
        id="share",
    ),
    pytest.param("단체는 25%를 할인합니다.", "25%", "단체는?", id="rate-of-a-discount"),
    pytest.param("선착장은 하루 9시간 엽니다.", "9시간", "몇 시간 열어요?", id="hours"),
    pytest.param("6일 뒤인 5월 31일에 받습니다.", "5월 31일", "5월 24일에 접수하면?", id="date"),
    pytest.param("정원은 12명입니다.", "12명", "정원이 몇 명이죠?", id="count"),
    pytest.param(
        "총 38,000원입니다.\n\n- 카약: 22,000원\n- 오리배: 14,000원",
        "38,000원",
        "둘 다 타면?",
        id="total",
    ),
    pytest.param(
        "22,000원 + 14,000원 + 3,000원 = 49,000원", "49,000원", "전부?", id="long-equation"
    ),
    pytest.param("5,000원 × 2대 = 10,000원", "5,000원", "2대면?", id="made-up-operand"),
]
AT_HOME = [
    pytest.param(
        "연차유급휴가는 12일이다. 연차는 0.5일 단위로 쓴다.",
        "1. 기본 연차: 12일",
        id="word-is-part-of-a-compound",
    ),
    pytest.param(
        "야간 개장: 매주 금요일 22:00까지\n안내기는 17:00까지 반납(야간 개장일 20:30)",
        "금요일은 야간 개장일로 오후 10시까지 엽니다.",
        id="compound-in-the-answer",
    ),
    pytest.param(
        "세액이 50만 원 이상이면 가산금이 붙는다. 세액 3,000만 원 이하이면 대리인을 쓸 수 있다.",
        "세액이 3,000만 원 이하라면 대리인을 쓸 수 있습니다.",
        id="same-label-in-another-sentence",
    ),
    pytest.param(
        "졸업에는 전공 48학점, 교양 30학점 이상이 필요하다.",
        "전공은 48학점 이상, 교양은 30학점 이상이어야 합니다.",
        id="one-word-closes-both",
    ),
    pytest.param(
        "구매 후 48시간 안에 취소하면 수수료가 없다.",
        "구매한 때부터 48시간이 지나기 전이라면 취소 수수료가 없습니다.",
        id="before-it-is-past",
    ),
]
WRONG_RANGES = [
    pytest.param("납부는 11월 3일부터 11월 30일까지입니다.", "11월 3일", id="start"),
    pytest.param("납부는 11월 14일~12월 20일입니다.", "12월 20일", id="end"),
]


def _findings(source: str, answer: str, question: str = "알려 주세요") -> list[Finding]:
    guard = Numbers(NumbersSettings())
    return guard.check(read(Exchange(question, (Source("1", "", source),), answer=answer)))


def _strong(found: list[Finding]) -> list[str]:
    return [each.observed for each in found if each.severity is Severity.STRONG]


@pytest.mark.parametrize(("answer", "question"), RECKONED)
def test_what_is_reckoned_rightly_is_never_strong(answer: str, question: str) -> None:
    found = _findings(BOATS, answer, question)

    assert _strong(found) == []


@pytest.mark.parametrize(("answer", "observed", "question"), NOT_RECKONED)
def test_what_follows_from_nothing_stays_strong(answer: str, observed: str, question: str) -> None:
    assert observed in _strong(_findings(BOATS, answer, question))


@pytest.mark.parametrize(("source", "answer"), AT_HOME)
def test_leaves_a_figure_whose_own_place_shares_its_label(source: str, answer: str) -> None:
    assert _findings(source, answer) == []


@pytest.mark.parametrize(("answer", "observed"), WRONG_RANGES)
def test_flags_a_range_with_the_end_of_something_else(answer: str, observed: str) -> None:
    source = "납부 기간은 11. 14. ~ 11. 30.이다. 기준일은 11월 3일, 발표일은 12월 20일이다."

    [finding] = _findings(source, answer)

    assert (finding.code, finding.observed) == ("numbers.moved", observed)


def test_a_price_for_one_of_something_else_differs() -> None:
    source = "무게를 넘긴 가방은 1개당 45달러를 받는다."

    assert _findings(source, "무게를 넘긴 가방은 1개당 45달러입니다.") == []
    [finding] = _findings(source, "무게를 넘긴 가방은 1kg당 45달러입니다.")
    assert (finding.code, finding.observed) == ("numbers.comparator_differs", "45달러")


def test_the_word_of_the_answer_may_be_a_compound_of_the_sources() -> None:
    source = "수술 전 혈액검사 77,000원은 별도이다. 야간 진찰료는 55,000원이다."

    [finding] = _findings(source, "수술 전 혈액검사비 55,000원이 따로 듭니다.")

    assert (finding.code, finding.expected) == ("numbers.moved", ("77,000원",))


@given(
    st.integers(min_value=2, max_value=99),
    st.integers(min_value=2, max_value=60),
    st.integers(min_value=1, max_value=40),
)
def test_equations_hold_for_the_right_result_alone(price: int, count: int, off: int) -> None:
    source = f"입장권은 {price}00원이다."
    right = price * 100 * count

    for shown, is_strong in ((right, False), (right + off, True)):
        answer = f"{price}00원 × {count}명 = {shown}원"
        assert (f"{shown}원" in _strong(_findings(source, answer, f"{count}명이면?"))) is is_strong


@pytest.mark.parametrize("unit", ["1원, ", "3일, "])
def test_a_figure_is_reckoned_from_those_beside_it_however_long_its_sentence(unit: str) -> None:
    assert_grows_with_its_input(lambda count: _findings("5원이다. 4일이다.", unit * count), 140)


@pytest.mark.parametrize(
    "unit", ["1일~", "1원 - ", "1원 × ", "1+", "(1+", "- 1원\n", "| 1 | 2 | 2 |\n"]
)
def test_the_cost_of_a_row_of_figures_grows_with_its_length(unit: str) -> None:
    def look(chars: int) -> None:
        text = unit * (chars // len(unit))
        for source, answer in ((text, "요금은 15원이며 모두 24원입니다."), ("5원이다.", text)):
            _findings(source, answer, "2명이면?")

    assert_grows_with_its_input(look, 24_000)


def test_a_row_of_ranges_is_reckoned_in_few_steps() -> None:
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        _findings("5원이다.", "1원 - " * 60)
    finally:
        sys.setprofile(None)

    assert calls < MOST_CALLS
