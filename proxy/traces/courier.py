"""Brings batches of traces to their store, and gives up on those that it will never take."""

from collections.abc import Sequence

from proxy.logs import logger
from proxy.traces.absence import error_name
from proxy.traces.store import Entry, TraceStore, TraceStoreAway

log = logger(__name__)


class Courier:
    """Delivers batches in order.

    Args:
        store: Where they belong.
        most_refusals: How often in a row the store may refuse, without being away, before the
            traces are tried one by one and those refused again are dropped.
    """

    def __init__(self, store: TraceStore, most_refusals: int) -> None:
        self._store = store
        self._most_refusals = most_refusals
        self._refusals = 0

    async def deliver(self, batch: Sequence[Entry]) -> int:
        """Bring a batch to the store; return how many of it had to be dropped.

        Raises:
            Exception: The store did not take it; it is to be tried again.
        """
        try:
            await self._store.add(batch)
        except TraceStoreAway:
            raise
        except Exception:
            self._refusals += 1
            if self._refusals < self._most_refusals:
                raise
            dropped = [await self._is_dropped(entry) for entry in batch]
        else:
            dropped = []
        self._refusals = 0
        return sum(dropped)

    async def _is_dropped(self, entry: Entry) -> bool:
        try:
            await self._store.add([entry])
        except TraceStoreAway:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it was so every time
            # Not `exception`: a store's words may quote the request.
            log.error(  # noqa: TRY400
                "trace.refused",
                id=entry.id,
                tenant=entry.tenant,
                error=error_name(error),
                record_chars=len(entry.record),
            )
            return True
        return False
