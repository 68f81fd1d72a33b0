from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.reading import Text
from guards.text.slots.numerals import mixed_value, native_value
from guards.text.slots.quantity import Comparator, Quantity
from guards.text.slots.units import Dimension
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

VALUES = [
    pytest.param("1억 2,000만원", Dimension.WON, [120_000_000], id="hundred-millions"),
    pytest.param("3만 5천원", Dimension.WON, [35_000], id="mixed-scales"),
    pytest.param("6만2천548원", Dimension.WON, [62_548], id="digits-after-scales"),
    pytest.param("삼만 오천 원", Dimension.WON, [35_000], id="money-in-words"),
    pytest.param("만 원", Dimension.WON, [10_000], id="scale-alone"),
    pytest.param("₩500,000", Dimension.WON, [500_000], id="sign-first"),
    pytest.param("KRW 500,000", Dimension.WON, [500_000], id="currency-code-first"),
    pytest.param("3조 원", Dimension.WON, [3_000_000_000_000], id="trillions-are-no-article"),
    pytest.param("20달러", "USD", [20], id="other-currency"),
    pytest.param("20671001원", Dimension.WON, [20_671_001], id="money-that-looks-like-a-date"),
    pytest.param("제7회", "제회", [7], id="ordinal-of-an-event"),
    pytest.param("7회", Dimension.TIMES, [7], id="number-of-times"),
    pytest.param("7회 정기총회", "제회", [7], id="ordinal-without-its-mark"),
    pytest.param("복지관 204호", "호", [204], id="room"),
    pytest.param("차임 2기", "대", [2], id="instalments"),
    pytest.param("2기분", "대", [2], id="for-so-many-instalments"),
    pytest.param("5촌", "촌", [5], id="degree-of-kinship"),
    pytest.param("3영업일", Dimension.DAYS, [3], id="business-days"),
    pytest.param("스무 날", Dimension.DAYS, [20], id="twenty-days"),
    pytest.param("사나흘", Dimension.DAYS, [3, 4], id="three-or-four-days"),
    pytest.param("이삼일", Dimension.DAYS, [2, 3], id="two-or-three-days"),
    pytest.param("두세 달", Dimension.MONTHS, [2, 3], id="two-or-three-months"),
    pytest.param("한 달 반", Dimension.MONTHS, [Fraction(3, 2)], id="month-and-a-half"),
    pytest.param("10회권", Dimension.TIMES, [10], id="ticket-for-so-many-times"),
    pytest.param("5기가", "bytes", [5_000_000_000], id="gigabytes-as-people-say"),
    pytest.param("국내선 18키로", Dimension.GRAMS, [18_000], id="no-telephone-extension"),
    pytest.param("71년생", Dimension.YEAR, [1971], id="year-of-birth"),
    pytest.param("6.7.~", Dimension.BARE, [Fraction(67, 10)], id="number-before-a-tilde"),
    pytest.param("6.17.", Dimension.MONTH_DAY, [617], id="month-and-day-with-dots"),
    pytest.param("6/7까지", Dimension.MONTH_DAY, [607], id="month-and-day-with-a-slash"),
    pytest.param("12키로", Dimension.GRAMS, [12_000], id="kilos-as-people-say"),
    pytest.param("격월", Dimension.MONTHS, [2], id="every-other-month"),
    pytest.param("10~20%", Dimension.PERCENT, [10, 20], id="range-of-rates"),
    pytest.param("3~5만원", Dimension.WON, [30_000, 50_000], id="range-shares-scale"),
    pytest.param("100분의 30", Dimension.PERCENT, [30], id="statute-percent"),
    pytest.param("팔십 퍼센트", Dimension.PERCENT, [80], id="percent-in-words"),
    pytest.param("5%p", Dimension.PERCENT_POINT, [5], id="percentage-points"),
    pytest.param("5퍼센트포인트", Dimension.PERCENT_POINT, [5], id="points-in-hangul"),
    pytest.param("2주", Dimension.DAYS, [14], id="weeks"),
    pytest.param("일주일", Dimension.DAYS, [7], id="one-week"),
    pytest.param("삼십일", Dimension.DAYS, [30], id="sino-days"),
    pytest.param("이십오 일", Dimension.DAYS, [25], id="spaced-sino-days"),
    pytest.param("열흘", Dimension.DAYS, [10], id="ten-days"),
    pytest.param("사흘", Dimension.DAYS, [3], id="three-days"),
    pytest.param("보름", Dimension.DAYS, [15], id="fortnight"),
    pytest.param("반년", Dimension.MONTHS, [6], id="half-a-year"),
    pytest.param("2년 6개월", Dimension.MONTHS, [30], id="years-and-months"),
    pytest.param("열두 달", Dimension.MONTHS, [12], id="native-months"),
    pytest.param("이십사 개월", Dimension.MONTHS, [24], id="sino-months"),
    pytest.param("1시간 30분", Dimension.SECONDS, [5400], id="hours-and-minutes"),
    pytest.param("1시간 반", Dimension.SECONDS, [5400], id="and-a-half"),
    pytest.param("두 명", Dimension.PEOPLE, [2], id="native-people"),
    pytest.param("15 인", Dimension.PEOPLE, [15], id="people-with-space"),
    pytest.param("오후 7시 30분", Dimension.CLOCK, [19 * 60 + 30], id="afternoon"),
    pytest.param("19:30", Dimension.CLOCK, [19 * 60 + 30], id="twenty-four-hours"),
    pytest.param("밤 12시", Dimension.CLOCK, [0], id="midnight"),
    pytest.param("낮 12시", Dimension.CLOCK, [720], id="noon"),
    pytest.param("오전 일곱시 40분", Dimension.CLOCK, [460], id="native-hour"),
    pytest.param("다섯시 반", Dimension.CLOCK_12, [330], id="half-of-day-open"),
    pytest.param("2024-03-05", Dimension.DATE, [20240305], id="iso-date"),
    pytest.param("2024. 3. 5.", Dimension.DATE, [20240305], id="dotted-date"),
    pytest.param("'24.3.5.", Dimension.DATE, [20240305], id="short-year"),
    pytest.param("2024년 3월 5일", Dimension.DATE, [20240305], id="date-in-hangul"),
    pytest.param("2024/03/05", Dimension.DATE, [20240305], id="slashes"),
    pytest.param("2024년 3월", Dimension.YEAR_MONTH, [202403], id="year-and-month"),
    pytest.param("85㎡", Dimension.SQUARE_METRES, [85], id="folded-unit"),
    pytest.param("2.5km", Dimension.METRES, [2500], id="kilometres"),
]


def only(text: str) -> Quantity:
    [quantity] = Text(text).quantities
    return quantity


@each_row("text, dimension, values", VALUES)
def test_reads_value_and_dimension(text: str, dimension: str, values: list[int]) -> None:
    quantity = only(f"값은 {text} 이다")

    assert quantity.measure.dimension == dimension
    assert list(quantity.measure.values) == values


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


@each_row("char", "hundred_kilobytes_of_one_thing_are_read_in_time")
def test_long_texts_of_one_thing_are_read_in_time(char: str) -> None:
    def look(chars: int) -> None:
        text = Text(char * (chars // len(char)))
        assert all(one.text == text.raw[one.start : one.end] for one in text.quantities)

    assert_grows_with_its_input(look, 10_000)


@each_row("word", ["", "이십", "열열"])
def test_refuses_what_is_no_native_numeral(word: str) -> None:
    with pytest.raises(ValueError, match="not a native Korean numeral"):
        native_value(word)
