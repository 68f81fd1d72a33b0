"""Failures of judges, shared by proxies with the same Redis.

A hint is no verdict. Who hears that another leaves a judge alone lets a single call through to see
for itself: the trouble may be the other's own. Whoever hears nothing, because Redis is away, finds
it out alone, as always.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from math import ceil

from policies.schema.sections import JudgeRules
from proxy.logs import logger

log = logger(__name__)

LOOK_EVERY_S = 2.0
ANSWER_WITHIN_S = 0.5
_LEFT_ALONE = "guard-proxy:{judges}:left-alone:"
_MOST_AT_ONCE = 2
_TOKEN_BYTES = 8


class HintsAway(Exception):
    """Redis does not answer; ``cause`` names the failure's type."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(f"hints about judges cannot be exchanged: {type(cause).__name__}")
        self.cause = type(cause).__name__


class SharedHints:
    """Hints in Redis: a key for each judge that somebody leaves alone, as long as that lasts.

    Args:
        url: See `proxy.redis_address`.
    """

    def __init__(self, url: str) -> None:
        from proxy.shared_redis import SharedRedis  # takes 9 MB, and many have no Redis

        self._redis = SharedRedis(url, answer_within_s=ANSWER_WITHIN_S, at_once=_MOST_AT_ONCE)

    async def tell(self, judge: str, token: str, for_s: float) -> None:
        """Tell that a judge is left alone.

        Args:
            judge: Its key, see `key_of`.
            token: Names this very opening.
            for_s: For how long.
        """
        async with self._redis.answering(HintsAway) as redis:
            await redis.set(_LEFT_ALONE + judge, token, px=max(1, ceil(for_s * 1000)))

    async def failing(self, judges: Sequence[str]) -> Mapping[str, str]:
        """Return the newest breaker opening of each of these judges that some proxy has paused."""
        async with self._redis.answering(HintsAway) as redis:
            found = await redis.mget([_LEFT_ALONE + judge for judge in judges])
        return {judge: str(token) for judge, token in zip(judges, found, strict=True) if token}

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.close()


class Hinting:
    """Tells others what this process finds out, and listens, in the background.

    Args:
        hints: Where hints are exchanged.
        known: Returns the judges that this process knows, with what heeds a hint about each.
        look_every_s: How often it listens; one question for all judges together.
    """

    def __init__(
        self,
        hints: SharedHints,
        known: Callable[[], Mapping[str, Callable[[], None]]],
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        self._hints = hints
        self._known = known
        self._look_every_s = look_every_s
        self._own = secrets.token_hex(_TOKEN_BYTES)
        self._openings = 0
        self._heeded: dict[str, str] = {}
        self._is_away = False
        self._telling: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Task[None] | None = None
        self._is_closing = False

    def start(self) -> None:
        """Begin to listen."""
        self._listening = asyncio.create_task(self._listen_forever())

    def tell(self, judge: str, for_s: float) -> None:
        """Tell the others that a judge is left alone; never waits and never fails."""
        self._openings += 1
        token = f"{self._own}:{self._openings}"
        telling = asyncio.create_task(self._try(self._hints.tell(judge, token, for_s)))
        self._telling.add(telling)
        telling.add_done_callback(self._telling.discard)

    async def close(self) -> None:
        """Stop, and close the connections."""
        # The Redis client may take a cancellation for the end of its own time limit.
        self._is_closing = True
        tasks = [*self._telling, *([self._listening] if self._listening else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._hints.close()

    async def _listen_forever(self) -> None:
        while not self._is_closing:
            await asyncio.sleep(self._look_every_s)
            await self._try(self._listen())

    async def _listen(self) -> None:
        known = self._known()
        if not known:
            return
        for judge, token in (await self._hints.failing(list(known))).items():
            is_news = self._heeded.get(judge) != token
            self._heeded[judge] = token
            if is_news and not token.startswith(self._own):
                known[judge]()

    async def _try(self, exchanging: Awaitable[None]) -> None:
        """Exchange a hint; a Redis that is away is logged once."""
        try:
            await exchanging
        except HintsAway as away:
            if not self._is_away:
                log.warning("judge.hints_away", error=away.cause)
            self._is_away = True
        else:
            self._is_away = False


def key_of(tenant: str, rules: JudgeRules, base_url: str) -> str:
    """Return what stands for a tenant's judge as long as the policy says the same about it."""
    said = f"{tenant}\n{base_url}\n{rules.model_dump_json()}"
    return hashlib.sha256(said.encode()).hexdigest()
