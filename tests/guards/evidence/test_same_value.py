"""Equal values in other notations, as the reader of quantities gives them."""

import pytest

from guards.evidence.figures import same_value
from guards.text.normal import normalise
from guards.text.slots.quantity import find_quantities
from guards.text.slots.units import Measure


def read(text: str) -> tuple[Measure, ...]:
    """Return the measures of a text."""
    return tuple(one.measure for one in find_quantities(text, normalise(text)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3만 2,500원", "32,500원"),
        ("337만 5천 원", "3,375,000원"),
        ("1억 400만원", "104,000,000원"),
        ("삼백오십만 원", "350만원"),
        ("석 달", "3개월"),
        ("반년", "6개월"),
        ("보름", "15일"),
        ("이틀", "48시간"),
        ("한 시간 반", "90분"),
        ("만 2세", "24개월"),
        ("오후 6시", "18:00"),
        ("5.20.", "5월 20일"),
        ("5.20(화)", "5월 20일"),
        ("세 분", "3명"),
        ("어른 셋", "3명"),
        ("자녀가 둘이면", "2명"),
        ("아흔아홉 명", "99명"),
        ("605㎢", "605제곱킬로미터"),
        ("1천분의 0.75", "0.075%"),
        ("10분의 7", "70%"),
        ("1.5배", "150%"),
        ("20,000mAh", "20Ah"),
        ("19~10일", "10~19일"),
        ("분기별", "3개월"),
    ],
)
def test_one_value_in_two_notations(one: str, other: str) -> None:
    (first,), (second,) = read(one), read(other)

    assert same_value(first, second)
    assert same_value(second, first)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3만 2,500원", "2,500원"),
        ("3개월", "3주"),
        ("5%", "5%p"),
        ("25평", "25㎡"),
        ("2일", "2시간"),
        ("3개월", "90일"),
        ("오전 6시", "18:00"),
    ],
)
def test_other_values_stay_apart(one: str, other: str) -> None:
    (first,), (second,) = read(one), read(other)

    assert not same_value(first, second)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("350만 / 450만 / 600만원", [3_500_000, 4_500_000, 6_000_000]),
        ("2시간 40분 − 1시간 25분", [9_600, 5_100]),
        ("1월 1~25일", [101, 125]),
        ("9월 20일부터 27일 사이", [920, 927]),
        ("어른 둘, 아이 하나", [2, 1]),
        ("3분기 실적", []),
        ("갈림길의 분기점", []),
        ("하나은행 지점", []),
    ],
)
def test_values_that_lean_on_what_stands_beside(text: str, values: list[int]) -> None:
    assert [int(one.values[0]) for one in read(text) if one.dimension != "bare"] == values
