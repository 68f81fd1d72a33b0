from hypothesis import given
from hypothesis import strategies as st

from guards.text.slots.citation_places import citation_places
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row


@each_row("text, found", "found")
def test_finds_what_names_sources(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in citation_places(text)] == found


@given(st.text(alphabet="가다.[]()†123 ,쪽p출처:\n", max_size=60))
def test_places_are_in_order_and_apart(text: str) -> None:
    edges = [edge for place in citation_places(text) for edge in place]

    assert edges == sorted(edges)


@each_row("unit", "a_long_text_of_one_kind_is_read_in_time")
def test_a_long_text_of_one_kind_is_read_in_time(unit: str) -> None:
    assert_grows_with_its_input(lambda chars: citation_places(unit * (chars // len(unit))), 20_000)
