from hypothesis import given
from hypothesis import strategies as st

from guards.text.hangul import joined, letters_only, parts_of, syllable, typed_on_latin_keys
from tests.tables import each_row

KOREAN = st.text(alphabet="가각힣ㄱㄴㅋㅏㅣ aZ1.♡", max_size=40)


@each_row("typed, read", "joins_letters_to_syllables")
def test_joins_letters_to_syllables(typed: str, read: str) -> None:
    assert joined(typed).text == read


def test_joined_syllable_knows_its_place() -> None:
    reading = joined("야 ㅎㅏㄴ 글")

    assert reading.text == "야 한 글"
    assert reading.place(2, 3) == (2, 5)
    assert reading.place(4, 5) == (6, 7)


@given(KOREAN)
def test_joining_covers_every_character_once(typed: str) -> None:
    places = joined(typed).places

    assert [at for start, end in places for at in range(start, end)] == list(range(len(typed)))


@given(KOREAN)
def test_letters_stand_where_their_places_say(typed: str) -> None:
    letters = letters_only(typed, 0, len(typed))

    assert [typed[start:end].lower() for start, end in letters.places] == list(letters.text)


def test_letters_only_leaves_out_marks_and_lone_jamo() -> None:
    assert letters_only("AI 가, 1도 몰라ㅋㅋ!!", 0, 17).text == "ai가1도몰라"


@given(st.characters(min_codepoint=ord("가"), max_codepoint=ord("힣")))
def test_syllables_come_apart_and_together(char: str) -> None:
    assert syllable(*parts_of(char)) == char


@each_row("typed, meant", "reads_what_was_typed_with_the_keyboard_set_to_latin")
def test_reads_what_was_typed_with_the_keyboard_set_to_latin(typed: str, meant: str) -> None:
    assert typed_on_latin_keys(typed) == meant
