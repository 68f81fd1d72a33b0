"""What was changed in an answer, read off what came and what left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.traces.changes import LONGEST_CHARS, MOST_PIECES, applied, changes

A, B, C = "대출 기간은 9일입니다.", "연체료는 하루에 800원입니다.", "한 번에 6권까지 빌립니다."

CHANGED = [
    pytest.param(f"{A} {B} {C}", f"{A} {C}", [(f"{B} ", "")], id="sentence-taken-out"),
    pytest.param(f"{B} {C}", C, [(f"{B} ", "")], id="first-sentence-taken-out"),
    pytest.param(f"{A} {B}", A, [(f" {B}", "")], id="last-sentence-never-left"),
    pytest.param(
        f"{A} {B} {C}",
        f"{A} 연체료는 하루에 70원입니다. {C}",
        [("800원입니다.", "70원입니다.")],
        id="mended",
    ),
    pytest.param(
        f"{B} {A} {B}",
        f"{A} 연체료는 하루에 810원입니다.",
        [(f"{B} ", ""), ("800원입니다.", "810원입니다.")],
        id="two-places",
    ),
    pytest.param(f"1. {A}\n2. {B}\n3. {C}", f"1. {A}\n2. {C}", [(f"{B}\n3. ", "")], id="list"),
    pytest.param(A, "", [(A, "")], id="nothing-left"),
    pytest.param("", A, [("", A)], id="all-put-in"),
    pytest.param(A, A, [], id="untouched"),
]


@pytest.mark.parametrize(("came", "left", "expected"), CHANGED)
def test_says_what_stands_where_now(came: str, left: str, expected: list[tuple[str, str]]) -> None:
    found = changes(came, left)

    assert [(came[one.span.start : one.span.end], one.text) for one in found] == expected


TEXTS = st.lists(st.sampled_from([A, B, C, "네", "\n", "- ", "가", "9"]), max_size=12).map(" ".join)


@given(TEXTS, TEXTS)
def test_the_changes_make_of_what_came_what_left(came: str, left: str) -> None:
    assert applied(came, changes(came, left)) == left


@pytest.mark.parametrize(
    "long",
    [
        pytest.param(f"{A} " * MOST_PIECES, id="many-sentences"),
        pytest.param("가" * LONGEST_CHARS + " ", id="many-characters"),
    ],
)
def test_of_a_very_long_answer_there_is_one_change(long: str) -> None:
    [change] = changes(f"{long}{B}", f"{long}{C}")

    assert applied(f"{long}{B}", [change]) == f"{long}{C}"
