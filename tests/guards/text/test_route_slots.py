import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.reading import Text

READ = [
    pytest.param("지하철 2호선", ["mode:subway", "line:2"], id="line"),
    pytest.param("십일호선", ["line:11"], id="line-in-words"),
    pytest.param("11 호선", ["line:11"], id="line-with-space"),
    pytest.param("수인분당선으로 환승", ["line:수인분당선"], id="named-line"),
    pytest.param("가온역 5번 출구", ["station:가온역", "exit:5"], id="station-and-exit"),
    pytest.param("5, 6번 출구 또는 7번출구", ["exit:5", "exit:6", "exit:7"], id="exits"),
    pytest.param("2-1번 출구", ["exit:2-1"], id="exit-with-branch"),
    pytest.param("대구역에서 하차", ["station:대구역"], id="station-like-a-zone"),
    pytest.param("100번, 5-1번 버스", ["bus:100", "bus:5-1", "mode:bus"], id="buses"),
    pytest.param("버스 M9999 이용", ["mode:bus", "bus:M9999"], id="lettered-bus"),
    pytest.param("심야 N99번 버스", ["bus:N99", "mode:bus"], id="night-bus"),
    pytest.param("시청앞 정류장 하차", ["stop:시청앞"], id="stop"),
    pytest.param("셔틀버스와 KTX", ["mode:shuttle", "mode:train"], id="longest-word-wins"),
    pytest.param("차로 10분", ["mode:car"], id="by-car"),
]
NONE = [
    pytest.param("이 지역의 보호구역에 걸친 도로 노선", id="zones"),
    pytest.param("병역과 용역", id="words-that-end-like-stations"),
    pytest.param("100번 신청하세요", id="number-without-a-bus"),
    pytest.param("왕복 4차로 도로", id="lanes"),
    pytest.param("택시기사와 택시요금", id="longer-words"),
    pytest.param("", id="nothing"),
]


def read_as(text: str) -> list[str]:
    return [f"{slot.kind}:{slot.value}" for slot in Text(text).routes]


@pytest.mark.parametrize(("text", "slots"), READ)
def test_reads_pieces_of_a_way(text: str, slots: list[str]) -> None:
    assert read_as(text) == slots


@pytest.mark.parametrize("text", NONE)
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


@pytest.mark.parametrize(
    "text", ["버스 ", "버스1번", "역버스", "호선", "1번 또는 ", "1번, ", "선 "]
)
def test_hundred_kilobytes_of_one_thing_are_read(text: str) -> None:
    assert len(Text(text * (100_000 // len(text))).routes) <= 50_000
