"""What tells at once that a pattern has no match never hides one."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guards.text.laws.article import HEAD, next_head
from guards.text.naming.bound_names import LISTED
from guards.text.slots.amounts import DIGIT_READERS, WORD_READERS
from guards.text.slots.dates import CLOCKS, WORD_CLOCKS, dates_sought
from guards.text.slots.phone import NUMBERS
from guards.text.slots.quantity import BARE_NUMBER, LABELS
from guards.text.slots.windows import (
    AT_NUMBERS,
    Search,
    digit_neighbourhoods,
    digit_runs,
    digit_windows,
    matches_in,
)

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
