from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.text.phrase_parts import Place
from guards.text.phrasebook import Phrasebook, PhraseReader

GROUPS = {"과일": "사과 배 감", "느리": "느리 굼뜨"}
SYLLABLES = st.text(alphabet="가나다사과배를먹는지않아", max_size=20)


def book(notation: str) -> Phrasebook:
    return Phrasebook(notation, PhraseReader(GROUPS))


def fits(notation: str, text: str) -> bool:
    place = Place(text, frozenset({len(text)}))
    return len(text) in book(notation).ends(place, 0)


FITTING = [
    pytest.param("사과 를 먹", "사과를먹", id="spaces-mean-nothing"),
    pytest.param("(사과|배) 를", "배를", id="one-of-several"),
    pytest.param("사과 (를)? 먹", "사과먹", id="left-out"),
    pytest.param("사과 를? 먹", "사과먹", id="last-syllable-left-out"),
    pytest.param("사과 (를 (안|못))? 먹", "사과를못먹", id="nested"),
    pytest.param("<과일> 먹", "감먹", id="group"),
    pytest.param("{느리} ~", "굼떴네요", id="stem-in-any-shape-with-an-ending"),
    pytest.param("{먹} ~", "먹었습니다", id="stem-of-its-own"),
    pytest.param("먹 ~", "먹는건가요", id="question-behind-an-adnominal"),
    pytest.param("사과 … 먹", "사과하나만먹", id="anything-between"),
    pytest.param("[은는] 맛", "는맛", id="one-of-some-letters"),
    pytest.param("[가-힣]{1,2} 맛", "사과맛", id="so-many-letters"),
    pytest.param("(안|(?<!잘)못) 먹", "못먹", id="nothing-forbidden-before"),
    pytest.param("먹 (?!지) ~", "먹는다", id="nothing-forbidden-behind"),
    pytest.param("먹 (다$|네)", "먹다", id="end-of-the-sentence"),
    pytest.param("# note\n먹 ~ # note", "먹네", id="comments"),
]
OTHER = [
    pytest.param("사과 를 먹", "사과먹", id="nothing-is-optional-by-itself"),
    pytest.param("<과일> 먹", "귤먹", id="not-in-the-group"),
    pytest.param("먹 ~", "먹지않는", id="negation-is-no-ending"),
    pytest.param("사과 … 먹", "사과" + "를" * 13 + "먹", id="too-much-between"),
    pytest.param("먹 (?!지) ~", "먹지", id="forbidden-behind"),
    pytest.param("사과 먹", "사", id="text-ends-too-soon"),
]


@pytest.mark.parametrize(("notation", "text"), FITTING)
def test_phrase_fits(notation: str, text: str) -> None:
    assert fits(notation, text)


@pytest.mark.parametrize(("notation", "text"), OTHER)
def test_phrase_does_not_fit(notation: str, text: str) -> None:
    assert not fits(notation, text)


def test_forbidden_before_is_looked_for_in_front_of_the_phrase() -> None:
    place = Place("잘못먹", frozenset({3}))

    assert not book("(?<!잘)못 먹").ends(place, 1)


def test_what_cannot_be_read_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        book("먹+")


@given(SYLLABLES, st.integers(0, 20))
def test_ends_lie_between_the_beginning_and_the_end(text: str, at: int) -> None:
    at = min(at, len(text))
    ends = book("(사과|배)? (를)? 먹 ~\n가 … 다\n나 ~").ends(Place(text, frozenset()), at)

    assert all(at <= end <= len(text) for end in ends)


def test_many_ways_to_the_same_place_take_no_longer() -> None:
    text = "가" * 5_000
    started = process_time()

    book(" ".join(["(가|가가|가가가)?"] * 20) + " 나").ends(Place(text, frozenset()), 0)

    assert process_time() - started < 1
