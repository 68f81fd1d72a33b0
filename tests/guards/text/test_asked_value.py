import pytest

from guards.text.asked_value import AskedValue, holds_value, without_asking_words

HELD = [
    pytest.param("접수는 15일까지", AskedValue.NUMBER, id="digits"),
    pytest.param("열흘 안에", AskedValue.NUMBER, id="native-number"),
    pytest.param("삼십 일 이내", AskedValue.NUMBER, id="number-in-hangul"),
    pytest.param("이용은 무료입니다", AskedValue.NUMBER, id="free"),
    pytest.param("매주 월요일에", AskedValue.TIME, id="weekday"),
    pytest.param("총무팀 02-000-0000", AskedValue.PHONE, id="phone"),
]
NOT_HELD = [
    pytest.param("제3조제2항에 따른다", AskedValue.NUMBER, id="provision"),
    pytest.param("별표 2에서 정한다", AskedValue.NUMBER, id="annex"),
    pytest.param("부서장이 승인한다", AskedValue.TIME, id="no-time"),
    pytest.param("15일까지 제출", AskedValue.PHONE, id="no-phone"),
]


@pytest.mark.parametrize(("text", "kind"), HELD)
def test_finds_a_value(text: str, kind: AskedValue) -> None:
    assert holds_value(text, kind)


@pytest.mark.parametrize(("text", "kind"), NOT_HELD)
def test_finds_no_value(text: str, kind: AskedValue) -> None:
    assert not holds_value(text, kind)


def test_blanks_asking_words_in_place() -> None:
    question = "정원은 몇 명인가요?"

    assert without_asking_words(question) == "정원은       ?"
