"""Code shared by commands: output for a person or a program, and signals."""

import asyncio
import contextlib
import json
import signal
import sys
import threading
import unicodedata
from collections.abc import Callable, Coroutine, Generator
from datetime import datetime
from typing import Annotated, NoReturn, TypeVar

import typer
from rich.console import Console

BAD_INPUT = 2
AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]

# Without a terminal the width is unknown; tables of Korean text need a wide page.
_WIDTH = None if sys.stdout.isatty() else 150
out = Console(highlight=False, emoji=False, soft_wrap=True, width=_WIDTH)
err = Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)


def fail(*lines: str) -> NoReturn:
    """Say what is wrong with the input, and end with exit status 2."""
    for line in lines:
        err.print(line, style="red", markup=False)
    raise typer.Exit(BAD_INPUT)


def print_json(value: object) -> None:
    """Print a value as JSON for programs, in UTF-8 wherever it goes."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    # A lone surrogate, which UTF-8 cannot hold, becomes its escape in JSON again.
    typer.echo(text.encode("utf-8", "backslashreplace"))


def excerpt(text: str, most_chars: int) -> str:
    """Return the beginning of a text of others on one line, with nothing a terminal obeys."""
    line = "".join(map(_harmless, " ".join(text.split())))
    return line if len(line) <= most_chars else f"{line[:most_chars]}…"


def harmless(text: str) -> str:
    """Return a text of others in its lines, with nothing a terminal obeys."""
    return "\n".join("".join(map(_harmless, line)) for line in text.splitlines())


def _harmless(char: str) -> str:
    return "\ufffd" if unicodedata.category(char) in {"Cc", "Cs"} else char


def shown(time: datetime) -> str:
    """Return a time as people here read it, which is also how they may say it."""
    return f"{time.astimezone():%Y-%m-%d %H:%M:%S}"


Done = TypeVar("Done")

ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)


class Signals:
    """Signals that a service has received.

    The first one that ends it lets it end in order, the second one makes it hurry, and after that
    they do what they do by themselves.

    Attributes:
        hurries: It was told so twice.
    """

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self.hurries = False
        self._hurry: Callable[[], None] = _nothing
        self._reread: Callable[[], None] = _nothing

    def tell(self, *, hurry: Callable[[], None], reread: Callable[[], None]) -> None:
        """Say whom the others are for: the second one, and SIGHUP."""
        self._hurry, self._reread = hurry, reread

    def on_ending(self) -> None:
        """Take in a signal that ends the service."""
        if not self.stop.is_set():
            self.stop.set()
            return
        self.hurries = True
        _handle_no_more()
        self._hurry()

    def on_hangup(self) -> None:
        """Take in SIGHUP."""
        self._reread()


@contextlib.contextmanager
def service_signals() -> Generator[Signals, None, None]:
    """Take in the signals of a service within this block."""
    signals = Signals()
    loop = asyncio.get_running_loop()
    for number in ENDING:
        loop.add_signal_handler(number, signals.on_ending)
    loop.add_signal_handler(signal.SIGHUP, signals.on_hangup)
    try:
        yield signals
    finally:
        _handle_no_more()
        loop.remove_signal_handler(signal.SIGHUP)
        if signals.stop.is_set() and not signals.hurries:
            # All is done: one that comes now must not make a failure of it.
            for number in ENDING:
                signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def graceful_stop() -> Generator[asyncio.Event, None, None]:
    """Yield an event that is set by a signal to end; however many come, the block ends in order.

    A terminal that is closed is one too, unless it is to be outlived (`nohup`). SIGQUIT is left for
    who cannot wait.
    """
    stopped = asyncio.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopped  # only the main thread can take signals in
        return
    loop = asyncio.get_running_loop()
    numbers = [signal.SIGTERM, signal.SIGINT]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    for number in numbers:
        loop.add_signal_handler(number, stopped.set)
    try:
        yield stopped
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
            if stopped.is_set():
                signal.signal(number, signal.SIG_IGN)


async def unless_stopped(stopped: asyncio.Event, doing: Coroutine[None, None, Done]) -> Done | None:
    """Return the result of a coroutine; None, and it is cancelled, if the event is set before."""
    done, waiting = asyncio.create_task(doing), asyncio.create_task(stopped.wait())
    try:
        await asyncio.wait({done, waiting}, return_when=asyncio.FIRST_COMPLETED)
        return done.result() if done.done() else None
    finally:
        done.cancel()
        waiting.cancel()
        # The Redis client now and then swallows a cancellation, so the end is not left to one.
        await asyncio.wait({done, waiting}, timeout=1)
        if done.done() and not done.cancelled():
            done.exception()  # whatever the cancellation led to is of no interest


def _handle_no_more() -> None:
    loop = asyncio.get_running_loop()
    for number in ENDING:
        loop.remove_signal_handler(number)


def _nothing() -> None:
    """Nobody is there yet who could do anything about it."""
