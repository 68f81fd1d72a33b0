import re
from itertools import pairwise

import pytest
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

RUNS = [
    pytest.param("이 費用은", [(Script.HAN, "費用")], id="han-between-hangul"),
    pytest.param("신청的 방법", [(Script.HAN, "的")], id="one-han-glued-to-hangul"),
    pytest.param("𠮷野 지점", [(Script.HAN, "𠮷野")], id="han-beyond-the-basic-plane"),
    pytest.param("法令(법령)", [(Script.HAN, "法令")], id="compatibility-ideographs"),
    pytest.param("サービス를", [(Script.KANA, "サービス")], id="katakana-with-long-vowel"),
    pytest.param("例えば 이런", [(Script.KANA, "例えば")], id="han-with-kana-is-japanese"),
    pytest.param("в срок 제출", [(Script.CYRILLIC, "в"), (Script.CYRILLIC, "срок")], id="cyrillic"),
    pytest.param("λόγος 참고", [(Script.OTHER, "λόγος")], id="greek-word"),
    pytest.param("مثال 참고", [(Script.OTHER, "مثال")], id="arabic"),
    pytest.param("हिन्दी 안내", [(Script.OTHER, "हिन्दी")], id="devanagari-with-its-marks"),
    pytest.param("ค่า 안내", [(Script.OTHER, "ค่า")], id="thai"),
    pytest.param("được 안내", [(Script.OTHER, "được")], id="vietnamese-word-as-a-whole"),
    pytest.param("깨진 \ufffd\ufffd 글자", [(Script.BROKEN, "\ufffd\ufffd")], id="broken"),
]
NO_RUNS = [
    pytest.param("한글과 English, 숫자 123, ㅋㅋ", id="hangul-latin-digits-jamo"),
    pytest.param("α-리놀렌산 5 μg, Δt, π", id="greek-letters-as-symbols"),
    pytest.param("㈜가나 26℃ 3㎡ ㊗ ★ → ① ※ 「」", id="signs"),
    pytest.param("홍〇〇 과장・이〇〇 대리", id="blanks-and-middle-dot"),
    pytest.param("São Paulo, Café, Müller, Đoković", id="accented-names"),
    pytest.param("100฿ 정도, 、。，！", id="baht-sign-and-full-width-marks"),
    pytest.param("가나", id="conjoining-jamo"),
]


@pytest.mark.parametrize(("text", "runs"), RUNS)
def test_finds_foreign_runs(text: str, runs: list[tuple[Script, str]]) -> None:
    found = foreign_runs(text)

    assert [(run.script, run.text) for run in found] == runs
    assert all(text[run.start : run.end] == run.text for run in found)


@pytest.mark.parametrize("text", NO_RUNS)
def test_leaves_korean_and_its_signs_alone(text: str) -> None:
    assert foreign_runs(text) == []


APART = [
    pytest.param("앞 `費用 = 1` 뒤", "앞  뒤", id="code-in-a-line"),
    pytest.param("앞\n```py\nx = '費'\n```\n뒤", "앞\n\n\n\n뒤", id="fenced-code"),
    pytest.param("앞\n```\n費用", "앞\n\n", id="fence-never-closed"),
    pytest.param("주소 https://example.com/費用?a=1 입니다", "주소  입니다", id="address"),
    pytest.param("https://example.com/a에서 확인", "에서 확인", id="particle-after-address"),
    pytest.param("문의 no.one@example.com 입니다", "문의  입니다", id="e-mail"),
    pytest.param("첨부 費用_final.xlsx 참고", "첨부  참고", id="name-of-a-file"),
]


@pytest.mark.parametrize(("text", "left"), APART)
def test_blanks_what_is_not_prose(text: str, left: str) -> None:
    plain = prose_only(text)

    assert len(plain) == len(text)
    assert [line.split() for line in plain.split("\n")] == [
        line.split() for line in left.split("\n")
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("費用은 1,000원입니다. 3.5배", id="han-and-numbers"),
        pytest.param("`닫히지 않은 표시 費用", id="a-lone-backtick"),
    ],
)
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


@pytest.mark.parametrize("piece", ["費", "a", "a ", "`", "```\n", ".", "a.", "a@", "https://", "ộ"])
def test_long_monotonous_text_takes_no_time(piece: str) -> None:
    def look(chars: int) -> None:
        text = piece * (chars // len(piece))
        foreign_runs(prose_only(text))
        list(latin_runs(text))

    assert_grows_with_its_input(look, 100_000)


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("`휴가는 20일입니다.`", " 휴가는 20일입니다. "),
        ("휴가는 `20일`입니다.", "휴가는  20일 입니다."),
        ("```\n휴가는 20일입니다.\n```", "   \n휴가는 20일입니다.\n   "),
        ("`pip install x==2.0`", " " * 20),
        ("```sh\nsleep 30\n# 30초 쉽니다\n```", "     \n        \n# 30초 쉽니다\n   "),
        ("`주소는 https://a.example/30 입니다`", " 주소는                      입니다 "),
    ],
)
def test_korean_in_code_is_said_to_the_reader(text: str, prose: str) -> None:
    assert prose_only(text) == prose
