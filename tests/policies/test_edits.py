"""Two rounds of edits, written as one."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.finding import Span
from policies.edits import Edit, apply, then
from tests.tables import each_row

TEXT = "가나다라마바사"

COMPOSED = [
    pytest.param([], [], [], id="nothing"),
    pytest.param([Edit(Span(1, 2), "x")], [], [Edit(Span(1, 2), "x")], id="only-the-first"),
    pytest.param([], [Edit(Span(1, 2), "x")], [Edit(Span(1, 2), "x")], id="only-the-second"),
    pytest.param(
        [Edit(Span(0, 1), "xyz")],
        [Edit(Span(5, 6), "!")],
        [Edit(Span(0, 1), "xyz"), Edit(Span(3, 4), "!")],
        id="the-second-moves-back",
    ),
    pytest.param(
        [Edit(Span(0, 1), "xyz")], [Edit(Span(1, 2), "-")], [Edit(Span(0, 1), "x-z")], id="inside"
    ),
    pytest.param(
        [Edit(Span(2, 3))], [Edit(Span(1, 3), "-")], [Edit(Span(1, 4), "-")], id="over-a-removal"
    ),
    pytest.param(
        [Edit(Span(1, 2), "x"), Edit(Span(4, 5), "y")],
        [Edit(Span(1, 5))],
        [Edit(Span(1, 5))],
        id="over-several",
    ),
]


@each_row("first, second, both", COMPOSED)
def test_composes(first: list[Edit], second: list[Edit], both: list[Edit]) -> None:
    assert then(first, second) == tuple(both)


@st.composite
def edits_of(draw: st.DrawFn, length: int) -> list[Edit]:
    """Draw edits of a text of this length that do not overlap."""
    places = sorted(draw(st.lists(st.integers(0, length), max_size=8, unique=True)))
    return [
        Edit(Span(start, end), draw(st.text("abc", max_size=3)))
        for start, end in zip(places[::2], places[1::2], strict=False)
    ]


@given(st.text("가나다라", max_size=12), st.data())
def test_one_round_does_what_two_did(text: str, data: st.DataObject) -> None:
    first = data.draw(edits_of(len(text)))
    between = apply(text, first)
    second = data.draw(edits_of(len(between)))

    both = then(first, second)

    assert apply(text, both) == apply(between, second)
    assert_in_order(both)


@given(st.data())
def test_insertions_at_the_place_of_a_removal_keep_their_order(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(TEXT) - 2))
    first = [Edit(Span(place, place + 2), data.draw(st.sampled_from(["", "x", "xy"])))]
    between = apply(TEXT, first)
    at = data.draw(st.integers(place, place + len(first[0].text)))
    second = [Edit(Span(at, at), "+")]

    assert apply(TEXT, then(first, second)) == apply(between, second)


def assert_in_order(edits: Sequence[Edit]) -> None:
    """Assert that the edits can be applied in one go."""
    assert list(edits) == sorted(edits)
    for before, after in pairwise(edits):
        assert before.span.end <= after.span.start
