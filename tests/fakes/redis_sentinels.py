"""A pair of real Redis servers watched by three real Sentinels, on ports of their own."""

import time
from collections.abc import Callable
from pathlib import Path

import redis

from tests.fakes.redis_process import STARTED_WITHIN_S, RedisProcess, free_port

SERVICE = "guard"
DOWN_AFTER_MS = 500
SENTINELS = 3
QUORUM = 2


class RedisSentinels:
    """Two servers of which one follows the other, and those who decide which.

    Args:
        folder: Where all of them keep their files.
        password: What the two servers want to hear; none for nothing.
    """

    def __init__(self, folder: Path, password: str = "") -> None:
        self._folder = folder
        self.password = password
        account = ["--masterauth", password] if password else []
        self.first = RedisProcess(folder / "first", password=password, more=account)
        # One is told its part by its command line, and by the Sentinels from then on.
        follows = ("--replicaof", "127.0.0.1", str(self.first.port))
        self.second = RedisProcess(folder / "second", password=password, more=[*account, *follows])
        self.sentinels: list[RedisProcess] = []

    @property
    def url(self) -> str:
        account = f":{self.password}@" if self.password else ""
        hosts = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)
        return f"redis+sentinel://{account}{hosts}/{SERVICE}/0"

    def start(self) -> None:
        """Start all, and wait until each Sentinel knows of the others and of both servers."""
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def _start(self) -> None:
        self.first.start()
        self.second.start()
        _until(lambda: _follows(self.second))  # Sentinels look only every ten seconds
        for number in range(SENTINELS):
            port = free_port()
            settings = self._folder / f"sentinel-{number}.conf"
            settings.write_text(self._settings(), encoding="utf-8")
            sentinel = RedisProcess(
                self._folder / f"sentinel-{number}", port=port, more=(settings, "--sentinel")
            )
            sentinel.start()
            self.sentinels.append(sentinel)
        _until(lambda: all(map(_knows_everybody, self.sentinels)))

    def master(self) -> RedisProcess:
        """Return the server that the first Sentinel names."""
        with self.sentinels[0].client() as client:
            _, port = client.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", SERVICE)
        return self.first if int(port) == self.first.port else self.second

    def replica(self) -> RedisProcess:
        """Return the other one."""
        return self.second if self.master() is self.first else self.first

    def fail_over(self) -> None:
        """Let the servers change their parts, both of them alive."""
        before = self.master()
        with self.sentinels[0].client() as client:
            client.execute_command("SENTINEL", "FAILOVER", SERVICE)
        _until(lambda: self.master() is not before)

    def stop(self) -> None:
        for process in (*self.sentinels, self.first, self.second):
            process.kill()

    def _settings(self) -> str:
        lines = [
            f"sentinel monitor {SERVICE} 127.0.0.1 {self.first.port} {QUORUM}",
            f"sentinel down-after-milliseconds {SERVICE} {DOWN_AFTER_MS}",
            f"sentinel failover-timeout {SERVICE} 3000",
        ]
        if self.password:
            lines.append(f"sentinel auth-pass {SERVICE} {self.password}")
        return "\n".join(lines) + "\n"


def _follows(replica: RedisProcess) -> bool:
    with replica.client() as client:
        return bool(client.info("replication").get("master_link_status") == "up")


def _knows_everybody(sentinel: RedisProcess) -> bool:
    with sentinel.client() as client:
        said = client.execute_command("SENTINEL", "MASTER", SERVICE)
    known = said if isinstance(said, dict) else dict(zip(said[::2], said[1::2], strict=True))
    others, replicas = int(known["num-other-sentinels"]), int(known["num-slaves"])
    return (others, replicas) == (SENTINELS - 1, 1)


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + STARTED_WITHIN_S
    while not _is_so(holds):
        assert time.monotonic() < deadline, "the Sentinels did not agree in time"
        time.sleep(0.02)


def _is_so(holds: Callable[[], bool]) -> bool:
    try:
        return holds()
    except redis.RedisError:
        return False
