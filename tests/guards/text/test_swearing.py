"""Bad words, however they are disguised."""

from guards.complaints.swearing import DisguisedWords, swearwords
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

BUTTERFLY = DisguisedWords(["나비", "나비야"])


def readings(words: DisguisedWords, text: str) -> set[str]:
    return {text[start:end] for start, end in words.found(text)}


@each_row("written", "recognises_a_word_drawn_out_or_broken_up")
def test_recognises_a_word_drawn_out_or_broken_up(written: str) -> None:
    assert written in readings(BUTTERFLY, written)


@each_row("written", "other_letters_are_no_disguise")
def test_other_letters_are_no_disguise(written: str) -> None:
    assert not readings(BUTTERFLY, written)


@each_row("written", ["달", "다알", "다아아알"])
def test_closed_syllable_is_drawn_out_before_its_final(written: str) -> None:
    assert written in readings(DisguisedWords(["달"]), written)


def test_bare_consonants_are_words_too() -> None:
    assert readings(DisguisedWords(["ㄴㅂ"]), "ㄴ ㅂ 이야") == {"ㄴ ㅂ"}


def test_yields_every_way_to_read_it() -> None:
    assert readings(BUTTERFLY, "저 나.비야") == {"나.비", "나.비야"}


@each_row("text", "long_text_is_read_in_linear_time")
def test_long_text_is_read_in_linear_time(text: str) -> None:
    assert_grows_with_its_input(
        lambda chars: list(BUTTERFLY.found(text * (chars // len(text)))), 20_000
    )


# --- swearing ---


@each_row("text, found", "finds_what_is_used")
def test_finds_what_is_used(text: str, found: str) -> None:
    assert "".join(text[word.start : word.end] for word in swearwords(text)) == found


@each_row("text, addresses, calls", "form_tells_whom_it_is_for")
def test_form_tells_whom_it_is_for(text: str, addresses: bool, calls: bool) -> None:
    [word] = swearwords(text)

    assert (word.addresses, word.calls) == (addresses, calls)


def test_comes_in_order() -> None:
    starts = [word.start for word in swearwords("tlqkf 이 등신아 wlfkf")]

    assert starts == sorted(starts)
    assert len(starts) == 3
