"""Programs that use a client as an app does; they start slowly, so one process runs many cases."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import JsonValue

from proxy.demo import MODEL
from proxy.openai_api.json_body import JsonObject
from tests.clients.node_packages import FOLDER
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy
from tests.flow.canteen import COMPLAINT, QUESTION

NODE = ("node", "programs.mjs")
PYTHON = (sys.executable, "-m")
ENVIRONMENT = {
    "PYTHONPATH": str(Path(__file__).parents[2]),
    "PYTHONIOENCODING": "utf-8",
    # The prices of models would be fetched from the web.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "GUARD_PROXY_MODEL": MODEL,
    "GUARD_PROXY_QUESTION": QUESTION,
    "GUARD_PROXY_COMPLAINT": COMPLAINT,
}


class Program:
    """A process that reads a line of JSON for each case, and prints a line with what it got."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def send(self, line: JsonValue) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{json.dumps(line)}\n".encode())

    async def printed(self) -> JsonObject:
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(3 * DEADLINE_S):
                line = await asyncio.to_thread(self._process.stdout.readline)
        except TimeoutError:
            self._process.kill()  # else the thread would wait on
            raise
        found: JsonObject = json.loads(line)
        assert "failed" not in found, found["failed"]
        return found


@contextlib.contextmanager
def program(*command: str) -> Iterator[Program]:
    """Run a program within the block."""
    with subprocess.Popen(
        command,
        cwd=FOLDER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], **ENVIRONMENT},
        bufsize=0,
    ) as process:
        try:
            yield Program(process)
        finally:
            process.kill()


class Running:
    """A case under way."""

    def __init__(self, started: Program) -> None:
        self._program = started

    async def printed(self, *lines: JsonValue) -> JsonObject:
        """Return what the case prints; it may wait for a line before."""
        for line in lines:
            self._program.send(line)
        return await self._program.printed()


@dataclass(frozen=True)
class Client:
    """The cases of a program, run with one key against one proxy."""

    program: Program
    proxy: RunningProxy
    key: str

    def as_tenant(self, tenant: str) -> "Client":
        return self.with_key(self.proxy.keys[tenant])

    def with_key(self, key: str) -> "Client":
        return replace(self, key=key)

    async def run(self, *case: str) -> JsonObject:
        """Return what a case prints."""
        async with self.running(*case) as running:
            return await running.printed()

    @asynccontextmanager
    async def running(self, *case: str) -> AsyncGenerator[Running, None]:
        """Start a case, which prints its line within the block."""
        self.program.send([self.proxy.base_url, self.key, *case])
        yield Running(self.program)
