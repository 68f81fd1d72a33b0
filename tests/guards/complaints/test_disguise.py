import pytest

from guards.complaints.swearing import DisguisedWords
from tests.fakes.growth import assert_grows_with_its_input

BUTTERFLY = DisguisedWords(["나비", "나비야"])


def readings(words: DisguisedWords, text: str) -> set[str]:
    return {text[start:end] for start, end in words.found(text)}


@pytest.mark.parametrize(
    "written", ["나비", "나♡비", "나 비", "나1비", "나아아비", "나...비", "나 - 비", "나ㅋ비"]
)
def test_recognises_a_word_drawn_out_or_broken_up(written: str) -> None:
    assert written in readings(BUTTERFLY, written)


@pytest.mark.parametrize("written", ["나라비", "나b비", "나\n비", "나어비", "나........비"])
def test_other_letters_are_no_disguise(written: str) -> None:
    assert not readings(BUTTERFLY, written)


@pytest.mark.parametrize("written", ["달", "다알", "다아아알"])
def test_closed_syllable_is_drawn_out_before_its_final(written: str) -> None:
    assert written in readings(DisguisedWords(["달"]), written)


def test_bare_consonants_are_words_too() -> None:
    assert readings(DisguisedWords(["ㄴㅂ"]), "ㄴ ㅂ 이야") == {"ㄴ ㅂ"}


def test_yields_every_way_to_read_it() -> None:
    assert readings(BUTTERFLY, "저 나.비야") == {"나.비", "나.비야"}


@pytest.mark.parametrize("text", ["나", "나아", "나 ", "나.비"])
def test_long_text_is_read_in_linear_time(text: str) -> None:
    assert_grows_with_its_input(
        lambda chars: list(BUTTERFLY.found(text * (chars // len(text)))), 100_000
    )
