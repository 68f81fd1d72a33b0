"""Equal values in other notations, as the reader of quantities gives them."""

from guards.evidence.figures import same_value
from guards.text.normal import normalise
from guards.text.slots.quantity import find_quantities
from guards.text.slots.units import Measure
from tests.tables import each_row


def read(text: str) -> tuple[Measure, ...]:
    """Return the measures of a text."""
    return tuple(one.measure for one in find_quantities(text, normalise(text)))


@each_row("one, other", "one_value_in_two_notations")
def test_one_value_in_two_notations(one: str, other: str) -> None:
    (first,), (second,) = read(one), read(other)

    assert same_value(first, second)
    assert same_value(second, first)


@each_row("one, other", "other_values_stay_apart")
def test_other_values_stay_apart(one: str, other: str) -> None:
    (first,), (second,) = read(one), read(other)

    assert not same_value(first, second)


@each_row("text, values", "values_that_lean_on_what_stands_beside")
def test_values_that_lean_on_what_stands_beside(text: str, values: list[int]) -> None:
    assert [int(one.values[0]) for one in read(text) if one.dimension != "bare"] == values
