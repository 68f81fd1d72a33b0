"""Values as sets: the same limit in other words is the same set."""

from guards.evidence.sets import Values, is_free, joined_values
from guards.text.normal import normalise
from guards.text.slots.quantity import find_quantities
from tests.tables import each_row


def covered(text: str) -> list[Values]:
    """Return what the quantities of a text cover."""
    return [found for _, found in joined_values(find_quantities(text, normalise(text)), text)]


@each_row("one, other", "the_same_limit_in_other_words_is_the_same_set")
def test_the_same_limit_in_other_words_is_the_same_set(one: str, other: str) -> None:
    assert covered(one) == covered(other)


@each_row("one, other", "other_limits_are_other_sets")
def test_other_limits_are_other_sets(one: str, other: str) -> None:
    assert covered(one) != covered(other)


def test_days_before_an_event_have_no_limit() -> None:
    (found,) = covered("출발 3일 이전")

    assert found.is_point


@each_row("text, expected", [("무료입니다", True), ("무상 수리", True), ("유료입니다", False)])
def test_free_of_charge_is_a_price(text: str, expected: bool) -> None:
    assert is_free(text) is expected
