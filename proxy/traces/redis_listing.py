"""Listing of traces in Redis: entries of all streams in one order, read as needed.

Entries have places that rise in each portion over all its tenants, and are never the same in two.
So the one that was read last is a cursor for what is older. For what is newer it is none: to one
portion a trace may still come with a place that another has passed. There the cursor says of each
portion how far it was read, and nothing that comes late is passed over.
"""

import json
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from heapq import heappop, heappush
from math import ceil

from redis.asyncio.client import Pipeline

from proxy.shared_redis import SharedRedis
from proxy.traces.query import BadCursor, Query, is_under
from proxy.traces.redis_adding import Portion
from proxy.traces.store import TraceStoreAway
from proxy.traces.tally import ms_of
from proxy.traces.trace import ANY_LABEL, PINNED

_CLOCKS_DIFFER_MS = 300_000
"""Most milliseconds by which a proxy's clock may be ahead of the server's."""
_LEAST_AT_ONCE = 8
_PLACE = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?", re.ASCII)
_BETWEEN_PLACES = "."

_Order = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry of a stream: where it stands, the trace's id, and its fields."""

    portion: Portion
    place: str
    id: str
    fields: Mapping[str, str]

    def may_match(self, query: Query) -> bool:
        """Tell whether the query may want the trace, by what the entry says."""
        action, *guards = self.fields["index"].split()
        return (
            query.action in {None, action}
            and (query.guard is None or query.guard in guards)
            and query.door in {None, self.fields["door"]}
            and query.label in {None, ANY_LABEL, PINNED, self.fields.get("label")}
            and self._has_code(query.code)
            and self._is_within(query.since, query.until)
        )

    def _has_code(self, wanted: str | None) -> bool:
        return wanted is None or any(is_under(one, wanted) for one in self.fields["codes"].split())

    def _is_within(self, since: datetime | None, until: datetime | None) -> bool:
        started_ms = int(self.fields["started_ms"])
        after_begin = since is None or ms_of(since) <= started_ms
        return after_begin and (until is None or started_ms <= ms_of(until))


class ListingPosition:
    """Position of a listing.

    Raises:
        BadCursor: the query's cursor is none of this store's.
    """

    def __init__(self, query: Query, portions: int) -> None:
        self._newest_first = query.after is None
        self.cursor = query.before if self._newest_first else query.after
        """As a query has it; None at the newest."""
        said = self.cursor or ""
        places = said.split(_BETWEEN_PLACES)
        if len(places) == 1:
            places *= portions
        elif self._newest_first:
            raise BadCursor(said)
        if len(places) != portions or not all(map(_is_place, places)):
            raise BadCursor(said)
        self._places = places

    def in_portion(self, portion: Portion) -> str:
        """Return the place in a portion to read on behind; empty at its beginning."""
        return self._places[portion.number]

    def pass_by(self, entry: Listed) -> None:
        """Note the entry that was read last."""
        self._places[entry.portion.number] = entry.place
        self.cursor = entry.place if self._newest_first else cursor_behind(self._places)


def cursor_behind(places: Iterable[str]) -> str:
    """Return the cursor for what is newer than the places that the portions have reached."""
    return _BETWEEN_PLACES.join(places)


_Fields = Mapping[str, str]


@dataclass(slots=True)
class _Stream:
    """A stream, or a sorted set of labelled traces, as far as it was read."""

    key: str
    portion: Portion
    behind: str
    at_once: int
    waiting: deque[Listed] = field(default_factory=deque)
    is_over: bool = False

    def take(self, entries: Sequence[tuple[str, _Fields]], most_at_once: int) -> None:
        self.is_over = len(entries) < self.at_once
        self.waiting += [
            Listed(self.portion, place, fields["id"], fields) for place, fields in entries
        ]
        if entries:
            self.behind = entries[-1][0]
        self.at_once = min(2 * self.at_once, most_at_once)


