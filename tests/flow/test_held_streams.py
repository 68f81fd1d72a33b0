import asyncio
import json
from functools import partial

import httpx
import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam

from proxy.demo import MODEL, Said, chunks, completion
from proxy.openai_api.chat import read_reply
from proxy.openai_api.sse import (
    DONE,
    EventReader,
    read_comments,
    without_comments,
    write_event,
)
from proxy.server.asgi_reply import KEEP_ALIVE
from tests.fakes.paced_upstream import PacedUpstream
from tests.fakes.raw_upstream import Talk, http_head, http_reply
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import chat_body
from tests.flow.canteen import CHINESE, CLEAN, LANGUAGE_TEMPLATE, OTHER, QUESTION, TEMPLATES
from tests.flow.listening import listening
from tests.tables import each_row

KEEP_ALIVE_S = 0.02
ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": QUESTION}]
BODY = chat_body(QUESTION, stream=True)


POLICY = upstream_yaml(RAW) + TEMPLATES
RIG = partial(
    open_rig,
    policy=POLICY,
    others={
        "buffering": f"{POLICY}stream: {{mode: buffer}}",
        "impatient": upstream_yaml(RAW, "timeouts: {first_byte_s: 0.2}"),
    },
    keep_alive_s=KEEP_ALIVE_S,
)


pytestmark = pytest.mark.asyncio(loop_scope="module")


def stream_of(text: str) -> bytes:
    return b"".join(write_event(chunk) for chunk in chunks(BODY, Said((text,)))) + DONE


def event_stream(text: str) -> bytes:
    return http_reply(stream_of(text), headers={"content-type": "text/event-stream"})


def plain(text: str) -> bytes:
    return http_reply(json.dumps(completion(BODY, Said((text,)))).encode())


class Thinking:
    """A model server that thinks until it is told to speak."""

    def __init__(self, rig: Rig, *replies: bytes) -> None:
        self.speak = asyncio.Event()
        self._replies = list(replies)
        rig.raw.act = self._act

    async def _act(self, talk: Talk) -> None:
        await self.speak.wait()
        await talk.send(self._replies.pop(0))


async def received(
    rig: Rig, thinking: Thinking, comments: int, tenant: str = "app"
) -> tuple[httpx.Response, bytes]:
    """Ask for a stream; let the model server speak once so many comments have come."""
    whole = b""
    async with rig.proxy.client.stream(
        "POST",
        f"{rig.proxy.base_url}/chat/completions",
        json=dict(BODY),
        headers={"authorization": f"Bearer {rig.proxy.keys[tenant]}"},
    ) as reply:
        async for piece in reply.aiter_bytes():
            whole += piece
            if whole.count(KEEP_ALIVE) >= comments:
                thinking.speak.set()
    return reply, whole


@pytest.fixture(params=["app", "buffering"], ids=["gated", "buffered"])
def tenant(request: pytest.FixtureRequest) -> str:
    """One whose answers leave sentence by sentence, and one whose do whole."""
    return str(request.param)


async def test_comments_keep_the_connection_alive_while_the_model_thinks(
    rig: Rig, tenant: str
) -> None:
    thinking = Thinking(rig, event_stream(CLEAN))

    reply, whole = await received(rig, thinking, comments=3, tenant=tenant)

    assert without_comments(whole).replace(KEEP_ALIVE, b"") == stream_of(CLEAN)
    assert whole.startswith(KEEP_ALIVE * 3)
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert reply.headers["x-guard-action"] == "pending"
    assert read_comments(whole)["x-guard-action"] == "pass"
    trace = await rig.proxy.trace(reply)
    assert (trace.action, trace.delivery, trace.replies) == ("pass", "delivered", (CLEAN,))


# Long enough to leave alone.
FIRST = "구내식당은 본관 지하에 있고 점심에는 누구나 이용할 수 있습니다."


