"""Sessions in the Redis that proxies share; imported only where there is one."""

from datetime import timedelta

from litestar.stores.redis import RedisStore

from proxy.dashboard.access import ANSWER_WITHIN_S, SessionsAway
from proxy.shared_redis import SharedRedis

_NAMESPACE = "guard-proxy:{dashboard}:session"


class RedisSessions(RedisStore):
    """Keeps sessions in Redis. Every method may raise `SessionsAway`."""

    def __init__(self, address: str) -> None:
        self._shared = SharedRedis(
            address, answer_within_s=ANSWER_WITHIN_S, tries_again=True, decoded=False
        )
        super().__init__(self._shared.client, namespace=_NAMESPACE)

    async def set(
        self, key: str, value: str | bytes, expires_in: int | timedelta | None = None
    ) -> None:
        """Keep a session."""
        async with self._shared.answering(SessionsAway):
            await super().set(key, value, expires_in)

    async def get(self, key: str, renew_for: int | timedelta | None = None) -> bytes | None:
        """Return a session; None if there is none."""
        async with self._shared.answering(SessionsAway):
            return await super().get(key, renew_for)

    async def delete(self, key: str) -> None:
        """Forget a session."""
        async with self._shared.answering(SessionsAway):
            await super().delete(key)

    async def _shutdown(self) -> None:
        await self._shared.close()
