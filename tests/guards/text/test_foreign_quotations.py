import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.korean_only import without_foreign_quotations
from tests.fakes.growth import assert_grows_with_its_input

LEFT = [
    pytest.param("그는 '學而時習之'라 했다.", "그는        라 했다.", id="quotation"),
    pytest.param("> 學而\n말", "    \n말", id="block-quotation"),
    pytest.param("'첫 句節'과 費用", "'첫 句節'과 費用", id="with-hangul"),
    pytest.param("學而時習之", "學而時習之", id="no-marks"),
]


@pytest.mark.parametrize(("text", "left"), LEFT)
def test_blanks_what_is_quoted_and_not_korean(text: str, left: str) -> None:
    assert without_foreign_quotations(text) == left


@given(st.text(alphabet="가學a'「」“”>\n "))
def test_all_else_stays_where_it_is(text: str) -> None:
    left = without_foreign_quotations(text)

    assert len(left) == len(text)
    assert all(now in (was, " ") for was, now in zip(text, left, strict=True))
    assert [char for char in left if char == "가"] == [char for char in text if char == "가"]


@pytest.mark.parametrize("char", "'「“> a學\n")
def test_long_texts_do_not_take_long(char: str) -> None:
    assert_grows_with_its_input(lambda chars: without_foreign_quotations(char * chars), 100_000)
