import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from guards.text.normal import normalise
from tests.tables import each_row

KOREAN = st.text(
    alphabet=st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("가각힣ㄱㅋㅏ①㎡㈜½ﾡￂ\u1100\u1161\u11a8\u0301\u200b\u00ad–—“”ㆍ·～ 1a\n"),
    )
)


@each_row("raw, folded", "folded")
def test_folds_variants_into_one(raw: str, folded: str) -> None:
    assert normalise(raw).text == folded


def test_plain_korean_is_its_own_normal_form() -> None:
    text = "제5조(환불) 14일 이내에 신청한다.\n- 문의: 「민원」 창구"

    assert normalise(text).text == text


def test_every_character_is_normalised_once_and_for_all() -> None:
    # A syllable and a Han character (but for the compatible ones) are their own normal form.
    codes = {*range(0x20000)} - {*range(0xAC00, 0xD7A4)} - {*range(0x4E00, 0xA000)}
    assigned = [
        char
        for char in map(chr, sorted(codes))
        if unicodedata.category(char) not in {"Cn", "Cs", "Co"}
    ]
    once = normalise("\n".join(assigned)).text

    assert normalise(once).text.split("\n") == once.split("\n")


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


@each_row("char", "long_runs_of_one_character_are_mapped_to_their_end")
def test_long_runs_of_one_character_are_mapped_to_their_end(char: str) -> None:
    normal = normalise("끝" + char * 5_000 + "끝")

    assert normal.to_raw(len(normal.text) - 1, len(normal.text)) == (5_001, 5_002)
