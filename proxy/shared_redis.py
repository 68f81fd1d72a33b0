"""The Redis that proxies share: its client, for all modules that store something there.

Whatever the address names, callers see one client, and every call ends in time. Servers
change their roles: the one that took everything may be a replica the next moment, on a connection
that still stands. So connections are let go of as soon as a server refuses what it took before, and
the next call asks anew who is in charge.

The address is of one server, of a server behind Sentinels, or of a Cluster, in the forms of the
field (Django, Celery and others spell them so)::

    redis://[user:password@]host[:port][/db]                        rediss:// for TLS
    unix:///path/of/the/socket
    redis+sentinel://[user:password@]host[:port],…/service[/db]     rediss+sentinel://
    redis+cluster://[user:password@]host[:port],…                   rediss+cluster://

User and password are the servers'; those of the Sentinels are the options ``sentinel_username`` and
``sentinel_password`` behind a ``?``, where the options of the Redis library may stand too. Nothing
here says a word of what it was given: there may be a password in it.
"""

import asyncio
import hashlib
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any, cast
from urllib.parse import parse_qs, quote

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.client import Pipeline
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.connection import ConnectionPool, SSLConnection, parse_url
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import (
    NoPermissionError,
    NoScriptError,
    RedisClusterException,
    RedisError,
    ResponseError,
)

_FORM = re.compile(
    r"(rediss?)\+(sentinel|cluster)://(?:([^@/?#]*)@)?([^@/?#]*)(/[^?#]*)?(\?[^#]*)?"
)
_NODE = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]\s]+)(?::(\d{1,5}))?")


class BadRedisAddress(ValueError):
    """An address that cannot be used; ``said`` does not quote it."""


class RedisKind(StrEnum):
    """Kinds of Redis deployments behind an address."""

    SERVER = "server"
    SENTINEL = "sentinel"
    CLUSTER = "cluster"


_PORTS = {RedisKind.SENTINEL: 26379, RedisKind.CLUSTER: 6379}


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """An address, taken apart.

    Attributes:
        nodes: Host and port of each Sentinel, or of nodes of the Cluster; none of one server.
        service: The name by which Sentinels know the servers.
        server_url: What the Redis library reads user, password, database and options from; of one
            server the address as it was given.
    """

    kind: RedisKind
    nodes: tuple[tuple[str, int], ...]
    service: str
    server_url: str

    @classmethod
    def of(cls, address: str) -> "RedisAddress":
        """Take an address apart.

        Raises:
            BadRedisAddress: Sentinels or a Cluster are not named as they have to be.
        """
        if "+" not in address.partition("://")[0]:
            return cls(RedisKind.SERVER, (), "", address)
        form = _FORM.fullmatch(address)
        if form is None:
            raise BadRedisAddress("not of the form redis+sentinel://… or redis+cluster://…")
        scheme, kind, user, hosts, path, options = form.groups(default="")
        kind = RedisKind(kind)
        nodes = tuple(_node(host, _PORTS[kind]) for host in hosts.split(","))
        service, database = _path(kind, path.strip("/"))
        user = f"{user}@" if user else ""
        return cls(kind, nodes, service, f"{scheme}://{user}one/{database}{options}")


def trusting(address: str, certificates: str) -> str:
    """Return an address by which servers are trusted for whom certificates vouch.

    Args:
        address: The address; one without TLS, or that says itself who vouches, stays as it is.
        certificates: What is trusted beside the system's certificates, as PEM.
    """
    scheme, _, _ = address.partition("://")
    _, _, options = address.partition("?")
    says_itself = any(name.startswith("ssl_ca_") for name in parse_qs(options))
    if says_itself or not scheme.startswith("rediss"):
        return address
    joined = "&" if options else "?"
    # The text and no name of a file: connections are made as long as the service runs.
    return f"{address.removesuffix('?')}{joined}ssl_ca_data={quote(certificates)}"


def _node(said: str, usual_port: int) -> tuple[str, int]:
    form = _NODE.fullmatch(said.strip())
    if form is None or not 0 < (port := int(form[2] or usual_port)) < 65536:
        raise BadRedisAddress("its hosts are not of the form host:port,host:port")
    return form[1].strip("[]"), port


