"""What every subject has to carry."""

from dataclasses import dataclass

from tests.bench.job import Sources
from tests.bench.prepared import Way
from tests.bench.upstream import CHUNKS, LATENCY_S, PACE_S

MOST_PLAIN = 40_000
MOST_STREAMS = 4_000


@dataclass(frozen=True)
class Load:
    """One kind of traffic.

    Attributes:
        name: Of its table.
        way: How the model server replies.
        connections: Requests at a time.
        sources: Whether a subject has seen the sources before.
        in_quick: Part of the quick mode.
    """

    name: str
    way: Way
    connections: int
    sources: Sources = "recurring"
    in_quick: bool = False

    @property
    def spread_s(self) -> float:
        """How long one request takes by itself, where the model server takes its time."""
        return {Way.SLOW: LATENCY_S, Way.PACED: CHUNKS * PACE_S}.get(self.way, 0.0)

    @property
    def most(self) -> int:
        """Requests at most: reading what came takes the callers longer than hearing it."""
        return MOST_STREAMS if self.way.streams else MOST_PLAIN


PLAIN_1 = Load("plain, 1 at a time", Way.PLAIN, 1, in_quick=True)
PLAIN_32 = Load("plain, 32 at a time", Way.PLAIN, 32, in_quick=True)
NEW_SOURCES_1 = Load("plain, new sources, 1 at a time", Way.PLAIN, 1, "new")
SLOW_1 = Load("plain, 100 ms model, 1 at a time", Way.SLOW, 1)
SLOW_32 = Load("plain, 100 ms model, 32 at a time", Way.SLOW, 32, in_quick=True)
STREAM_8 = Load("stream of 100 chunks, 8 at a time", Way.STREAM, 8, in_quick=True)
STREAM_32 = Load("stream of 100 chunks, 32 at a time", Way.STREAM, 32)
PACED_8 = Load("paced stream, 8 at a time", Way.PACED, 8, in_quick=True)
PACED_32 = Load("paced stream, 32 at a time", Way.PACED, 32)
LOADS = (
    PLAIN_1,
    PLAIN_32,
    NEW_SOURCES_1,
    SLOW_1,
    SLOW_32,
    STREAM_8,
    STREAM_32,
    PACED_8,
    PACED_32,
)
