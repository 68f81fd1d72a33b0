"""Marks that cite sources: as they are written, counted, listed and shared out among sentences."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Source
from guards.text.citing.references import (
    citation_places,
    marks_in_body,
    read_references,
    read_source_lines,
)
from guards.text.citing.statements import cited_clauses, parts_of, read_statements
from guards.text.laws.index import LawIndex
from guards.text.slots.citation_mark import MarkKind, MarkStyle, read_marks
from guards.text.slots.source_name import Numbering, SourceNames
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


# --- places ---


@each_row("text, found", "found")
def test_finds_what_names_sources(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in citation_places(text)] == found


@given(st.text(alphabet="가다.[]()†123 ,쪽p출처:\n", max_size=60))
def test_places_are_in_order_and_apart(text: str) -> None:
    edges = [edge for place in citation_places(text) for edge in place]

    assert edges == sorted(edges)


# --- numbering ---


def source(id_: str, file: str = "", page: int | None = None) -> Source:
    return Source(id_, "", "온실은 화요일에 닫습니다.", file=file, page=page)


def numbering(*sources: Source, answer: str = "") -> Numbering:
    names = SourceNames(sources, LawIndex.of(sources))
    return Numbering(sources, read_references(answer), names)


def meant(numbers: Numbering, number: int) -> str | None:
    found = numbers.source_of(number)
    return found.id if found else None


@each_row("ids, number, expected", "a_number_is_an_id_or_the_place_of_a_source_without_one")
def test_a_number_is_an_id_or_the_place_of_a_source_without_one(
    ids: tuple[str, ...], number: int, expected: str | None
) -> None:
    assert meant(numbering(*map(source, ids)), number) == expected


def test_the_answers_own_list_says_what_its_numbers_mean() -> None:
    sources = (source("1", "a.pdf"), source("2", "b.pdf"))
    own = numbering(*sources, answer="닫습니다[1].\n\n참고 문헌\n- [1] b.pdf")

    assert meant(own, 1) == "2"
    assert own.number_of(sources[1]) == 1


def test_a_line_that_could_mean_several_sources_means_that_of_its_number() -> None:
    pieces = (source("1", "a.pdf", 1), source("2", "a.pdf", 2))
    own = numbering(*pieces, answer="닫습니다[2].\n\n참고 문헌\n- [2] a.pdf")

    assert meant(own, 2) == "2"


@each_row("ids, text, cited", "zero_cites_where_a_source_is_called_so_or_a_sentence_ends")
def test_zero_cites_where_a_source_is_called_so_or_a_sentence_ends(
    ids: tuple[str, ...], text: str, cited: tuple[int, ...]
) -> None:
    [mark] = marks_in_body(text, None)

    assert numbering(*map(source, ids)).cited_by(mark) == cited


# --- references ---


Lines = list[tuple[int | None, str]]

READ_IDS = [
    "daggers", "numbered", "bullets", "bare-titles", "footnotes", "links", "rule-above",
    "raised", "graph", "closing-remark", "remarks-with-numbers", "remarks-with-files",
]  # fmt: skip


@each_row("text, heading, lines", "lists")
def test_reads_a_list(text: str, heading: str, lines: Lines) -> None:
    found = read_references(text)

    assert found is not None
    assert text[found.heading.start : found.heading.end] == heading
    assert [(line.number, line.target) for line in found.lines] == lines
    assert found.start == found.heading.start
    assert found.end == found.lines[-1].span.end


@each_row("text", "no_lists")
def test_reads_no_list(text: str) -> None:
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


# --- clauses ---


Pieces = list[tuple[str, list[str]]]

CUT: list[tuple[str, str, Pieces]] = [
    ("comma", "환불됩니다[1], 교환됩니다[2].", [("환불됩니다", ["[1]"]), ("교환됩니다.", ["[2]"])]),
    (
        "connective",
        "환불은 되고[1] 교환은 안 됩니다[2].",
        [("환불은 되고", ["[1]"]), ("교환은 안 됩니다.", ["[2]"])],
    ),
    (
        "copula-behind",
        "요금은 만 원[1]이고 기간은 이레[2]입니다.",
        [("요금은 만 원이고", ["[1]"]), ("기간은 이레입니다.", ["[2]"])],
    ),
    (
        "words-that-open",
        "[1]에 따르면 환불은 되고, [2]에 따르면 교환은 안 됩니다.",
        [("환불은 되고", ["[1]"]), ("교환은 안 됩니다.", ["[2]"])],
    ),
    (
        "behind-the-stop",
        "환불은 되고[1] 교환은 안 됩니다.[2][3]",
        [("환불은 되고", ["[1]"]), ("교환은 안 됩니다.", ["[2]", "[3]"])],
    ),
    (
        "uncited-end",
        "환불됩니다[1], 교환됩니다.",
        [("환불됩니다", ["[1]"]), ("교환됩니다.", [])],
    ),
    ("one-group", "환불은 되고 교환은 안 됩니다[1]·[2].", []),
    ("inside-a-clause", "환불은 이레[1] 안에 됩니다[2].", []),
    ("word-of-its-clause", "환불 규정[1]은 있고 교환 규정[2]은 없습니다.", []),
    ("table-row", "| 환불 [1] | 교환 [2] |", []),
    ("no-marks", "환불됩니다, 교환됩니다.", []),
]


@each_row("text, pieces", {name: case for name, *case in CUT})
def test_gives_each_mark_to_its_clause(text: str, pieces: Pieces) -> None:
    [statement] = read_statements(text)
    found = cited_clauses(text, statement)

    if not pieces:
        assert found == (statement,)
    else:
        assert [
            (one.text, [text[mark.start : mark.end] for mark in one.marks]) for one in found
        ] == pieces


@given(st.text(alphabet="가고다니 .,[]12에따르면|\n", max_size=40))
def test_every_mark_is_in_one_piece(text: str) -> None:
    for statement in read_statements(text):
        pieces = cited_clauses(text, statement)

        assert tuple(mark for piece in pieces for mark in piece.marks) == statement.marks


@each_row("text, parts", "says_which_parts_may_rest_on_one_source")
def test_says_which_parts_may_rest_on_one_source(text: str, parts: list[str]) -> None:
    [statement] = read_statements(text)

    assert [part.text for part in parts_of(text, statement)] == parts


# --- statements ---


Said = list[tuple[str, list[str]]]


@each_row("text, said", "gives_each_mark_to_its_sentence")
def test_gives_each_mark_to_its_sentence(text: str, said: Said) -> None:
    found = read_statements(text)

    assert [
        (one.text, [text[mark.start : mark.end] for mark in one.marks]) for one in found
    ] == said


def test_tells_claims_from_the_rest() -> None:
    found = read_statements("안녕하세요! 환불은 이레 안에 됩니다[1]. 더 궁금하신 점이 있으신가요?")

    assert [one.is_claim for one in found] == [False, True, False]


@each_row("text, leads", "says_which_sentences_may_share_a_mark")
def test_says_which_sentences_may_share_a_mark(text: str, leads: list[str]) -> None:
    last = read_statements(text)[-1]

    assert [one.text for one in last.led_by] == leads


@each_row("unit", "long_texts")
@each_row("reader", [read_marks, citation_places, read_references, read_statements])
def test_a_long_text_of_one_kind_is_read_in_time(
    reader: Callable[[str], object], unit: str
) -> None:
    assert_grows_with_its_input(lambda chars: reader(unit * (chars // len(unit))), 6_000)
