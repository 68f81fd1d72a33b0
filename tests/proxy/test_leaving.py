"""The work on a request ends when its client leaves, and only then."""

import asyncio

import pytest
from litestar.types import HTTPReceiveMessage

from proxy.jobs import DisconnectWatch


class Connection:
    """A connection whose client may hang up."""

    def __init__(self) -> None:
        self._closed = asyncio.Event()

    async def receive(self) -> HTTPReceiveMessage:
        await self._closed.wait()
        return {"type": "http.disconnect"}

    def hang_up(self) -> None:
        self._closed.set()


async def test_work_is_cancelled_when_the_client_leaves_and_the_task_goes_on() -> None:
    connection = Connection()
    seen: list[str] = []

    with DisconnectWatch(connection.receive):
        try:
            connection.hang_up()
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        seen.append("never")

    async with asyncio.timeout(1):  # which minds cancellations that nobody took back
        await asyncio.sleep(0)
    assert seen == ["cancelled"]


async def test_work_may_end_in_its_own_way_when_the_client_leaves() -> None:
    connection = Connection()
    said = ""

    with DisconnectWatch(connection.receive):
        connection.hang_up()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            said = "left"

    assert said == "left"
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_client_that_leaves_afterwards_cancels_nothing() -> None:
    connection = Connection()

    with DisconnectWatch(connection.receive):
        await asyncio.sleep(0)
    connection.hang_up()
    await asyncio.sleep(0.01)

    assert len(asyncio.all_tasks()) == 1


@pytest.mark.parametrize("client_leaves_too", [False, True])
@pytest.mark.parametrize("ends_in_its_own_way", [False, True])
async def test_whoever_cancels_the_task_itself_ends_it(
    client_leaves_too: bool, ends_in_its_own_way: bool
) -> None:
    connection = Connection()
    inside = asyncio.Event()

    async def serving() -> None:
        with DisconnectWatch(connection.receive):
            inside.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                if not ends_in_its_own_way:
                    raise

    task = asyncio.create_task(serving())
    await inside.wait()
    if client_leaves_too:
        connection.hang_up()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_fails_inside_fails_outside() -> None:
    with pytest.raises(ZeroDivisionError), DisconnectWatch(Connection().receive):
        raise ZeroDivisionError
