"""How long a model server is waited for, and with what words that ends."""

import asyncio
import time

import pytest

from policies.schema.sections import Timeouts
from proxy.errors import UpstreamTimeout
from proxy.upstream.reply import Deadline

SHORT_S = 0.05
LONG_S = 30.0


def limits(**short: float) -> Timeouts:
    long = dict.fromkeys(("connect_s", "first_byte_s", "idle_s", "total_s"), LONG_S)
    return Timeouts(**(long | short))


async def ended_by(timeouts: Timeouts, *, begun: bool, waiting: bool) -> str:
    """Return which limit ended a wait without end."""

    async def wait() -> None:
        async with Deadline(timeouts) as patience:
            if begun:
                patience.begun()
            if waiting:
                patience.wait()
            await asyncio.sleep(LONG_S)

    with pytest.raises(UpstreamTimeout) as caught:
        await wait()
    assert caught.value.waited_s == SHORT_S
    return caught.value.phase


async def test_the_first_byte_has_its_time() -> None:
    assert await ended_by(limits(first_byte_s=SHORT_S), begun=False, waiting=True) == "first byte"


async def test_each_piece_has_its_time() -> None:
    assert await ended_by(limits(idle_s=SHORT_S), begun=True, waiting=True) == "idle"


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("waiting", [False, True])
async def test_all_of_it_has_its_time(begun: bool, waiting: bool) -> None:
    assert await ended_by(limits(total_s=SHORT_S), begun=begun, waiting=waiting) == "total"


async def test_a_limit_ends_a_wait_not_before_it_is_reached() -> None:
    began_s = time.monotonic()

    await ended_by(limits(idle_s=SHORT_S), begun=True, waiting=True)

    assert time.monotonic() - began_s >= SHORT_S / 2  # clocks of event loops are coarse


async def test_pieces_that_come_in_time_may_take_longer_together() -> None:
    async with Deadline(limits(idle_s=SHORT_S)) as patience:
        patience.begun()
        for _ in range(6):
            patience.wait()
            await asyncio.sleep(SHORT_S / 2)
            patience.rest()


async def test_work_on_a_piece_is_no_wait_for_the_next() -> None:
    async with Deadline(limits(idle_s=SHORT_S)) as patience:
        patience.begun()
        patience.wait()
        patience.rest()
        await asyncio.sleep(3 * SHORT_S)
        patience.wait()
        await asyncio.sleep(SHORT_S / 2)
        patience.rest()


async def test_whoever_cancels_is_not_told_of_a_timeout() -> None:
    async def wait() -> None:
        async with Deadline(limits()):
            await asyncio.sleep(LONG_S)

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)

    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_nothing_looks_on_when_it_is_over() -> None:
    async with Deadline(limits(first_byte_s=SHORT_S)):
        pass

    await asyncio.sleep(2 * SHORT_S)
