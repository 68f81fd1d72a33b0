import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.text.particles import final_consonant, stem

CUT = [
    pytest.param("규정은", "규정", id="topic-after-consonant"),
    pytest.param("휴가는", "휴가", id="topic-after-vowel"),
    pytest.param("서울로", "서울", id="direction-after-rieul"),
    pytest.param("집으로", "집", id="direction-after-consonant"),
    pytest.param("학교로부터", "학교", id="longest-particle-first"),
    pytest.param("부서에서는", "부서", id="stacked-particles"),
    pytest.param("직원들이", "직원", id="plural"),
    pytest.param("API는", "API", id="after-latin-letters"),
    pytest.param("매장에서만", "매장", id="only-there"),
    pytest.param("라운지까지만", "라운지", id="only-so-far"),
    pytest.param("온라인으로만", "온라인", id="only-by-it"),
    pytest.param("회원이시라면", "회원", id="polite-condition"),
]
WHOLE = [
    pytest.param("가을", id="season"),
    pytest.param("마을", id="village"),
    pytest.param("국가", id="state"),
    pytest.param("은", id="nothing-before-it"),
]


@pytest.mark.parametrize(("word", "expected"), CUT)
def test_takes_particle_off(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize("word", WHOLE)
def test_leaves_whole(word: str) -> None:
    assert stem(word) == word


@given(st.text(alphabet="가나다라마은는이을를와과에서로부터들", min_size=1, max_size=12))
def test_stem_is_a_beginning_of_the_word(word: str) -> None:
    assert stem(word)
    assert word.startswith(stem(word))


@pytest.mark.parametrize(
    ("char", "index"), [("가", 0), ("각", 1), ("갈", 8), ("힣", 27), ("A", -1), ("ㄱ", -1)]
)
def test_final_consonant(char: str, index: int) -> None:
    assert final_consonant(char) == index
