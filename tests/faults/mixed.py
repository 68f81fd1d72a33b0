"""Requests of all kinds that there are, in no order: served, refused, failed and left."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable

import httpx

from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import write_event
from tests.fakes.paced_upstream import HEAD, framed
from tests.fakes.raw_upstream import Talk, http_reply
from tests.fakes.rig import Rig
from tests.fakes.running_proxy import chat_body
from tests.fakes.slow_client import posted, slow_client
from tests.flow.library import ASKED, FEES

GOOD = "연체료는 하루에 70원입니다."
WRONG = "연체료는 하루에 900원입니다."
CHINESE = "图书馆在一楼。"
ODD = "odd"
"""The tenant whose model server fails, hangs and talks without end."""
MEDIUM_CHARS, LONG_CHARS = 15_000, 31_000
"""What is judged in a thread, and in a process apart."""
Ask = Callable[[Rig, httpx.AsyncClient], Awaitable[None]]


async def act(talk: Talk) -> None:
    """Do what the question asks for, as the model server of the odd tenant."""
    wanted = talk.request.body.decode("utf-8", "replace")
    if "멈춤" in wanted:
        await talk.hang()
    elif "중간" in wanted:
        await talk.send(HEAD)
        for piece in (GOOD, " 그리고 "):
            one: JsonObject = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
            await talk.send(write_event(framed(choices=[one])))
        await talk.hang()
    elif "한도" in wanted:
        await talk.send(http_reply(b"{}", status="429 No", headers={"retry-after": "1"}))
    elif "고장" in wanted:
        await talk.send(http_reply(b"{}", status="500 No"))
    elif "끊김" in wanted:
        talk.writer.transport.abort()
    else:
        await talk.send(http_reply(b"not JSON"))


def says(rig: Rig) -> None:
    """Have the other model server answer rightly, wrongly once, or wrongly twice."""
    rig.scripted.says(WRONG, GOOD)
    rig.raw.act = act


def body(question: str, *, stream: bool = False, chars: int = 0) -> JsonObject:
    more = "자료실은 이 층에 있다. " * (chars // 13)
    source: JsonObject = {"section_title": "제9조(안내)", "section_content": more}
    return chat_body(question, [*FEES, source] if more else FEES, stream=stream)


def sent(question: str, *, tenant: str = "app", stream: bool = False, chars: int = 0) -> Ask:
    """Return what asks and reads the whole reply."""

    async def ask(rig: Rig, client: httpx.AsyncClient) -> None:
        await client.post(
            f"{rig.proxy.base_url}/chat/completions",
            json=body(question, stream=stream, chars=chars),
            headers={"authorization": f"Bearer {rig.proxy.keys[tenant]}"},
        )

    return ask


def passed(path: str, content: bytes, *, key: str | None = None) -> Ask:
    """Return what posts some bytes to a path."""

    async def ask(rig: Rig, client: httpx.AsyncClient) -> None:
        headers = {"authorization": f"Bearer {key or rig.proxy.keys[ODD]}"}
        await client.post(f"{rig.proxy.base_url}{path}", content=content, headers=headers)

    return ask


def left(question: str, *, stream: bool = False, chars: int = 0, share: float = 1.0) -> Ask:
    """Return what hangs up; with less than all of its request sent, or while it is served."""

    async def ask(rig: Rig, _: httpx.AsyncClient) -> None:
        said = posted(rig.proxy, body(question, stream=stream, chars=chars), tenant=ODD)
        async with slow_client(rig.proxy) as one:
            await one.send(said[: int(len(said) * share)])
            await asyncio.sleep(0.02)
            one.leave()

    return ask


async def left_midstream(rig: Rig, _: httpx.AsyncClient) -> None:
    async with slow_client(rig.proxy) as one:
        await one.send(posted(rig.proxy, body("중간에 갑니다", stream=True), tenant=ODD))
        await one.until(GOOD.encode())
        one.leave()


VERIFIED = json.dumps({"question": ASKED, "answer": WRONG, "sources": FEES}).encode()
OFTEN: list[Ask] = [
    sent(ASKED),
    sent(ASKED, stream=True),
    sent("멍청한 놈들아 책임자 나오라고 해"),
    sent("한도", tenant=ODD),
    sent("고장", tenant=ODD, stream=True),
    sent("끊김", tenant=ODD),
    sent("아무것도", tenant=ODD),
    passed("/verify", VERIFIED),
    passed("/chat/completions", b"{"),
    passed("/chat/completions", b"{}", key="nobodys"),
    passed("/nothing", b""),
    passed("/embeddings", '{"input": "고장"}'.encode()),
    left("멈춤"),
    left("멈춤", stream=True),
    left("멈춤", share=0.5),
    left_midstream,
]
SELDOM: list[Ask] = [
    sent(ASKED, chars=MEDIUM_CHARS),
    sent(ASKED, chars=LONG_CHARS),
    left("멈춤", chars=LONG_CHARS),
    left("멈춤", chars=MEDIUM_CHARS, stream=True),
]


async def mixed(rig: Rig, many: int, together: int = 16) -> None:
    """Send so many requests, some at a time; one in fifty has a long text."""
    chance = random.Random(many)
    kinds = [
        *OFTEN,
        *SELDOM,
        *(chance.choice(SELDOM if chance.random() < 0.02 else OFTEN) for _ in range(many)),
    ][:many]
    turn = asyncio.Semaphore(together)
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with (
        httpx.AsyncClient(limits=limits, timeout=60.0) as client,
        asyncio.TaskGroup() as group,
    ):

        async def take(ask: Ask) -> None:
            async with turn:
                await ask(rig, client)

        for ask in kinds:
            group.create_task(take(ask))
