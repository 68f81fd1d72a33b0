"""Slots of contacts and of ways."""

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
    st.builds(
        "{}-{}-{:04}".format,
        st.sampled_from(["02", "031", "044", "053", "064"]),
        st.integers(200, 9999),
        st.integers(0, 9999),
    ),
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


@each_row("text", "long_contacts")
def test_long_texts_of_contacts_are_read(text: str) -> None:
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


# --- route ---


def read_as(text: str) -> list[str]:
    return [f"{slot.kind}:{slot.value}" for slot in Text(text).routes]


@each_row("text, slots", "ways")
def test_reads_pieces_of_a_way(text: str, slots: list[str]) -> None:
    assert read_as(text) == slots


@each_row("text", "no_ways")
def test_reads_no_way(text: str) -> None:
    assert read_as(text) == []


def test_how_often_a_bus_runs_is_no_route() -> None:
    assert read_as("하루 3번 버스가 다닌다") == ["mode:bus"]


@given(st.integers(min_value=1, max_value=99))
def test_a_line_is_the_same_in_digits_and_in_words(number: int) -> None:
    tens, ones = divmod(number, 10)
    words = ("" if tens < 2 else "이삼사오육칠팔구"[tens - 2]) + ("십" if tens else "")
    words += "일이삼사오육칠팔구"[ones - 1] if ones else ""

    assert read_as(f"{words}호선") == read_as(f"{number}호선") == [f"line:{number}"]


@given(st.text(alphabet="가역번출구버스호선지하철택시 0123456789M-,정류장①\n", max_size=60))
def test_pieces_stand_in_order_and_hold_their_text(text: str) -> None:
    end = 0
    for slot in Text(text).routes:
        assert end <= slot.start < slot.end
        assert text[slot.start : slot.end] == slot.text
        end = slot.end


@each_row("text", "long_ways")
def test_long_texts_of_ways_are_read(text: str) -> None:
    assert len(Text(text * (20_000 // len(text))).routes) <= 20_000
