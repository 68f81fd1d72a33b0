"""Never a 500 of our own: whatever a model server says, the client gets an answer or a 502.

Replies that are no HTTP, contradict themselves, nest 100,000 levels, hold 5,000 digits, halves of
characters or bytes that are no text, whole and in a stream; no trace, path or key in what follows.
"""

import gzip
import json
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject
from tests.fakes.running_proxy import ADMIN_TOKEN
from tests.faults.wire import (
    CHAT,
    REPLIES,
    REPLY,
    TEXT,
    Wire,
    body_of,
    open_wire,
    reply_bytes,
)
from tests.proxy.dashboard.visitor import Visitor
from tests.tables import each_row

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHAT_PATH = b"/v1/chat/completions"
STREAMED = CHAT[:-1] + b', "stream": true}'
HALF = "\ud83d"
LEVELS = 100_000
MAX_REPLY_BYTES = 4_000_000


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def wire(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Wire, None]:
    folder = tmp_path_factory.mktemp("wire")
    async with open_wire(folder, max_reply_bytes=MAX_REPLY_BYTES, dashboard=True) as opened:
        yield opened


def replying(wire: Wire, reply: bytes) -> None:
    wire.rig.raw.act = lambda talk: talk.send(reply)


def told(**members: JsonValue) -> bytes:
    """Return a whole reply with some members in the place of its own."""
    return reply_bytes(json.dumps(json.loads(REPLY) | members).encode())


def more(members: bytes) -> bytes:
    return reply_bytes(REPLY[:-1] + b"," + members + b"}")


def choice(content: JsonValue, **members: JsonValue) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": content}
    made: JsonObject = {"index": 0, "message": message, "finish_reason": "stop"}
    return made | members


def event(said: bytes | JsonObject) -> bytes:
    return b"data: " + (said if isinstance(said, bytes) else json.dumps(said).encode()) + b"\n\n"


def delta(content: JsonValue, **members: JsonValue) -> bytes:
    piece: JsonObject = {"index": 0, "delta": {"role": "assistant", "content": content}}
    made: JsonObject = {"id": "c", "object": "chat.completion.chunk", "choices": [piece]}
    return event(made | members)


