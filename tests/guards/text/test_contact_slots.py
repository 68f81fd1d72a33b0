from hypothesis import given
from hypothesis import strategies as st

from guards.core.reading import Text
from guards.text.slots.contact import Contact, ContactKind
from tests.tables import each_row


def only(text: str) -> Contact:
    [contact] = Text(text).contacts
    return contact


@each_row("text, kind, values", "read")
def test_reads_kind_and_value(text: str, kind: ContactKind, values: tuple[str, ...]) -> None:
    contact = only(f"문의: {text}, 평일만")

    assert (contact.kind, contact.values) == (kind, values)
    assert contact.text == text


@each_row("text, values", "beside_a_word")
def test_reads_what_a_word_makes_a_number_to_call(text: str, values: tuple[str, ...]) -> None:
    assert only(text).values == values


@each_row("text", "none")
def test_reads_no_contact(text: str) -> None:
    assert Text(text).contacts == ()


def test_a_long_range_is_its_first_number() -> None:
    assert only("02-123-4000~4999").values == ("+8221234000",)


def test_knows_a_fax_by_the_word_before() -> None:
    telephone, fax = Text("전화 02-123-4567, 팩스 02-123-4568").contacts

    assert (telephone.is_fax, fax.is_fax) == (False, True)


@each_row("short, long, held", "a_shorter_form_is_in_a_longer_one")
def test_a_shorter_form_is_in_a_longer_one(short: str, long: str, held: bool) -> None:
    assert only(short).is_in(only(long)) is held


@given(
    st.from_regex("(?:02|0[3-6][1-4])-[2-9][0-9]{2,3}-[0-9]{4}", fullmatch=True),
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


@each_row("text", "hundred_kilobytes_of_one_thing_are_read")
def test_long_texts_of_one_thing_are_read(text: str) -> None:
    assert len(Text(text * (20_000 // len(text))).contacts) <= 10_000


def test_reads_the_last_digits_in_a_list_behind_a_number() -> None:
    base, first, second = Text("031-200-1000(접수 1010, 환불 1020)").contacts

    assert base.written == "031-200-1000"
    assert (first.text, first.written, first.values) == (
        "1010",
        "031-200-1010",
        ("+82312001010",),
    )
    assert second.written == "031-200-1020"


@each_row("text", "reads_no_other_bracket_as_a_list_of_numbers")
def test_reads_no_other_bracket_as_a_list_of_numbers(text: str) -> None:
    assert only(text).text == "031-200-1000"
