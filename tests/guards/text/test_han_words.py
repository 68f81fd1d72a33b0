import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.lexicons.hanja_readings import HANJA_READINGS
from guards.text.han_words import HeardWords, initial_form, readings

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


@pytest.mark.parametrize(("han", "hangul"), READ)
def test_reads_what_stands_in_the_text_as_a_word(han: str, hangul: str) -> None:
    assert HeardWords([TEXT]).read(han) == hangul


WITHIN = [
    pytest.param("", "医疗", "기관에서", "의료", id="rest-of-the-word-behind"),
    pytest.param("그 ", "地方", "자치단체의", "지방", id="false-friend-in-a-whole-word"),
    pytest.param("여성", "会馆", "에", "회관", id="rest-of-the-word-before"),
    pytest.param("여", "性", "회관", "성", id="one-character-in-a-whole-word"),
    pytest.param("", "医疗", "비", "", id="another-word"),
    pytest.param("3", "月", " 회의", "월", id="unit-with-its-number"),
    pytest.param("5월 3", "月", "에", "월", id="unit-with-the-number-right-before"),
    pytest.param("13", "月", "", "", id="unit-with-another-number"),
    pytest.param("접수", "了", "는", "", id="chinese-particle"),
]


@pytest.mark.parametrize(("before", "han", "after", "hangul"), WITHIN)
def test_what_stands_around_a_word_helps_to_read_it(
    before: str, han: str, after: str, hangul: str
) -> None:
    assert HeardWords([TEXT]).read(han, before, after) == hangul


def test_two_readings_that_both_stand_there_are_none() -> None:
    assert HeardWords(["낙원은 북쪽에 있다."]).read("樂園") == "낙원"
    assert HeardWords(["낙원은 북쪽에, 악원은 남쪽에 있다."]).read("樂園") == ""


@pytest.mark.parametrize(
    ("chinese", "text"),
    [
        pytest.param("汽车", "역까지 기차를 탑니다.", id="car-is-no-train"),
        pytest.param("便宜", "편의 시설이 있습니다.", id="cheap-is-no-convenience"),
        pytest.param("出口", "출구는 북쪽입니다.", id="export-is-no-exit"),
        pytest.param("支付", "가까운 지부를 찾으세요.", id="to-pay-is-no-branch"),
    ],
)
def test_a_chinese_word_that_means_something_else_is_not_read(chinese: str, text: str) -> None:
    assert HeardWords([text]).read(chinese) == ""


@pytest.mark.parametrize(
    ("read", "first"),
    [
        ("리", "이"), ("력", "역"), ("례", "예"), ("녀", "여"), ("뉴", "유"), ("락", "낙"),
        ("로", "노"), ("량", "양"), ("나", "나"), ("비", "비"), ("이", "이"),
    ],
)  # fmt: skip
def test_the_initial_law(read: str, first: str) -> None:
    assert initial_form(read) == first


@given(st.sampled_from(sorted({char for char in HANJA_READINGS if char >= "一"})))
def test_every_listed_character_is_read_in_syllables_as_they_begin_and_go_on(char: str) -> None:
    known = readings(char) if "一" <= char <= "鿿" else frozenset("가")

    assert known
    assert all("가" <= read <= "힣" for read in known)
    assert {initial_form(read) for read in known} <= known


def test_long_chinese_texts_do_not_take_long() -> None:
    heard = HeardWords([TEXT * 500])
    began_s = time.monotonic()

    for _ in range(2000):
        heard.read("申请期限费用申请期限费用", "그 ", "를 냅니다")

    assert time.monotonic() - began_s < 2.0
