"""Which claims carry what was asked for, and so never go."""

from policies.trimming import is_lost, tellings
from tests.tables import each_row

REST = "매월 셋째 주 목요일에 쉽니다."


def lost(question: str, answer: str, gone: str) -> bool:
    made = tellings(answer)
    going = {claim for claim in made if gone in claim.text}
    assert going
    return is_lost(question, answer, made, going)


@each_row("question, answer, gone", "lost")
def test_carries_what_was_asked_for(question: str, answer: str, gone: str) -> None:
    assert lost(question, answer, gone)


@each_row("question, answer, gone", "spared")
def test_may_go(question: str, answer: str, gone: str) -> None:
    assert not lost(question, answer, gone)


def test_what_only_says_that_an_answer_follows_is_no_claim() -> None:
    answer = f"휴무일을 알려 드려요~ 😊\n\n{REST}\n\n👍"

    assert [claim.text for claim in tellings(answer)] == [REST]
