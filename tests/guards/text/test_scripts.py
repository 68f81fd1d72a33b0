import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from guards.text.writing.scripts import (
    Script,
    foreign_runs,
    han_only,
    latin_runs,
    latin_words,
    prose_only,
)
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row


@each_row("text, runs", "runs")
def test_finds_foreign_runs(text: str, runs: list[tuple[Script, str]]) -> None:
    found = foreign_runs(text)

    assert [(run.script, run.text) for run in found] == runs
    assert all(text[run.start : run.end] == run.text for run in found)


@each_row("text", "no_runs")
def test_leaves_korean_and_its_signs_alone(text: str) -> None:
    assert foreign_runs(text) == []


@each_row("text, left", "apart")
def test_blanks_what_is_not_prose(text: str, left: str) -> None:
    plain = prose_only(text)

    assert len(plain) == len(text)
    assert [line.split() for line in plain.split("\n")] == [
        line.split() for line in left.split("\n")
    ]


@each_row("text", "leaves_prose_as_it_is")
def test_leaves_prose_as_it_is(text: str) -> None:
    assert prose_only(text) == text


def test_latin_runs_end_at_hangul_and_at_line_breaks() -> None:
    runs = [run.text for run in latin_runs("Terms of Service를 보고\nAPI v2.0, SDK 사용")]

    assert runs == ["Terms of Service", "API v2.0, SDK"]


def test_latin_runs_keep_to_the_given_place() -> None:
    assert [run.text for run in latin_runs("one two three", 4, 7)] == ["two"]


def test_counts_latin_words_and_han() -> None:
    assert latin_words("Don't wait, e.g. 12 days") == ["Don't", "wait", "e", "g", "days"]
    assert han_only("費用 3개와 々 그리고 カ") == "費用々"


@given(st.text())
def test_runs_stand_in_order_and_where_they_say(text: str) -> None:
    runs = foreign_runs(text)

    assert all(text[run.start : run.end] == run.text for run in runs)
    assert all(a.end <= b.start for a, b in pairwise(runs))


@given(st.text(alphabet=st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3)))
def test_hangul_is_never_foreign(text: str) -> None:
    assert foreign_runs(text) == []


@given(st.text())
def test_blanking_keeps_length_and_line_breaks(text: str) -> None:
    plain = prose_only(text)

    assert len(plain) == len(text)
    assert [m.start() for m in re.finditer("\n", plain)] == [
        m.start() for m in re.finditer("\n", text)
    ]


@each_row("piece", "long_monotonous_text_takes_no_time")
def test_long_monotonous_text_takes_no_time(piece: str) -> None:
    def look(chars: int) -> None:
        text = piece * (chars // len(piece))
        foreign_runs(prose_only(text))
        list(latin_runs(text))

    assert_grows_with_its_input(look, 20_000)


@each_row("text, prose", "korean_in_code_is_said_to_the_reader")
def test_korean_in_code_is_said_to_the_reader(text: str, prose: str) -> None:
    assert prose_only(text) == prose
