"""A model server that writes its streams as a test says: piece by piece, when it is told to."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pydantic import JsonValue

from proxy.demo import CREATED, MODEL
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import DONE, write_event
from tests.fakes.raw_upstream import RawUpstream, Talk, http_head, http_reply
from tests.fakes.running_proxy import DEADLINE_S

NO_SUCH_PAGE = http_reply(b"", status="404 Not Found")
HEAD = http_head(content_type="text/event-stream")


@dataclass
class Writing:
    """One reply under way.

    Attributes:
        talk: The request and its connection.
        hung_up: The other side has closed the connection.
        over: Nothing more is written.
        content: What was written.
    """

    talk: Talk
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    content: bytes = b""

    @property
    def body(self) -> JsonObject:
        found: JsonObject = json.loads(self.talk.request.body)
        return found

    async def send(self, piece: bytes) -> None:
        self.content += piece
        await self.talk.send(piece)

    async def begin(self) -> None:
        """Send the headers, and who speaks."""
        await self.send(HEAD)
        await self.chunk({"role": "assistant", "content": ""})

    async def say(self, text: str, *, choice: int = 0, **more: JsonValue) -> None:
        """Send a text in one piece; `more` are further members of its choice."""
        await self.chunk({"content": text}, choice=choice, **more)

    async def chunk(self, delta: JsonObject, *, choice: int = 0, **more: JsonValue) -> None:
        one: JsonObject = {"index": choice, "delta": delta, "finish_reason": None}
        await self.send(write_event(framed(choices=[one | more])))

    async def finish(
        self,
        reason: str = "stop",
        *,
        choices: Sequence[int] = (0,),
        usage: JsonObject | None = None,
    ) -> None:
        """Send the end of a complete stream, and hang up."""
        for choice in choices:
            await self.chunk({}, choice=choice, finish_reason=reason)
        if usage is not None:
            await self.send(write_event(framed(choices=[], usage=usage)))
        await self.send(DONE)
        self.over.set()

    async def is_left(self) -> None:
        """Wait until the other side has hung up."""
        async with asyncio.timeout(DEADLINE_S):
            await self.hung_up.wait()

    async def watch(self) -> None:
        """Notice when the other side hangs up."""
        with contextlib.suppress(ConnectionError):
            await self.talk.hang()
        self.hung_up.set()


@dataclass
class PacedUpstream:
    """What is asked waits in `asked` until a test writes the reply."""

    raw: RawUpstream
    asked: asyncio.Queue[Writing] = field(default_factory=asyncio.Queue)

    def __post_init__(self) -> None:
        self.raw.act = self._act

    async def next(self) -> Writing:
        """Wait for the next request."""
        async with asyncio.timeout(DEADLINE_S):
            return await self.asked.get()

    async def _act(self, talk: Talk) -> None:
        if not talk.request.line.startswith("POST "):
            await talk.send(NO_SUCH_PAGE)  # it does not say what kind of server it is
            return
        writing = Writing(talk)
        watching = asyncio.create_task(writing.watch())
        over = asyncio.create_task(writing.over.wait())
        self.asked.put_nowait(writing)
        try:
            await asyncio.wait({watching, over}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            watching.cancel()
            over.cancel()


@asynccontextmanager
async def paced_upstream() -> AsyncGenerator[PacedUpstream, None]:
    async with RawUpstream().running() as raw:
        yield PacedUpstream(raw)


def framed(**members: JsonValue) -> JsonObject:
    """Return a chunk."""
    known: JsonObject = {
        "id": "chatcmpl-paced",
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": MODEL,
    }
    return known | members