async def test_comments_keep_the_connection_alive_between_two_sentences(rig: Rig) -> None:
    beginning = asyncio.create_task(PacedUpstream(rig.raw).next())
    async with listening(rig.proxy, BODY) as listener:
        writing = await beginning
        await writing.begin()
        await writing.say(FIRST)
        await writing.say(f" {OTHER}")
        await listener.hears(FIRST)
        spoken = len(listener.content)
        await listener.gets(listener.content + KEEP_ALIVE * 3)
        await writing.finish()
        await listener.rest()

    assert listener.content[spoken:].startswith(KEEP_ALIVE * 3)
    assert (listener.said(), listener.is_done) == (f"{FIRST} {OTHER}", True)


async def test_comments_keep_the_connection_alive_while_the_model_is_asked_again(
    rig: Rig,
) -> None:
    model = PacedUpstream(rig.raw)
    beginning = asyncio.create_task(model.next())
    async with listening(rig.proxy, BODY) as listener:
        first = await beginning
        await first.begin()
        await first.say(CHINESE)
        await first.say(f" {OTHER}")
        second = await model.next()
        await listener.gets(KEEP_ALIVE * 3)
        await second.begin()
        await second.say(CLEAN)
        await second.finish()
        await listener.rest()

    assert (listener.said(), listener.is_done) == (CLEAN, True)


async def test_a_stream_that_has_begun_keeps_the_verdict(rig: Rig, tenant: str) -> None:
    thinking = Thinking(rig, event_stream(CHINESE), event_stream(CHINESE))

    reply, whole = await received(rig, thinking, comments=1, tenant=tenant)

    [answer] = read_reply(whole, reply.headers["content-type"]).answers
    assert answer.content == LANGUAGE_TEMPLATE
    assert CHINESE not in whole.decode()
    assert (await rig.proxy.trace(reply)).action == "replace"


async def test_a_server_that_answers_plainly_is_heard_as_a_stream(rig: Rig, tenant: str) -> None:
    thinking = Thinking(rig, plain(CLEAN))

    reply, whole = await received(rig, thinking, comments=1, tenant=tenant)

    [answer] = read_reply(whole, reply.headers["content-type"]).answers
    assert answer.content == CLEAN
    assert whole.endswith(DONE)


# Failures after the stream began.

RATE_LIMITED = b'{\n  "error": {\n    "message": "Slow\\ndown.",\n    "code": "rate_limit"\n  }\n}'
FAILURES = [
    pytest.param(
        http_reply(RATE_LIMITED, status="429 Slow"), 429, "rate_limit", id="its-own-error"
    ),
    pytest.param(http_reply(b"oh no", status="500 Oh"), 500, "upstream_refused", id="failed"),
    pytest.param(http_reply(b"{}"), 502, "upstream_broken", id="no-choices"),
    pytest.param(http_head(content_length="9"), 502, "upstream_unreachable", id="cut-off"),
]


@each_row("said, status, code", FAILURES)
async def test_a_late_failure_is_an_event_that_the_sdk_raises(
    rig: Rig, said: bytes, status: int, code: str
) -> None:
    thinking = Thinking(rig, said)

    async with rig.proxy.sdk() as client:
        stream = await client.chat.completions.create(model=MODEL, messages=ASKED, stream=True)
        thinking.speak.set()
        with pytest.raises(openai.APIError) as caught:
            await anext(aiter(stream))

    assert caught.value.code == code
    trace = await rig.proxy.trace_of(stream.response.headers["x-guard-request-id"])
    assert (trace.status, trace.delivery) == (status, "delivered")


@pytest.mark.parametrize(("said", "status", "code"), FAILURES)
async def test_a_late_failure_is_one_event_with_an_error_object(
    rig: Rig, tenant: str, said: bytes, status: int, code: str
) -> None:
    _, whole = await received(rig, Thinking(rig, said), comments=1, tenant=tenant)

    [event] = EventReader().feed(whole.replace(KEEP_ALIVE, b""))
    assert json.loads(event.data or "")["error"]["code"] == code
