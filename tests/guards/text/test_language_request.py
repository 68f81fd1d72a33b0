from guards.text.writing.language_request import asks_for_original, requested_scripts
from guards.text.writing.scripts import Script
from tests.tables import each_row


@each_row("question, scripts", "asked")
def test_recognises_a_request(question: str, scripts: set[Script]) -> None:
    assert requested_scripts(question) == scripts


@each_row("question", "not_asked")
def test_a_mention_is_no_request(question: str) -> None:
    assert requested_scripts(question) == frozenset()


@each_row("question, asked", "recognises_a_request_for_the_original")
def test_recognises_a_request_for_the_original(question: str, *, asked: bool) -> None:
    assert asks_for_original(question) is asked
