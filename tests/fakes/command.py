"""`guard-proxy` as an operator runs it."""

import asyncio
import json
import os
import re
import signal
import subprocess
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, chdir, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile

from typer.testing import CliRunner, Result

from proxy.cli import command_line
from proxy.openai_api.json_body import JsonObject
from tests.fakes import warm_start
from tests.fakes.log_lines import logging_kept

DEADLINE_S = 60.0
"""For a machine that is busy with other tests; whoever waits goes on as soon as it can."""


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it had to say."""

    status: int
    out: str
    err: str


def environment(settings: dict[str, str]) -> dict[str, str]:
    """Return our environment with no settings of the proxy's but these."""
    ours = {name: value for name, value in os.environ.items() if not _is_setting(name)}
    return ours | _named(settings)


def run(folder: Path, *words: str | Path, stdin: bytes | str = b"", **settings: str) -> Ended:
    """Run a command to its end, in `folder`, within this process, which takes no time to start.

    Not for `serve` and `demo` once they serve: only a process of its own gets a signal to end.
    """
    given = [str(word) for word in words]
    unset: dict[str, str | None] = dict.fromkeys(filter(_is_setting, os.environ))

    def invoke() -> Result:
        with chdir(folder), logging_kept():
            return CliRunner().invoke(
                command_line(given), given, stdin, unset | _named(settings), catch_exceptions=False
            )

    # Commands run an event loop of their own, and the thread of a test may have one already.
    with ThreadPoolExecutor(max_workers=1) as apart:
        done = apart.submit(invoke).result(DEADLINE_S)
    return Ended(done.exit_code, done.stdout_bytes.decode(), done.stderr_bytes.decode())


def run_process(
    folder: Path, *words: str | Path, stdin: bytes | str = b"", **settings: str
) -> Ended:
    """Run a command to its end, in `folder`, as a process of its own."""
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin.encode() if isinstance(stdin, str) else stdin)
        given.seek(0)
        files = (given.fileno(), out.fileno(), err.fileno())
        child = warm_start.start(words, folder, environment(settings), files)
        status = child.status(DEADLINE_S)
        out.seek(0)
        err.seek(0)
        return Ended(status, out.read().decode(), err.read().decode())


def _is_setting(name: str) -> bool:
    return name.startswith("GUARD_PROXY")


def _named(settings: dict[str, str]) -> dict[str, str]:
    return {f"GUARD_PROXY_{name.upper()}": value for name, value in settings.items()}


def assert_refused(ended: Ended, *said: str) -> None:
    """Bad input ends with status 2, an empty output, and a message that is no stack trace."""
    assert ended.status == 2, ended
    assert ended.out == ""
    assert "Traceback" not in ended.err
    for words in said:
        assert words in ended.err


class WarmProcess:
    """A command that was forked from a process that has imported it, as asyncio shows processes."""

    def __init__(
        self, child: warm_start.Child, stdout: asyncio.StreamReader, stderr: asyncio.StreamReader
    ) -> None:
        self.pid = child.pid
        self.stdout = stdout
        self.stderr = stderr
        self.returncode: int | None = None
        self._ending = asyncio.ensure_future(child.end())

    @classmethod
    async def start(
        cls, words: Sequence[str | Path], folder: Path, environment: Mapping[str, str]
    ) -> "WarmProcess":
        (out, its_out), (err, its_err) = os.pipe(), os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        child = warm_start.start(words, folder, environment, (nothing, its_out, its_err))
        for given in (nothing, its_out, its_err):
            os.close(given)
        return cls(child, await _reader(out), await _reader(err))

    def send_signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    async def wait(self) -> int:
        self.returncode = await asyncio.shield(self._ending)
        return self.returncode


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb")
    )
    return reader


@dataclass
class Running:
    """A command under way; `out` and `err` hold the lines it has written so far."""

    process: asyncio.subprocess.Process | WarmProcess
    out: list[str] = field(default_factory=list)
    err: list[str] = field(default_factory=list)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def until(self, reached: Callable[[], bool], within_s: float = DEADLINE_S) -> None:
        """Wait for output that makes a condition true."""
        async with asyncio.timeout(within_s), self.news:
            await self.news.wait_for(reached)

    async def out_line(self, pattern: str) -> re.Match[str]:
        """Wait for a line of the output that matches."""
        return await self._line(self.out, re.compile(pattern))

    async def logged(self, event: str) -> JsonObject:
        """Wait for a log line about an event, in JSON."""
        found = await self._line(self.err, re.compile(rf'.*"event": "{re.escape(event)}".*'))
        line: JsonObject = json.loads(found[0])
        return line

    @property
    def log(self) -> list[JsonObject]:
        """All log lines so far."""
        return [json.loads(line) for line in self.err]

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    async def ended(self) -> int:
        """Wait for its end and for all of its output; return the exit status."""
        async with asyncio.timeout(DEADLINE_S):
            status = await self.process.wait()
        await self.until(self._is_silent)
        return status

    async def _line(self, lines: list[str], pattern: re.Pattern[str]) -> re.Match[str]:
        await self.until(lambda: any(map(pattern.match, lines)) or self._is_silent())
        found = next(filter(None, map(pattern.match, lines)), None)
        assert found, f"no {pattern.pattern} in {lines}; errors: {self.err}"
        return found

    def _is_silent(self) -> bool:
        assert self.process.stdout
        assert self.process.stderr
        return self.process.stdout.at_eof() and self.process.stderr.at_eof()


@asynccontextmanager
async def running(
    folder: Path, *words: str | Path, **settings: str
) -> AsyncGenerator[Running, None]:
    """Run a command within this block, in `folder`; what is still there then is killed."""
    given = environment(settings)
    if warm_start.can_start(given):
        process = await WarmProcess.start(words, folder, given)
        async with _followed(process) as command:
            yield command
    else:
        async with running_as([warm_start.COMMAND, *words], folder, given) as command:
            yield command


@asynccontextmanager
async def running_as(
    words: Sequence[str | Path], folder: Path, environment: Mapping[str, str]
) -> AsyncGenerator[Running, None]:
    """Run any words as a command within this block, with no other environment than this."""
    process = await asyncio.create_subprocess_exec(
        *words,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    async with _followed(process) as command:
        yield command


@asynccontextmanager
async def _followed(
    process: asyncio.subprocess.Process | WarmProcess,
) -> AsyncGenerator[Running, None]:
    """Read what a process writes; kill it behind this block."""
    command = Running(process)
    assert process.stdout
    assert process.stderr
    readers = asyncio.gather(
        _read(process.stdout, command.out, command.news),
        _read(process.stderr, command.err, command.news),
    )
    try:
        yield command
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await readers


async def _read(stream: asyncio.StreamReader, lines: list[str], news: asyncio.Condition) -> None:
    while line := await stream.readline():
        async with news:
            lines.append(line.decode().rstrip("\n"))
            news.notify_all()
    stream._transport.close()  # type: ignore[attr-defined]  # uvloop leaves pipes open at their end
    async with news:
        news.notify_all()
