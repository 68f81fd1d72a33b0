import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.openai_api.sse import Event, EventReader, json_bytes, write_event
from tests.tables import each_row


def read_all(*pieces: bytes) -> list[Event]:
    reader = EventReader()
    events = [event for piece in pieces for event in reader.feed(piece)]
    return events + reader.close()


def data_of(*pieces: bytes) -> list[str | None]:
    return [event.data for event in read_all(*pieces)]


READ = [
    pytest.param(b"data: a\n\ndata: b\n\n", ["a", "b"], id="line-feeds"),
    pytest.param(b"data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"], id="carriage-return-line-feeds"),
    pytest.param(b"data: a\r\rdata: b\r\r", ["a", "b"], id="carriage-returns"),
    pytest.param(b"data: a\r\n\ndata: b\n\r\ndata: c\n\r", ["a", "b", "c"], id="mixed-line-ends"),
    pytest.param(b"data: a\ndata: b\n\n", ["a\nb"], id="several-data-lines"),
    pytest.param(b"data: a\rdata: b\r\n\r\n", ["a\nb"], id="data-lines-of-two-kinds"),
    pytest.param(b"data:a\n\n", ["a"], id="no-space-after-the-colon"),
    pytest.param(b"data:  a \n\n", [" a "], id="only-one-space-belongs-to-the-colon"),
    pytest.param(b"data:\n\n", [""], id="empty-data"),
    pytest.param(b"data\n\n", [""], id="field-without-a-colon"),
    pytest.param(b"database: a\n\n", [None], id="another-field-that-begins-alike"),
    pytest.param(b": keep-alive\n\ndata: a\n\n", [None, "a"], id="comment"),
    pytest.param(b": one\n: two\ndata: a\n\n", ["a"], id="comments-inside-an-event"),
    pytest.param(b"event: error\nid: 7\ndata: a\nretry: 5\n\n", ["a"], id="other-fields"),
    pytest.param(b"event: ping\n\n", [None], id="event-without-data"),
    pytest.param(b"\xef\xbb\xbfdata: a\n\n", ["a"], id="byte-order-mark"),
    pytest.param(b"data: a\n\n\xef\xbb\xbfdata: b\n\n", ["a", None], id="mark-only-at-the-start"),
    pytest.param(b"data: a\n\n\n\ndata: b\n\n", ["a", None, "b"], id="surplus-blank-lines"),
    pytest.param(b"data: a\n\ndata: b", ["a", "b"], id="no-line-end-at-the-end"),
    pytest.param(b"data: a\n\ndata: b\n", ["a", "b"], id="no-blank-line-at-the-end"),
    pytest.param(b"data: a\r\n\r\ndata: b\r", ["a", "b"], id="half-a-line-end-at-the-end"),
    pytest.param("data: 연차 15일\n\n".encode(), ["연차 15일"], id="korean"),
    pytest.param(b"data: \xea\xb0\n\n", ["\ufffd"], id="broken-utf-8"),
    pytest.param(
        "data: a\u2028b\x0bc\x85d\n\n".encode(), ["a\u2028b\x0bc\x85d"], id="no-line-ends"
    ),
    pytest.param(b"", [], id="nothing"),
    pytest.param(b"\n\n", [None], id="blank-lines-only"),
]


@each_row("stream, expected", READ)
def test_reads_what_the_standard_allows(stream: bytes, expected: list[str | None]) -> None:
    assert data_of(stream) == expected


def test_an_event_comes_as_soon_as_it_is_whole() -> None:
    reader = EventReader()

    assert reader.feed(b"data: a\n") == []
    assert [event.data for event in reader.feed(b"\ndata: b\n")] == ["a"]
    assert [event.data for event in reader.feed(b"\n")] == ["b"]


def test_a_carriage_return_may_be_half_of_a_line_end() -> None:
    reader = EventReader()

    assert reader.feed(b"data: a\r\n\r") == []
    assert [event.raw for event in reader.feed(b"\n")] == [b"data: a\r\n\r\n"]


LINES = st.one_of(
    st.sampled_from([b"", b"data", b"data:", b": keep-alive", b"event: x", b"data: [DONE]"]),
    st.text('가나ab :{}"\\\u2028\ufeff', max_size=8).map(lambda text: b"data: " + text.encode()),
    st.binary(max_size=6).map(lambda raw: raw.replace(b"\r", b"").replace(b"\n", b"")),
)
LINE_ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


@st.composite
def streams(draw: st.DrawFn) -> bytes:
    mark = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    lines = draw(st.lists(st.tuples(LINES, LINE_ENDS), max_size=12))
    last = draw(LINES)
    return mark + b"".join(line + end for line, end in lines) + last


@given(streams())
def test_each_event_can_be_passed_on_among_others(stream: bytes) -> None:
    ours = write_event({"ours": True})
    events = read_all(stream)

    passed_on = data_of(ours + b"".join(event.raw + ours for event in events))

    assert passed_on[::2] == ['{"ours":true}'] * (len(events) + 1)
    assert passed_on[1::2] == [event.data for event in events]


def test_an_event_is_one_line_whatever_its_text() -> None:
    assert write_event({"content": "첫 줄\r\n\n둘째 줄"}).count(b"\n") == 2


def test_json_keeps_half_a_character() -> None:
    assert json.loads(json_bytes({"content": "\ud83d"})) == {"content": "\ud83d"}
