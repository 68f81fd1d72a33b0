from hypothesis import given
from hypothesis import strategies as st

from guards.core.reading import Text
from tests.tables import each_row


def read_as(text: str) -> list[str]:
    return [f"{slot.kind}:{slot.value}" for slot in Text(text).routes]


@each_row("text, slots", "read")
def test_reads_pieces_of_a_way(text: str, slots: list[str]) -> None:
    assert read_as(text) == slots


@each_row("text", "none")
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


@each_row("text", "hundred_kilobytes_of_one_thing_are_read")
def test_long_texts_of_one_thing_are_read(text: str) -> None:
    assert len(Text(text * (20_000 // len(text))).routes) <= 20_000
