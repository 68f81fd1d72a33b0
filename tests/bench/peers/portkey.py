"""Portkey's gateway, from npm into a directory of its own.

One Node process: neither its command line nor its environment knows of workers. What it does with a
request stands in the request's headers: the model server, and the guard that searches the answer
for a pattern. On streams this guard neither holds anything back nor says what it found; the row
"regex guard" tells there what the gateway costs with a guard in its configuration, no more.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.launching import Launched, free_port
from tests.bench.peers import installing
from tests.bench.peers.rule import RULE
from tests.bench.subjects import Absent, Reached

PACKAGE = "@portkey-ai/gateway"
# Under any later one its streams end in an error: github.com/Portkey-AI/gateway/issues/1389. This
# is the one that its own lock names.
OVERRIDES = {"@hono/node-server": "1.13.5"}
SERVER = Path("node_modules", PACKAGE, "build", "start-server.js")
LOOPBACK = Path(__file__).with_name("loopback.cjs")
PROVIDER = "openai"
KEY = "none"


@dataclass
class Portkey:
    """A row of Portkey's gateway: with or without the guard."""

    name: str
    guarded: bool
    workers: int = 1
    _launched: Launched | None = field(default=None, init=False)

    def prepare(self) -> str:
        if self.workers > 1:
            raise Absent("it is one process and has no setting for workers")
        return installing.installed(_renew, _version)

    def start(self, upstream_port: int, folder: Path) -> Reached:
        port = free_port()
        server = installing.home("portkey") / SERVER
        command = ["node", "--require", str(LOOPBACK), str(server), f"--port={port}", "--headless"]
        self._launched = Launched(command, folder, environment(folder))
        self._launched.wait_ready(port, "/")
        return Reached(port, headers(upstream_port, guarded=self.guarded))

    def pids(self) -> Sequence[int]:
        return [self._launched.pid] if self._launched else []

    def stop(self) -> None:
        if self._launched:
            self._launched.stop()
            self._launched = None


def headers(upstream_port: int, *, guarded: bool) -> dict[str, str]:
    """Return what tells it where the model server is, and what the answer must not have."""
    host = f"http://127.0.0.1:{upstream_port}/v1"
    found = {"authorization": f"Bearer {KEY}"}
    if not guarded:
        return found | {"x-portkey-provider": PROVIDER, "x-portkey-custom-host": host}
    guard = {"default.regexMatch": {"rule": RULE, "not": True}, "deny": True}
    config = {
        "provider": PROVIDER,
        "api_key": KEY,
        "custom_host": host,
        "output_guardrails": [guard],
    }
    return found | {"x-portkey-config": json.dumps(config)}


def environment(folder: Path) -> dict[str, str]:
    """Return what it needs of this process's environment; hosts must be trusted by name."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "NODE_ENV": "production",
        "TRUSTED_CUSTOM_HOSTS": "127.0.0.1",
    }


def _renew() -> None:
    folder = installing.home("portkey")
    wanted = {"private": True, "overrides": OVERRIDES}
    (folder / "package.json").write_text(json.dumps(wanted), "utf-8")
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"]
    options += ["--fetch-retries=1"]
    command = ["npm", "install", *options, f"{PACKAGE}@latest"]
    installing.run(command, folder, installing.INSTALLED_WITHIN_S)


def _version() -> str:
    folder = installing.home("portkey")
    code = f"console.log(require('./node_modules/{PACKAGE}/package.json').version, process.version)"
    gateway, node = installing.run(["node", "--eval", code], folder).split()
    return f"{PACKAGE} {gateway}, node {node}"