END = (
    event({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    + b"data: [DONE]\n\n"
)
WHOLE = delta(TEXT) + END


def streamed(*events: bytes) -> bytes:
    return reply_bytes(b"".join(events), content_type=b"text/event-stream", length=False)


UNUSABLE = [
    pytest.param(b"\0" * 100, id="nothing-but-nul"),
    pytest.param(b"HTTP/1.1 0 x\r\n\r\n", id="status-0"),
    pytest.param(b"HTTP/1.1 1000 x\r\n\r\n", id="status-1000"),
    pytest.param(b"HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\n{}", id="another-version"),
    pytest.param(reply_bytes(REPLY, b"Content-Length: 5"), id="two-lengths"),
    pytest.param(reply_bytes(REPLY, b"Content-Length: -1", length=False), id="length-below-0"),
    pytest.param(
        reply_bytes(b"%x\r\n%b\r\n0\r\n\r\n" % (len(REPLY), REPLY), b"Transfer-Encoding: chunked"),
        id="length-and-chunks",
    ),
    pytest.param(
        reply_bytes(b"f" * 18 + b"\r\n" + REPLY, b"Transfer-Encoding: chunked", length=False),
        id="a-chunk-without-end",
    ),
    pytest.param(reply_bytes(REPLY, status=b"204 No Content"), id="no-content-with-content"),
    pytest.param(reply_bytes(REPLY, status=b"304 Not Modified"), id="not-modified-with-content"),
    pytest.param(reply_bytes(b"", status=b"205 Reset Content"), id="no-content-at-all"),
    pytest.param(
        b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n", id="upgrade"
    ),
    pytest.param(reply_bytes(REPLY, b"X-Own: a\0b"), id="nul-in-a-header"),
    pytest.param(reply_bytes(REPLY, b"X-Own: a\rX-Guard-Action: b"), id="bare-cr-in-a-header"),
    pytest.param(reply_bytes(REPLY, b"X-Own: " + b"a" * 70_000), id="a-header-without-end"),
    pytest.param(reply_bytes(REPLY, *(b"X-%d: a" % n for n in range(400))), id="many-headers"),
    pytest.param(
        reply_bytes(gzip.compress(b" " * 100_000_000, 1), b"Content-Encoding: gzip"), id="bomb"
    ),
    pytest.param(reply_bytes(b"[]"), id="a-list"),
    pytest.param(reply_bytes(b"null"), id="null"),
    pytest.param(reply_bytes(REPLY.decode().encode("utf-16")), id="utf-16"),
    pytest.param(reply_bytes(REPLY.replace(b"scripted", b"\xff", 1)), id="no-text"),
    pytest.param(more(b'"x":' + b"[" * LEVELS + b"]" * LEVELS), id="deep"),
    pytest.param(more(b'"x":' + b"[" * 900 + b"]" * 900), id="nine-hundred-deep"),
    pytest.param(more(b'"x":' + b"9" * 5000), id="5000-digits"),
    pytest.param(more(b'"x":NaN'), id="nan"),
    pytest.param(more(b'"choic\\u0065s":[]'), id="a-key-twice"),
    pytest.param(told(choices=None), id="choices-null"),
    pytest.param(told(choices=[1]), id="choice-is-a-number"),
    pytest.param(told(choices=[choice(5)]), id="content-is-a-number"),
    pytest.param(told(choices=[choice({"a": TEXT})]), id="content-is-an-object"),
    pytest.param(told(choices=[choice("가"), choice("나")]), id="one-choice-twice"),
    pytest.param(streamed(), id="an-empty-stream"),
    pytest.param(streamed(event(b"\0"), WHOLE), id="stream-nul"),
    pytest.param(streamed(event(b"[]"), WHOLE), id="stream-list"),
    pytest.param(streamed(event(b'{"x":NaN}'), WHOLE), id="stream-nan"),
    pytest.param(streamed(event(b'{"x":' + b"9" * 5000 + b"}"), WHOLE), id="stream-5000-digits"),
    pytest.param(
        streamed(event(b'{"x":' + b"[" * LEVELS + b"]" * LEVELS + b"}"), WHOLE), id="stream-deep"
    ),
    pytest.param(
        streamed(event(b'{"choices":[],"x":' + b"[" * 900 + b"]" * 900 + b"}"), WHOLE),
        id="stream-nine-hundred-deep",
    ),
    pytest.param(streamed(event({"choices": [1]}), WHOLE), id="stream-choice-is-a-number"),
    pytest.param(
        streamed(event({"choices": [{"index": 0, "delta": 5}]}), WHOLE), id="stream-delta"
    ),
    pytest.param(streamed(delta(5), WHOLE), id="stream-content-is-a-number"),
    pytest.param(
        streamed(event({"choices": [{"index": 10**30, "delta": {"content": "가"}}]}), WHOLE),
        id="stream-a-huge-number-of-a-choice",
    ),
    pytest.param(streamed(event({"error": 5})), id="stream-odd-error"),
    pytest.param(streamed(b"data: " + b"a" * (MAX_REPLY_BYTES + 1)), id="stream-without-an-end"),
]


@each_row("body", [CHAT, STREAMED])
@each_row("reply", UNUSABLE)
async def test_what_is_no_answer_is_a_bad_gateway(wire: Wire, reply: bytes, body: bytes) -> None:
    replying(wire, reply)

    answer = await wire.ask(CHAT_PATH, body)

    assert answer.status == 502
    assert answer.refusal()["code"] in ("upstream_broken", "upstream_unreachable")
    [traced] = answer.values("x-guard-request-id")
    trace = await wire.rig.proxy.trace_of(traced)
    assert (trace.status, trace.error) == (502, answer.refusal()["code"])


ODD = [
    pytest.param(told(choices=[choice(f"가{HALF}나다.")]), id="half-a-character"),
    pytest.param(told(id=HALF, model=f"{HALF}\0\r\nx-own: a"), id="half-a-character-in-names"),
    pytest.param(told(**{HALF: HALF}), id="half-a-character-in-a-key"),
    pytest.param(told(choices=[choice("가\0나\r\n다.")]), id="nul-and-line-ends"),
    pytest.param(told(choices=[choice("", finish_reason=HALF)]), id="half-a-reason"),
    pytest.param(told(choices=[choice("가", index=10**30)]), id="a-huge-number-of-a-choice"),
    pytest.param(told(choices=[choice("가", index=-1)]), id="a-number-below-0"),
    pytest.param(told(choices=[choice("가", finish_reason={"a": 1})]), id="an-odd-reason"),
    pytest.param(told(usage="x"), id="usage-is-a-string"),
    pytest.param(told(usage={"prompt_tokens": 10**40, "total_tokens": -5}), id="odd-figures"),
    pytest.param(told(id=7, model=5, created="x"), id="odd-names"),
    pytest.param(more(b'"x":' + b"9" * 4000), id="4000-digits"),
    pytest.param(reply_bytes(REPLY, b"X-Request-Id: \xff\xfe"), id="bytes-in-a-header"),
    pytest.param(streamed(delta(f"가{HALF}"), delta("\ude00 나다. "), END), id="stream-two-halves"),
    pytest.param(streamed(delta(f"가{HALF}"), END), id="stream-half-a-character"),
    pytest.param(streamed(delta("가", id=HALF, model=HALF), END), id="stream-half-in-names"),
    pytest.param(streamed(delta("가\0나\r\n다."), END), id="stream-nul-and-line-ends"),
    pytest.param(streamed(b": \xff\0\n\n" * 100, WHOLE), id="stream-bytes-in-comments"),
    pytest.param(streamed(b"id: \0\nretry: x\nown\n\n", WHOLE), id="stream-odd-fields"),
    pytest.param(streamed(event({"choices": [], "usage": "x"}), WHOLE), id="stream-odd-usage"),
]


@each_row("body", [CHAT, STREAMED])
@each_row("reply", ODD)
async def test_an_odd_answer_is_an_answer(wire: Wire, reply: bytes, body: bytes) -> None:
    replying(wire, reply)

    answer = await wire.ask(CHAT_PATH, body)

    assert answer.status == 200
    assert "x-own" not in dict(answer.headers)
    answer.body.decode()
    [traced] = answer.values("x-guard-request-id")
    assert (await wire.rig.proxy.trace_of(traced)).status == 200


@each_row("door", ["completions", "responses"])
@each_row("reply", UNUSABLE[::4])
async def test_other_doors_are_no_softer(wire: Wire, door: str, reply: bytes) -> None:
    replying(wire, reply)

    answer = await wire.ask_door(door, body_of(door))

    assert answer.status == 502
    answer.refusal()


ODD_WORDS = json.dumps(f"가{HALF}나\0다\r\n라.")
ODD_PAGES = ["/dashboard/traces", "/dashboard/traces/{}", "/dashboard/traces/{}/json", "/traces/{}"]


@each_row("door", ["completions", "responses"])
async def test_odd_words_at_other_doors_are_an_answer_whose_trace_can_be_looked_at(
    wire: Wire, door: str
) -> None:
    plain = REPLIES[f"/v1/{door}"].replace(json.dumps(TEXT).encode(), ODD_WORDS.encode())
    replying(wire, reply_bytes(plain))

    answer = await wire.ask_door(door, body_of(door, said=f"{HALF} 어디인가요?"))

    assert answer.status == 200
    assert json.loads(answer.body)["model"] == "m"
    [traced] = answer.values("x-guard-request-id")
    trace = await wire.rig.proxy.trace_of(traced)
    assert trace.status == 200
    admin = {"authorization": f"Bearer {ADMIN_TOKEN}"}
    async with Visitor(wire.rig.proxy.address) as visitor:
        await visitor.sign_in(ADMIN_TOKEN)
        for page in ODD_PAGES:
            shown = await visitor.get(page.format(traced), **({} if "board" in page else admin))
            assert shown.status_code == 200, page


ERRORS = [
    pytest.param(b'{"error": 5}', id="error-is-a-number"),
    pytest.param(b'[{"error": {"message": "a"}}]', id="error-in-a-list"),
    pytest.param(b'{"error": {"message": "\xff"}}', id="no-text"),
    pytest.param(
        b'{"error": {"message": "a", "x": ' + b"[" * 3000 + b"]" * 3000 + b"}}", id="deep"
    ),
    pytest.param(b'{"error": {"message": "' + b"a" * 100_000 + b'"}}', id="endless"),
    pytest.param(b'{"error": {"message": "a", "message": "b"}}', id="a-key-twice"),
]


@each_row("target", [CHAT_PATH, b"/v1/embeddings"])
@each_row("body", ERRORS)
async def test_an_error_that_cannot_be_passed_on_becomes_one_of_ours(
    wire: Wire, target: bytes, body: bytes
) -> None:
    replying(wire, reply_bytes(body, status=b"400 Bad Request"))

    answer = await wire.ask(target)

    assert answer.status == 400
    assert answer.refusal()["code"] == "upstream_refused"
