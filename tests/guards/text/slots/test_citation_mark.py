from hypothesis import given
from hypothesis import strategies as st

from guards.text.slots.citation_mark import MarkKind, MarkStyle, read_marks
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row


@each_row("text, mark, numbers", "read")
def test_reads(text: str, mark: str, numbers: tuple[int, ...]) -> None:
    [found] = read_marks(text)

    assert text[found.start : found.end] == mark
    assert found.numbers == numbers


@each_row("text", "not_read")
def test_does_not_read(text: str) -> None:
    assert read_marks(text) == ()


@each_row("text, target", "reads_names")
def test_reads_names(text: str, target: str) -> None:
    [found] = read_marks(f"됩니다. {text}")

    assert (found.kind, found.target, found.numbers) == (MarkKind.NAMED, target, ())


@each_row("text, is_word", "tells_marks_that_are_words")
def test_tells_marks_that_are_words(text: str, is_word: bool) -> None:
    [mark] = read_marks(text)

    assert mark.is_word is is_word


def test_raised_digits_are_one_number_where_the_text_counts_past_nine() -> None:
    marks = read_marks("하나다.¹¹ 둘이다.¹²")

    assert [mark.numbers for mark in marks] == [(11,), (12,)]


@each_row("mark, numbers, written", "written")
def test_writes_other_numbers_in_the_same_style(
    mark: str, numbers: tuple[int, ...], written: str
) -> None:
    text = f"교환됩니다{mark}."
    [found] = read_marks(text)

    assert found.written(text, numbers) == written


@each_row("numbers, written", "writes_raised_numbers")
def test_writes_raised_numbers(numbers: tuple[int, ...], written: str) -> None:
    text = "교환됩니다.¹³"
    [found] = read_marks(text)

    assert found.style is MarkStyle.RAISED
    assert found.written(text, numbers) == written


NUMBERS = st.lists(st.integers(1, 40), min_size=1, max_size=5, unique=True).map(sorted)
STYLES = [
    "[†1]",
    "[†1, †2]",
    "[1]",
    "[1,2]",
    "[1-3]",
    "【1】",
    "[^1]",
    "[출처 1]",
    "[1, p.3]",
    "[[1]]",
]


@given(NUMBERS, st.sampled_from([*STYLES, '<cite id="1">환불</cite>', "[Data: Sources (1)]"]))
def test_what_is_written_is_read_again(numbers: list[int], style: str) -> None:
    text = f"교환됩니다 {style}."
    [found] = read_marks(text)
    written = text[: found.start] + found.written(text, numbers) + text[found.end :]

    assert [number for mark in read_marks(written) for number in mark.numbers] == numbers


@given(st.sampled_from([*STYLES, "¹²", "[1 - 3]", "[1~2]", "[1;2]"]))
def test_its_own_numbers_leave_a_mark_as_it_is(style: str) -> None:
    text = f"교환됩니다.{style}"

    for mark in read_marks(text):
        assert mark.written(text, mark.numbers) == text[mark.start : mark.end]


@each_row("unit", "a_long_text_of_one_kind_is_read_in_time")
def test_a_long_text_of_one_kind_is_read_in_time(unit: str) -> None:
    assert_grows_with_its_input(lambda chars: read_marks(unit * (chars // len(unit))), 20_000)
