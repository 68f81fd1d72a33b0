"""Keys of traces in Redis, and the script that adds traces.

A script needs everything about a trace on one server: its record, its tenant's stream, the counts.
On one server, or behind Sentinels, all traces are one portion. A Cluster has them in sixteen, each
with a hash tag of its own, so that memory and work are spread over its servers. Which portion a
trace belongs to follows from its id alone, so that it is found by its id, and found again when it
comes a second time. So neither the tags nor how many there are may ever change: what stands under
others would be looked for in vain until it expires.

Each trace is a record under its id, which lives as long as the tenant's policy says, and an entry
in its tenant's stream, which gives the order. One script adds a batch or nothing of it, and of
each trace both or neither. What the batch counts is added to the tallies in the same script.

A batch of which something is there already, because the answer to the first time was lost, is not
taken: the script says what it does not want, and the rest is put to it again. So each trace is kept
once and counted once, and what a batch counts can be added up before.

A batch for several portions is taken portion by portion. A place is a time and a number. All places
of a batch have one time, and their numbers are in the batch's order, so that it is kept when
portions are read together. Numbers of different portions never are the same.

A label is written into the trace's record, and the trace into one of two sorted sets of its tenant:
that of the pinned ones, whose records do not expire, or that of the others. Their places begin with
the time of the request.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha1
from math import ceil, sqrt
from pathlib import Path
from zlib import crc32

from proxy.shared_redis import ScriptCall
from proxy.traces.store import Entry, Relabelled, added_up
from proxy.traces.tally import MOST_COUNTERS, BucketKey, ms_of
from proxy.traces.trace import Trace

_PREFIX = "guard-proxy:"
# The slots of these lie in the middle of one sixteenth of all slots each, in order. However many
# servers divide the slots evenly, up to sixteen, each has its share of the portions.
_SPREAD = (39, 9, 40, 79, 38, 8, 41, 78, 28, 11, 42, 68, 29, 10, 43, 69)


@dataclass(frozen=True, slots=True)
class Portion:
    """Traces whose keys are on one server."""

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
        """Prefix of the keys of all records."""
        return f"{_PREFIX}{{{self.tag}}}:record:"

    def record(self, trace_id: str) -> str:
        """Return the key of a trace's record."""
        return self.records + trace_id

    def stream(self, tenant: str) -> str:
        """Return the key of the stream that gives a tenant's traces their order."""
        return f"{_PREFIX}{{{self.tag}}}:stream:{tenant}"

    def labelled(self, tenant: str, *, pinned: bool) -> str:
        """Return the key of a tenant's labelled traces: the pinned ones, or the others."""
        kind = "pinned" if pinned else "labelled"
        return f"{_PREFIX}{{{self.tag}}}:{kind}:{tenant}"

    def tally(self, bucket: BucketKey) -> str:
        """Return the key of a bucket's counters."""
        return f"{_PREFIX}{{{self.tag}}}:tally:{bucket.per}:{bucket.start_ms}:{bucket.tenant}"


WHOLE = (Portion(0, "traces"),)
"""All traces, on one server."""
SPREAD = tuple(Portion(number, f"traces-{tag}") for number, tag in enumerate(_SPREAD))
"""All traces, on a Cluster."""


def portion_of(trace_id: str, portions: tuple[Portion, ...]) -> Portion:
    """Return the portion that a trace belongs to."""
    return portions[crc32(trace_id.encode(errors="replace")) % len(portions)]


OWN_CLOCK = 0
"""In the place of a time: that of the server."""
_LEAST_SURPLUS = 100

_ADD_UP, _ADD, _LABEL = (
    Path(__file__).with_name(name).read_text("utf-8")
    for name in ("add_up.lua", "add.lua", "label.lua")
)
ADD, LABEL = _ADD_UP + _ADD, _ADD_UP + _LABEL
CHANGED = "changed"
"""Returned by `LABEL` where the record is no longer the one that was read."""


@dataclass(frozen=True, slots=True)
class BatchEntry:
    """An entry, and which of its batch it is."""

    number: int
    entry: Entry


def keys_and_values(
    batch: Sequence[BatchEntry], portion: Portion, portions: int, at_ms: int = OWN_CLOCK
) -> tuple[list[str], list[str | int]]:
    """Return what the script is given to add a batch, in which no id is twice.

    Args:
        batch: What belongs to the portion, in order.
        at_ms: The time of the batch's places, in milliseconds since 1970.
    """
    keys = [portion.tenants, portion.last_place]
    values: list[str | int] = [portion.records, len(batch), MOST_COUNTERS]
    values += (at_ms, portions, ceil(_LEAST_SURPLUS / portions))
    for placed in batch:
        entry = placed.entry
        keys += (portion.record(entry.id), portion.stream(entry.tenant))
        values += (
            entry.id,
            entry.tenant,
            *_fields(entry),
            entry.record,
            entry.expires_ms,
            entry.tracing.keep_ms,
            _share(entry.tracing.keep_last, portions),
            placed.number * portions + portion.number,
        )
    for kept, tally in added_up([placed.entry for placed in batch]).items():
        keys.append(portion.tally(kept))
        values += (kept.expires_ms, json.dumps(tally.counts))
    return keys, values


def _share(last: int, portions: int) -> int:
    """Return how many of a tenant's last traces one portion keeps.

    They fall on the portions by chance. With four standard deviations above the mean a portion
    hardly ever drops one of the last.
    """
    if portions == 1:
        return last
    mean = last / portions
    return ceil(mean + 4 * sqrt(mean))


def _fields(entry: Entry) -> tuple[str, str, str, int]:
    """Return the fields of a trace's stream entry: index, codes, door, started_ms."""
    index = " ".join((entry.action, *entry.guards))
    return index, " ".join(entry.codes), entry.door, entry.started_ms


def label_call(before: str, new: Relabelled, portion: Portion) -> ScriptCall:
    """Return what the script is given to label a trace."""
    entry = new.entry
    place = label_place(new.trace)
    keys = [portion.record(entry.id)]
    keys += [portion.labelled(entry.tenant, pinned=pinned) for pinned in (False, True)]
    values: list[str | int] = [
        sha1(before.encode(), usedforsecurity=False).hexdigest(),
        entry.record,
        place,
        _member(place, new) if new.label else "",
        int(new.is_pinned),
        entry.expires_ms,
        entry.tracing.keep_ms,
        MOST_COUNTERS,
    ]
    for kept, tally in new.added.items():
        keys.append(portion.tally(kept))
        values += (kept.expires_ms, json.dumps(tally.counts))
    return ScriptCall(keys, values)


def label_place(trace: Trace) -> str:
    """Return where a labelled trace stands: by the time of its request, each in its own place."""
    number = int.from_bytes(blake2b(trace.id.encode(errors="replace"), digest_size=7).digest())
    return f"{ms_of(trace.started_at):018}-{number:018}"


def _member(place: str, new: Relabelled) -> str:
    index, codes, door, started_ms = _fields(new.entry)
    fields = {"id": new.trace.id, "index": index, "codes": codes, "door": door}
    said = fields | {"started_ms": str(started_ms), "label": new.label}
    return f"{place} {json.dumps(said, ensure_ascii=False)}"
