import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.text.slots.citation_places import citation_places
from tests.fakes.growth import assert_grows_with_its_input

FOUND = [
    pytest.param("됩니다[1][†2].", ["[1]", "[†2]"], id="marks"),
    pytest.param(
        "됩니다 [Data: Sources (1); Reports (3)].", ["[Data: Sources (1); Reports (3)]"], id="graph"
    ),
    pytest.param("됩니다 (출처: 5번).", ["(출처: 5번)"], id="ordinal"),
    pytest.param("됩니다(안내.hwp, 2쪽).", ["(안내.hwp, 2쪽)"], id="file-and-page"),
    pytest.param(
        '<cite id="1">환불됩니다</cite>.', ['<cite id="1">', "</cite>"], id="words-inside-stay"
    ),
    pytest.param("됩니다[†1].\n\n참고:\n[†1] 안내.pdf (10쪽)", ["[†1]", "[†1]", "10쪽"], id="list"),
    pytest.param("됩니다.\n\n참고 문헌\n- 이용 안내, 10페이지", ["10페이지"], id="page-of-a-title"),
    pytest.param("출처: 안내.pdf, p.3", ["p.3"], id="line"),
    pytest.param("모두 10쪽입니다. 3번 버스를 타세요.", [], id="figures-of-the-text"),
]


@pytest.mark.parametrize(("text", "found"), FOUND)
def test_finds_what_names_sources(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in citation_places(text)] == found


@given(st.text(alphabet="가다.[]()†123 ,쪽p출처:\n", max_size=60))
def test_places_are_in_order_and_apart(text: str) -> None:
    edges = [edge for place in citation_places(text) for edge in place]

    assert edges == sorted(edges)


@pytest.mark.parametrize("unit", ["[1]", "a.pdf ", "(a.pdf, ", "[1] 가 10쪽\n", ".pdf 1쪽"])
def test_a_long_text_of_one_kind_is_read_in_time(unit: str) -> None:
    assert_grows_with_its_input(lambda chars: citation_places(unit * (chars // len(unit))), 100_000)
