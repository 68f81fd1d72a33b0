"""Tells a command that it is to end."""

import asyncio
import contextlib
import signal
from collections.abc import Generator


@contextlib.contextmanager
def stop_signals() -> Generator[asyncio.Event, None, None]:
    """Yield an event that SIGTERM and SIGINT set, so that the block can end in order."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGTERM, signal.SIGINT)
    for number in numbers:
        loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
