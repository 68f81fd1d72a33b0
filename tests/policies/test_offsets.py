"""One place, three counts; each agrees with the encoding it is named after."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.finding import Span
from policies.edits import Offsets
from tests.tables import each_row

COUNTED = [
    pytest.param("abc", Span(1, 3), (1, 3), (1, 3), id="ascii-counts-the-same"),
    pytest.param("환불은 7일", Span(4, 6), (10, 14), (4, 6), id="hangul-takes-three-bytes"),
    pytest.param("👍환불", Span(1, 2), (4, 7), (2, 3), id="pictograph-is-a-surrogate-pair"),
    pytest.param("é끝", Span(1, 2), (2, 5), (1, 2), id="accent-takes-two-bytes"),
    pytest.param("\u1112\u1161\u11ab끝", Span(3, 4), (9, 12), (3, 4), id="conjoining-letters"),
    pytest.param("끝", Span(1, 1), (3, 3), (1, 1), id="empty-place-at-the-end"),
    pytest.param("", Span(0, 0), (0, 0), (0, 0), id="empty-text"),
    pytest.param("a\ud800끝", Span(2, 3), (4, 7), (2, 3), id="half-of-a-surrogate-pair"),
]


@each_row("text, span, utf8, utf16", COUNTED)
def test_a_place_is_counted_in_three_ways(
    text: str, span: Span, utf8: tuple[int, int], utf16: tuple[int, int]
) -> None:
    place = Offsets(text).place(span)

    assert place.cp == (span.start, span.end)
    assert place.utf8 == utf8
    assert place.utf16 == utf16


@given(st.text(), st.data())
def test_the_encodings_agree(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))

    place = Offsets(text).place(Span(start, end))

    inside = text[start:end]
    assert text.encode("utf-8")[slice(*place.utf8)].decode("utf-8") == inside
    first, last = (2 * unit for unit in place.utf16)
    assert text.encode("utf-16-le")[first:last].decode("utf-16-le") == inside
