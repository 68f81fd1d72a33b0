"""Runs the program that uses the litellm SDK; it starts slowly, so one process runs many cases."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from proxy.openai_api.json_body import JsonObject
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy

ROOT = Path(__file__).parents[2]
# Its prices of models would be fetched from the web.
ENVIRONMENT = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONPATH": str(ROOT)}


class LiteLlm:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    async def run(self, case: str, proxy: RunningProxy, tenant: str = "app") -> JsonObject:
        """Return what a case prints."""
        return await self.run_as(case, proxy, proxy.keys[tenant])

    async def run_as(self, case: str, proxy: RunningProxy, key: str) -> JsonObject:
        line = f"{json.dumps([case, proxy.base_url, key])}\n".encode()
        try:
            async with asyncio.timeout(DEADLINE_S):
                printed = await asyncio.to_thread(self._exchange, line)
        except TimeoutError:
            self._process.kill()  # else the thread would wait on
            raise
        found: JsonObject = json.loads(printed)
        assert "failed" not in found, found["failed"]
        return found

    def _exchange(self, line: bytes) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line)
        return self._process.stdout.readline()


@contextlib.contextmanager
def litellm_process() -> Iterator[LiteLlm]:
    """Run the program within the block."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.clients.litellm_program"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **ENVIRONMENT},
        bufsize=0,
    ) as process:
        try:
            yield LiteLlm(process)
        finally:
            process.kill()
