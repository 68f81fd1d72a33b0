import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.reading import Text
from guards.text.slots.contact import Contact, ContactKind

READ = [
    pytest.param("031-200-1234", ContactKind.PHONE, ("+82312001234",), id="area-code"),
    pytest.param("(031)200-1234", ContactKind.PHONE, ("+82312001234",), id="brackets"),
    pytest.param("031.200.1234", ContactKind.PHONE, ("+82312001234",), id="dots"),
    pytest.param("031 200 1234", ContactKind.PHONE, ("+82312001234",), id="spaces"),
    pytest.param("+82-31-200-1234", ContactKind.PHONE, ("+82312001234",), id="country-code"),
    pytest.param("０３１－２００－１２３４", ContactKind.PHONE, ("+82312001234",), id="full-width"),
    pytest.param("01000001234", ContactKind.PHONE, ("+821000001234",), id="mobile-in-one"),
    pytest.param("1588-0000", ContactKind.PHONE, ("15880000",), id="service-number"),
    pytest.param(
        "02-123-4568~9", ContactKind.PHONE, ("+8221234568", "+8221234569"), id="last-digits"
    ),
    pytest.param("https://www.Gaon.example/A/", ContactKind.URL, ("gaon.example/A",), id="address"),
    pytest.param("gaon.example/a?b=1", ContactKind.URL, ("gaon.example/a",), id="query"),
    pytest.param("Help@Gaon.example", ContactKind.MAIL, ("help@gaon.example",), id="mail"),
]
BESIDE_A_WORD = [
    pytest.param("☎ 200-1234", ("2001234",), id="sign"),
    pytest.param("전화번호는 200-1234", ("2001234",), id="local-number"),
    pytest.param("내선 12", ("x12",), id="extension"),
    pytest.param("내선 0번", ("x0",), id="extension-of-one-digit"),
    pytest.param("ext. 12", ("x12",), id="latin-extension"),
    pytest.param("국번 없이 120", ("120",), id="without-area-code"),
    pytest.param("119에 신고", ("119",), id="report-to"),
    pytest.param("1330번으로 문의", ("1330",), id="ask-at"),
]
NONE = [
    pytest.param("119명이 신고했다", id="people"),
    pytest.param("120일 동안 상담한다", id="days"),
    pytest.param("200-1234", id="local-number-alone"),
    pytest.param("2031-03-05", id="date"),
    pytest.param("1,588-0000", id="amount"),
    pytest.param("규정.pdf와 v1.2", id="file-and-version"),
    pytest.param("제3조.다만", id="stop-without-space"),
]


def only(text: str) -> Contact:
    [contact] = Text(text).contacts
    return contact


@pytest.mark.parametrize(("text", "kind", "values"), READ)
def test_reads_kind_and_value(text: str, kind: ContactKind, values: tuple[str, ...]) -> None:
    contact = only(f"문의: {text}, 평일만")

    assert (contact.kind, contact.values) == (kind, values)
    assert contact.text == text


@pytest.mark.parametrize(("text", "values"), BESIDE_A_WORD)
def test_reads_what_a_word_makes_a_number_to_call(text: str, values: tuple[str, ...]) -> None:
    assert only(text).values == values


@pytest.mark.parametrize("text", NONE)
def test_reads_no_contact(text: str) -> None:
    assert Text(text).contacts == ()


def test_a_long_range_is_its_first_number() -> None:
    assert only("02-123-4000~4999").values == ("+8221234000",)


def test_knows_a_fax_by_the_word_before() -> None:
    telephone, fax = Text("전화 02-123-4567, 팩스 02-123-4568").contacts

    assert (telephone.is_fax, fax.is_fax) == (False, True)


@pytest.mark.parametrize(
    ("short", "long", "held"),
    [
        ("전화 200-1234", "031-200-1234", True),
        ("전화 200-1234", "031-200-1235", False),
        ("gaon.example/a", "gaon.example/a/b", True),
        ("gaon.example/a", "gaon.example/ab", False),
        ("02-123-4568", "02-123-4567~9", True),
        ("help@gaon.example", "gaon.example", False),
    ],
)
def test_a_shorter_form_is_in_a_longer_one(short: str, long: str, held: bool) -> None:
    assert only(short).is_in(only(long)) is held


@given(
    st.from_regex(r"(?:02|0[3-6][1-4])-[2-9]\d{2,3}-\d{4}", fullmatch=True),
    st.sampled_from([".", " ", ")", " - "]),
)
def test_a_number_is_the_same_in_every_notation(number: str, joint: str) -> None:
    other = number.replace("-", joint)

    assert only(other).values == only(number).values


@given(st.text(alphabet="가전화내선번팩스☎ 0123456789-~.()+@/:wagonexmpl①\n", max_size=60))
def test_contacts_stand_in_order_and_hold_their_text(text: str) -> None:
    end = 0
    for contact in Text(text).contacts:
        assert end <= contact.start < contact.end
        assert text[contact.start : contact.end] == contact.text
        end = contact.end


@pytest.mark.parametrize("text", ["031-", "a.", "a@", "www.a", "전화 ", "1~", "http://a.b/"])
def test_hundred_kilobytes_of_one_thing_are_read(text: str) -> None:
    assert len(Text(text * (100_000 // len(text))).contacts) <= 10_000


def test_reads_the_last_digits_in_a_list_behind_a_number() -> None:
    base, first, second = Text("031-200-1000(접수 1010, 환불 1020)").contacts

    assert base.written == "031-200-1000"
    assert (first.text, first.written, first.values) == (
        "1010",
        "031-200-1010",
        ("+82312001010",),
    )
    assert second.written == "031-200-1020"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("031-200-1000(평일 0900~1800)", id="hours"),
        pytest.param("031-200-1000(개정 2031)", id="year"),
        pytest.param("031-200-1000(접수 1010, 평일만)", id="not-all-are-digits"),
        pytest.param("031-200-1000(담당 나은별)", id="name"),
    ],
)
def test_reads_no_other_bracket_as_a_list_of_numbers(text: str) -> None:
    assert only(text).text == "031-200-1000"
