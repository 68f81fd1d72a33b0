"""JSON in what a model wrote."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from proxy.judge.chat import find_json, find_pieces
from tests.fakes.growth import assert_grows_with_its_input

MISSHAPEN = [
    pytest.param("{'a': 'it\\'s', }", {"a": "it's"}, id="single-quotes"),
    pytest.param("{'a': '\"b\"'}", {"a": '"b"'}, id="double-quotes-in-single-ones"),
    pytest.param('{"a": "it\'s, }"}', {"a": "it's, }"}, id="strings-stay-as-they-are"),
    pytest.param("{'a': True, 'b': None}", {"a": True, "b": None}, id="words-of-another-language"),
    pytest.param('{"a": [1, 2, ], }', {"a": [1, 2]}, id="trailing-commas"),
    pytest.param('{} {"b": 1} {"a": 1}', {"a": 1}, id="the-first-that-fits"),
]


def has_a(value: JsonValue) -> bool:
    return isinstance(value, dict) and "a" in value


@pytest.mark.parametrize(("text", "value"), MISSHAPEN)
def test_found(text: str, value: JsonValue) -> None:
    assert find_json(text, has_a) == value


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()), st.text())
def test_well_formed_json_is_read_as_it_stands(inside: dict[str, JsonValue], prose: str) -> None:
    wanted = {"a": inside}
    before = prose.replace("{", "").replace("[", "")

    assert find_json(f"{before}\n{json.dumps(wanted)}\n", has_a) == wanted


PIECES = [
    pytest.param('{"all": [{"a": 1}, {"a": 2}, {"a": ', [{"a": 1}, {"a": 2}], id="cut-short"),
    pytest.param("{'all': [{'a': True,}, {'a", [{"a": True}], id="misshapen-and-cut-short"),
    pytest.param('{"b": "{\\"a\\": 1}', [], id="not-what-stands-in-a-string"),
    pytest.param('<think>{"a": 1}', [], id="not-what-is-only-thought"),
]


@pytest.mark.parametrize(("text", "values"), PIECES)
def test_whole_pieces_of_what_was_cut(text: str, values: list[JsonValue]) -> None:
    assert find_pieces(text, has_a) == values


@given(st.text(alphabet="{}[]\"'\\,: aT1\n", max_size=200))
def test_whatever_is_written_something_that_fits_is_found_or_nothing(text: str) -> None:
    with suppress(ValueError):
        assert has_a(find_json(text, has_a))


@pytest.mark.parametrize("piece", ['"', "'", '"\\', "'\\", "{", "[", "{'", ",", ", ", "\\", "True"])
def test_no_text_takes_long(piece: str) -> None:
    def look(chars: int) -> None:
        text = "{" + piece * (chars // len(piece))
        with pytest.raises(ValueError, match="no JSON"):
            find_json(text, has_a)
        find_pieces(text, has_a)

    assert_grows_with_its_input(look, 60_000)
