"""Scripts: Han words, other languages, and what a question asks for."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.lexicons.loading import groups
from guards.text.han_words import (
    FALSE_COUNTERS,
    FALSE_FRIENDS,
    WordsBySound,
    initial_form,
    readings,
)
from guards.text.scripts import (
    Script,
    asks_for_original,
    foreign_runs,
    han_only,
    latin_runs,
    latin_words,
    prose_only,
    requested_scripts,
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


# --- han ---


TEXT = (
    "신청 기한은 3월 5일까지이며, 비용은 이유 없이 돌려주지 않습니다. 의료기관과 지방자치단체가 "
    "제공합니다. 역사 교육은 여성회관에서 합니다."
)

READ = [
    pytest.param("費用", "비용", id="traditional"),
    pytest.param("费用", "비용", id="simplified"),
    pytest.param("理由", "이유", id="initial-law-rieul"),
    pytest.param("女性会馆", "여성회관", id="initial-law-nieun"),
    pytest.param("歴史", "역사", id="japanese-form"),
    pytest.param("\uf94c由", "", id="no-such-word"),
    pytest.param("提供", "제공", id="before-a-verbs-ending"),
    pytest.param("申请期限", "신청 기한", id="two-words-in-one-run"),
    pytest.param("申请期限费用", "신청 기한 비용", id="three-words-in-one-run"),
    pytest.param("自治", "", id="only-inside-another-word"),
    pytest.param("许可", "", id="not-in-the-text"),
    pytest.param("费用的", "", id="with-a-chinese-ending"),
    pytest.param("月", "", id="one-character-alone"),
    pytest.param("𠮷田", "", id="unknown-character"),
    pytest.param("費" * 5000, "", id="endless"),
]


@each_row("han, hangul", READ)
def test_reads_what_stands_in_the_text_as_a_word(han: str, hangul: str) -> None:
    assert WordsBySound([TEXT]).read(han) == hangul


@each_row("before, han, after, hangul", "within")
def test_what_stands_around_a_word_helps_to_read_it(
    before: str, han: str, after: str, hangul: str
) -> None:
    assert WordsBySound([TEXT]).read(han, before, after) == hangul


def test_two_readings_that_both_stand_there_are_none() -> None:
    assert WordsBySound(["낙원은 북쪽에 있다."]).read("樂園") == "낙원"
    assert WordsBySound(["낙원은 북쪽에, 악원은 남쪽에 있다."]).read("樂園") == ""


@each_row("han, after, text", "false_friend_in_place")
def test_a_word_that_means_something_else_is_read_nowhere(han: str, after: str, text: str) -> None:
    heard = WordsBySound([text])

    assert heard.read(han) == ""
    assert heard.read(han, "", after) == ""
    assert heard.read(han, "그 ", after) == ""


@each_row("number, han, text", "a_counter_that_counts_something_else_is_not_read")
def test_a_counter_that_counts_something_else_is_not_read(number: str, han: str, text: str) -> None:
    assert WordsBySound([text]).read(han, number) == ""


@each_row("text, after, hangul", "roles")
def test_a_reading_is_believed_in_the_role_that_it_has_in_the_text(
    text: str, after: str, hangul: str
) -> None:
    assert WordsBySound([text]).read("费用", "", after) == hangul


def test_no_false_friend_is_listed_in_vain() -> None:
    unread = {word for word in FALSE_FRIENDS if not all(map(readings, word))}

    assert unread == set()
    assert {len(word) for word in FALSE_FRIENDS} <= {2, 3}
    assert all(len(char) == 1 and readings(char) for char in FALSE_COUNTERS)


@each_row("read, first", "the_initial_law")
def test_the_initial_law(read: str, first: str) -> None:
    assert initial_form(read) == first


@given(st.sampled_from(sorted({char for _, chars in groups("hanja_readings") for char in chars})))
def test_every_listed_character_is_read_in_syllables_as_they_begin_and_go_on(char: str) -> None:
    known = readings(char)

    assert known
    assert all("가" <= read <= "힣" for read in known)
    assert {initial_form(read) for read in known} <= known


def test_long_chinese_texts_do_not_take_long() -> None:
    def look(count: int) -> None:
        heard = WordsBySound([TEXT * count])
        for _ in range(4 * count):
            heard.read("申请期限费用申请期限费用", "그 ", "를 냅니다")

    assert_grows_with_its_input(look, 500)


# --- request ---


@each_row("question, scripts", "asked")
def test_recognises_a_request(question: str, scripts: set[Script]) -> None:
    assert requested_scripts(question) == scripts


@each_row("question", "not_asked")
def test_a_mention_is_no_request(question: str) -> None:
    assert requested_scripts(question) == frozenset()


@each_row("question, asked", "recognises_a_request_for_the_original")
def test_recognises_a_request_for_the_original(question: str, *, asked: bool) -> None:
    assert asks_for_original(question) is asked
