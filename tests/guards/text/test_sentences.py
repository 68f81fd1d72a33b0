from hypothesis import given
from hypothesis import strategies as st

from guards.text.sentences import GrowingSentences, split_sentences
from tests.tables import each_row

KOREAN = st.text(alphabet="가다요 .!?\n\t123[]()\"'“”「」-·a†출처:,…")


@each_row("text, sentences", "split")
def test_splits(text: str, sentences: list[str]) -> None:
    assert [sentence.text for sentence in split_sentences(text)] == sentences


@each_row("text", "whole")
def test_keeps_whole(text: str) -> None:
    assert [sentence.text for sentence in split_sentences(text)] == [text.strip()]


@given(KOREAN)
def test_spans_hold_their_text(text: str) -> None:
    for sentence in split_sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text


@given(KOREAN)
def test_sentences_hold_every_visible_character_once(text: str) -> None:
    joined = "".join(sentence.text for sentence in split_sentences(text))

    assert "".join(joined.split()) == "".join(text.split())


@given(KOREAN)
def test_sentences_stand_in_order(text: str) -> None:
    ends = [0]
    for sentence in split_sentences(text):
        assert ends[-1] <= sentence.start < sentence.end
        ends.append(sentence.end)


@each_row("char", "long_runs_lose_nothing")
def test_long_runs_lose_nothing(char: str) -> None:
    text = char * 30_000

    assert sum(len(sentence.text) for sentence in split_sentences(text)) == len(text)


@given(KOREAN, st.lists(st.integers(0, 40), max_size=6))
def test_a_text_that_grows_is_split_as_one_that_stood_there(text: str, cuts: list[int]) -> None:
    growing = GrowingSentences()

    for end in [*sorted(min(cut, len(text)) for cut in cuts), len(text)]:
        assert growing.of(text[:end]) == GrowingSentences().of(text[:end])


@given(KOREAN, KOREAN)
def test_a_text_that_does_not_go_on_from_the_latest_is_split_anew(one: str, other: str) -> None:
    growing = GrowingSentences()
    growing.of(one)

    assert growing.of(other) == GrowingSentences().of(other)
