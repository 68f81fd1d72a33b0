"""The spans of time that the overview can show."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from proxy.dashboard.languages import msgid
from proxy.traces.tally import Bucket, Tally, TallyBucket


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time that ends now.

    Attributes:
        name: As addresses name it.
        title: As the page names it.
        length: How far it goes back.
        per: What it is counted by.
        bar: What one bar of the chart stands for; a multiple of that.
        refresh_s: How often the page asks again: a bar that stands for hours hardly moves.
    """

    name: str
    title: str
    length: timedelta
    per: Bucket
    bar: timedelta
    refresh_s: int

    def since(self, until: datetime) -> datetime:
        """Return its begin, so that it holds a whole number of bars, the newest one not over."""
        return until - self.length + self.per.span

    def bars(self, buckets: Sequence[TallyBucket]) -> Iterator["Bar"]:
        """Add up the buckets of each bar; what is left over at the old end is left out."""
        size = self.bar // self.per.span
        for first in range(len(buckets) % size, len(buckets), size):
            group = buckets[first : first + size]
            yield Bar(group[0].start, Tally.sum(bucket.tally for bucket in group))


@dataclass(frozen=True, slots=True)
class Bar:
    """What was counted from `start` on, for the length of one bar."""

    start: datetime
    tally: Tally


SPANS = (
    Span("1h", msgid("1 hour"), timedelta(hours=1), Bucket.MINUTE, timedelta(minutes=2), 5),
    Span("24h", msgid("24 hours"), timedelta(hours=24), Bucket.HOUR, timedelta(hours=1), 5),
    Span("7d", msgid("7 days"), timedelta(days=7), Bucket.HOUR, timedelta(hours=6), 30),
    Span("30d", msgid("30 days"), timedelta(days=30), Bucket.HOUR, timedelta(days=1), 30),
)
USUAL = SPANS[1]


def span_named(name: str | None) -> Span:
    """Return the span that an address asks for; the usual one if it asks for none of ours."""
    return next((span for span in SPANS if span.name == name), USUAL)
