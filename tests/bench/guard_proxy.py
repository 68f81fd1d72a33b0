"""This proxy as an operator runs it: `guard-proxy serve`, settings from the environment."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from guards.core.registry import all_guards
from policies.schema.keys import new_key
from proxy.metrics import product_version
from tests.bench.launching import Launched, free_port
from tests.bench.subjects import Absent, Reached
from tests.fakes.redis_process import NoRedisServer, RedisProcess

HERE = Path(__file__).parents[2]
TENANT = "bench"
_START = ("-c", "import sys; from proxy.cli import main; sys.argv[0] = 'guard-proxy'; main()")
_START_UNTRACED = ("-m", "tests.bench.untraced")


@dataclass
class GuardProxy:
    """A row of this proxy.

    Attributes:
        name: Of the row.
        guarded: All deterministic guards are on, as a tenant starts; otherwise none.
        traces: Requests leave traces, in a Redis of its own; without them nobody can run it, and a
            checkout from before keeps them in its file.
        workers: Processes that serve.
        tree: The checkout to run.
        key: The tenant's key and its hash; of its own if none is given.
        redis_url: Where traces go; to a Redis of its own if none is given.
    """

    name: str
    guarded: bool
    traces: bool
    workers: int = 1
    tree: Path = HERE
    key: tuple[str, str] | None = None
    redis_url: str | None = None
    _launched: Launched | None = field(default=None, init=False)
    _redis: RedisProcess | None = field(default=None, init=False)

    def prepare(self) -> str:
        return f"guard-proxy {product_version()}"

    def start(self, upstream_port: int, folder: Path) -> Reached:
        key, key_hash = self.key or new_key(TENANT)
        policies = folder / "policies"
        policies.mkdir()
        (policies / f"{TENANT}.yaml").write_text(self._policy(upstream_port, key_hash), "utf-8")
        port = free_port()
        settings = {
            "POLICIES": str(policies),
            "PORT": str(port),
            "SQLITE_PATH": str(folder / "traces.sqlite3"),
            "LOG_FORMAT": "json",
        }
        if self.traces:
            settings["REDIS_URL"] = self.redis_url or self._start_redis(folder)
        if self.workers > 1:
            settings["WORKERS"] = str(self.workers)
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(self.tree)}
        environment |= {f"GUARD_PROXY_{name}": value for name, value in settings.items()}
        start = _START if self.traces or self.tree != HERE else _START_UNTRACED
        self._launched = Launched([sys.executable, *start, "serve"], folder, environment)
        self._launched.wait_ready(port, "/readyz")
        return Reached(port, {"authorization": f"Bearer {key}"})

    def pids(self) -> Sequence[int]:
        """The proxy's own; Redis is a server that others run."""
        return [self._launched.pid] if self._launched else []

    def stop(self) -> None:
        if self._launched:
            self._launched.stop()
            self._launched = None
        if self._redis:
            self._redis.stop()
            self._redis = None

    def _start_redis(self, folder: Path) -> str:
        self._redis = RedisProcess(folder)
        try:
            self._redis.start()
        except NoRedisServer as error:
            raise Absent(str(error)) from error
        return self._redis.url

    def _policy(self, upstream_port: int, key_hash: str) -> str:
        lines = [
            "extends: default",
            f"tenant: {TENANT}",
            f"keys: ['{key_hash}']",
            f"upstream: {{base_url: 'http://127.0.0.1:{upstream_port}/v1'}}",
        ]
        if not self.guarded:
            lines += ["guards:", *(f"  {name}: {{mode: 'off'}}" for name in all_guards())]
        return "\n".join(lines)
