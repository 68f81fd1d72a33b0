"""JSON is read strictly, and exactly, whichever of two readers reads it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.openai_api.json_body import read_object

LONG = "길" * 1000
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text('가a:{}[]"\\/\n\ud83d', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=4)


@given(OBJECTS, st.booleans(), st.sampled_from([None, 1]))
def test_a_short_text_is_read_as_a_long_one_is(
    body: dict[str, object], escaped: bool, indent: int | None
) -> None:
    def spelled(members: dict[str, object]) -> bytes:
        written = json.dumps(members, ensure_ascii=escaped, indent=indent)
        return written.encode("utf-8", "backslashreplace")

    short = read_object(spelled(body))
    long = read_object(spelled(body | {"길이": LONG}))

    assert repr(short | {"길이": LONG}) == repr(long)
    assert repr(short) == repr(body)


EXACT = [
    pytest.param(b"18446744073709551616", 2**64, id="more-than-64-bits"),
    pytest.param(b"-9223372036854775809", -(2**63) - 1, id="less-than-64-bits"),
    pytest.param(b"1" * 60, int("1" * 60), id="sixty-digits"),
    pytest.param(b"1.0", 1.0, id="a-whole-number-with-a-point"),
    pytest.param(b"1e5", 1e5, id="an-exponent"),
    pytest.param(b"-0.0", -0.0, id="minus-nothing"),
    pytest.param(b"0.1e-400", 0.0, id="too-small-to-tell"),
    pytest.param(b'"\\ud83d"', "\ud83d", id="half-a-character"),
    pytest.param(b'"\\u003a"', ":", id="an-escaped-colon"),
]


@pytest.mark.parametrize("ending", [b"}", b',"x":"' + LONG.encode() + b'"}'], ids=["short", "long"])
@pytest.mark.parametrize(("written", "value"), EXACT)
def test_values_are_exact(written: bytes, value: object, ending: bytes) -> None:
    found = read_object(b'{"a":' + written + ending)["a"]

    assert (type(found), repr(found)) == (type(value), repr(value))


REFUSED = [
    pytest.param(b'{"a":1,"a":1', "'a' appears twice", id="a-key-twice"),
    pytest.param(b'{"b":{"a":1,"a":{"c":1}}', "'a' appears twice", id="a-key-twice-inside"),
    pytest.param(b'{"a":1,"\\u0061":2', "'a' appears twice", id="a-key-twice-in-two-spellings"),
    pytest.param(b'{"a":"\\u003a","a":"b"', "'a' appears twice", id="with-an-escaped-colon"),
    pytest.param(b'{"a":"\\u003A","b":1,"b":2', "'b' appears twice", id="escaped-in-capitals"),
    pytest.param(b'{"a":NaN', "NaN is not JSON", id="no-number"),
    pytest.param(b'{"a":-Infinity', "-Infinity is not JSON", id="no-end"),
    pytest.param(b'{"a":1e999', "too large", id="too-large-for-a-float"),
    pytest.param(b'{"a":' + b"1" * 5000, "digits", id="five-thousand-digits"),
    pytest.param(b'{"a":"\x01"', "control character", id="a-control-character"),
    pytest.param(b'{"a":"\xff"', "not UTF-8", id="no-utf-8"),
    pytest.param(b'{"a":' + b"[" * 100_000, "nested too deeply", id="nested"),
    pytest.param(b'{"a":01', "delimiter", id="a-leading-nought"),
]


@pytest.mark.parametrize("ending", [b"}", b',"x":"' + LONG.encode() + b'"}'], ids=["short", "long"])
@pytest.mark.parametrize(("written", "said"), REFUSED)
def test_what_two_readers_could_read_differently_is_refused(
    written: bytes, said: str, ending: bytes
) -> None:
    with pytest.raises(ValueError, match=said):
        read_object(written + ending)
