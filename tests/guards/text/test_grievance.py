import pytest

from guards.text.clause_purpose import asks, swears_at_us, tells_something_else
from guards.text.clauses import Clause, clauses
from guards.text.crisis import crises
from guards.text.grievance import grievance


def clause(text: str) -> Clause:
    [only] = clauses(text)
    return only


def core(text: str) -> str | None:
    found = grievance(clause(text))
    return text[found.start : found.end] if found else None


def test_clauses_keep_their_place_and_their_swear_words() -> None:
    first, second = clauses("야 시발! 답이 없네?")

    assert (first.letters.text, len(first.swearwords), first.question_mark) == ("야", 1, False)
    assert (second.letters.text, second.swearwords, second.question_mark) == ("답이없네", (), True)
    assert second.letters.place(0, 1) == (6, 7)


def test_words_begin_where_a_space_was() -> None:
    assert clause("답이 참 길다").word_starts() == {0, 2, 3}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("어휴 쓸모없네 진짜", "쓸모없네", id="between-sighs"),
        pytest.param("식대를 물어봤더니 동문서답이네", "동문서답이네", id="behind-its-matter"),
        pytest.param("어이없네 쓸모없다", "어이없네 쓸모없다", id="one-after-the-other"),
        pytest.param("도움이 진짜 안 되네", "도움이 진짜 안 되네", id="emphasis-inside"),
        pytest.param("짜증나 게임", None, id="noun-that-looks-like-an-ending"),
        pytest.param("쓸모없는 파일 지우기", None, id="attribute-of-something"),
    ],
)
def test_core_of_a_complaint(text: str, found: str | None) -> None:
    assert core(text) == found


@pytest.mark.parametrize(
    ("text", "asking"),
    [
        pytest.param("휴가는 며칠이야", True, id="question-word"),
        pytest.param("양식 보내 줘", True, id="request"),
        pytest.param("병신아 똑바로 찾아봐", False, id="order-with-contempt"),
        pytest.param("며칠인지 몇 번을 물어봐", True, id="question-inside-a-complaint"),
        pytest.param("몇 번을 물어봐", False, id="rhetorical-question"),
        pytest.param("야 너 진짜", False, id="address-alone"),
    ],
)
def test_asks_for_information(text: str, asking: bool) -> None:
    said = clause(text)

    assert asks(said, grievance(said)) is asking


def test_tells_of_a_matter_besides_the_talk() -> None:
    assert tells_something_else(clause("지하철이 안 온다"), None)
    assert not tells_something_else(clause("네 대답"), None)


@pytest.mark.parametrize(
    ("text", "at_us"),
    [
        pytest.param("이 등신아", True, id="call"),
        pytest.param("지랄하고 자빠졌네", True, id="what-is-done-with-it"),
        pytest.param("우리 과장 병신 같아", False, id="somebody-else"),
        pytest.param("경기가 병신 같았음", False, id="another-matter"),
    ],
)
def test_swears_at_the_bot(text: str, at_us: bool) -> None:
    assert swears_at_us(clause(text)) is at_us


def test_crisis_is_placed_where_it_was_typed() -> None:
    text = "그냥 죽고 싶어"

    assert [text[start:end] for start, end in crises(text)] == ["죽고 싶"]
