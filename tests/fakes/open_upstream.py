"""A model server with every endpoint there is: it remembers what came and says what it was told."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from litestar import Litestar, asgi
from litestar.types import HTTPScope, Receive, Send

from proxy.server.serving import served

Header = tuple[bytes, bytes]


@dataclass(frozen=True)
class Visit:
    """A request while it is served; `body` reads what has not come yet."""

    method: str
    target: str
    headers: tuple[Header, ...]
    receive: Receive
    send: Send

    def values(self, name: str) -> list[str]:
        return [value.decode() for key, value in self.headers if key.decode() == name]

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it comes; it ends early if the other side hangs up."""
        more = True
        while more:
            message = await self.receive()
            if message["type"] != "http.request":
                raise ConnectionError
            yield message["body"]
            more = message["more_body"]

    async def begin(self, status: int = 200, headers: Sequence[Header] = ()) -> None:
        await self.send({"type": "http.response.start", "status": status, "headers": list(headers)})

    async def say(self, piece: bytes, *, more: bool = True) -> None:
        await self.send({"type": "http.response.body", "body": piece, "more_body": more})

    async def until_hung_up(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass


Act = Callable[[Visit], Awaitable[None]]


@dataclass
class OpenUpstream:
    """What it does is decided by `act`; by default it reads the body and says `reply`."""

    act: Act | None = None
    reply: tuple[int, Sequence[Header], bytes] = (200, (), b"{}")
    visits: list[Visit] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    address: str = ""

    def says(self, body: bytes, *headers: Header, status: int = 200) -> None:
        self.act, self.reply = None, (status, headers, body)

    def tidied(self) -> "OpenUpstream":
        self.says(b"{}", (b"content-type", b"application/json"))
        self.visits.clear()
        self.bodies.clear()
        self.hung_up.clear()
        return self

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["OpenUpstream", None]:
        @asgi("/", is_mount=True, copy_scope=True)
        async def everything(scope: HTTPScope, receive: Receive, send: Send) -> None:
            await self._serve(scope, receive, send)

        app = Litestar([everything], openapi_config=None, logging_config=None)
        async with served(app) as self.address:
            yield self

    async def _serve(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        query = scope["query_string"].decode()
        visit = Visit(
            method=scope["method"],
            target=scope["raw_path"].decode() + (f"?{query}" if query else ""),
            headers=tuple(scope["headers"]),
            receive=receive,
            send=send,
        )
        self.visits.append(visit)
        try:
            await (self.act or self._answer)(visit)
        except ConnectionError:
            self.hung_up.set()

    async def _answer(self, visit: Visit) -> None:
        self.bodies.append(b"".join([piece async for piece in visit.pieces()]))
        status, headers, body = self.reply
        await visit.begin(status, headers)
        await visit.say(body, more=False)
