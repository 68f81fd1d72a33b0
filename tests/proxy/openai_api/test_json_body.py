"""JSON is read strictly and exactly, and events that are alike by their bytes."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.chat import ChatEndpoint
from proxy.openai_api.endpoint import LiveStream, Piece
from proxy.openai_api.json_body import JsonObject, read_object
from proxy.openai_api.sse import Event, template_of, write_event
from tests.tables import each_row

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
@each_row("written, value", EXACT)
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
@each_row("written, said", REFUSED)
def test_what_two_readers_could_read_differently_is_refused(
    written: bytes, said: str, ending: bytes
) -> None:
    with pytest.raises(ValueError, match=said):
        read_object(written + ending)


DOOR = ChatEndpoint()
ASKED = b'{"model": "m", "stream": true, "messages": [{"role": "user", "content": "?"}]}'
FRAME: JsonObject = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}


def live() -> LiveStream:
    return DOOR.live(DOOR.read_request(ASKED))


def chunk(text: JsonValue, **more: JsonValue) -> JsonObject:
    choice: JsonObject = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return FRAME | {"choices": [choice | more]}


def spelled(body: JsonObject, *, escaped: bool = False, spaced: bool = False) -> bytes:
    separators = None if spaced else (",", ":")
    written = json.dumps(body, ensure_ascii=escaped, separators=separators)
    return b"data: " + written.encode("utf-8", "backslashreplace") + b"\n\n"


def read_apart(events: list[bytes]) -> list[Piece]:
    """Return what a stream says to a reader that never saw two events alike."""
    pieces: list[Piece] = []
    stream = live()
    for place, raw in enumerate(events):
        # An event of another kind in between, which says nothing.
        stream.read(Event(write_event(FRAME | {"choices": [], "x": place})))
        pieces += stream.read(Event(raw))
    return pieces


TEXTS = st.lists(st.text('가나 a:{}[]"\\/\n\t\u2028\ud83d\ude00😀', max_size=6), max_size=8)


@given(TEXTS, st.booleans(), st.booleans())
@example(["\ud83d", "\ude00", "a"], True, False)
@example(["a", "\ud83d", "\ude00"], True, False)
def test_a_stream_says_the_same_whether_its_events_are_alike_or_not(
    texts: list[str], escaped: bool, spaced: bool
) -> None:
    events = [spelled(chunk(text), escaped=escaped, spaced=spaced) for text in texts]
    stream = live()

    pieces = [piece for raw in events for piece in stream.read(Event(raw))]

    assert pieces == read_apart(events)
    assert b"".join(map(stream.write, pieces)).count(b"\n\n") == len(events)


ALIKE = spelled(chunk("가"))
OTHERS = [
    pytest.param(spelled(chunk("나", finish_reason="stop")), id="it-ends"),
    pytest.param(spelled(chunk("나", index=1)), id="another-choice"),
    pytest.param(spelled(chunk("나", logprobs={"content": []})), id="with-tokens"),
    pytest.param(spelled(chunk(["나"])), id="no-text"),
    pytest.param(spelled(chunk(None)), id="nothing"),
    pytest.param(spelled(chunk("나") | {"id": "c-2"}), id="another-name"),
    pytest.param(spelled(chunk("나")).replace(b"\n\n", b"\r\n\r\n"), id="other-line-ends"),
    pytest.param(ALIKE.replace("가".encode(), b'a","role":"user'), id="another-member"),
    pytest.param(ALIKE.replace("가".encode(), b'a","content":"b'), id="another-text-behind-it"),
    pytest.param(ALIKE.replace("가".encode(), b"a\\"), id="an-escape-that-goes-on"),
    pytest.param(ALIKE.replace("가".encode(), b"a\x01"), id="a-control-character"),
    pytest.param(ALIKE.replace("가".encode(), b"\xff"), id="no-utf-8"),
    pytest.param(ALIKE.replace("가".encode(), b"\\ud83d"), id="half-a-character"),
    pytest.param(ALIKE[:-2], id="unfinished"),
]


@each_row("raw", OTHERS)
def test_an_event_that_differs_in_more_than_its_text_is_read(raw: bytes) -> None:
    mould = template_of(ALIKE, "content", "가")

    assert mould is not None
    assert mould.read(raw) == ("", 0)
    assert mould.read(ALIKE + raw + ALIKE) == ("가", len(ALIKE))


def test_an_event_like_the_one_before_it_that_nobody_could_read_breaks_the_stream() -> None:
    stream = live()
    stream.read(Event(ALIKE))

    with pytest.raises(UpstreamBroken):
        stream.read(Event(ALIKE.replace("가".encode(), b"a\x01")))
