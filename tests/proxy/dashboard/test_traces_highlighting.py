"""Texts are cut where findings are about them, whatever way their places overlap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.finding import Span
from proxy.traces.trace import Change
from proxy.views.findings import Mark, Piece, Stretch, changed, cut

CUTS = [
    pytest.param("월 45,000원", [], [Piece("월 45,000원")], id="nothing-found"),
    pytest.param("", [], [], id="no-text"),
    pytest.param(
        "월 45,000원이다",
        [(2, 9, 1)],
        [Piece("월 "), Piece("45,000원", (1,), (1,)), Piece("이다")],
        id="one-in-the-middle",
    ),
    pytest.param(
        "가나다라마",
        [(0, 3, 1), (2, 5, 2)],
        [Piece("가나", (1,), (1,)), Piece("다", (1, 2), (2,)), Piece("라마", (2,))],
        id="two-overlap",
    ),
    pytest.param(
        "가나다라",
        [(1, 2, 2), (0, 4, 1)],
        [Piece("가", (1,), (1,)), Piece("나", (1, 2), (2,)), Piece("다라", (1,))],
        id="one-inside-the-other",
    ),
    pytest.param(
        "가나", [(0, 2, 1), (0, 2, 2)], [Piece("가나", (1, 2), (1, 2))], id="the-same-place-twice"
    ),
    pytest.param(
        "가나",
        [(0, 1, 1), (1, 2, 2)],
        [Piece("가", (1,), (1,)), Piece("나", (2,), (2,))],
        id="next",
    ),
    pytest.param(
        "가나", [(1, 1, 1)], [Piece("가"), Piece("", (1,), (1,)), Piece("나")], id="without-length"
    ),
    pytest.param("가", [(1, 1, 1)], [Piece("가"), Piece("", (1,), (1,))], id="at-the-end"),
    pytest.param("", [(0, 0, 1)], [Piece("", (1,), (1,))], id="in-an-empty-text"),
    pytest.param(
        "가나", [(1, 9, 1)], [Piece("가"), Piece("나", (1,), (1,))], id="longer-than-the-text"
    ),
    pytest.param("가", [(7, 9, 1)], [Piece("가"), Piece("", (1,), (1,))], id="behind-the-text"),
    pytest.param("😀가", [(1, 2, 1)], [Piece("😀"), Piece("가", (1,), (1,))], id="in-code-points"),
]


@pytest.mark.parametrize(("text", "places", "pieces"), CUTS)
def test_cuts(text: str, places: list[tuple[int, int, int]], pieces: list[Piece]) -> None:
    assert cut(text, [Mark(Span(start, end), number) for start, end, number in places]) == pieces


SPANS = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda ends: Span(*sorted(ends)))


@given(text=st.text(max_size=12), spans=st.lists(SPANS, max_size=8))
def test_nothing_is_lost_and_every_place_is_whole(text: str, spans: list[Span]) -> None:
    marks = [Mark(span, number) for number, span in enumerate(spans)]
    pieces = cut(text, marks)

    assert "".join(piece.text for piece in pieces) == text
    assert sorted(number for piece in pieces for number in piece.begins) == list(range(len(spans)))
    for mark in marks:
        own = "".join(piece.text for piece in pieces if mark.number in piece.numbers)
        assert own == text[mark.span.start : mark.span.end]


def test_many_places_are_cut_in_no_time() -> None:
    marks = [Mark(Span(place, place + 20), place) for place in range(4_000)]

    pieces = cut("가" * 4_000, marks)

    assert len(pieces) == 4_000


CHANGES = [
    pytest.param("가나다", [], [Stretch("가나다")], id="nothing-changed"),
    pytest.param("", [], [], id="no-text"),
    pytest.param(
        "가나다",
        [Change(span=Span(1, 2))],
        [Stretch("가", "나"), Stretch("다")],
        id="taken-out",
    ),
    pytest.param(
        "가나다",
        [Change(span=Span(0, 1), text="라"), Change(span=Span(2, 3), text="마")],
        [Stretch("", "가", "라"), Stretch("나", "다", "마")],
        id="mended-at-both-ends",
    ),
    pytest.param(
        "가나", [Change(span=Span(2, 2), text="다")], [Stretch("가나", "", "다")], id="put-in"
    ),
]


@pytest.mark.parametrize(("came", "changes", "stretches"), CHANGES)
def test_what_was_changed(came: str, changes: list[Change], stretches: list[Stretch]) -> None:
    assert changed(came, changes) == stretches
