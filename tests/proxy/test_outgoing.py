"""A stream on its way to a client: nothing lost, nothing out of order, never far ahead."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.openai_api.sse import KEEP_ALIVE
from proxy.outgoing import MOST_WAITING, Outgoing
from tests.fakes.virtual_time import in_virtual_time

KEEP_ALIVE_S = 15.0
Making = Callable[[Outgoing], Coroutine[object, object, None]]


def numbered(count: int) -> list[bytes]:
    return [b"data: %d\n\n" % number for number in range(count)]


def sends(pieces: list[bytes], *, every_s: float = 0.0) -> Making:
    async def making(outgoing: Outgoing) -> None:
        for piece in pieces:
            if every_s:
                await asyncio.sleep(every_s)
            await outgoing.send(piece)

    return making


async def received(making: Making, *, reads_every_s: float = 0.0) -> list[bytes]:
    """Return what a client gets of a job that makes a stream."""
    outgoing = Outgoing()
    task = asyncio.create_task(making(outgoing))
    got = []
    async for piece in outgoing.pieces(task, KEEP_ALIVE_S):
        got.append(piece)
        if reads_every_s:
            await asyncio.sleep(reads_every_s)
    assert task.done()
    return got


@given(
    st.integers(0, 3 * MOST_WAITING),
    st.sampled_from([0.0, 0.1, 3.0]),
    st.sampled_from([0.0, 0.1, 3.0]),
)
def test_all_pieces_arrive_in_order_whoever_is_slower(
    count: int, made_every_s: float, reads_every_s: float
) -> None:
    making = sends(numbered(count), every_s=made_every_s)

    assert in_virtual_time(received(making, reads_every_s=reads_every_s)) == numbered(count)


@pytest.mark.parametrize("count", [0, 1, MOST_WAITING], ids=["nothing", "one", "as-many-as-wait"])
def test_nothing_is_lost_of_a_job_that_was_done_before_anybody_listened(count: int) -> None:
    async def late() -> list[bytes]:
        outgoing = Outgoing()
        task = asyncio.create_task(sends(numbered(count))(outgoing))
        await task
        return [piece async for piece in outgoing.pieces(task, KEEP_ALIVE_S)]

    assert in_virtual_time(late()) == numbered(count)


@pytest.mark.parametrize("silent_s", [KEEP_ALIVE_S / 2, KEEP_ALIVE_S], ids=["waiting", "ending"])
@pytest.mark.parametrize("count", [1, 2])
def test_nothing_is_lost_of_a_job_that_ends_with_its_last_piece(
    count: int, silent_s: float
) -> None:
    """Whoever listens waits for a piece, or is done waiting in the same moment."""

    async def making(outgoing: Outgoing) -> None:
        await asyncio.sleep(silent_s)
        for piece in numbered(count):
            await outgoing.send(piece)

    async def listened() -> list[bytes]:
        outgoing = Outgoing()
        task = asyncio.create_task(making(outgoing))
        await asyncio.sleep(0)  # the job's silence begins first, so it also ends first
        return [piece async for piece in outgoing.pieces(task, KEEP_ALIVE_S)]

    assert in_virtual_time(listened()) == numbered(count)


def test_what_was_sent_before_a_job_broke_arrives() -> None:
    class Broken(Exception):
        pass

    async def breaks() -> list[bytes]:
        async def making(outgoing: Outgoing) -> None:
            await sends(numbered(2))(outgoing)
            raise Broken

        outgoing = Outgoing()
        task = asyncio.create_task(making(outgoing))
        got = [piece async for piece in outgoing.pieces(task, KEEP_ALIVE_S)]
        with pytest.raises(Broken):
            await task
        return got

    assert in_virtual_time(breaks()) == numbered(2)


def test_who_makes_the_pieces_waits_for_a_client_that_does_not_read() -> None:
    async def ahead() -> tuple[list[int], bool]:
        outgoing = Outgoing()
        sent: list[bytes] = []

        async def making() -> None:
            for piece in numbered(3 * MOST_WAITING):
                await outgoing.send(piece)
                sent.append(piece)

        task = asyncio.create_task(making())
        counts = []
        async with aclosing(outgoing.pieces(task, KEEP_ALIVE_S)) as pieces:
            for _ in range(3):
                await anext(pieces)
                await asyncio.sleep(100)
                counts.append(len(sent))
            left = [piece async for piece in pieces]
        return counts, left == numbered(3 * MOST_WAITING)[3:]

    counts, rest_arrived = in_virtual_time(ahead())

    # Those that the client has read, and as many as may wait for it.
    assert counts == [1 + MOST_WAITING, 2 + MOST_WAITING, 3 + MOST_WAITING]
    assert rest_arrived


# --- comments while there is nothing to say -------------------------------------------------------

SILENCES = [
    pytest.param(KEEP_ALIVE_S - 1, 0, id="a-short-one"),
    pytest.param(KEEP_ALIVE_S + 1, 1, id="a-long-one"),
    pytest.param(3 * KEEP_ALIVE_S + 1, 3, id="a-very-long-one"),
]


@pytest.mark.parametrize(("silent_s", "comments"), SILENCES)
def test_a_connection_is_kept_alive_while_nothing_is_said(silent_s: float, comments: int) -> None:
    first, second = numbered(2)

    async def making(outgoing: Outgoing) -> None:
        await asyncio.sleep(silent_s)
        await outgoing.send(first)
        await asyncio.sleep(silent_s)
        await outgoing.send(second)
        await asyncio.sleep(silent_s)

    silence = [KEEP_ALIVE] * comments
    assert in_virtual_time(received(making)) == [*silence, first, *silence, second, *silence]


def test_a_job_that_says_nothing_ends_without_a_word() -> None:
    assert in_virtual_time(received(sends([]))) == []


# --- its beginning and its end --------------------------------------------------------------------


async def test_a_reply_has_begun_with_the_first_piece_that_holds_something() -> None:
    outgoing = Outgoing()

    await outgoing.send(b"")
    assert not outgoing.begun.is_set()

    await outgoing.send(b"data: 1\n\n")
    assert outgoing.begun.is_set()


def test_an_empty_piece_is_not_sent() -> None:
    assert in_virtual_time(received(sends([b"", b"data: 1\n\n", b""]))) == [b"data: 1\n\n"]


def test_a_client_that_leaves_in_a_silence_leaves_nobody_waiting() -> None:
    async def leaves() -> tuple[bytes, set[asyncio.Task[object]]]:
        outgoing = Outgoing()
        task = asyncio.create_task(asyncio.sleep(1000 * KEEP_ALIVE_S))
        before = asyncio.all_tasks()
        async with aclosing(outgoing.pieces(task, KEEP_ALIVE_S)) as pieces:
            heard = await anext(pieces)
        await asyncio.sleep(1)
        return heard, asyncio.all_tasks() ^ before

    assert in_virtual_time(leaves()) == (KEEP_ALIVE, set())
