import pytest

from guards.core.reading import Text
from guards.text.figure_frames import Edge, Lean, frame_of
from guards.text.slots.quantity import Comparator

SIDES = [
    pytest.param("휴가는 15일이다", None, id="plain"),
    pytest.param("휴가는 15일 이상이다", Comparator.AT_LEAST, id="in-a-word"),
    pytest.param("결석이 15일을 넘으면", Comparator.MORE_THAN, id="verb"),
    pytest.param("15일을 초과할 수 없다", Comparator.AT_MOST, id="negated-verb"),
    pytest.param("15일을 한도로 한다", Comparator.AT_MOST, id="limit"),
    pytest.param("15일에 못 미치면", Comparator.LESS_THAN, id="short-of"),
    pytest.param("15일(휴일 제외) 이내", Comparator.AT_MOST, id="behind-a-bracket"),
]
LEANS = [
    pytest.param("사용일 3일 전까지", Lean.BEFORE, id="before"),
    pytest.param("다녀온 뒤 3일 이내", Lean.WITHIN_AFTER, id="within"),
    pytest.param("받은 날부터 3일 안에", Lean.WITHIN_AFTER, id="from-a-day-on"),
    pytest.param("발급 후 3일이 지나면", Lean.PAST, id="past"),
    pytest.param("3일이 지나지 않았다면", None, id="not-yet-past"),
    pytest.param("휴가는 3일 이내", None, id="no-event"),
    pytest.param("3일 전체를 쓴다", None, id="another-word"),
]
EDGES = [
    pytest.param("4월 3일부터 받는다", Edge.START, id="from"),
    pytest.param("접수 시작일은 4월 3일이다", Edge.START, id="named-start"),
    pytest.param("4월 3일에 마감한다", Edge.END, id="closing-verb"),
    pytest.param("마감일: 4월 3일", Edge.END, id="named-end"),
    pytest.param("행사는 4월 3일이다", None, id="plain"),
]


@pytest.mark.parametrize(("text", "side"), SIDES)
def test_reads_the_side_that_is_meant(text: str, side: Comparator | None) -> None:
    read = Text(text)

    assert frame_of(read.quantities[0], read).side == side


@pytest.mark.parametrize(("text", "lean"), LEANS)
def test_reads_where_a_period_lies(text: str, lean: Lean | None) -> None:
    read = Text(text)

    assert frame_of(read.quantities[0], read).lean == lean


@pytest.mark.parametrize(("text", "edge"), EDGES)
def test_reads_which_end_a_date_is(text: str, edge: Edge | None) -> None:
    read = Text(text)

    assert frame_of(read.quantities[0], read).edge == edge


def test_a_range_has_a_beginning_and_an_end() -> None:
    read = Text("4월 3일 ~ 4월 21일")

    assert [frame_of(one, read).edge for one in read.quantities] == [Edge.START, Edge.END]
