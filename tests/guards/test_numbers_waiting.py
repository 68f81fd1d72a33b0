"""Which wrong figures of an answer that goes on wait for an explanation, and which do not."""

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.numbers import Numbers, NumbersSettings

POTTERY = (
    Source(
        "1",
        "흙빛공방 요금표",
        "물레 체험은 1인 28,000원입니다. 굽는 값은 작품 하나에 6,500원입니다.\n"
        "단체는 체험료를 20% 할인합니다. 작품은 굽는 데 11일이 걸리고, 칠은 4일이 걸립니다.\n"
        "작품은 12주 동안 보관합니다.",
    ),
    Source("2", "흙빛공방 배송", "배송료는 왕복이면 두 번 받습니다. 한 번에 3,700원입니다."),
)
PRICE = "물레 체험은 얼마인가요?"

HEARD_OUT = [
    pytest.param(PRICE, "요금은 총 77,000원입니다.", id="a-total"),
    pytest.param(PRICE, "물레 체험은 34,500원입니다.", id="the-sum-of-two-prices"),
    pytest.param("작품은 언제 받나요?", "작품은 15일 뒤에 받습니다.", id="the-sum-of-two-periods"),
    pytest.param(
        "3개는 며칠 걸리나요?", "작품은 33일이 걸립니다.", id="a-multiple-of-what-is-there"
    ),
    pytest.param(PRICE, "물레 체험은 22,400원입니다.", id="a-price-less-a-share"),
    pytest.param(PRICE, "배송료는 7,400원입니다.", id="there-and-back"),
    pytest.param(
        "17명이면 얼마인가요?", "물레 체험은 31,000원입니다.", id="an-amount-of-the-question"
    ),
    pytest.param(
        "모두 합해 얼마인가요?", "물레 체험은 31,000원입니다.", id="a-total-was-asked-for"
    ),
    pytest.param(PRICE, "작품은 3개입니다.", id="a-number-that-a-list-may-bear-out"),
    pytest.param(PRICE, "작품은 3개입니다.\n\n- 접시\n- 물컵", id="a-list-that-is-not-over"),
    pytest.param(
        PRICE,
        "- 요금: 34,500원\n  - 물레 체험 28,000원",
        id="an-item-whose-parts-come-next",
    ),
    pytest.param(
        PRICE,
        "물레 체험은 34,500원입니다.\n\n계산은 다음과 같습니다.",
        id="the-lead-in-of-its-reckoning",
    ),
    pytest.param(
        PRICE,
        "물레 체험은 34,500원입니다.\n\n작품은 보관합니다.\n\n감사합니다.\n\n덧붙입니다.",
        id="some-paragraphs-further-on",
    ),
]

SETTLED = [
    pytest.param(PRICE, "물레 체험은 31,000원입니다.", id="a-price-out-of-nowhere"),
    pytest.param("언제 받나요?", "작품은 굽는 데 9일이 걸립니다.", id="a-period-out-of-nowhere"),
    pytest.param(PRICE, "물레 체험은 34,500원 이하입니다.", id="a-bound-is-not-reckoned"),
    pytest.param(
        "배송료는요?", "배송료는 한 번에 4,300원입니다.", id="no-multiple-of-what-is-there"
    ),
    pytest.param(
        PRICE,
        "- 물레 체험: 34,500원\n- 배송료: 3,700원",
        id="an-item-with-another-behind-it",
    ),
    pytest.param(
        PRICE,
        "작품은 3개입니다.\n\n- 접시\n- 물컵\n\n" + "편하게 들러 주세요. " * 40,
        id="a-list-that-is-over",
    ),
]


def strong(question: str, answer: str) -> list[Finding]:
    found = Numbers(NumbersSettings()).check(read(Exchange(question, POTTERY, answer=answer)))
    return [one for one in found if one.severity is Severity.STRONG]


@pytest.mark.parametrize(("question", "answer"), HEARD_OUT)
def test_what_may_have_been_reckoned_is_heard_out(question: str, answer: str) -> None:
    [finding] = strong(question, answer)

    assert finding.provisional


@pytest.mark.parametrize(("question", "answer"), SETTLED)
def test_what_nothing_that_is_there_comes_to_is_settled(question: str, answer: str) -> None:
    [finding] = strong(question, answer)

    assert not finding.provisional


def test_the_sentence_that_explains_it_lifts_it() -> None:
    told = "물레 체험은 34,500원입니다."
    explained = f"{told} 체험료 28,000원 + 굽는 값 6,500원 = 34,500원입니다."

    assert [one.provisional for one in strong(PRICE, told)] == [True]
    assert strong(PRICE, explained) == []


def test_a_figure_of_a_kind_that_no_source_has_is_settled() -> None:
    [finding] = strong("무게는요?", "흙은 한 덩이에 8kg입니다.")

    assert not finding.provisional


def test_many_figures_of_a_kind_come_to_any_value() -> None:
    prices = " ".join(f"제{one}번은 {one * 1117:,}원입니다." for one in range(1, 90))
    answer = "물레 체험은 31,003원입니다."
    exchange = Exchange(PRICE, (Source("1", "흙빛공방", prices),), answer=answer)

    [finding] = Numbers(NumbersSettings()).check(read(exchange))

    assert finding.provisional


def test_what_an_answer_supposes_is_no_operand_of_an_equation_far_behind() -> None:
    supposed = "예산이 91,000원이라면 미리 알려 주세요."
    shown = " 체험료 28,000원 + 굽는 값 6,500원 = 34,500원입니다."
    between = " 작품은 12주 동안 보관합니다." * 20

    assert strong(PRICE, supposed + shown) == []
    [far] = strong(PRICE, supposed + between + shown)
    assert (far.observed, far.provisional) == ("91,000원", False)


def test_a_price_explained_far_behind_it_is_not_explained() -> None:
    told = "물레 체험은 31,700원입니다."
    shown = " 체험료 28,000원 + 배송료 3,700원 = 31,700원입니다."
    between = " 작품은 12주 동안 보관합니다." * 20

    near = [one.observed for one in strong(PRICE, told + shown)]
    far = [one.observed for one in strong(PRICE, told + between + shown)]
    assert (near, far) == ([], ["31,700원"])
