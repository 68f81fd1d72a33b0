"""A stream on its way to a client: nothing lost, nothing out of order, nothing held."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import pytest
from litestar.types import HTTPResponseBodyEvent, HTTPResponseStartEvent, Message

from proxy.openai_api.sse import KEEP_ALIVE
from proxy.pipeline.call import Outgoing
from tests.fakes.virtual_time import in_virtual_time

KEEP_ALIVE_S = 15.0
Making = Callable[[Outgoing], Awaitable[None]]


class Client:
    """Whoever the stream goes to, and what has come."""

    def __init__(self, *, reads_every_s: float = 0.0) -> None:
        self.heads: list[HTTPResponseStartEvent] = []
        self.bodies: list[HTTPResponseBodyEvent] = []
        self._reads_every_s = reads_every_s

    async def send(self, message: Message) -> None:
        if self._reads_every_s:
            await asyncio.sleep(self._reads_every_s)
        if message["type"] == "http.response.start":
            self.heads.append(message)
        elif message["type"] == "http.response.body":
            self.bodies.append(message)

    @property
    def pieces(self) -> list[bytes]:
        return [one["body"] for one in self.bodies]


def to(client: Client, headers: Mapping[str, str] | None = None) -> Outgoing:
    return Outgoing(client.send, lambda: headers or {}, KEEP_ALIVE_S)


def received(making: Making, *, reads_every_s: float = 0.0) -> Client:
    """Return a client with what it gets of a stream, whose last event is ``end``."""

    async def made() -> Client:
        client = Client(reads_every_s=reads_every_s)
        outgoing = to(client)
        outgoing.keep_alive()
        await making(outgoing)
        await outgoing.end(b"end")
        await asyncio.sleep(10 * KEEP_ALIVE_S)
        return client

    return in_virtual_time(made())


def test_what_is_put_together_leaves_together() -> None:
    async def making(outgoing: Outgoing) -> None:
        for events in (b"1", b"2", b"3"):
            outgoing.put(events)
        await outgoing.flush()
        outgoing.put(b"4")

    assert received(making).pieces == [b"123", b"4end"]


def test_nothing_is_sent_where_nothing_was_put() -> None:
    async def making(outgoing: Outgoing) -> None:
        outgoing.put(b"")
        await outgoing.flush()

    assert received(making).pieces == [b"end"]


def test_only_the_last_piece_says_that_nothing_follows() -> None:
    async def making(outgoing: Outgoing) -> None:
        outgoing.put(b"1")
        await outgoing.flush()

    client = received(making)

    assert [one["more_body"] for one in client.bodies] == [True, False]


def test_the_head_goes_out_once_with_what_is_known_when_the_stream_begins() -> None:
    async def made() -> Client:
        client, headers = Client(), {"x-early": "1"}
        outgoing = to(client, headers)
        headers["x-late"] = "2"
        outgoing.put(b"1")
        await outgoing.flush()
        await outgoing.end(b"2")
        return client

    [head] = in_virtual_time(made()).heads

    assert head["status"] == 200
    assert dict(head["headers"]) == {
        b"x-early": b"1",
        b"x-late": b"2",
        b"content-type": b"text/event-stream; charset=utf-8",
    }


async def test_a_reply_has_begun_with_the_first_event_that_holds_something() -> None:
    outgoing = to(Client())

    outgoing.put(b"")
    assert not outgoing.begun

    outgoing.put(b"data: 1\n\n")
    assert outgoing.begun


def test_who_makes_the_events_waits_for_a_client_that_reads_slowly() -> None:
    async def made() -> list[float]:
        outgoing = to(Client(reads_every_s=100.0))
        times = []
        for events in (b"1", b"2", b"3"):
            outgoing.put(events)
            await outgoing.flush()
            times.append(asyncio.get_running_loop().time())
        return times

    # The head is a message of its own.
    assert in_virtual_time(made()) == [200.0, 300.0, 400.0]


SILENCES = [
    pytest.param(KEEP_ALIVE_S - 1, 0, id="a-short-one"),
    pytest.param(KEEP_ALIVE_S + 1, 1, id="a-long-one"),
    pytest.param(3 * KEEP_ALIVE_S + 1, 3, id="a-very-long-one"),
]


@pytest.mark.parametrize(("silent_s", "comments"), SILENCES)
def test_a_connection_is_kept_alive_while_nothing_is_said(silent_s: float, comments: int) -> None:
    async def making(outgoing: Outgoing) -> None:
        await asyncio.sleep(silent_s)
        outgoing.put(b"1")
        await outgoing.flush()
        await asyncio.sleep(silent_s)
        outgoing.put(b"2")
        await outgoing.flush()
        await asyncio.sleep(silent_s)

    silence = [KEEP_ALIVE] * comments
    assert received(making).pieces == [*silence, b"1", *silence, b"2", *silence, b"end"]


def test_who_reads_slowly_gets_no_comments_in_between() -> None:
    async def making(outgoing: Outgoing) -> None:
        outgoing.put(b"1")
        await outgoing.flush()

    assert received(making, reads_every_s=5 * KEEP_ALIVE_S).pieces == [b"1", b"end"]


def test_a_comment_begins_the_reply() -> None:
    async def made() -> tuple[bool, Client]:
        client = Client()
        outgoing = to(client)
        outgoing.keep_alive()
        await asyncio.sleep(KEEP_ALIVE_S + 1)
        has_begun = outgoing.begun
        outgoing.close()
        return has_begun, client

    has_begun, client = in_virtual_time(made())

    assert has_begun
    assert (len(client.heads), client.pieces) == (1, [KEEP_ALIVE])


def test_a_stream_that_nobody_waits_for_any_more_says_nothing_and_leaves_nothing_behind() -> None:
    async def made() -> tuple[Client, int]:
        client = Client()
        outgoing = to(client)
        outgoing.keep_alive()
        outgoing.close()
        await asyncio.sleep(10 * KEEP_ALIVE_S)
        return client, len(asyncio.all_tasks())

    client, tasks = in_virtual_time(made())

    assert (client.heads, client.bodies, tasks) == ([], [], 1)


def test_a_client_that_goes_while_it_gets_a_comment_breaks_nothing() -> None:
    async def gone(message: Message) -> None:
        raise OSError

    async def made() -> bool:
        outgoing = Outgoing(gone, dict, KEEP_ALIVE_S)
        outgoing.keep_alive()
        await asyncio.sleep(KEEP_ALIVE_S + 1)
        outgoing.close()
        return outgoing.begun

    assert in_virtual_time(made())
