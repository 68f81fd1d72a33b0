"""LiteLLM's proxy, from the package index into an environment of its own.

It runs as its documentation advises for production: uvicorn, no debug log, nothing fetched at the
start, a master key (it refuses to start without); with no database, no retries and no callbacks but
the hook.
"""

import json
import os
import secrets
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.launching import Launched, free_port
from tests.bench.peers import installing
from tests.bench.peers.rule import RULE
from tests.bench.processes import processor_s
from tests.bench.subjects import MODEL, Absent, Reached

PACKAGE = "litellm[proxy]"
HOOK = Path(__file__).with_name("looking.py")
READY_PATH = "/health/liveliness"
READY_WITHIN_S = 120.0
IDLE_SHARE = 0.2
LOOK_EVERY_S = 0.5


@dataclass
class LiteLLM:
    """A row of LiteLLM: with or without the hook, with so many workers."""

    name: str
    workers: int
    guarded: bool
    _launched: Launched | None = field(default=None, init=False)

    def prepare(self) -> str:
        return installing.installed(_renew, _version)

    def start(self, upstream_port: int, folder: Path) -> Reached:
        port = free_port()
        key = f"sk-{secrets.token_hex(32)}"
        (folder / "config.yaml").write_text(config(upstream_port, hooked=self.guarded), "utf-8")
        if self.guarded:
            shutil.copy(HOOK, folder)
        command = [str(_bin() / "litellm"), "--config", "config.yaml", "--host", "127.0.0.1"]
        command += ["--port", str(port), "--num_workers", str(self.workers)]
        self._launched = Launched(command, folder, environment(folder, key))
        self._launched.wait_ready(port, READY_PATH, READY_WITHIN_S)
        _wait_for_all_workers(self._launched.pid)
        return Reached(port, {"authorization": f"Bearer {key}"})

    def pids(self) -> Sequence[int]:
        return [self._launched.pid] if self._launched else []

    def stop(self) -> None:
        if self._launched:
            self._launched.stop()
            self._launched = None


def config(upstream_port: int, *, hooked: bool) -> str:
    """Return the configuration file: JSON, which is YAML too."""
    model = {
        "model": f"openai/{MODEL}",
        "api_base": f"http://127.0.0.1:{upstream_port}/v1",
        "api_key": "none",
    }
    return json.dumps(
        {
            "model_list": [{"model_name": MODEL, "litellm_params": model}],
            "litellm_settings": {
                "telemetry": False,
                "num_retries": 0,
                "callbacks": ["looking.look"] if hooked else [],
            },
        },
        indent=2,
    )


def environment(folder: Path, key: str) -> dict[str, str]:
    """Return what it needs of this process's environment, and what keeps it from the network."""
    return {
        "PATH": f"{_bin()}:{os.defpath}",
        "HOME": str(folder),
        "LITELLM_MASTER_KEY": key,
        "LITELLM_MODE": "PRODUCTION",
        "LITELLM_LOG": "ERROR",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
        "LITELLM_LOCAL_BLOG_POSTS": "True",
        "LOOKED_FOR": RULE,
    }


def _renew() -> None:
    folder = installing.home("litellm")
    if not (_bin() / "pip").exists():
        installing.run([sys.executable, "-m", "venv", "."], folder)
    options = ["--quiet", "--disable-pip-version-check", "--upgrade"]
    command = [str(_bin() / "pip"), "install", *options, PACKAGE]
    installing.run(command, folder, installing.INSTALLED_WITHIN_S)


def _version() -> str:
    code = "import importlib.metadata as found; print('litellm', found.version('litellm'))"
    return installing.run([_bin() / "python", "-c", code], installing.home("litellm")).strip()


def _bin() -> Path:
    return installing.home("litellm") / "bin"


def _wait_for_all_workers(pid: int) -> None:
    """Wait until the start takes no more processor time: the first worker answers for all.

    Raises:
        Absent: the time for the start is over.
    """
    deadline_s = time.monotonic() + READY_WITHIN_S
    before_s = sum(processor_s([pid]).values())
    while time.monotonic() < deadline_s:
        time.sleep(LOOK_EVERY_S)
        now_s = sum(processor_s([pid]).values())
        if now_s - before_s < IDLE_SHARE * LOOK_EVERY_S:
            return
        before_s = now_s
    raise Absent(f"its workers were not ready after {READY_WITHIN_S:g} s")
