"""Running guards beside other requests: long texts in a thread, failures in the log.

What they need of a request is read while the model server thinks, in short pieces, so that its
first sentence need not wait for that.
"""

import asyncio
import re
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from time import perf_counter
from typing import TypeVar

from guards.core.exchange import Exchange
from policies.inspection import Inspector
from policies.verdict import Verdict
from proxy.logs import failure, logger

log = logger(__name__)

Made = TypeVar("Made")
LARGE_BYTES = 64 * 1024
"""A body, an event or a text that is larger is read in a thread."""
_BODY_READERS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="large-body")


async def read_offloaded(size: int, read: Callable[[], Made]) -> Made:
    """Read something of so many bytes, in a thread where that is much: other requests go on."""
    if size <= LARGE_BYTES:
        return read()
    within = copy_context()
    return await asyncio.get_running_loop().run_in_executor(_BODY_READERS, within.run, read)


LONG_TEXT_CHARS = 12_000
"""Above this, guards run in a thread, so that other requests go on meanwhile.

Below, a thread costs more than it spares: the guards and the event loop share one interpreter, and
each thread that reads keeps memory of its own.
"""
_ANSWER_WEIGHT, _NUMBER_WEIGHT = 4, 300
"""As many characters of a source take as long as one of an answer, and as a number in one."""
_NUMBER = re.compile(r"\d+")
_SENT_AFTER_S = 0.001
"""Until then a request has left for its model server, which reading ahead must not delay."""
_AT_MOST_S = 0.0005
"""Seconds of reading ahead before other requests have their turn; one piece may take longer."""
_READERS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="long-text")


class RemoteGuardFailure(Exception):
    """Stands for what broke a guard in another process; ``fields`` are those of its log line."""

    def __init__(self, fields: dict[str, object]) -> None:
        super().__init__(fields)
        self.fields = fields

    @classmethod
    def of(cls, error: Exception) -> "RemoteGuardFailure":
        """Return what stands for an exception."""
        return cls(failure(error))


def chars_of(exchange: Exchange) -> int:
    """Return how much there is to read in an exchange."""
    chars = len(exchange.question) + len(exchange.answer or "") + len(exchange.echo)
    return chars + len(exchange.previous_answer) + sum([len(one.text) for one in exchange.sources])


def takes_long(inspector: Inspector, exchange: Exchange) -> bool:
    """Tell whether other requests should go on while an exchange is inspected."""
    return inspector.waits or _effort(exchange) > LONG_TEXT_CHARS


def _effort(exchange: Exchange) -> int:
    """Return how long an exchange takes to inspect, in characters of a source."""
    effort = chars_of(exchange)
    answer = exchange.answer
    if answer and effort <= LONG_TEXT_CHARS:
        effort += (_ANSWER_WEIGHT - 1) * len(answer)
        effort += _NUMBER_WEIGHT * len(_NUMBER.findall(answer))
    return effort


async def run_offloaded(inspector: Inspector, exchange: Exchange, work: Callable[[], Made]) -> Made:
    """Do a piece of work on an exchange so that other requests go on meanwhile.

    What is done in another process is waited for in a thread like any that waits. What is done in a
    thread of this process takes the interpreter from all others: few may do so at once.
    """
    if not takes_long(inspector, exchange):
        return work()
    if inspector.waits:
        return await asyncio.to_thread(work)
    within = copy_context()
    return await asyncio.get_running_loop().run_in_executor(_READERS, within.run, work)


@contextmanager
def reading_ahead(
    inspector: Inspector, exchange: Exchange, turn: asyncio.Lock
) -> Generator[None, None, None]:
    """Read what the guards need of a request while its model server is waited for.

    Of long texts nothing is read ahead: each piece could hold up others. Nor of sources that are
    known: what is left to be read takes less time than to have it read at another moment.

    Args:
        inspector: What will look at the answers.
        turn: Held while reading: one request at a time is enough to fill the pauses.
    """
    if takes_long(inspector, exchange) or inspector.knows_sources(exchange):
        yield
        return
    reading = asyncio.create_task(_read_ahead(inspector, exchange, turn))
    try:
        yield
    finally:
        reading.cancel()


async def _read_ahead(inspector: Inspector, exchange: Exchange, turn: asyncio.Lock) -> None:
    await asyncio.sleep(_SENT_AFTER_S)
    async with turn:
        began_s = perf_counter()
        for _ in inspector.read_ahead(exchange):
            if perf_counter() - began_s > _AT_MOST_S:
                await asyncio.sleep(0)
                began_s = perf_counter()


def log_failures(request_id: str, verdict: Verdict) -> None:
    """Log every guard that broke."""
    for report in verdict.reports:
        error = report.error
        if error is not None:
            fields = error.fields if isinstance(error, RemoteGuardFailure) else failure(error)
            log.error("guard.failed", request_id=request_id, guard=report.guard, **fields)
