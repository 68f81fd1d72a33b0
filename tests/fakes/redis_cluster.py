"""A real Redis Cluster of three servers, each with a replica if wanted, on ports of their own."""

import random
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import redis

from tests.fakes.redis_process import STARTED_WITHIN_S, RedisProcess

PRIMARIES = 3
SLOTS = 16384
BUS = 10_000
"""How far above its own port a server speaks with the others."""
PORTS = range(10_000, 22_000)
"""With these, both ports are below those that the system hands out to clients."""
NODE_TIMEOUT_MS = 1000


class RedisCluster:
    """Servers that share the keys among them.

    Args:
        folder: Where all of them keep their files.
        replicas: Whether each has one that follows it.
        password: What the servers want to hear; none for nothing.
    """

    def __init__(self, folder: Path, *, replicas: bool = False, password: str = "") -> None:
        self._folder = folder
        self._password = password
        self.nodes = [
            self._node(number) for number in range(PRIMARIES * 2 if replicas else PRIMARIES)
        ]

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)
        account = f":{self._password}@" if self._password else ""
        return f"redis+cluster://{account}{hosts}"

    def start(self) -> None:
        """Start all, deal out the keys, and wait until everybody agrees."""
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def _start(self) -> None:
        for number, node in enumerate(self.nodes):
            node.start()
            with node.client() as client:
                client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
                if number < PRIMARIES:
                    client.execute_command("CLUSTER", "ADDSLOTS", *_slots(number))
                for other in self.nodes[:number]:
                    client.execute_command("CLUSTER", "MEET", "127.0.0.1", other.port)
        _until(lambda: all(len(nodes) == len(self.nodes) for nodes in self._known()))
        for primary, replica in zip(self.nodes, self.nodes[PRIMARIES:], strict=False):
            with primary.client() as one, replica.client() as other:
                other.execute_command("CLUSTER", "REPLICATE", one.execute_command("CLUSTER MYID"))
        _until(self._is_in_order)

    def primary_of(self, key: str) -> RedisProcess:
        """Return the server that a key belongs to now."""
        for node in self.nodes:
            if node.is_up and _serves(node, key):
                return node
        raise AssertionError(f"nobody serves {key}")

    def empty(self) -> None:
        """Forget all keys."""
        for node in self.nodes[:PRIMARIES]:
            with node.client() as client:
                client.flushall()

    def stop(self) -> None:
        for node in self.nodes:
            node.kill()

    def _node(self, number: int) -> RedisProcess:
        more = (
            *("--cluster-enabled", "yes", "--cluster-node-timeout", str(NODE_TIMEOUT_MS)),
            *("--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0"),
            *("--repl-diskless-sync", "yes"),
        )
        return RedisProcess(
            self._folder / f"node-{number}",
            port=_port_with_bus(),
            password=self._password,
            more=more,
        )

    def _known(self) -> Iterator[list[str]]:
        for node in self.nodes:
            with node.client() as client:
                said = client.execute_command("CLUSTER NODES")
            yield [one for one in (said if isinstance(said, dict) else said.splitlines()) if one]

    def _is_in_order(self) -> bool:
        for number, node in enumerate(self.nodes):
            with node.client() as client:
                if client.execute_command("CLUSTER INFO")["cluster_state"] != "ok":
                    return False
                known = client.info("replication")
            if number >= PRIMARIES and known.get("master_link_status") != "up":
                return False
        return True


def _slots(number: int) -> range:
    return range(SLOTS * number // PRIMARIES, SLOTS * (number + 1) // PRIMARIES)


def _serves(node: RedisProcess, key: str) -> bool:
    with node.client() as client:
        try:
            client.type(key)
        except redis.ResponseError:  # moved: somebody else's
            return False
        return bool(client.info("replication")["role"] == "master")


def _port_with_bus() -> int:
    while True:
        port = random.choice(PORTS)
        if _is_free(port) and _is_free(port + BUS):
            return port


def _is_free(port: int) -> bool:
    with socket.socket() as listener:
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + STARTED_WITHIN_S
    while not holds():
        assert time.monotonic() < deadline, "the cluster did not come together in time"
        time.sleep(0.02)
