"""Reading less than the whole text finds what reading all of it finds."""

import re
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from guards.core.keeping import Keeping
from guards.text.laws.article import HEAD, next_head
from guards.text.names import find_names
from guards.text.namings import LISTED
from guards.text.normal import normalise
from guards.text.slots.amounts import DIGIT_READERS, WORD_READERS
from guards.text.slots.by_sentence import names_by_sentence, quantities_by_sentence
from guards.text.slots.contact import NUMBERS
from guards.text.slots.dates import CLOCKS, WORD_CLOCKS, dates_sought
from guards.text.slots.quantity import BARE_NUMBER, LABELS, find_quantities
from guards.text.slots.windows import (
    AT_NUMBERS,
    Search,
    digit_neighbourhoods,
    digit_runs,
    digit_windows,
    matches_in,
)
from tests.tables import each_row

LONG_YEARS = "2031년 3월 5일, 2031. 3. 5., 2031-03-05, 31년생, 3/5~3/9, 20310305"
EVERY_DATE = f"{LONG_YEARS}, '31. 3. 5."
PATTERNS = [
    *dates_sought(EVERY_DATE),
    *CLOCKS,
    *WORD_CLOCKS,
    *(sought for sought, _ in (*DIGIT_READERS, *WORD_READERS)),
    BARE_NUMBER,
    NUMBERS,
    *LABELS,
]
PIECES = (
    "2031년 3월 5일", "'31. 3. 5.", "2031-03-05", "3/5", "31년생", "20310305", "오후 7시 30분",
    "9~11시", "19:30", "다섯 시 반", "정오", "3만 5천원", "US$ 20", "₩3,000", "1,200", "3.5%",
    "3분의 1", "삼분의 일", "100분의 80", "201호", "제12회", "12회 대회", "5%p3일", "3 - 1일",
    "10m-5일", "삼십일", "두세 달", "열두 명", "스무 살", "하루이틀", "보름", "제", "3", "일",
    "시", "월", "년", ".", ",", "-", "/", "~", ":", " ", "\n", "\x01", "a", "가", "_", "⁄",
    "나" * 30, "+82-31-200-1000", "(031) 200-1000", "1588-0000", "01012345678", "제3조의2", "3조",
    "2항", "별표 1", "부칙 3", "서식", "- 1. ", "\n 2) ", " 3) ", "**4.** ", "오전", "p.m.",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


# There are dozens of patterns; `make fuzz` tries fifty times as many texts.
FEWER = settings(max_examples=max(15, settings().max_examples // 4))


@pytest.mark.parametrize("sought", PATTERNS, ids=range(len(PATTERNS)))
@FEWER
@given(text=TEXTS, cut=st.integers(0, 60))
def test_what_is_looked_for_first_hides_no_match(sought: Search, text: str, cut: int) -> None:
    assert_hides_no_match(sought, text, cut)


@pytest.mark.parametrize(
    "sought", dates_sought(LONG_YEARS), ids=range(len(dates_sought(LONG_YEARS)))
)
@FEWER
@given(text=TEXTS, cut=st.integers(0, 60))
def test_without_short_years_every_date_begins_with_a_number(
    sought: Search, text: str, cut: int
) -> None:
    assert_hides_no_match(sought, text.replace("'", ""), cut)


def assert_hides_no_match(sought: Search, text: str, cut: int) -> None:
    windows = [(0, min(cut, len(text))), (min(cut, len(text)), len(text))]

    found = [match.span() for match in matches_in(sought, text, windows)]

    assert found == [
        match.span()
        for start, end in windows
        for match in sought.pattern.finditer(text, start, end)
    ]


LAW_PIECES = (
    "제", "3", "12", "조", "의2", " ", "\n", "제3조", "같은 조 제1항", "동법", "동 조 ①",
    "별표 1", "별지 제2호", "부칙", "제2장", "「도서관법」", "시행령에 따르면", "시행 규칙", "가",
    ".", "(목적)", "항",
)  # fmt: skip


@given(st.lists(st.sampled_from(LAW_PIECES), max_size=14).map("".join), st.integers(0, 20))
def test_no_head_of_a_law_is_hidden(text: str, start: int) -> None:
    head, sought = next_head(text, start), HEAD.search(text, start)

    assert (head and head.span()) == (sought and sought.span())


NAME_PIECES = (
    "심사1팀", "민원실", "고객센터", "(신규)", "(담당 나은별)", "(강사: 도라지)", "도예", " - ",
    "나은별", " 강사", " 팀장", "AB", "Cd", "(배수 불량)", "(", ")", " ", "가나다", "3호차",
)  # fmt: skip


@given(st.lists(st.sampled_from(NAME_PIECES), max_size=8).map("".join))
def test_no_listed_name_is_hidden(line: str) -> None:
    for needed, pattern in LISTED:
        assert bool(needed.search(line)) >= bool(pattern.search(line))


@given(TEXTS)
def test_no_date_is_hidden(text: str) -> None:
    sought = [one.pattern for one in dates_sought(EVERY_DATE)]

    assert bool(dates_sought(text)) >= any(pattern.search(text) for pattern in sought)


def test_a_pattern_that_begins_with_a_number_is_tried_nowhere_else() -> None:
    sought = Search(re.compile(r"(?<!\d)\d{2}일"), re.compile("일"), AT_NUMBERS)

    assert [one[0] for one in matches_in(sought, "12일, 123일 34일", [(0, 13)])] == ["12일", "34일"]


NUMBERED_PIECES = ("3", "20", "٣", "일", " ", "가" * 20, "나" * 45, ",", "\n", "제3조")


@given(st.lists(st.sampled_from(NUMBERED_PIECES), max_size=14).map("".join))
def test_numbers_are_found_with_their_neighbourhoods_at_once(text: str) -> None:
    windows, runs = digit_neighbourhoods(text)

    assert windows == digit_windows(text)
    assert runs == digit_runs(text, windows)


# --- windows ---


GAPPED_TEXTS = st.lists(
    st.sampled_from(["1", "20", "가", " " * 15, "나" * 39, ".", "다" * 60])
).map("".join)


@given(GAPPED_TEXTS)
def test_windows_hold_every_number_with_its_neighbours(text: str) -> None:
    windows = digit_windows(text)

    for number in re.finditer("[0-9]+", text):
        before, after = max(0, number.start() - 16), number.end() + 24
        assert any(start <= before and after <= end for start, end in windows)


@given(GAPPED_TEXTS)
def test_windows_stand_apart_and_in_order(text: str) -> None:
    windows = digit_windows(text)

    assert all(one[1] < other[0] for one, other in pairwise(windows))


def test_far_from_digits_nothing_is_looked_at() -> None:
    assert digit_windows("숫자가 없다") == []
    assert digit_windows("가" * 100 + "1" + "나" * 100) == [(84, 125)]


def test_matches_come_from_the_windows_alone() -> None:
    text = "가" * 100 + "3일"

    sought = Search(re.compile("[가일]"), re.compile("[가일]"))
    assert [found[0] for found in matches_in(sought, text, [(100, 102)])] == ["일"]


# --- sentence ---


SAID = (
    "수강료는 3만 원입니다.[1] ", "접수는 2024. 3. 5.부터 합니다. ", "- 정원: 12명[2]\n", "15일",
    "(단위: 천원)\n", "약 ", "오전 9시", "[1]", "[", ")", "(단, 주말은 뺍니다. ", " 이내) ", "\n",
    "- ", "1) ", "2. ", "없습니다.", "돼요. ", "두 가지 ", "7호선 ", "버스 ", "3번 출구 ", "5일역 ",
    "내선 ", "전화 02-555-0101 ", "㎡", "⑮", "²", "이상 ", "부터 ", "~", "12쪽", "| 3개 |\n",
    "10분 단위로 ", "신분당선\n", "우선 ", "12번 ", "한솔문화센터 ", "김민수 팀장 ",
    "'바다'라는 앱 ", "「", "안내.pdf ", "Han River ", "별관 3층 ",
)  # fmt: skip
SAID_TEXTS = st.lists(st.sampled_from(SAID), max_size=14).map("".join)


@given(st.lists(SAID_TEXTS, min_size=1, max_size=4))
def test_what_is_put_together_is_what_the_whole_text_holds(texts: list[str]) -> None:
    kept = Keeping()  # one for all of them: what one text left there changes no other

    for text in texts:
        assert quantities_by_sentence(text) == find_quantities(text, normalise(text))
        assert names_by_sentence(text, kept) == find_names(text, normalise(text))


@given(SAID_TEXTS, st.lists(st.integers(0, 60), max_size=6))
@example(text="수강료는 3만 원입니다.[1] 2. ", cuts=[20])
def test_a_text_that_grows_is_read_as_one_that_stood_there(text: str, cuts: list[int]) -> None:
    for end in sorted({min(cut, len(text)) for cut in cuts}):
        seen = text[:end]
        assert quantities_by_sentence(seen) == find_quantities(seen, normalise(seen))
    assert quantities_by_sentence(text) == find_quantities(text, normalise(text))


@each_row("text, found", "what_reaches_over_a_sentence_is_read_with_it")
def test_what_reaches_over_a_sentence_is_read_with_it(text: str, found: list[str]) -> None:
    quantities = quantities_by_sentence(text)

    assert [one.text for one in quantities] == found
    assert [text[one.start : one.end] for one in quantities] == found
    assert quantities == find_quantities(text, normalise(text))
