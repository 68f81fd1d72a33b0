from guards.text.writing.han_words import is_usual_han
from guards.text.writing.scripts import foreign_runs
from tests.tables import each_row


@each_row("text", "usual")
def test_accepts(text: str) -> None:
    runs = foreign_runs(text)

    assert runs
    assert all(is_usual_han(text, run) for run in runs)


@each_row("text", "not_usual")
def test_refuses(text: str) -> None:
    [run] = foreign_runs(text)

    assert not is_usual_han(text, run)


def test_kana_is_no_gloss() -> None:
    text = "요금(メートル)은"
    [run] = foreign_runs(text)

    assert not is_usual_han(text, run)
