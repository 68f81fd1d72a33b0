"""Values as sets: the same limit in other words is the same set."""

import pytest

from guards.evidence.sets import Values, is_free, joined_values
from guards.text.normal import normalise
from guards.text.slots.quantity import find_quantities


def covered(text: str) -> list[Values]:
    """Return what the quantities of a text cover."""
    return [found for _, found in joined_values(find_quantities(text, normalise(text)), text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("65 이상 75 미만", "65~74"),
        ("만 19세 이상 34세 이하", "만 19~34세"),
        ("13세 미만", "12세 이하"),
        ("50명 초과", "51명 이상"),
        ("30일을 넘지 않는", "30일 이내"),
        ("최대 4명", "4명까지"),
        ("적어도 3회", "3회 이상"),
        ("5만 원이 안 되는", "50,000원 미만"),
        ("5만 원에 못 미치는", "50,000원 미만"),
        ("20kg을 넘는", "20kg 초과"),
        ("오후 6시 이전", "18:00까지"),
        ("3개월 이상 6개월 미만", "3개월 이상 6개월 미만"),
        ("석 달 이내", "3개월 이내"),
    ],
)
def test_the_same_limit_in_other_words_is_the_same_set(one: str, other: str) -> None:
    assert covered(one) == covered(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5만 원 이상", "5만 원 초과"),
        ("5만 원 이상", "5만 원 미만"),
        ("오전 9시부터", "오전 9시 이전"),
        ("20kg 이하", "15kg 이하"),
        ("15kg", "15kg 이하"),
        ("30~44", "45 이상"),
        ("7일 이내", "7일 이상"),
    ],
)
def test_other_limits_are_other_sets(one: str, other: str) -> None:
    assert covered(one) != covered(other)


def test_days_before_an_event_have_no_limit() -> None:
    (found,) = covered("출발 3일 이전")

    assert found.is_point


@pytest.mark.parametrize(
    ("text", "expected"), [("주차는 무료입니다", True), ("무상 수리", True), ("유료입니다", False)]
)
def test_free_of_charge_is_a_price(text: str, expected: bool) -> None:
    assert is_free(text) is expected
