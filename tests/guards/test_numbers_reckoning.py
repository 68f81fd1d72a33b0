"""What an answer reckons from the sources and the question, and what only looks like it."""

import sys
from collections.abc import Callable
from types import FrameType

from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.numbers import Numbers, NumbersSettings
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

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


def _findings(source: str, answer: str, question: str = "알려 주세요") -> list[Finding]:
    guard = Numbers(NumbersSettings())
    return guard.check(read(Exchange(question, (Source("1", "", source),), answer=answer)))


def _strong(found: list[Finding]) -> list[str]:
    return [each.observed for each in found if each.severity is Severity.STRONG]


@each_row("answer, question", "reckoned")
def test_what_is_reckoned_rightly_is_never_strong(answer: str, question: str) -> None:
    found = _findings(BOATS, answer, question)

    assert _strong(found) == []


@each_row("answer, observed, question", "not_reckoned")
def test_what_follows_from_nothing_stays_strong(answer: str, observed: str, question: str) -> None:
    assert observed in _strong(_findings(BOATS, answer, question))


@each_row("source, answer", "at_home")
def test_leaves_a_figure_whose_own_place_shares_its_label(source: str, answer: str) -> None:
    assert _findings(source, answer) == []


@each_row("source, question, answer", "results_that_words_call_for")
def test_a_right_result_passes_whatever_operation_is_named(
    source: str, question: str, answer: str
) -> None:
    assert _strong(_findings(source, answer, question)) == []


@each_row("source, answer, observed", "results_that_no_operands_give")
def test_a_result_that_no_named_operands_give_is_wrong(
    source: str, answer: str, observed: str
) -> None:
    assert _strong(_findings(source, answer)) == [observed]


def test_the_right_result_is_named_where_only_two_operands_are() -> None:
    source = "작년 요금은 52,300원, 올해 요금은 61,800원입니다."

    [finding] = _findings(source, "52,300원에서 61,800원으로 8,500원 올랐습니다.")

    assert (finding.code, finding.expected) == ("numbers.wrong_result", ("9,500원",))


@each_row("answer, observed", "wrong_ranges")
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


@each_row("unit", ["1원, ", "3일, "])
def test_a_figure_is_reckoned_from_those_beside_it_however_long_its_sentence(unit: str) -> None:
    def calls(count: int) -> int:
        return _calls(lambda: _findings("5원이다. 4일이다.", unit * count))

    calls(7)  # the first call reads tables
    # Were each tried with each other, twice as many would need four times the calls.
    assert calls(60) < 3 * calls(30)


@each_row("unit", "the_cost_of_a_row_of_figures_grows_with_its_length")
def test_the_cost_of_a_row_of_figures_grows_with_its_length(unit: str) -> None:
    def look(chars: int) -> None:
        text = unit * (chars // len(unit))
        for source, answer in ((text, "요금은 15원이며 모두 24원입니다."), ("5원이다.", text)):
            _findings(source, answer, "2명이면?")

    # Beyond what a sentence's figures are tried with each other.
    assert_grows_with_its_input(look, 14_000)


def test_a_row_of_ranges_is_reckoned_in_few_steps() -> None:
    assert _calls(lambda: _findings("5원이다.", "1원 - " * 60)) < MOST_CALLS


def _calls(work: Callable[[], object]) -> int:
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls
