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

from proxy.demo import Said, chunks, completion
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import DONE, EventReader, write_event
from tests.fakes.raw_upstream import Act, Talk, http_head, http_reply
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import DEADLINE_S, chat_body
from tests.tables import each_row

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
async def shared_rig(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[Rig, None]:
    hasty = upstream_yaml(RAW, f"timeouts: {{first_byte_s: {SHORT_S}, idle_s: {SHORT_S}}}")
    async with open_rig(
        tmp_path_factory.mktemp("rig"), hasty, max_reply_bytes=MAX_REPLY_BYTES
    ) as rig:
        yield rig


@pytest.fixture
def rig(shared_rig: Rig) -> Rig:
    return shared_rig.tidied()


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


PLAIN = json.dumps(completion(CHAT, Said((ANSWER,))), ensure_ascii=False).encode()

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
    pytest.param(sending(b"HTTP/1.1 2"), id="cut-in-the-head"),
    pytest.param(sending(http_reply(PLAIN, status="600 Odd")), id="no-such-status"),
    pytest.param(sending(http_reply(b"x" * (MAX_REPLY_BYTES + 1))), id="too-large"),
    pytest.param(sending(STREAM, *EVENTS[:-3]), id="just-ends"),
    pytest.param(sending(STREAM, EVENTS[0], b"data: {oops\n\n", DONE), id="garbage"),
    pytest.param(
        sending(STREAM, EVENTS[0], b'data: {"error": {"message": "x"}}\n\n'), id="error-event"
    ),
    pytest.param(sending(STREAM, DONE), id="only-done"),
    pytest.param(sending(STREAM, b"data: " + b"x" * 300_000), id="endless-event"),
    pytest.param(sending(STREAM, b": hello\n\n" * 50_000), id="comments-without-end"),
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


@each_row("stream", [False, True])
@each_row("act", ACTS)
async def test_whatever_it_does_the_caller_is_told_in_time_and_a_trace_is_left(
    rig: Rig, act: Act, stream: bool
) -> None:
    rig.raw.act = act

    async with asyncio.timeout(DEADLINE_S):
        replies = await asyncio.gather(
            *(
                rig.proxy.send(json.dumps({**body, "stream": stream}).encode(), path=path)
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
        trace = await rig.proxy.trace(reply)
        assert trace.error == trace.attempts[0].error == (None if error is None else error["code"])


async def test_what_had_left_before_it_was_killed_stays_and_is_traced(rig: Rig) -> None:
    rig.raw.act = sending(STREAM, *EVENTS[:-3], then="reset")

    reply = await rig.proxy.chat({**CHAT, "stream": True})

    trace = await rig.proxy.trace(reply)
    [left] = trace.replies
    assert left
    assert ANSWER.startswith(left)
    error = error_in(reply)
    assert error is not None
    assert trace.error == error["code"]