def _path(kind: RedisKind, path: str) -> tuple[str, str]:
    """Return the service and the database that a path names."""
    service, _, database = path.partition("/")
    if kind is RedisKind.CLUSTER:
        if path not in {"", "0"}:
            raise BadRedisAddress("a Cluster has no databases and no service")
        return "", "0"
    if not service:
        raise BadRedisAddress("it names no service of the Sentinels: …host:port/service")
    if database and not database.isdecimal():
        raise BadRedisAddress("the service is not followed by the number of a database")
    return service, database or "0"


ALONE_AFTER_S = 30.0
"""A server that lost its replica so long ago, and is still in charge, really is alone.

Sentinels take up to 18 seconds to tell a server that another has been put in its place.
"""
_AT_ONCE = 32
"""Most calls in progress; others wait for their turn, and no longer than for an answer."""
_SYNCING = {"wait_bgsave", "send_bulk"}
"""States of a replica that is still being given all there is, which may take many minutes."""


class NotReplicated(RedisError):
    """A server took something, and no replica has it yet."""


class Followers:
    """Knows of each server whether it has replicas, and when it last had.

    Args:
        unfollowed: Called once, with why, where servers do not let us ask for their replicas.
    """

    def __init__(self, redis: Redis, unfollowed: Callable[[Exception], None] | None) -> None:
        self._redis = redis
        self._unfollowed = unfollowed
        self._may_ask = True
        self._seen_s: dict[str, float] = {}  # when a server with such a history last had any

    async def follow(self, where: dict[str, Any]) -> bool:
        """Tell whether a replica follows the server that is in charge.

        Args:
            where: What sends a command that names no key to the server.

        Raises:
            NotReplicated: none does any more. It may be in charge elsewhere already, and this
                server not know it yet, which would forget what it takes now.
        """
        known = await self._replication(where)
        history, now_s = str(known.get("master_replid")), time.monotonic()
        if any(map(_is_following, known.values())):
            self._seen_s[history] = now_s
            return True
        seen_s = self._seen_s.get(history)
        if seen_s is not None and now_s - seen_s < ALONE_AFTER_S:
            raise NotReplicated
        return False

    async def _replication(self, where: dict[str, Any]) -> dict[str, Any]:
        """Return what a server says of its replicas; nothing if it may not be asked."""
        if not self._may_ask:
            return {}
        try:
            await self._redis.execute_command("WAIT", 0, 0, **where)  # type: ignore[no-untyped-call]
            return dict(await self._redis.info("replication", **where))
        except ResponseError as error:
            if not _is_forbidden(error):
                raise
            self._may_ask = False
            if self._unfollowed is not None:
                self._unfollowed(error)
            return {}


def _is_following(said: object) -> bool:
    """Tell whether a field of what a server says is a replica that has all there is."""
    return isinstance(said, dict) and said.get("state") not in {None, *_SYNCING}


def _is_forbidden(error: ResponseError) -> bool:
    return isinstance(error, NoPermissionError) or "unknown command" in str(error)


Key = str
Value = str | int

# The last two are raised by a call whose connection another one closes: a Cluster's client
# closes all of them, also those in use, when one fails.
_UNUSABLE = (RedisError, RedisClusterException, OSError, AttributeError, TypeError)


