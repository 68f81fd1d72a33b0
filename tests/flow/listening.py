"""A client that reads a stream as it comes, and may leave at any time."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import httpx

from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.sse import EventReader
from tests.fakes.paced_upstream import PacedUpstream, Writing
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy

MOMENT_S = 0.1
"""Long enough for anything that can leave to have left."""


class Listener:
    """What has come so far of a stream, as far as it was read.

    Attributes:
        reply: The reply's status and headers.
        content: Its bytes.
        chunks: The objects of its events.
        is_done: ``[DONE]`` has come.
    """

    def __init__(self, reply: httpx.Response) -> None:
        self.reply = reply
        self.content = b""
        self.chunks: list[JsonObject] = []
        self.is_done = False
        self._events = EventReader()
        self._pieces: AsyncIterator[bytes] = reply.aiter_bytes()

    @property
    def id(self) -> str:
        return str(self.reply.headers["x-guard-request-id"])

    async def hears(self, text: str, *, choice: int = 0) -> None:
        """Read until a text is among what was said; fail if the stream ends before."""
        async with asyncio.timeout(DEADLINE_S):
            while text not in self.said(choice):
                assert await self._more(), f"the stream ended before {text!r}"

    async def gets(self, content: bytes) -> None:
        """Read until some bytes have come; fail if the stream ends before."""
        async with asyncio.timeout(DEADLINE_S):
            while content not in self.content:
                assert await self._more(), f"the stream ended before {content!r}"

    async def rest(self) -> None:
        """Read to the end."""
        async with asyncio.timeout(DEADLINE_S):
            while await self._more():
                pass

    def choices(self, number: int = 0) -> list[JsonObject]:
        """Return what was sent of a choice."""
        choices = [one for chunk in self.chunks for one in objects(chunk.get("choices"))]
        return [one for one in choices if one.get("index") == number]

    def said(self, choice: int = 0, name: str = "content") -> str:
        """Return the text of a choice so far, or another member of its deltas."""
        deltas = [one.get("delta") for one in self.choices(choice)]
        return "".join(str(member(delta, name) or "") for delta in deltas)

    def finish_reasons(self, choice: int = 0) -> list[str]:
        return [str(one["finish_reason"]) for one in self.choices(choice) if one["finish_reason"]]

    async def _more(self) -> bool:
        piece = await anext(self._pieces, None)
        if piece is None:
            return False
        self.content += piece
        for event in self._events.feed(piece):
            self.is_done = self.is_done or event.is_done
            if event.says_something:
                self.chunks.append(json.loads(event.data or ""))
        return True


@asynccontextmanager
async def listening(
    proxy: RunningProxy,
    body: JsonObject,
    *,
    tenant: str = "app",
    client: httpx.AsyncClient | None = None,
) -> AsyncGenerator[Listener, None]:
    """Ask for a stream; whoever leaves the block hangs up."""
    async with (client or proxy.client).stream(
        "POST",
        f"{proxy.base_url}/chat/completions",
        json=dict(body),
        headers={"authorization": f"Bearer {proxy.keys[tenant]}"},
    ) as reply:
        yield Listener(reply)


async def begun(model: PacedUpstream) -> Writing:
    """Wait for the next request and begin to answer it."""
    writing = await model.next()
    await writing.begin()
    return writing


@asynccontextmanager
async def talking(
    proxy: RunningProxy, model: PacedUpstream, body: JsonObject, *, tenant: str = "app"
) -> AsyncGenerator[tuple[Listener, Writing], None]:
    """Ask for a stream that the model has begun; yields who listens and what is written."""
    beginning = asyncio.create_task(begun(model))
    async with listening(proxy, body, tenant=tenant) as listener:
        yield listener, await beginning


async def is_silent(hearing: asyncio.Task[object]) -> bool:
    """Tell whether what somebody waits to hear has not come after a moment."""
    done, _ = await asyncio.wait({hearing}, timeout=MOMENT_S)
    return not done
