from guards.text.citing.statements import read_statements
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

Said = list[tuple[str, list[str]]]


@each_row("text, said", "gives_each_mark_to_its_sentence")
def test_gives_each_mark_to_its_sentence(text: str, said: Said) -> None:
    found = read_statements(text)

    assert [
        (one.text, [text[mark.start : mark.end] for mark in one.marks]) for one in found
    ] == said


def test_tells_claims_from_the_rest() -> None:
    found = read_statements("안녕하세요! 환불은 이레 안에 됩니다[1]. 더 궁금하신 점이 있으신가요?")

    assert [one.is_claim for one in found] == [False, True, False]


@each_row("text, leads", "says_which_sentences_may_share_a_mark")
def test_says_which_sentences_may_share_a_mark(text: str, leads: list[str]) -> None:
    last = read_statements(text)[-1]

    assert [one.text for one in last.led_by] == leads


@each_row("unit", "a_long_text_of_one_kind_is_read_in_time")
def test_a_long_text_of_one_kind_is_read_in_time(unit: str) -> None:
    assert_grows_with_its_input(lambda chars: read_statements(unit * (chars // len(unit))), 8_000)
