from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.text.features import features
from guards.text.held import INDEXED_FROM_SENTENCES, MOST_LOOKED_AT, HeldIndex, Wanted

KOREAN = st.text(alphabet="환불규정신청고객주차장 은는을를합니다.", min_size=1, max_size=30)


def wanted(claim: str) -> Wanted:
    return Wanted(features(claim))


@given(KOREAN, st.lists(KOREAN, max_size=8))
def test_the_index_finds_what_each_sentence_holds(claim: str, sentences: list[str]) -> None:
    asked = wanted(claim)
    alone = {at: asked.held_in(features(text)) for at, text in enumerate(sentences)}

    found = HeldIndex(sentences).held(asked)

    assert found == {at: held for at, held in alone.items() if held}


@pytest.mark.parametrize(
    ("claim", "share"),
    [
        pytest.param("환불 규정", 1.0, id="both-words"),
        pytest.param("환불 안내문", 0.5, id="one-of-two"),
        pytest.param("우주선 궤도", 0.0, id="neither"),
    ],
)
def test_a_word_that_stands_there_counts_in_full(claim: str, share: float) -> None:
    asked = wanted(claim)

    assert asked.share(asked.held_in(features("환불 규정")), asked.words) == share


def test_a_word_of_which_pieces_stand_there_counts_squared() -> None:
    asked = wanted("환불규정")  # pairs 환불, 불규, 규정: two of three are there

    share = asked.share(asked.held_in(features("환불 규정")), asked.words)

    assert share == pytest.approx((2 / 3) ** 2)


def test_words_that_do_not_count_change_nothing() -> None:
    asked = wanted("환불 주차장")
    held = asked.held_in(features("환불"))

    assert asked.share(held, asked.forms["환불"]) == 1
    assert asked.share(held, 0) == 1


def long_text(last: str) -> Sequence[str]:
    return [*["회원은 창구에 신청합니다."] * (INDEXED_FROM_SENTENCES + 50), last]


def test_a_rare_sentence_of_a_long_text_is_found() -> None:
    asked = wanted("회원은 주차장에 신청합니다.")
    sentences = long_text("회원은 주차장에 신청합니다.")

    held = HeldIndex(sentences).held(asked)

    assert asked.share(held[len(sentences) - 1], asked.words) == 1


def test_a_long_text_that_repeats_itself_is_not_looked_through() -> None:
    held = HeldIndex(long_text("수영장은 쉰다.")).held(wanted("회원은 창구에 신청합니다."))

    assert len(held) == MOST_LOOKED_AT


def test_a_word_behind_a_list_number_counts() -> None:
    assert set(features("3. 반려견은 2층 로비").words) == {"반려견", "로비"}


def test_a_noun_that_looks_like_one_with_a_particle_is_found_with_one() -> None:
    assert wanted("결과").held_in(features("결과를 알린다"))
