"""Events that are told by their bytes say what a reader would read in them."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.chat import ChatEndpoint
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.live_stream import LiveStream, Piece
from proxy.openai_api.sse import Event, template_of, write_event

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


@pytest.mark.parametrize("raw", OTHERS)
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
