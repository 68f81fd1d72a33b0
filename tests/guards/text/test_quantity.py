from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.reading import Text
from guards.text.slots.quantity import Comparator, Quantity
from guards.text.slots.units import Dimension, mixed_value, native_value
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row


def only(text: str) -> Quantity:
    [quantity] = Text(text).quantities
    return quantity


@each_row("text, dimension, values", "values")
def test_reads_value_and_dimension(text: str, dimension: str, values: list[int | str]) -> None:
    quantity = only(f"값은 {text} 이다")

    assert quantity.measure.dimension == dimension
    assert list(quantity.measure.values) == [Fraction(value) for value in values]


@each_row("text", "none")
def test_reads_no_quantity(text: str) -> None:
    assert Text(text).quantities == ()


@each_row("text, comparator", "compared")
def test_reads_comparator(text: str, comparator: Comparator | None) -> None:
    assert only(text).comparator == comparator


@each_row("text, approximate", "reads_whether_it_is_rough")
def test_reads_whether_it_is_rough(text: str, approximate: bool) -> None:
    assert only(text).approximate is approximate


def test_span_is_the_place_in_the_raw_text() -> None:
    raw = "①\u200b 정원은 １５명 이내"
    quantity = only(raw)

    assert raw[quantity.start : quantity.end] == quantity.text == "１５명"


def test_two_figures_in_one_character_are_one_place() -> None:
    assert len(Text("½일").quantities) == 1


def test_second_day_of_a_range_takes_the_month() -> None:
    first, second = Text("3월 5일~20일").quantities

    assert (first.measure.values, second.measure.values) == ((Fraction(305),), (Fraction(320),))


def test_caption_gives_bare_numbers_their_unit() -> None:
    [quantity] = Text("(단위: 천원)\n예산 | 1,500").quantities

    assert quantity.measure.dimension == Dimension.WON
    assert quantity.measure.values == (Fraction(1_500_000),)


@given(st.integers(min_value=1, max_value=9_999_999_999_999))
def test_money_is_the_same_with_and_without_separators(won: int) -> None:
    assert only(f"{won}원").measure == only(f"{won:,}원").measure


@given(st.integers(min_value=1, max_value=9999), st.integers(min_value=0, max_value=9999))
def test_mixed_numbers_add_up(ten_thousands: int, rest: int) -> None:
    written = f"{ten_thousands}만" + (f" {rest:,}" if rest else "")

    assert mixed_value(written) == ten_thousands * 10_000 + rest


@given(st.integers(min_value=0, max_value=23), st.integers(min_value=0, max_value=59))
def test_clock_is_the_same_in_both_styles(hour: int, minute: int) -> None:
    half = "오전" if hour < 12 else "오후"
    spoken = f"{half} {hour % 12 or 12}시 {minute}분"

    assert only(spoken).measure == only(f"{hour:02}:{minute:02}").measure


@given(st.dates(min_value=date(1970, 1, 1), max_value=date(2199, 12, 31)))
def test_date_is_the_same_in_every_notation(day: date) -> None:
    notations = (
        day.isoformat(),
        f"{day.year}. {day.month}. {day.day}.",
        f"{day.year}.{day.month}.{day.day}.",
        f"{day.year}/{day.month:02}/{day.day:02}",
        f"{day.year}년 {day.month}월 {day.day}일",
    )

    assert len({only(notation).measure for notation in notations}) == 1


@given(
    st.text(
        alphabet="가일이삼십백천만억원명월시분초일년 0123456789.,~-:/()[]%제조항호①㎡\n",
        max_size=60,
    )
)
def test_quantities_stand_in_order_and_hold_their_text(text: str) -> None:
    end = 0
    for quantity in Text(text).quantities:
        assert end <= quantity.start < quantity.end
        assert text[quantity.start : quantity.end] == quantity.text
        end = quantity.end


@each_row("char", "long_texts")
def test_long_texts_of_one_thing_are_read_in_time(char: str) -> None:
    def look(chars: int) -> None:
        text = Text(char * (chars // len(char)))
        assert all(one.text == text.raw[one.start : one.end] for one in text.quantities)

    assert_grows_with_its_input(look, 10_000)


@each_row("word", ["", "이십", "열열"])
def test_refuses_what_is_no_native_numeral(word: str) -> None:
    with pytest.raises(ValueError, match="not a native Korean numeral"):
        native_value(word)
