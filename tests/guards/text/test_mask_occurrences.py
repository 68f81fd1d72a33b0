"""Many values looked up at once: every place."""

import re

from hypothesis import given
from hypothesis import strategies as st

from guards.text.personal_data.mask import Occurrences
from tests.fakes.growth import assert_grows_with_its_input

PIECES = st.text(alphabet="01-a가", max_size=6)


@given(st.lists(PIECES, max_size=5), st.text(alphabet="01-a가", max_size=30))
def test_finds_each_value_wherever_it_stands(values: list[str], text: str) -> None:
    expected = {
        (found.start(), found.start() + len(value))
        for value in values
        if value
        for found in re.finditer(f"(?={re.escape(value)})", text)
    }

    assert set(Occurrences(values).all_in(text)) == expected


def test_many_values_in_a_long_text_take_little_time() -> None:
    def look(count: int) -> None:
        values = [f"010-{9_999 - number:04}-0000" for number in range(count)]
        text = "전화는 010-9999-0000 또는 010-0000-1111입니다. " * count
        assert sum(1 for _ in Occurrences(values).all_in(text)) == count

    assert_grows_with_its_input(look, 5_000)
