"""Korean letters, digits, endings, particles and words."""

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from guards.korean.digits import in_digits
from guards.korean.morphemes import morphemes
from guards.korean.words import content_words as words_of
from guards.scope import WordGroups
from guards.text.han_words import is_usual_han
from guards.text.hangul import joined, letters_only, parts_of, shapes, syllable, typed_on_latin_keys
from guards.text.known_names import may_transcribe
from guards.text.normal import normalise
from guards.text.particles import (
    agreeing,
    agrees,
    content_words,
    final_consonant,
    particle_at,
    stem,
    word_stem,
)
from guards.text.scripts import foreign_runs
from tests.fakes.growth import assert_grows_with_its_input
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


# --- hanja ---


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


# --- conjugation ---


@each_row("stem, among", "stem_takes_the_shapes_before_endings")
def test_stem_takes_the_shapes_before_endings(stem: str, among: set[str]) -> None:
    assert among <= shapes(stem)


@each_row("stem, stranger", "other_syllables_are_no_shape")
def test_other_syllables_are_no_shape(stem: str, stranger: str) -> None:
    assert stranger not in shapes(stem)


# --- particles ---


@each_row("word, expected", "cut")
def test_takes_particle_off(word: str, expected: str) -> None:
    assert stem(word) == expected


@each_row("word", "whole")
def test_leaves_whole(word: str) -> None:
    assert stem(word) == word


@given(st.text(alphabet="가나다라마은는이을를와과에서로부터들", min_size=1, max_size=12))
def test_stem_is_a_beginning_of_the_word(word: str) -> None:
    assert stem(word)
    assert word.startswith(stem(word))


@each_row("char, index", "final_consonant")
def test_final_consonant(char: str, index: int) -> None:
    assert final_consonant(char) == index


# --- particles whose form follows from how the word before them is read ---


@each_row("particle, word, form", "chosen")
def test_takes_the_form_that_the_word_asks_for(particle: str, word: str, form: str) -> None:
    assert agreeing(particle, word) == form
    assert agrees(form, word)


@each_row("text, position, particle", "found")
def test_finds_the_particle_behind_a_word(text: str, position: int, particle: str) -> None:
    assert particle_at(text, position) == particle


# --- transcription ---


@each_row("latin, hangul", "same_sounds")
def test_same_sounds(latin: str, hangul: str) -> None:
    assert may_transcribe(latin, hangul)


@each_row("latin, hangul", "other_sounds")
def test_other_sounds(latin: str, hangul: str) -> None:
    assert not may_transcribe(latin, hangul)


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_words_can_be_compared(one: str, other: str) -> None:
    assert may_transcribe(one, other) in (True, False)


# --- digits ---


@each_row("text, read", "numbers")
def test_rows_of_digits_are_read_in_any_notation(text: str, read: str) -> None:
    assert normalise(in_digits(text)).text == read


@each_row("text", "what_is_no_row_stays")
def test_what_is_no_row_stays(text: str) -> None:
    assert in_digits(text) == text


@given(st.text(alphabet="공일이삼사하나둘①⑨❾⁹９0123 -에다시이가\ufe0f\u20e3", max_size=60))
def test_places_stay(text: str) -> None:
    read = in_digits(text)

    assert len(read) == len(text)
    assert all(
        one == other or other in "0123456789-\u200b" for one, other in zip(text, read, strict=True)
    )


# --- morphemes of long texts: at their places, and read in little memory ---


SENTENCE = "회의실은 3층에 있습니다. "
MOST_MORE_MB = 120
READS_A_LONG_LINE = """
import resource
from guards.korean.morphemes import morphemes

def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

morphemes("회의실은 3층에 있습니다.")
before_mb = peak_mb()
count = sum(1 for _ in range(2) if morphemes("가나다 라마바 " * 12_500))
print(peak_mb() - before_mb)
"""


def test_a_line_that_is_too_long_to_be_read_at_once_is_read_between_words() -> None:
    times = 1000
    alone = morphemes(SENTENCE)

    found = morphemes(SENTENCE * times)

    assert len(found) == len(alone) * times
    for place, one in enumerate(found):
        turn, same = divmod(place, len(alone))
        shift = turn * len(SENTENCE)
        expected = alone[same]
        assert one.form == expected.form
        assert (one.start, one.end) == (expected.start + shift, expected.end + shift)


def test_a_long_line_without_a_space_is_read_to_its_end() -> None:
    text = "가" * 10_000

    assert morphemes(text)[-1].end == len(text)


def test_a_long_line_takes_little_memory() -> None:
    done = subprocess.run(
        [sys.executable, "-c", READS_A_LONG_LINE], capture_output=True, text=True, check=True
    )

    assert float(done.stdout) < MOST_MORE_MB


# --- tokens ---


@each_row("word, stem", "stems")
def test_stem(word: str, stem: str) -> None:
    assert word_stem(word) == stem


def test_content_words_leave_grammar_out_and_keep_their_places() -> None:
    text = "그럼 VPN 신청은 어떻게 하나요?"

    words = content_words(text)

    assert [(word.text, word.stem) for word in words] == [("vpn", "vpn"), ("신청은", "신청")]
    assert [text[word.start : word.end] for word in words] == ["VPN", "신청은"]


@each_row("text", "a_text_may_have_no_content_words")
def test_a_text_may_have_no_content_words(text: str) -> None:
    assert content_words(text) == []


@given(st.text())
def test_words_stand_in_order_where_they_say(text: str) -> None:
    words = content_words(text)

    assert all(text[word.start : word.end].lower() == word.text for word in words)
    assert all(word.text.startswith(word.stem) and word.stem for word in words)


@each_row("char", "long_monotonous_text_takes_no_time")
def test_long_monotonous_text_takes_no_time(char: str) -> None:
    assert_grows_with_its_input(lambda chars: content_words(char * chars), 20_000)


# --- groups ---


HOUSES = WordGroups({"강릉": ("윤슬", "Yunseul"), "속초": ("윤슬 속초",)}, begin_words=True)
SUBJECTS = WordGroups({"rooms": ("객실",), "dining": ("조식",)}, begin_words=False)


def test_the_longest_word_counts() -> None:
    assert HOUSES.within("윤슬속초는 어디인가요") == {"속초"}
    assert HOUSES.within("YUNSEUL과 윤슬 속초") == {"강릉", "속초"}


def test_a_name_begins_a_word() -> None:
    assert HOUSES.within("은윤슬") == frozenset()


def test_a_subject_may_stand_inside_a_compound() -> None:
    text = "가족객실 요금"

    [mention] = SUBJECTS.mentions(text)

    assert (mention.group, text[mention.start : mention.end]) == ("rooms", "객실")


def test_no_groups_find_nothing() -> None:
    assert WordGroups({}, begin_words=True).within("윤슬") == frozenset()


@each_row("text, nouns", "departments")
def test_a_department_is_one_noun_before_another(text: str, nouns: list[str]) -> None:
    assert [word.text for word in words_of(morphemes(text))] == nouns
