from hypothesis import given
from hypothesis import strategies as st

from guards.text.particles import final_consonant, stem
from tests.tables import each_row


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
