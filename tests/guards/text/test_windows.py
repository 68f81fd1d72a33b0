import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from guards.text.slots.windows import Search, digit_windows, matches_in

TEXTS = st.lists(st.sampled_from(["1", "20", "가", " " * 15, "나" * 39, ".", "다" * 60])).map(
    "".join
)


@given(TEXTS)
def test_windows_hold_every_number_with_its_neighbours(text: str) -> None:
    windows = digit_windows(text)

    for number in re.finditer("[0-9]+", text):
        before, after = max(0, number.start() - 16), number.end() + 24
        assert any(start <= before and after <= end for start, end in windows)


@given(TEXTS)
def test_windows_stand_apart_and_in_order(text: str) -> None:
    windows = digit_windows(text)

    assert all(one[1] < other[0] for one, other in pairwise(windows))


def test_far_from_digits_nothing_is_looked_at() -> None:
    assert digit_windows("숫자가 없다") == []
    assert digit_windows("가" * 100 + "1" + "나" * 100) == [(84, 125)]


def test_matches_come_from_the_windows_alone() -> None:
    text = "가" * 100 + "3일"

    sought = Search(re.compile("[가일]"), re.compile("[가일]"))
    assert [found[0] for found in matches_in(sought, text, [(100, 102)])] == ["일"]