@cache
def _hash_of(script: str) -> str:
    """Return by what name a server knows a script."""
    return hashlib.sha1(script.encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """Keys and arguments of one run of a script; all its keys are on one server."""

    keys: Sequence[Key]
    values: Sequence[Value]

    def words(self) -> list[bytes]:
        """Return what the script is given, as a command has it on the wire.

        The library takes longer to encode other values than to send them.
        """
        given = (*self.keys, *self.values)
        return [one.encode() if isinstance(one, str) else b"%d" % one for one in given]


@dataclass(slots=True)
class _Server:
    """One of those that answer, and what it is given.

    Attributes:
        where: What sends a command that names no key there.
    """

    where: dict[str, Any]
    calls: list[int] = field(default_factory=list)


class SharedRedis:
    """One client, with a limit for the time and the number of its calls.

    Args:
        address: See above.
        answer_within_s: A server that takes longer counts as away, like one that is gone.
        tries_again: Try once more on a connection that turns out to be broken: it may have broken
            while nobody used it, which says nothing of the server.
        decoded: Whether replies are text.
        unfollowed: Called once, with why, where servers do not let us ask for their replicas.
    """

    def __init__(
        self,
        address: str,
        *,
        answer_within_s: float,
        tries_again: bool = False,
        decoded: bool = True,
        unfollowed: Callable[[Exception], None] | None = None,
    ) -> None:
        self._address = RedisAddress.of(address)
        self._answer_within_s = answer_within_s
        options: dict[str, Any] = {
            **parse_url(self._address.server_url),
            "decode_responses": decoded,
            "socket_timeout": answer_within_s,
            "socket_connect_timeout": answer_within_s,
            "retry": Retry(NoBackoff(), int(tries_again), (RedisConnectionError,)),
        }
        self._turns = asyncio.Semaphore(min(_AT_ONCE, options.get("max_connections", _AT_ONCE)))
        self._sentinel: Sentinel | None = None
        self._cluster: RedisCluster | None = None
        self._redis = self._client(options)
        self._followers = Followers(self._redis, unfollowed)

    def _client(self, options: dict[str, Any]) -> Redis:
        if self._address.kind is RedisKind.SERVER:
            return Redis.from_pool(ConnectionPool(**options))
        options = _without(options, "host", "port")
        if options.pop("connection_class", None) is SSLConnection:
            options["ssl"] = True
        if self._address.kind is RedisKind.SENTINEL:
            self._sentinel = Sentinel(  # type: ignore[no-untyped-call]
                self._address.nodes,
                sentinel_kwargs=_of_sentinels(options, len(self._address.nodes)),
                **_without(options, "sentinel_username", "sentinel_password"),
            )
            return cast("Redis", self._sentinel.master_for(self._address.service))
        nodes = [ClusterNode(host, port) for host, port in self._address.nodes]
        self._cluster = RedisCluster(startup_nodes=nodes, **_without(options, "db"))
        return cast("Redis", self._cluster)  # it has the same commands

    @property
    def is_cluster(self) -> bool:
        """True if keys are spread over servers."""
        return self._cluster is not None

    @property
    def client(self) -> Redis:
        """The client, for use before a call; calls are made in `answering`."""
        return self._redis

    @classmethod
    def check(cls, address: str) -> None:
        """Return if an address can be used; nothing is opened.

        Raises:
            BadRedisAddress: it cannot; why stands there without a word of it.
        """
        try:
            shared = cls(address, answer_within_s=1.0)
            if shared._cluster is None:  # that looks at its options at once
                shared._redis.connection_pool.make_connection()  # type: ignore[no-untyped-call]
        except BadRedisAddress:
            raise
        except (TypeError, ValueError, RedisError, RedisClusterException):
            # Their own words may quote a part of the password.
            raise BadRedisAddress(
                "not a usable redis://, rediss://, unix://, redis+sentinel:// or redis+cluster:// "
                "address"
            ) from None

    @asynccontextmanager
    async def answering(self, away: Callable[[Exception], Exception]) -> AsyncIterator[Redis]:
        """Give the client for one exchange.

        Args:
            away: Makes the error that is raised where Redis cannot be used, from its cause.
        """
        cancellations = _cancellations()
        try:
            # A socket's own limit is for each read; a server that dribbles must not get more.
            async with asyncio.timeout(2 * self._answer_within_s), self._turns:
                yield self._redis
        except _UNUSABLE as error:
            if isinstance(error, (ResponseError, NotReplicated)):
                await self._forget_connections()
            raise away(error) from error
        # The library calls asyncio.wait_for, which before Python 3.12 loses a cancellation that
        # comes in the moment its call ends.
        if _cancellations() > cancellations:
            raise asyncio.CancelledError

    @asynccontextmanager
    async def pipeline(self, away: Callable[[Exception], Exception]) -> AsyncIterator[Pipeline]:
        """Give a pipeline for one exchange; see `answering`."""
        async with self.answering(away) as redis, redis.pipeline(transaction=False) as pipeline:
            yield pipeline

    @staticmethod
    async def run(redis: Redis, script: str, keys: Sequence[Key], values: Sequence[Value]) -> Any:  # noqa: ANN401 - what the script returns
        """Run a script once: asked for by its hash, and given where the server does not know it."""
        given = [*keys, *map(str, values)]
        try:
            return await redis.evalsha(_hash_of(script), len(keys), *given)
        except NoScriptError:
            return await redis.eval(script, len(keys), *given)

    async def run_for_good(self, script: str, calls: Sequence[ScriptCall]) -> list[Any]:
        """Run a script; where servers have replicas, return when one of those has what it wrote.

        Otherwise what one server has taken would be gone with it when another takes its place.
        A server that does not let us ask for its replicas is trusted alone.

        Returns:
            What the script returned, for each call. Where one fails others may have been made.

        Raises:
            NotReplicated: there is a replica, and it did not follow in time.
        """
        servers = await self._servers(calls)
        waiting = [await self._has_replicas(server) for server in servers]
        wait_ms = round(self._answer_within_s * 1000 / 2)
        async with self._redis.pipeline(transaction=False) as pipeline:
            for server, waits in zip(servers, waiting, strict=True):
                for number in server.calls:
                    pipeline.eval(script, len(calls[number].keys), *calls[number].words())
                if not waits:
                    continue
                pipeline.execute_command("WAIT", 1, wait_ms, **server.where)
                # When a Cluster's client tries it all again, it does not know any more where to,
                # and would wait for another server's replicas. This command it refuses then, and
                # every account may use it.
                pipeline.execute_command("ECHO", "", **server.where)
            replies = iter(await pipeline.execute())
        returned: dict[int, Any] = {}
        for server, waits in zip(servers, waiting, strict=True):
            returned |= {number: next(replies) for number in server.calls}
            if waits and not _followers(replies):
                raise NotReplicated
        return [returned[number] for number in range(len(calls))]

    async def time_ms(self, key: Key) -> int:
        """Return the time in milliseconds since 1970, by the clock of the server that has a key."""
        where = await self._node_of(key)
        seconds, microseconds = await self._redis.execute_command("TIME", **where)  # type: ignore[no-untyped-call]
        return int(seconds) * 1000 + int(microseconds) // 1000

    async def forget_idle_connections(self) -> None:
        """Let go of connections that nobody uses; they may have broken meanwhile."""
        if self._cluster is None:
            await self._redis.connection_pool.disconnect(inuse_connections=False)
            return
        for node in self._cluster.get_nodes():
            await node.disconnect_free_connections()

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.aclose()
        if self._cluster is not None:
            # Once a call fails its client takes all for closed, and leaves what calls that were
            # under way have connected since.
            await self._cluster.nodes_manager.aclose()
            await self._cluster.nodes_manager.aclose("startup_nodes")
        if self._sentinel is not None:
            await self._sentinel.aclose()

    async def _forget_connections(self) -> None:
        with suppress(RedisError, OSError):  # what was to be closed is broken, which is as good
            await self.forget_idle_connections()

    async def _has_replicas(self, server: _Server) -> bool:
        if self._address.kind is RedisKind.SERVER:
            return False  # whatever follows it, nobody would put that in its place for us
        return await self._followers.follow(server.where)

    async def _servers(self, calls: Sequence[ScriptCall]) -> list[_Server]:
        servers: dict[str, _Server] = {}
        for number, call in enumerate(calls):
            where = await self._node_of(call.keys[0])
            name = where["target_nodes"].name if where else ""
            servers.setdefault(name, _Server(where)).calls.append(number)
        return list(servers.values())

    async def _node_of(self, key: Key) -> dict[str, Any]:
        """Return what sends a command that names no key to where a key is."""
        if self._cluster is None:
            return {}
        await self._cluster.initialize()
        return {"target_nodes": self._cluster.get_node_from_key(key)}


def _of_sentinels(options: dict[str, Any], count: int) -> dict[str, Any]:
    """Return how Sentinels are spoken to: as servers are, with an account of their own.

    They are asked one after the other, all of them within the time that one answer may take.
    """
    each_s = options["socket_timeout"] / count
    account = {
        name: options[f"sentinel_{name}"]
        for name in ("username", "password")
        if f"sentinel_{name}" in options
    }
    shared = {name: value for name, value in options.items() if name.startswith(("socket_", "ssl"))}
    own = {"socket_timeout": each_s, "socket_connect_timeout": each_s, "retry": options["retry"]}
    return {**shared, **account, **own, "decode_responses": True}


def _cancellations() -> int:
    """Return how many cancellations of the current task are pending or in progress."""
    task = asyncio.current_task()
    return task.cancelling() if task else 0


def _followers(replies: Iterator[Any]) -> int:
    """Return how many replicas followed, by what a server said to our waiting."""
    followers = int(next(replies))
    next(replies)  # the echo
    return followers


def _without(options: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in names}
