"""Processes of `guard-proxy` that start at once: forked from one that has imported it.

Importing the service costs a second of processor time, and the suite starts it hundreds of times.
The process that is forked has no threads and no event loop, so a child differs from a process of
its own only in what it has read already. That process runs this module as a program; its argument
is the socket from which it reads whom to start.
"""

import asyncio
import atexit
import gc
import importlib
import json
import multiprocessing
import os
import runpy
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing import context, forkserver
from pathlib import Path
from typing import NoReturn

COMMAND = Path(sys.executable).with_name("guard-proxy")
_IMPORTED = (
    "proxy.cli.serve",
    "proxy.cli.demo",
    "proxy.cli.eval",
    "proxy.cli.replay",
    "anyio._backends._asyncio",
)
_EARLY = ("PYTHON", "OTEL_", "LD_", "MALLOC", "LC_", "LANG", "TERM", "COLUMNS")
"""Variables that count when a process begins, or when a library is imported."""
_NUMBER = struct.Struct("!i")
_MOST_BYTES = 1 << 17
_FILES = 4
"""Standard input, output and errors, and a socket for the number and the exit status."""


class Child:
    """A command under way."""

    def __init__(self, told: socket.socket) -> None:
        self._told = told
        self.pid = _number(told.recv(_NUMBER.size, socket.MSG_WAITALL))

    def status(self, within_s: float) -> int:
        """Wait for its end, which comes by force when the time is over; return its exit status."""
        self._told.settimeout(within_s)
        try:
            with self._told:
                return _number(self._told.recv(_NUMBER.size))
        except TimeoutError:
            os.kill(self.pid, signal.SIGKILL)
            raise

    async def end(self) -> int:
        """Wait for its end; return its exit status, or minus the signal that ended it."""
        self._told.setblocking(False)
        with self._told:
            return _number(await asyncio.get_running_loop().sock_recv(self._told, _NUMBER.size))


def _number(said: bytes) -> int:
    assert said, "the process that is forked has gone"
    number: int = _NUMBER.unpack(said)[0]
    return number


class _Parent:
    """The process that is forked, and the variables that it began with."""

    def __init__(self) -> None:
        self.early = _early(os.environ)
        self.requests, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(its.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[its.fileno()],
                start_new_session=True,  # Ctrl-C at the suite is not for the commands under test
            )
        atexit.register(self._end)

    def _end(self) -> None:
        self.requests.close()
        self._process.wait()


_parent = cache(_Parent)


def can_start(environment: Mapping[str, str]) -> bool:
    """Tell whether everything that is read early is what the parent has read."""
    return _early(environment) == _parent().early


def start(
    words: Sequence[str | Path],
    folder: Path,
    environment: Mapping[str, str],
    files: tuple[int, int, int],
) -> Child:
    """Start `guard-proxy`.

    Args:
        words: The arguments.
        folder: Where it works.
        environment: Its variables; `can_start` has been asked about them.
        files: Descriptors of its standard input, output and errors.
    """
    assert can_start(environment)
    asked = json.dumps([[*map(str, words)], str(folder), dict(environment)])
    ours, its = socket.socketpair()
    with its:
        socket.send_fds(_parent().requests, [asked.encode()], [*files, its.fileno()])
    return Child(ours)


def start_pools_warm() -> None:
    """Have pools of this process fork theirs from a process that has imported the service, too.

    The service spawns them. Where a command is a process of its own, the tests see it do so.
    """
    forkserver.set_forkserver_preload(list(_IMPORTED))
    contexts: dict[str, context.BaseContext] = vars(context)["_concrete_contexts"]
    contexts["spawn"] = multiprocessing.get_context("forkserver")


def _early(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_EARLY)}


# --- the process that is forked ------------------------------------------------------------------


def _fork_for_each(requests: socket.socket) -> None:
    """Fork a child for each request; returns in the child, and where nobody asks any more."""
    watched: dict[int, socket.socket] = {}

    def tell_of_ends(*_: object) -> None:
        for pid in [*watched]:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                with watched.pop(pid) as told:
                    _tell(told, os.waitstatus_to_exitcode(status))

    signal.signal(signal.SIGCHLD, tell_of_ends)
    while True:
        asked, files, *_ = socket.recv_fds(requests, _MOST_BYTES, _FILES)
        if not asked:
            sys.exit()
        told = socket.socket(fileno=files.pop())
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        pid = os.fork()
        if not pid:
            for one in (requests, told, *watched.values()):
                one.close()
            _become(json.loads(asked), files)
            return
        watched[pid] = told
        _tell(told, pid)
        for file in files:
            os.close(file)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


def _tell(told: socket.socket, number: int) -> None:
    try:
        told.send(_NUMBER.pack(number))
    except OSError:
        return  # nobody waits for it


def _become(asked: tuple[list[str], str, dict[str, str]], files: list[int]) -> None:
    words, folder, environment = asked
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    for standard, file in enumerate(files):
        os.dup2(file, standard)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    tempfile.tempdir = None
    sys.argv = [str(COMMAND), *words]


def _run(control: int) -> NoReturn:
    del sys.path[0]  # the folder of this file, which no command looks into
    for name in _IMPORTED:
        importlib.import_module(name)
    # The first policy makes the guards, their options' types and the templates.
    importlib.import_module("policies.schema.loader").load_shipped("default")
    gc.freeze()
    with socket.socket(fileno=control) as requests:
        _fork_for_each(requests)
    sys.modules["__main__"].__file__ = str(COMMAND)  # for processes that the command spawns
    runpy.run_path(str(COMMAND), run_name="__main__")
    sys.exit()


if __name__ == "__main__":
    _run(int(sys.argv[1]))
