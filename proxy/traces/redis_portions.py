"""Where in Redis a trace stands.

A script needs everything about a trace on one server: its record, its tenant's stream, the counts.
On one server, or behind Sentinels, all traces are one portion. A Cluster has them in sixteen, each
with a hash tag of its own, so that memory and work are spread over its servers.

Which portion a trace belongs to follows from its id alone, so that it is found by its id, and found
again when it comes a second time. So neither the tags nor how many there are may ever change: what
stands under others would be looked for in vain until it expires.
"""

from dataclasses import dataclass
from zlib import crc32

from proxy.traces.tally import BucketId

_PREFIX = "guard-proxy:"
# The slots of these lie in the middle of one sixteenth of all slots each, in order. However many
# servers divide the slots evenly, up to sixteen, each has its share of the portions.
_SPREAD = (39, 9, 40, 79, 38, 8, 41, 78, 28, 11, 42, 68, 29, 10, 43, 69)


@dataclass(frozen=True, slots=True)
class Portion:
    """Traces whose keys are on one server.

    Attributes:
        number: Which of all portions.
        tag: The hash tag of its keys.
    """

    number: int
    tag: str

    @property
    def tenants(self) -> str:
        """The key of the tenants that have traces here."""
        return f"{_PREFIX}{{{self.tag}}}:tenants"

    @property
    def last_place(self) -> str:
        """The key of the place that was given last."""
        return f"{_PREFIX}{{{self.tag}}}:last-place"

    @property
    def records(self) -> str:
        """What the keys of all records begin with."""
        return f"{_PREFIX}{{{self.tag}}}:record:"

    def record(self, trace_id: str) -> str:
        """Return the key of a trace's record."""
        return self.records + trace_id

    def stream(self, tenant: str) -> str:
        """Return the key of the stream that gives a tenant's traces their order."""
        return f"{_PREFIX}{{{self.tag}}}:stream:{tenant}"

    def tally(self, bucket: BucketId) -> str:
        """Return the key of a bucket's counters."""
        return f"{_PREFIX}{{{self.tag}}}:tally:{bucket.per}:{bucket.start_ms}:{bucket.tenant}"


WHOLE = (Portion(0, "traces"),)
"""All traces, on one server."""
SPREAD = tuple(Portion(number, f"traces-{tag}") for number, tag in enumerate(_SPREAD))
"""All traces, on a Cluster."""


def portion_of(trace_id: str, portions: tuple[Portion, ...]) -> Portion:
    """Return the portion that a trace belongs to."""
    return portions[crc32(trace_id.encode(errors="replace")) % len(portions)]
