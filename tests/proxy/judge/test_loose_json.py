"""JSON in what a model wrote."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from proxy.judge.chat import find_json, find_pieces
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row


def has_a(value: JsonValue) -> bool:
    return isinstance(value, dict) and "a" in value


@each_row("text, value", "misshapen")
def test_found(text: str, value: JsonValue) -> None:
    assert find_json(text, has_a) == value


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()), st.text())
def test_well_formed_json_is_read_as_it_stands(inside: dict[str, JsonValue], prose: str) -> None:
    wanted = {"a": inside}
    before = prose.replace("{", "").replace("[", "")

    assert find_json(f"{before}\n{json.dumps(wanted)}\n", has_a) == wanted


@each_row("text, values", "pieces")
def test_whole_pieces_of_what_was_cut(text: str, values: list[JsonValue]) -> None:
    assert find_pieces(text, has_a) == values


@given(st.text(alphabet="{}[]\"'\\,: aT1\n", max_size=200))
def test_whatever_is_written_something_that_fits_is_found_or_nothing(text: str) -> None:
    with suppress(ValueError):
        assert has_a(find_json(text, has_a))


@each_row("piece", ['"', "'", '"\\', "'\\", "{", "[", "{'", ",", ", ", "\\", "True"])
def test_no_text_takes_long(piece: str) -> None:
    def look(chars: int) -> None:
        text = "{" + piece * (chars // len(piece))
        with pytest.raises(ValueError, match="no JSON"):
            find_json(text, has_a)
        find_pieces(text, has_a)

    assert_grows_with_its_input(look, 60_000)
