"""Values as sets: the same limit in other words is the same set."""

from fractions import Fraction

import pytest

from guards.evidence.sets import (
    Relation,
    Values,
    allowed,
    counts_business_days,
    is_free,
    joined_values,
    relation,
)
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
    first, second = covered(one), covered(other)

    assert [relation(*pair) for pair in zip(first, second, strict=True)] == [Relation.SAME]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("5만 원 이상", "5만 원 초과", Relation.AROUND),
        ("5만 원 초과", "5만 원 이상", Relation.INSIDE),
        ("5만 원 이상", "5만 원 미만", Relation.DISJOINT),
        ("오전 9시부터", "오전 10시 이전", Relation.DIFFERS),
        ("20kg 이하", "15kg 이하", Relation.AROUND),
        ("15kg", "20kg 이하", Relation.INSIDE),
        ("3일", "5일", Relation.DISJOINT),
        ("30~44", "45 이상", Relation.DISJOINT),
        ("10일 이내", "7일 이상", Relation.DIFFERS),
    ],
)
def test_other_limits_are_other_sets(one: str, other: str, expected: Relation) -> None:
    (first,), (second,) = covered(one), covered(other)

    assert relation(first, second) is expected


@pytest.mark.parametrize(
    ("permitted", "forbidden"),
    [
        ("50,000원 이상", "50,000원 미만"),
        ("20kg 이하", "20kg 초과"),
        ("16시 이전", "16시가 지나면"),
        ("19세 이상", "18세 이하"),
        ("4명까지", "4명을 넘으면"),
    ],
)
def test_what_is_allowed_here_is_forbidden_beyond(permitted: str, forbidden: str) -> None:
    (here,), (beyond,) = covered(permitted), covered(forbidden)
    others = allowed(beyond, is_allowed=False)

    assert others is not None
    assert {relation(here, others)} <= {Relation.SAME, Relation.INSIDE}
    assert relation(here, beyond) is Relation.DISJOINT


def test_all_but_an_interval_is_no_interval() -> None:
    assert allowed(Values(Fraction(1), Fraction(2)), is_allowed=False) is None


def test_days_before_an_event_have_no_limit() -> None:
    (found,) = covered("출발 3일 이전")

    assert found.is_point


@pytest.mark.parametrize(
    ("text", "expected"),
    [("5영업일 이내", True), ("영업일 기준 10일", True), ("5일 이내", False), ("5명", False)],
)
def test_days_on_which_an_office_is_open_are_told_apart(text: str, expected: bool) -> None:
    (found,) = find_quantities(text, normalise(text))

    assert counts_business_days(found, text) is expected


@pytest.mark.parametrize(
    ("text", "expected"), [("주차는 무료입니다", True), ("무상 수리", True), ("유료입니다", False)]
)
def test_free_of_charge_is_a_price(text: str, expected: bool) -> None:
    assert is_free(text) is expected
