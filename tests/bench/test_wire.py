"""Messages are read whole, wherever the network cuts them."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bench.corpus import numbered
from tests.bench.heard import Reply, problem_of, streamed_words
from tests.bench.prepared import Prepared, Seed, Way
from tests.bench.wire import LAST_CHUNK, BrokenMessage, Message, chunk

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    + chunk(b"he\r\n0\r\n\r\n")
    + b"3;name=value\r\nllo\r\n"
    + LAST_CHUNK
)
WITH_TRAILER = CHUNKED.removesuffix(b"\r\n") + b"x-late: 1\r\n\r\n"
WHOLE = [
    pytest.param(PLAIN, b"hello", id="length"),
    pytest.param(CHUNKED, b"he\r\n0\r\n\r\nllo", id="chunks"),
    pytest.param(WITH_TRAILER, b"he\r\n0\r\n\r\nllo", id="trailer"),
    pytest.param(b"HTTP/1.1 204 No\r\ncontent-length: 0\r\n\r\n", b"", id="empty"),
    pytest.param(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n", b"", id="get"),
]
BROKEN = [
    pytest.param(b"HTTP/1.1 200 OK\r\n\r\nhello", id="no-length"),
    pytest.param(PLAIN + b"more", id="more-than-its-length"),
    pytest.param(CHUNKED.replace(b"3;", b"x;"), id="no-size"),
]


@pytest.mark.parametrize(("message", "body"), WHOLE)
@given(cuts=st.lists(st.integers(1, 110), max_size=6))
def test_reads_a_message_in_any_pieces(message: bytes, body: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(cut for cut in cuts if cut < len(message)), len(message)]
    reader = Message()
    pieces = [message[a:b] for a, b in pairwise(edges) if a < b]

    found = b"".join(map(reader.feed, pieces))

    assert found == body
    assert reader.done


@pytest.mark.parametrize("message", BROKEN)
def test_refuses(message: bytes) -> None:
    with pytest.raises(BrokenMessage):
        Message().feed(message)


def test_a_request_carries_its_seed_and_new_sources() -> None:
    request = Prepared(numbered(7), 7, Way.PACED, "/v1/chat/completions", {"x-key": "k"})

    number, sent = request.filled(42, new_sources=True)
    reader = Message()
    body = json.loads(reader.feed(sent))

    assert reader.done
    assert Seed.read(body["seed"]) == Seed(Way.PACED, 7, 42)
    assert body["seed"] == number
    assert body["stream"] is True
    assert body["messages"][0]["content"].count("문서번호 000000042") == 5
    assert b"\r\nx-key: k\r\n" in sent


def test_hears_a_stream_with_the_moments_of_its_words() -> None:
    words = b"".join(
        b"data: " + json.dumps({"choices": [{"delta": {"content": word}}]}).encode() + b"\n\n"
        for word in ("가나", "다")
    )
    cut = words.index(b"\n\n") + 20
    pieces = [(10, b": wait\n\n"), (20, words[:cut]), (30, words[cut:] + b"data: [DONE]\n\n")]

    said, visible = streamed_words(Reply(b"HTTP/1.1 200 OK", pieces))

    assert said == "가나다"
    assert visible == [(20, 2), (30, 3)]


REPLIES = [
    pytest.param(b"HTTP/1.1 200 OK\r\nx: y", "예", "", id="right"),
    pytest.param(b"HTTP/1.1 200 OK\r\nx-guard-action: pass", "예", "", id="passed"),
    pytest.param(b"HTTP/1.1 200 OK\r\nX-Guard-Action: fix", "예", "x-guard-action", id="mended"),
    pytest.param(b"HTTP/1.1 200 OK\r\nx: y", "아니요", "another answer", id="other-words"),
    pytest.param(b"HTTP/1.1 502 Bad\r\nx: y", "예", "status 502", id="failed"),
]


@pytest.mark.parametrize(("head", "said", "problem"), REPLIES)
def test_tells_what_is_wrong_with_a_reply(head: bytes, said: str, problem: str) -> None:
    found = problem_of(Reply(head, ()), said, "예")

    assert found.startswith(problem)
    assert bool(found) == bool(problem)
