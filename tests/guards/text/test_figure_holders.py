"""Which sources may hold a figure: never one too few."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.reading import Text
from guards.text.figure_holders import FigureHolders
from guards.text.known_quantities import KnownQuantities
from guards.text.slots.quantity import Quantity

WRITTEN = [
    "3일",
    "72시간",
    "6일",
    "144시간",
    "오후 3시",
    "15시",
    "3시",
    "2024년 3월 5일",
    "3월 5일",
    "2024년",
    "3만 원",
    "30,000원",
    "30000",
    "1,234",
    "1234",
    "3.5%",
    "| 5 | 30,000 |",
    "5개",
    "다섯 개",
    "5개 이상",
    "3~5일",
    "10일 3시간",
]
written = st.sampled_from(WRITTEN)
a_text = st.lists(written, max_size=3).map(" 그리고 ".join)


def figure(text: str) -> Quantity:
    return Text(text).quantities[0]


@given(st.lists(a_text, min_size=1, max_size=3), written)
def test_a_source_that_holds_a_figure_is_among_those_that_may(
    sources: list[str], said: str
) -> None:
    texts = [(Text(source),) for source in sources]
    may_hold = FigureHolders(texts).may_hold

    for one in Text(said).quantities:
        hold = [place for place, own in enumerate(texts) if KnownQuantities(own).has(one)]
        assert set(hold) <= set(may_hold(one))


@pytest.mark.parametrize(
    ("said", "places"),
    [
        pytest.param("15일", [0], id="the-same-figure"),
        pytest.param("오후 3시", [1], id="another-notation"),
        pytest.param("99개", [], id="nobody's"),
    ],
)
def test_sources_without_a_number_need_not_be_asked(said: str, places: list[int]) -> None:
    sources = [["휴가는 15일이다.", "취업규칙"], ["15시에 연다.", "이용 안내"]]
    holders = FigureHolders([[Text(one) for one in own] for own in sources])

    assert list(holders.may_hold(figure(said))) == places


def test_a_title_counts_as_its_source() -> None:
    holders = FigureHolders([[Text("휴가를 준다."), Text("2024년 휴가 15일")]])

    assert list(holders.may_hold(figure("15일"))) == [0]
