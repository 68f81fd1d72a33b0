"""Particles whose form follows from how the word before them is read."""

import pytest

from guards.text.particles import agreeing, agrees, particle_at

CHOSEN = [
    pytest.param("은", "[2]", "는", id="number-ending-in-a-vowel"),
    pytest.param("와", "[1]", "과", id="number-ending-in-a-consonant"),
    pytest.param("가", "[10]", "이", id="ten"),
    pytest.param("를", "[20]", "을", id="twenty"),
    pytest.param("를", "0", "을", id="zero-is-read-yeong"),
    pytest.param("으로", "[1]", "로", id="rieul-takes-ro"),
    pytest.param("로", "[3]", "으로", id="other-consonant"),
    pytest.param("으로는", "[8]", "로는", id="longer-form-after-rieul"),
    pytest.param("는", "¹³", "은", id="superscript"),
    pytest.param("는", "[출처: 복무규정]", "은", id="word-in-brackets"),
    pytest.param("이라고", "제5조", "라고", id="quotation"),
    pytest.param("는", "[handbook.pdf]", "는", id="latin-is-left-alone"),
    pytest.param("은", "10%", "는", id="percent"),
    pytest.param("은", "09:00~18:00", "는", id="full-hour"),
    pytest.param("는", "17:15", "은", id="hour-and-minutes"),
    pytest.param("예요", "12,000원", "이에요", id="copula"),
    pytest.param("에", "[1]", "에", id="one-form-only"),
    pytest.param("는", "[†]", "는", id="nothing-to-read"),
]


@pytest.mark.parametrize(("particle", "word", "form"), CHOSEN)
def test_takes_the_form_that_the_word_asks_for(particle: str, word: str, form: str) -> None:
    assert agreeing(particle, word) == form
    assert agrees(form, word)


FOUND = [
    pytest.param("[1]과 [2]", 3, "과", id="before-a-space"),
    pytest.param("[1]으로는, ", 3, "으로는", id="longest"),
    pytest.param("[1]가치", 3, "", id="a-word-that-begins-alike"),
    pytest.param("[1]에 따르면", 3, "", id="one-form-only"),
    pytest.param("[1] 은", 3, "", id="apart"),
    pytest.param("[1]", 3, "", id="at-the-end"),
]


@pytest.mark.parametrize(("text", "position", "particle"), FOUND)
def test_finds_the_particle_behind_a_word(text: str, position: int, particle: str) -> None:
    assert particle_at(text, position) == particle
