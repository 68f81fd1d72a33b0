import pytest

from guards.text.citing.references import marks_in_body, read_references, read_source_lines
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

Lines = list[tuple[int | None, str]]

READ_IDS = [
    "daggers", "numbered", "bullets", "bare-titles", "footnotes", "links", "rule-above",
    "raised", "graph", "closing-remark", "remarks-with-numbers", "remarks-with-files",
]  # fmt: skip


@each_row("text, heading, lines", "read")
def test_reads(text: str, heading: str, lines: Lines) -> None:
    found = read_references(text)

    assert found is not None
    assert text[found.heading.start : found.heading.end] == heading
    assert [(line.number, line.target) for line in found.lines] == lines
    assert found.start == found.heading.start
    assert found.end == found.lines[-1].span.end


@each_row("text", "not_read")
def test_does_not_read(text: str) -> None:
    assert read_references(text) is None


@each_row("text, targets", "reads_lines_that_only_name_a_source")
def test_reads_lines_that_only_name_a_source(text: str, targets: list[str]) -> None:
    assert [line.target for line in read_source_lines(text)] == targets


@each_row("line, digits, renumbered", "a_line_can_be_renumbered")
def test_a_line_can_be_renumbered(line: str, digits: str, renumbered: str) -> None:
    text = f"됩니다.\n\n참고 문헌\n{line}"
    found = read_references(text)

    assert found is not None
    [entry] = found.lines
    start, end = entry.number_span.start, entry.number_span.end
    assert text[start:end] == digits
    assert text[entry.span.start : start] + entry.number_written(text, 7) + text[end:] == renumbered


def test_marks_of_the_list_are_none_of_the_body() -> None:
    text = "됩니다[†1].\n\n### References\n- [†1] 안내.pdf\n- [†2] 약관.pdf"

    [mark] = marks_in_body(text, read_references(text))

    assert mark.start == text.index("[†1]")


@each_row("unit", "a_long_text_of_one_kind_is_read_in_time")
def test_a_long_text_of_one_kind_is_read_in_time(unit: str) -> None:
    assert_grows_with_its_input(lambda chars: read_references(unit * (chars // len(unit))), 20_000)


@each_row("line", "a_line_bears_the_number_of_its_mark")
def test_a_line_bears_the_number_of_its_mark(line: str) -> None:
    found = read_references(f"됩니다.\n\n참고 문헌\n{line}")

    assert found is not None
    [entry] = found.lines
    assert (entry.number, entry.target) == (3, "안내.pdf")


CLOSING = "더 궁금한 점은 물어보세요.\n언제든 도와드립니다.\n감사합니다."


def test_remarks_behind_a_blank_line_end_a_list_that_names_sources() -> None:
    found = read_references(f"됩니다[1].\n\n참고 문헌\n- [1] 안내.pdf\n- 규정.pdf\n\n{CLOSING}")

    assert found is not None
    assert [line.target for line in found.lines] == ["안내.pdf", "규정.pdf"]


@pytest.mark.parametrize(
    "between",
    ["- [1] 안내.pdf\n", "- 신분증 사본\n\n"],
    ids=["no-blank-line", "names-no-source"],
)
def test_an_answer_that_goes_on_has_no_list(between: str) -> None:
    assert read_references(f"됩니다.\n\n참고 자료\n{between}{CLOSING}") is None


@each_row("text", "no_citations")
def test_numbers_that_cite_nothing_are_no_marks(text: str) -> None:
    assert marks_in_body(text, None) == ()


@each_row("text, numbers", "marks_beside_such_words_stay_marks")
def test_marks_beside_such_words_stay_marks(text: str, numbers: list[tuple[int, ...]]) -> None:
    assert [mark.numbers for mark in marks_in_body(text, None)] == numbers