class Merged:
    """The entries of streams in a query's order, none of those that came too early for it.

    Of each stream only a few are read first, and twice as many whenever it runs dry.

    Args:
        redis: The server, or the Cluster.
        streams: Tenants, and the portions that hold traces of theirs.
        reached: Where to begin; what is read is noted there.
        most_at_once: Most entries of a stream that are read at once.
    """

    def __init__(
        self,
        redis: SharedRedis,
        streams: Sequence[tuple[Portion, str]],
        query: Query,
        reached: ListingPosition,
        most_at_once: int,
    ) -> None:
        self.reached = reached
        self._redis = redis
        self._newest_first = query.after is None
        self._oldest = _earliest(query.since)
        self._most_at_once = most_at_once
        wanted = most_at_once if query.is_narrow or query.text else query.limit
        fair = ceil(2 * wanted / max(1, len(streams)))
        at_once = min(max(fair, _LEAST_AT_ONCE), most_at_once)
        self._are_labelled = query.label is not None
        self._streams = [
            _Stream(key, portion, reached.in_portion(portion), at_once)
            for portion, tenant in streams
            for key in _keys(portion, tenant, query.label)
        ]
        self._heads: list[tuple[_Order, int]] = []
        self._dry = set(range(len(self._streams)))

    async def next(self) -> Listed | None:
        """Return the next entry; None behind the last.

        Raises:
            TraceStoreAway: a stream cannot be read.
        """
        if self._dry:
            await self._read_on()
        if not self._heads:
            return None
        _, number = heappop(self._heads)
        stream = self._streams[number]
        entry = stream.waiting.popleft()
        self._show_head(number)
        self.reached.pass_by(entry)
        return entry

    async def _read_on(self) -> None:
        """Fill streams that are dry, and on the same way those that soon will be."""
        numbers = [number for number, one in enumerate(self._streams) if _is_low(one)]
        async with self._redis.pipeline(away) as pipeline:
            for stream in (self._streams[number] for number in numbers):
                if self._are_labelled:
                    self._ask_set(pipeline, stream)
                else:
                    self._ask_stream(pipeline, stream)
            found = await pipeline.execute()
        for number, entries in zip(numbers, found, strict=True):
            said = [_parsed(member) for member in entries] if self._are_labelled else entries
            self._streams[number].take(said, self._most_at_once)
        dry, self._dry = self._dry, set()
        for number in dry:
            self._show_head(number)

    def _ask_stream(self, pipeline: Pipeline, stream: _Stream) -> None:
        beyond = f"({stream.behind}" if stream.behind else None
        if self._newest_first:
            pipeline.xrevrange(stream.key, beyond or "+", self._oldest, stream.at_once)
        else:
            pipeline.xrange(stream.key, beyond or self._oldest, "+", stream.at_once)

    def _ask_set(self, pipeline: Pipeline, stream: _Stream) -> None:
        ms, number = _order(stream.behind) if stream.behind else (0, 0)
        place = f"({ms:018}-{number:018}" if stream.behind else None
        if self._newest_first:
            pipeline.zrevrangebylex(stream.key, place or "+", "-", 0, stream.at_once)
        else:
            # Behind all that begins with the place: a blank stands before the rest of a member.
            low = f"{place}!" if place else "-"
            pipeline.zrangebylex(stream.key, low, "+", 0, stream.at_once)

    def _show_head(self, number: int) -> None:
        stream = self._streams[number]
        if stream.waiting:
            ms, count = _order(stream.waiting[0].place)
            order = (-ms, -count) if self._newest_first else (ms, count)
            heappush(self._heads, (order, number))
        elif not stream.is_over:
            self._dry.add(number)


def _keys(portion: Portion, tenant: str, label: str | None) -> list[str]:
    """Return the keys that hold a tenant's traces, or those of them with a label."""
    if label is None:
        return [portion.stream(tenant)]
    kinds = (True,) if label == PINNED else (True, False)
    return [portion.labelled(tenant, pinned=pinned) for pinned in kinds]


def _parsed(member: str) -> tuple[str, _Fields]:
    """Return the place and the fields of a labelled trace."""
    place, _, fields = member.partition(" ")
    ms, number = _order(place)
    return f"{ms}-{number}", json.loads(fields)


def _is_low(stream: _Stream) -> bool:
    return not stream.is_over and 4 * len(stream.waiting) <= stream.at_once


def _is_place(said: str) -> bool:
    return not said or _PLACE.fullmatch(said) is not None


def _order(place: str) -> _Order:
    ms, _, number = place.partition("-")
    return int(ms), int(number)


def _earliest(since: datetime | None) -> str:
    """Return the place before which no trace of a request since then can stand.

    A trace comes after its request began, however long it waited on its way.
    """
    return "-" if since is None else str(max(0, ms_of(since) - _CLOCKS_DIFFER_MS))


def away(cause: Exception) -> TraceStoreAway:
    """Return what is said about a Redis that cannot be used."""
    return TraceStoreAway("redis", cause)
