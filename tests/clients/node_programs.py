"""Runs the programs in ``node/``: each uses a client as an app does, and prints what it got."""

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from proxy.demo.model_server import MODEL
from proxy.openai_api.json_body import JsonObject
from tests.clients.node_packages import FOLDER
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy
from tests.flow.canteen import COMPLAINT, QUESTION


class NodeFailed(Exception):
    """The program ended with an error."""


class Running:
    """A program under way."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def printed(self, line: bytes = b"") -> JsonObject:
        """Return what it prints; it may wait for a line before."""
        out, err = await self._process.communicate(line)
        if self._process.returncode:
            raise NodeFailed(err.decode())
        printed: JsonObject = json.loads(out)
        return printed


class NodePrograms:
    """The programs, talking to one proxy.

    Args:
        proxy: The proxy.
        tenant: Whose key they use.
        key: Another key.
    """

    def __init__(self, proxy: RunningProxy, tenant: str = "app", key: str | None = None) -> None:
        self._proxy = proxy
        self._key = key or proxy.keys[tenant]

    def as_tenant(self, tenant: str) -> "NodePrograms":
        return NodePrograms(self._proxy, tenant)

    def with_key(self, key: str) -> "NodePrograms":
        return NodePrograms(self._proxy, key=key)

    async def run(self, program: str, *arguments: str) -> JsonObject:
        """Return what a program prints."""
        async with self.running(program, *arguments) as running:
            return await running.printed()

    @asynccontextmanager
    async def running(self, program: str, *arguments: str) -> AsyncGenerator[Running, None]:
        """Start a program; it does not outlive the block."""
        process = await asyncio.create_subprocess_exec(
            "node",
            f"{program}.mjs",
            *arguments,
            cwd=FOLDER,
            env={"PATH": os.environ["PATH"], **self._environment()},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(DEADLINE_S):
                yield Running(process)
        finally:
            if process.returncode is None:
                process.kill()
                await process.communicate()

    def _environment(self) -> dict[str, str]:
        return {
            "GUARD_PROXY_BASE_URL": self._proxy.base_url,
            "GUARD_PROXY_KEY": self._key,
            "GUARD_PROXY_MODEL": MODEL,
            "GUARD_PROXY_QUESTION": QUESTION,
            "GUARD_PROXY_COMPLAINT": COMPLAINT,
        }
