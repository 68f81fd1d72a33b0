from hypothesis import given
from hypothesis import strategies as st

from guards.korean_only import without_foreign_quotations
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row


@each_row("text, left", "left")
def test_blanks_what_is_quoted_and_not_korean(text: str, left: str) -> None:
    assert without_foreign_quotations(text) == left


@given(st.text(alphabet="가學a'「」“”>\n "))
def test_all_else_stays_where_it_is(text: str) -> None:
    left = without_foreign_quotations(text)

    assert len(left) == len(text)
    assert all(now in (was, " ") for was, now in zip(text, left, strict=True))
    assert [char for char in left if char == "가"] == [char for char in text if char == "가"]


@each_row("char", "long_texts_do_not_take_long")
def test_long_texts_do_not_take_long(char: str) -> None:
    assert_grows_with_its_input(lambda chars: without_foreign_quotations(char * chars), 20_000)
