from hypothesis import given
from hypothesis import strategies as st

from guards.korean.digits import in_digits
from guards.text.normal import normalise
from tests.tables import each_row


@each_row("text, read", "numbers")
def test_rows_of_digits_are_read_in_any_notation(text: str, read: str) -> None:
    assert normalise(in_digits(text)).text == read


@each_row("text", "what_is_no_row_stays")
def test_what_is_no_row_stays(text: str) -> None:
    assert in_digits(text) == text


@given(st.text(alphabet="공일이삼사하나둘①⑨❾⁹９0123 -에다시이가\ufe0f\u20e3", max_size=60))
def test_places_stay(text: str) -> None:
    read = in_digits(text)

    assert len(read) == len(text)
    assert all(
        one == other or other in "0123456789-\u200b" for one, other in zip(text, read, strict=True)
    )
