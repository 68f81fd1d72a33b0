"""Any bytes are a stream that is read: cut anywhere, the same events; never another failure."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.errors import UpstreamBroken
from proxy.openai_api.endpoint import Endpoint, Piece
from proxy.openai_api.endpoints import ENDPOINTS
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.pseudonyms import NONE as NO_PSEUDONYMS
from proxy.openai_api.sse import STREAM_TYPE, EventReader
from tests.fuzz.mutating import mutated

RECORDED = Path(__file__).parents[1] / "wire"
LONGEST_SEED = 4_000
FOLDERS = {"chat.completions": "chat", "completions": "completions", "responses": "responses"}
ASKS = {
    "chat.completions": b'{"model":"m","messages":[{"role":"user","content":"a"}],"stream":true}',
    "completions": b'{"model":"m","prompt":"a","stream":true}',
    "responses": b'{"model":"m","input":"a","stream":true}',
}
TOKENS = [
    b"\n\n",
    b"\r\n\r\n",
    b"\r",
    b"data: ",
    b"data:",
    b"data",
    b": x\n\n",
    b"event: error\n",
    b"id: 1\n",
    b"retry: 0\n",
    b"data: [DONE]\n\n",
    b"data: {}\n\n",
    b"data: null\n\n",
    b"data: []\n\n",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\\ud83d",
    b"\\u0000",
    b'"index":9',
    b'"index":-1',
    b'"index":null',
    b'"delta":null',
    b'"delta":[]',
    b'"content":7',
    b'"choices":{}',
    b'"choices":[null]',
    b"NaN",
    b'"finish_reason":"stop"',
    b'"error":{"message":"x"}',
    b"[" * 2000,
    b"9" * 400,
    b'"a":1,"a":2,',
]


def streams_of(door: Endpoint[Any]) -> st.SearchStrategy[bytes]:
    seeds = [path.read_bytes() for path in (RECORDED / FOLDERS[door.name]).glob("*/stream.sse")]
    return mutated([seed for seed in seeds if len(seed) < LONGEST_SEED] or seeds, TOKENS)


def asked(door: Endpoint[Any]) -> ModelRequest:
    return door.read_request(ASKS[door.name])


BY_DOOR = pytest.mark.parametrize("door", ENDPOINTS, ids=[door.name for door in ENDPOINTS])


@BY_DOOR
@given(data=st.data())
def test_the_same_events_however_it_is_cut(door: Endpoint[Any], data: st.DataObject) -> None:
    stream = data.draw(streams_of(door))
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=8).map(sorted))
    pieces = [
        stream[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)
    ]
    whole, cut = EventReader(), EventReader()

    at_once = [*whole.feed(stream), *whole.close()]
    by_pieces = [event for piece in pieces for event in cut.feed(piece)] + cut.close()

    assert by_pieces == at_once


@BY_DOOR
@given(data=st.data())
def test_a_stream_is_read_as_a_whole_or_is_broken(door: Endpoint[Any], data: st.DataObject) -> None:
    stream = data.draw(streams_of(door))
    try:
        reply = door.read_reply(stream, STREAM_TYPE, NO_PSEUDONYMS)
    except UpstreamBroken:
        return

    assert [answer.index for answer in reply.answers] == sorted(
        {answer.index for answer in reply.answers}
    )


@BY_DOOR
@given(data=st.data())
def test_a_stream_is_read_piece_by_piece_or_is_broken(
    door: Endpoint[Any], data: st.DataObject
) -> None:
    live = door.live(asked(door))
    reader = EventReader()
    stream = data.draw(streams_of(door))
    pieces: list[Piece] = []
    try:
        events = [*reader.feed(stream), *reader.close()]
        for event in events:
            if event.says_something:
                pieces += live.read(event)
        # What was kept back to the end: half of a character whose other half never came.
        pieces += live.read_end(said_done=any(event.is_done for event in events))
    except UpstreamBroken:
        return

    said: dict[int, str] = {}
    for piece in pieces:
        if piece.choice is not None:
            said[piece.choice] = said.get(piece.choice, "") + piece.text
    heard = {answer.index: answer.content for answer in live.reply().answers}
    assert {choice: text for choice, text in said.items() if text} == {
        choice: text for choice, text in heard.items() if text
    }


@BY_DOOR
@given(data=st.data())
def test_a_plain_reply_is_read_or_is_broken(door: Endpoint[Any], data: st.DataObject) -> None:
    folder = RECORDED / FOLDERS[door.name]
    seeds = [path.read_bytes() for path in folder.glob("*/plain.json")]
    raw = data.draw(mutated(seeds, TOKENS))
    try:
        reply = door.read_reply(raw, "application/json", NO_PSEUDONYMS)
    except UpstreamBroken:
        return

    assert reply.raw == raw
