"""A pipe to the bench, read within an event loop."""

import asyncio
import os
from collections.abc import Callable
from multiprocessing.connection import Connection


def react_to(pipe: Connection, react: Callable[[object | None], None]) -> None:
    """Call ``react`` with each message, and with None when the other end is closed."""
    loop = asyncio.get_running_loop()

    def heard() -> None:
        try:
            react(pipe.recv())
        except (EOFError, OSError):
            loop.remove_reader(pipe.fileno())
            react(None)

    loop.add_reader(pipe.fileno(), heard)
    # uvloop makes it non-blocking, and a long message would then be cut short when it is sent.
    os.set_blocking(pipe.fileno(), True)
