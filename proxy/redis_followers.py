"""Whether replicas follow a server, of those that one of them may replace."""

import time
from collections.abc import Callable
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import NoPermissionError, RedisError, ResponseError

ALONE_AFTER_S = 30.0
"""A server that lost its replica so long ago, and is still in charge, really is alone.

Sentinels take up to 18 seconds to tell a server that another has been put in its place.
"""
_SYNCING = {"wait_bgsave", "send_bulk"}
"""States of a replica that is still being given all there is, which may take many minutes."""


class NotReplicated(RedisError):
    """A server took something, and no replica has it yet."""


class Followers:
    """Knows of each server whether it has replicas, and when it last had.

    Args:
        redis: The client.
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
