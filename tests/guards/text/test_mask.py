"""Masking: nothing is found afterwards, and every place can still be pointed at."""

from hypothesis import example, given
from hypothesis import strategies as st

from guards.core.finding import Span
from guards.text.personal_data.mask import identifiers_in, mask, masked
from guards.text.personal_data.personal import PersonalKind, find_personal
from tests.tables import each_row

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
