import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.text.normal import normalise

KOREAN = st.text(
    alphabet=st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("가각힣ㄱㅋㅏ①㎡㈜½ﾡￂ\u1100\u1161\u11a8\u0301\u200b\u00ad–—“”ㆍ·～ 1a\n"),
    )
)

FOLDED = [
    pytest.param("２０２４", "2024", id="full-width-digits"),
    pytest.param("85㎡", "85m2", id="square-metre"),
    pytest.param("10～20", "10~20", id="full-width-tilde"),
    pytest.param("3–5", "3-5", id="en-dash"),
    pytest.param("“가”", '"가"', id="curly-quotes"),
    pytest.param("시ㆍ도", "시·도", id="middle-dot"),
    pytest.param("환\u200b불", "환불", id="zero-width-space"),
    pytest.param("ㅋㅋ ㅠㅠ", "ㅋㅋ ㅠㅠ", id="compatibility-jamo-stay"),
    pytest.param("\u1112\u1161\u11ab", "한", id="conjoining-jamo-are-joined"),
    pytest.param("하\u11ab", "한", id="final-consonant-after-a-syllable"),
    pytest.param("a\u200b\u0301", "á", id="mark-behind-a-dropped-character"),
    pytest.param("`코드`", "`코드`", id="backticks-stay"),
]


@pytest.mark.parametrize(("raw", "folded"), FOLDED)
def test_folds_variants_into_one(raw: str, folded: str) -> None:
    assert normalise(raw).text == folded


def test_plain_korean_is_its_own_normal_form() -> None:
    text = "제5조(환불) 14일 이내에 신청한다.\n- 문의: 「민원」 창구"

    assert normalise(text).text == text


def test_every_character_is_normalised_once_and_for_all() -> None:
    unstable = [
        hex(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) not in {"Cn", "Cs"}
        and normalise(once := normalise(chr(code)).text).text != once
    ]

    assert unstable == []


@given(KOREAN)
def test_normalising_is_idempotent(raw: str) -> None:
    once = normalise(raw).text

    assert normalise(once).text == once


@given(KOREAN)
def test_places_in_the_normal_form_lead_back_in_order(raw: str) -> None:
    normal = normalise(raw)
    places = [normal.to_raw(at, at + 1) for at in range(len(normal.text))]

    assert all(0 <= start < end <= len(raw) for start, end in places)
    assert places == sorted(places)


@given(KOREAN)
def test_a_place_holds_all_it_was_made_from(raw: str) -> None:
    normal = normalise(raw)
    for at, char in enumerate(normal.text):
        start, end = normal.to_raw(at, at + 1)

        assert char in normalise(raw[start:end]).text


def test_span_covers_a_folded_character_whole() -> None:
    normal = normalise("약 85㎡ 이상")
    start = normal.text.index("85m2")

    assert normal.to_raw(start, start + 4) == (2, 5)


def test_empty_span_stays_empty() -> None:
    assert normalise("가①나").to_raw(2, 2) == (2, 2)


@pytest.mark.parametrize("char", ["가", "①", "\u0301", "\u200b", "ㆍ", "費"])
def test_long_runs_of_one_character_are_mapped_to_their_end(char: str) -> None:
    normal = normalise("끝" + char * 50_000 + "끝")

    assert normal.to_raw(len(normal.text) - 1, len(normal.text)) == (50_001, 50_002)
