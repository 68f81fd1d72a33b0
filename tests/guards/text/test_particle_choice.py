"""Particles whose form follows from how the word before them is read."""

from guards.text.particles import agreeing, agrees, particle_at
from tests.tables import each_row


@each_row("particle, word, form", "chosen")
def test_takes_the_form_that_the_word_asks_for(particle: str, word: str, form: str) -> None:
    assert agreeing(particle, word) == form
    assert agrees(form, word)


@each_row("text, position, particle", "found")
def test_finds_the_particle_behind_a_word(text: str, position: int, particle: str) -> None:
    assert particle_at(text, position) == particle
