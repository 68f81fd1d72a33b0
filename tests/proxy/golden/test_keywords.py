"""When a text says a keyword."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.golden.keywords import is_visible, says, says_any
from tests.fakes.growth import assert_grows_with_its_input

SAID = [
    pytest.param("체크인은 오후 3시입니다.", "오후 3시", id="as-it-is"),
    pytest.param("체크 인은 오후3시 입니다.", "체크인은 오후 3시입니다", id="spacing"),
    pytest.param("요금은 ２만 ３천원입니다.", "2만 3천원", id="full-width"),
    pytest.param("Wi-Fi가 됩니다.", "wi‑fi", id="case-and-dash"),
    pytest.param("대출 기간은 16일입니다.", "16일", id="particle-behind"),
    pytest.param("모두 16일, 늘리면 24일", "16일", id="comma-behind-a-word"),
    pytest.param("5, 15, 25", "15", id="listed-figure"),
    pytest.param("요금은 1,200원.", "1,200", id="grouped-figure"),
    pytest.param("요금은 15,000원입니다.", "15000원", id="grouped-where-the-keyword-is-not"),
    pytest.param("요금은 1250000원입니다.", "1,250,000원", id="not-grouped-where-the-keyword-is"),
    pytest.param("제3조 5항을 보세요.", "5항", id="behind-the-number-of-an-article"),
    pytest.param("연차만 5일 남았습니다.", "5일", id="behind-a-particle-like-a-magnitude"),
    pytest.param("환불가능 여부", "가능", id="end-of-a-longer-word"),
    pytest.param("연차휴가 신청은 메일로 합니다.", "휴가신청", id="from-within-a-longer-word"),
    pytest.param("그건 안 돼요.", "안돼", id="one-syllable-before-the-space"),
    pytest.param("연차휴가 는 15일", "휴가는", id="space-before-the-particle"),
]
NOT_SAID = [
    pytest.param("휴가는 15일입니다.", "5일", id="end-of-a-longer-figure"),
    pytest.param("휴가는 2.5일입니다.", "5일", id="behind-a-decimal-point"),
    pytest.param("요금은 1,200원입니다.", "200원", id="behind-a-grouping-comma"),
    pytest.param("방 번호는 1204", "120", id="beginning-of-a-longer-figure"),
    pytest.param("요금은 12.5", "12", id="before-a-decimal-point"),
    pytest.param("TRAINING", "rain", id="inside-a-latin-word"),
    pytest.param("요금은 3만 5천원입니다.", "5천원", id="end-of-a-figure-in-words"),
    pytest.param("요금은 3만5천원입니다.", "5천원", id="end-of-a-figure-in-words-without-a-space"),
    pytest.param("요금은 1,200,000원입니다.", "1,200원", id="another-magnitude"),
    pytest.param("환불은 불가능합니다.", "가능합니다", id="denied-by-a-prefix"),
    pytest.param("무제한으로 쓸 수 있습니다.", "제한", id="without-by-a-prefix"),
    pytest.param("환불 가능합니다.", "불가능", id="last-syllable-of-the-word-before"),
    pytest.param("회사 회의실", "사회", id="over-the-edge-of-two-words"),
    pytest.param("", "네", id="empty-text"),
]


@pytest.mark.parametrize(("text", "word"), SAID)
def test_is_said(text: str, word: str) -> None:
    assert says(text, word)


@pytest.mark.parametrize(("text", "word"), NOT_SAID)
def test_is_not_said(text: str, word: str) -> None:
    assert not says(text, word)


def test_one_way_of_saying_it_is_enough() -> None:
    assert says_any("요금은 23,000원입니다.", ("2만 3천원", "23,000원"))
    assert not says_any("요금은 무료입니다.", ("2만 3천원", "23,000원"))


@pytest.mark.parametrize("word", ["", "  ", "\u200b", "\t\n"])
def test_what_cannot_be_seen_is_no_keyword(word: str) -> None:
    assert not is_visible(word)


@given(st.text(alphabet="가나다 1,.az-", min_size=1).filter(is_visible))
def test_every_text_says_itself(text: str) -> None:
    assert says(text, text)


@pytest.mark.parametrize("char", [" ", "1", "a", "가"])
def test_long_texts_cost_little(char: str) -> None:
    def look(chars: int) -> None:
        assert not says(char * chars, f"{char.strip()}{char.strip()}끝 아님")

    assert_grows_with_its_input(look, 100_000)
