"""No lost answer, no lost trace: a model server that is killed, hangs, or sends garbage.

Whatever it does, at any door, plain or streamed: the caller gets an answer or an OpenAI error of
ours in time, never an internal error; what had left stays; and the request leaves one trace.
"""

import asyncio
import gzip
import json
from collections.abc import AsyncGenerator

import httpx
import pytest
import pytest_asyncio

from proxy.demo.model_server import Said, chunks, completion
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import DONE, EventReader, write_event
from tests.fakes.house import RAW, House, open_house, upstream_yaml
from tests.fakes.raw_upstream import Act, Talk, http_head, http_reply
from tests.fakes.running_proxy import chat_body

SHORT_S = 0.3
QUESTION = "구내식당은 어디에 있나요?"
CHAT = chat_body(QUESTION)
DOORS: dict[str, JsonObject] = {
    "/v1/chat/completions": CHAT,
    "/v1/completions": {"model": "m", "prompt": QUESTION},
    "/v1/responses": {"model": "m", "input": QUESTION},
}
ANSWER = "구내식당은 본관 지하에 있습니다. 점심은 열한 시에 시작합니다. 저녁은 없습니다."
EVENTS = [write_event(chunk) for chunk in chunks(CHAT, Said((ANSWER,)))]
STREAM = http_head(content_type="text/event-stream")
MAX_REPLY_BYTES = 200_000


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_house(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[House, None]:
    hasty = upstream_yaml(RAW, f"timeouts: {{first_byte_s: {SHORT_S}, idle_s: {SHORT_S}}}")
    async with open_house(
        tmp_path_factory.mktemp("house"), hasty, max_reply_bytes=MAX_REPLY_BYTES
    ) as house:
        yield house


@pytest.fixture
def house(shared_house: House) -> House:
    return shared_house.tidied()


pytestmark = pytest.mark.asyncio(loop_scope="module")


def reset(talk: Talk) -> None:
    """Break the connection as the kernel does for a process that was killed."""
    talk.writer.transport.abort()


def sending(*pieces: bytes, then: str = "close") -> Act:
    async def act(talk: Talk) -> None:
        for piece in pieces:
            await talk.send(piece)
        if then == "hang":
            await talk.hang()
        elif then == "reset":
            reset(talk)

    return act


def with_content(content: object) -> bytes:
    return json.dumps(
        {"id": "c", "object": "chat.completion", "choices": [{"index": 0, "message": content}]}
    ).encode()


PLAIN = json.dumps(completion(CHAT, Said((ANSWER,))), ensure_ascii=False).encode()
NESTED = b"[" * 60_000 + b"]" * 60_000

ACTS = [
    pytest.param(sending(then="hang"), id="hangs-before-the-first-byte"),
    pytest.param(sending(then="reset"), id="killed-before-the-first-byte"),
    pytest.param(sending(STREAM, then="hang"), id="hangs-after-the-head"),
    pytest.param(sending(STREAM, EVENTS[0], then="hang"), id="hangs-after-an-event"),
    pytest.param(sending(STREAM, *EVENTS[:-3], then="hang"), id="hangs-in-the-middle"),
    pytest.param(sending(STREAM, *EVENTS[:-3], then="reset"), id="killed-in-the-middle"),
    pytest.param(sending(STREAM, EVENTS[0][:20], then="reset"), id="killed-in-an-event"),
    pytest.param(
        sending(http_head(content_length=str(len(PLAIN))), PLAIN[:50], then="reset"),
        id="killed-in-a-plain-reply",
    ),
    pytest.param(sending(http_reply(NESTED)), id="nested"),
    pytest.param(sending(http_reply(b'{"choices":' + NESTED + b"}")), id="nested-choices"),
    pytest.param(sending(http_reply(b'{"choices":[' + b"9" * 9000 + b"]}")), id="long-integer"),
    pytest.param(sending(http_reply(b'{"choices":[NaN,1e999]}')), id="no-number"),
    pytest.param(sending(http_reply(PLAIN.decode().encode("utf-16"))), id="utf-16"),
    pytest.param(sending(http_reply(PLAIN.replace(b"\xea", b"\xff"))), id="no-utf-8"),
    pytest.param(sending(http_reply(b"\x00" * 1000)), id="zeros"),
    pytest.param(sending(http_reply(b"null")), id="null"),
    pytest.param(sending(http_reply(b'{"choices":null}')), id="no-choices"),
    pytest.param(sending(http_reply(b'{"choices":[1,"x",null,[]]}')), id="choices-of-no-kind"),
    pytest.param(sending(http_reply(with_content(7))), id="message-is-a-number"),
    pytest.param(sending(http_reply(with_content({"content": 7}))), id="content-is-a-number"),
    pytest.param(sending(http_reply(with_content({"content": [[]]}))), id="content-is-a-list"),
    pytest.param(sending(http_reply(with_content({"content": "\ud83d"}))), id="half-a-character"),
    pytest.param(
        sending(http_reply(with_content({"content": "", "tool_calls": [3, {"function": 4}]}))),
        id="tool-calls-of-no-kind",
    ),
    pytest.param(
        sending(
            http_reply(gzip.compress(b"\x00" * 50_000_000), headers={"content-encoding": "gzip"})
        ),
        id="a-bomb",
    ),
    pytest.param(sending(http_reply(b"", status="204 No Content")), id="no-content"),
    pytest.param(
        sending(b"HTTP/1.1 100 Continue\r\n\r\n" * 500, http_reply(PLAIN)), id="continues"
    ),
    pytest.param(sending(b"HTTP/1.1 200 OK\r\nx: " + b"a" * 500_000), id="endless-head"),
    pytest.param(sending(b"\x16\x03\x01\x02\x00\x01"), id="tls"),
    pytest.param(sending(STREAM, DONE), id="only-done"),
    pytest.param(sending(STREAM, b"data: " + b"x" * 300_000), id="endless-event"),
    pytest.param(sending(STREAM, b": hello\n\n" * 50_000), id="comments-without-end"),
    pytest.param(sending(STREAM, b"data: " + NESTED + b"\n\n", DONE), id="nested-event"),
    pytest.param(sending(STREAM, EVENTS[0], b"data: \xff\xfe\n\n", DONE), id="event-no-utf-8"),
    pytest.param(sending(STREAM, EVENTS[0], b"data: null\n\n", DONE), id="event-null"),
    pytest.param(
        sending(STREAM, EVENTS[0], b'data: {"choices":[{"delta":"x"}]}\n\n', DONE),
        id="delta-of-no-kind",
    ),
    pytest.param(
        sending(STREAM, EVENTS[0], b'data: {"choices":[{"index":-5,"delta":{}}]}\n\n', DONE),
        id="choice-below-zero",
    ),
    pytest.param(
        sending(STREAM, EVENTS[0], b'data: {"choices":[{"index":99999999,"delta":{}}]}\n\n', DONE),
        id="choice-far-away",
    ),
]


def error_in(reply: httpx.Response) -> JsonObject | None:
    """Return the error object of a reply, wherever it stands; None for an answer."""
    if not reply.headers["content-type"].startswith("text/event-stream"):
        error = reply.json().get("error")
        return error if isinstance(error, dict) else None
    reader = EventReader()
    for event in reader.feed(reply.content) + reader.close():
        body = json.loads(event.data) if event.data and event.data != "[DONE]" else {}
        if body.get("type") == "error":  # as the responses door spells it
            return {"code": body["code"], "message": body["message"]}
        if isinstance(error := body.get("error"), dict):
            return error
    return None


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("act", ACTS)
async def test_whatever_it_does_the_caller_is_told_in_time_and_a_trace_is_left(
    house: House, act: Act, stream: bool
) -> None:
    house.raw.act = act

    async with asyncio.timeout(10):
        replies = await asyncio.gather(
            *(
                house.proxy.send(json.dumps({**body, "stream": stream}).encode(), path=path)
                for path, body in DOORS.items()
            )
        )

    for reply in replies:
        error = error_in(reply)
        if error is None:
            assert reply.status_code == httpx.codes.OK
        else:
            assert str(error["code"]).startswith("upstream_"), error
            assert reply.status_code in {200, 502, 504}  # 200: it had begun to leave
            assert b"[DONE]" not in reply.content
        assert "Traceback" not in reply.text
        trace = await house.proxy.trace(reply)
        assert (trace.error is None) == (error is None)


async def test_what_had_left_before_it_was_killed_stays_and_is_traced(house: House) -> None:
    house.raw.act = sending(STREAM, *EVENTS[:-3], then="reset")

    reply = await house.proxy.chat({**CHAT, "stream": True})

    trace = await house.proxy.trace(reply)
    [left] = trace.replies
    assert left
    assert ANSWER.startswith(left)
    error = error_in(reply)
    assert error is not None
    assert trace.error == error["code"]
