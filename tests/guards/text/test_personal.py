"""Korean personal identifiers in text; all of them invented, dates of birth in the far future."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from guards.core.finding import Span
from guards.text.personal_data.mask import (
    KnownIdentifiers,
    KnownPlace,
    Occurrences,
    identifiers_in,
    mask,
    masked,
)
from guards.text.personal_data.personal import ShownIdentifiers, find_personal, unpublished
from guards.text.personal_data.rules import PersonalKind
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


# --- identifiers that are known are found again, however they are written there ---


ACCOUNT, PHONE, MAIL = "110-000-123456", "02-000-1234", "a.b@gaon.invalid"
KNOWN = KnownIdentifiers(
    {ACCOUNT: PersonalKind.ACCOUNT, PHONE: PersonalKind.PHONE, MAIL: PersonalKind.EMAIL}
)
SEPARATORS = st.lists(st.sampled_from("-. /·_\t\n\u200b\u2011"), max_size=2).map("".join)


@given(st.lists(SEPARATORS, min_size=11, max_size=11))
def test_whatever_separates_the_digits(between: list[str]) -> None:
    written = "1" + "".join(map("".join, zip(between, "10000123456", strict=True)))

    [place] = KNOWN.all_in(f"아래 {written} 참고")

    assert place == KnownPlace(ACCOUNT, 3, 3 + len(written))


def test_places_that_overlap_are_taken_from_the_left_and_the_longest_first() -> None:
    known = KnownIdentifiers(
        {"010-1": PersonalKind.PHONE, "1-2": PersonalKind.PHONE, "010": PersonalKind.CARD}
    )

    found = list(known.apart_in("010-1-2 010"))

    assert found == [KnownPlace("010-1", 0, 5), KnownPlace("010", 8, 11)]


def test_the_first_notation_is_the_one_that_counts() -> None:
    known = KnownIdentifiers({PHONE: PersonalKind.PHONE, "+82 2-000-1234": PersonalKind.PHONE})

    assert known.values == (PHONE,)
    assert [place.value for place in known.all_in("02 000 1234, +82 2-000-1234")] == [PHONE, PHONE]


def test_upper_case_changes_nothing() -> None:
    assert [place.value for place in KNOWN.all_in("A.B@GAON.invalid로")] == [MAIL]


def test_what_belongs_to_a_longer_word_or_number_is_something_else() -> None:
    assert KNOWN.all_in("9110000123456, 1100001234569, xa.b@gaon.invalidated") == [
        KnownPlace(MAIL, 31, 47)
    ]


def test_many_identifiers_in_a_long_text_take_little_time() -> None:
    def look(count: int) -> None:
        known = KnownIdentifiers(
            {f"110-000-{number:06}": PersonalKind.ACCOUNT for number in range(count)}
        )
        text = "계좌는 110000000000 또는 220000000000입니다. " * count
        assert len(known.all_in(text)) == count

    assert_grows_with_its_input(look, 5_000)


# --- an identifier is found again in a text, however it is written there ---


@each_row("kind, value, text", "shown")
def test_is_shown(kind: PersonalKind, value: str, text: str) -> None:
    assert ShownIdentifiers(["머리말", f"문의: {text} 로"]).holds(kind, value)


@each_row("kind, value, text", "not_shown")
def test_is_not_shown(kind: PersonalKind, value: str, text: str) -> None:
    assert not ShownIdentifiers([text]).holds(kind, value)


def test_two_texts_together_show_nothing_new() -> None:
    assert not ShownIdentifiers(["010-0000", "1234"]).holds(K.PHONE, "010-0000-1234")


def test_only_what_offices_publish_is_published_by_a_source() -> None:
    text = "010-0000-1234, 02-000-0000, hong@example.com, 991231-3123456"
    source = "문의 02-000-0000, 담당 hong@example.com, 신청인 991231-3123456"

    left = unpublished(text, find_personal(text), ShownIdentifiers([source]))

    assert [span.kind for span in left] == [K.PHONE, K.RESIDENT_NUMBER]
    assert text[left[0].start : left[0].end] == "010-0000-1234"


# --- masking: nothing is found afterwards, and every place can still be pointed at ---


PIECES = [
    "991231-3123456", "9912317123456", "4000-0000-0000-0002", "010-0000-1234", "01000001234",
    "+82 10-0000-1234", "02-000-1234", "02 000 1234", "hong@example.com", "110-000-123456",
    "11000123456", "M00001234", "S00001234", "11-00-123456-01", "110012345601", "계좌", "은행",
    "전화", "면허", "여권", "주민", "법인", "원", " ", "-", ".", "(", ")", "1", "9", "가", "\u200b",
    "①", "０", "１", "[", "]", "번호]", "@", "a.com",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@each_row("text, expected", "masked")
def test_puts_a_label_over_each_identifier(text: str, expected: str) -> None:
    assert masked(text) == expected


@given(TEXTS)
@example("계좌 010-0000-1234 02-000-1234 hong@example.com 11000123456")
def test_nothing_is_found_in_what_is_masked(text: str) -> None:
    assert find_personal(masked(text)) == []


@given(TEXTS)
def test_masking_twice_changes_nothing(text: str) -> None:
    assert masked(masked(text)) == masked(text)


@given(TEXTS)
def test_what_is_not_masked_keeps_its_words_and_its_place(text: str) -> None:
    result = mask(text)
    places = [span for spans in result.passes[:1] for span in spans]
    if len(result.passes) > 1:
        return
    for start in range(len(text)):
        if any(place.start <= start < place.end for place in places):
            continue
        moved = result.moved(Span(start, start + 1))
        assert result.text[moved.start : moved.end] == text[start]


def test_a_span_that_touches_an_identifier_covers_its_label() -> None:
    text = "번호는 010-0000-1234번이고 내일 갑니다"
    result = mask(text)

    def now(words: str) -> str:
        start = text.index(words)
        span = result.moved(Span(start, start + len(words)))
        return result.text[span.start : span.end]

    assert now("1234") == "[전화번호]"
    assert now("010-0000-1234") == "[전화번호]"
    assert now("번호는 010") == "번호는 [전화번호]"
    assert now("1234번이고") == "[전화번호]번이고"
    assert now("내일") == "내일"


def test_what_is_known_from_elsewhere_is_masked_without_its_words() -> None:
    known = {"110-000-123456": PersonalKind.ACCOUNT}

    assert mask("네, 110-000-123456 맞습니다", known).text == "네, [계좌번호] 맞습니다"


@each_row("kind, known, written", "notations")
def test_what_is_known_is_masked_in_any_other_notation(
    kind: PersonalKind, known: str, written: str
) -> None:
    result = mask(f"아래처럼: {written}. 끝", {known: kind})

    assert result.text == f"아래처럼: {kind.label}. 끝"


@each_row("longer", ["2110000123456", "1100001234567", "7-110-000-123456"])
def test_a_longer_number_is_not_the_known_one_in_it(longer: str) -> None:
    known = {"110000-123456": PersonalKind.ACCOUNT}

    assert mask(f"번호 {longer} 참고", known).text == f"번호 {longer} 참고"


def test_business_numbers_are_masked_as_well() -> None:
    assert masked("사업자등록번호 123-45-67891") == "사업자등록번호 [사업자등록번호]"


def test_the_identifiers_of_some_texts_are_masked_in_others() -> None:
    known = identifiers_in(["계좌 110-000-123456", "사업자 000-00-00000", "없음"])

    assert known == {
        "110-000-123456": PersonalKind.ACCOUNT,
        "000-00-00000": PersonalKind.BUSINESS_NUMBER,
    }
    assert mask("0000000000과 110000123456", known).text == "[사업자등록번호]과 [계좌번호]"


def test_what_overlaps_is_masked_whole() -> None:
    known = {"0000-1234-5": PersonalKind.ACCOUNT}

    assert mask("a 010-0000-1234 -5 0000-1234-5", known).text == "a [전화번호] -5 [계좌번호]"
    assert mask("0000-1234-5 x", {**known, "5 x": PersonalKind.PHONE}).text == "[계좌번호]"


# --- many values looked up at once: every place ---


OCCURRENCES_PIECES = st.text(alphabet="01-a가", max_size=6)


@given(st.lists(OCCURRENCES_PIECES, max_size=5), st.text(alphabet="01-a가", max_size=30))
def test_finds_each_value_wherever_it_stands(values: list[str], text: str) -> None:
    expected = {
        (found.start(), found.start() + len(value))
        for value in values
        if value
        for found in re.finditer(f"(?={re.escape(value)})", text)
    }

    assert set(Occurrences(values).all_in(text)) == expected


def test_many_values_in_a_long_text_take_little_time() -> None:
    def look(count: int) -> None:
        values = [f"010-{9_999 - number:04}-0000" for number in range(count)]
        text = "전화는 010-9999-0000 또는 010-0000-1111입니다. " * count
        assert sum(1 for _ in Occurrences(values).all_in(text)) == count

    assert_grows_with_its_input(look, 5_000)
