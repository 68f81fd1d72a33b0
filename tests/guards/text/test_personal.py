"""Korean personal identifiers in text; all of them invented, dates of birth in the far future."""

from hypothesis import given
from hypothesis import strategies as st

from guards.text.personal_data.personal import PersonalKind, find_personal
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

K = PersonalKind


@each_row("shown, kind", "found")
def test_finds(shown: str, kind: PersonalKind) -> None:
    text = shown.replace("<", "").replace(">", "")

    [span] = find_personal(text)

    assert span.kind is kind
    assert f"{text[: span.start]}<{text[span.start : span.end]}>{text[span.end :]}" == shown


@each_row("text", "clean")
def test_passes(text: str) -> None:
    assert find_personal(text) == []


@each_row("shown", "business_found")
def test_finds_business_numbers_where_they_are_asked_for(shown: str) -> None:
    text = shown.replace("<", "").replace(">", "")

    [span] = find_personal(text, business_numbers=True)

    assert span.kind is K.BUSINESS_NUMBER
    assert f"{text[: span.start]}<{text[span.start : span.end]}>{text[span.end :]}" == shown
    assert find_personal(text) == []


@each_row("text", ["123-45-67890", "주문 0000000000"])
def test_what_only_looks_like_a_business_number_is_none(text: str) -> None:
    assert find_personal(text, business_numbers=True) == []


def test_finds_several_in_order() -> None:
    text = "홍길동 010-0000-1234, hong@example.com, 주민번호 991231-3123456"

    kinds = [span.kind for span in find_personal(text)]

    assert kinds == [K.PHONE, K.EMAIL, K.RESIDENT_NUMBER]


def test_a_bank_far_away_makes_no_account() -> None:
    assert find_personal("은행은 오전 아홉 시에 열고 오후 네 시에 닫습니다. 110-000-123456") == []


@given(st.text(alphabet="0129-. ()+82@aM은행계좌가.comS", max_size=80))
def test_spans_are_in_order_inside_the_text_and_apart(text: str) -> None:
    position = 0
    for span in find_personal(text):
        assert position <= span.start < span.end <= len(text)
        position = span.end


@each_row("piece", "long_texts_take_no_time")
def test_long_texts_take_no_time(piece: str) -> None:
    assert_grows_with_its_input(lambda chars: find_personal((piece * chars)[:chars] + "@1"), 20_000)
