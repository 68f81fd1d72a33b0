"""The spans of time: whole bars that end now, and nothing lost between buckets and bars."""

from datetime import UTC, datetime, timedelta

import pytest

from proxy.dashboard.overview import SPANS, Span
from proxy.traces.tally import TallyBucket

NOW = datetime(2031, 5, 6, 10, 47, 12, tzinfo=UTC)


def buckets_of(span: Span, now: datetime) -> list[TallyBucket]:
    """Return what a store returns for a span: every bucket that it touches, one request in each."""
    start = span.since(now) - (span.since(now) - datetime(2031, 1, 1, tzinfo=UTC)) % span.per.span
    buckets = []
    while start < now:
        buckets.append(TallyBucket(start, {"requests": 1}))
        start += span.per.span
    return buckets


@pytest.mark.parametrize("span", SPANS, ids=lambda span: span.name)
def test_a_span_is_made_of_whole_bars(span: Span) -> None:
    buckets = buckets_of(span, NOW)
    bars = list(span.bars(buckets))

    size = span.bar // span.per.span
    assert len(buckets) == span.length // span.per.span
    assert [bar.tally.requests for bar in bars] == [size] * (span.length // span.bar)
    assert bars[0].start == buckets[0].start
    assert bars[-1].start + span.bar == buckets[-1].start + span.per.span


@pytest.mark.parametrize("span", SPANS, ids=lambda span: span.name)
def test_the_newest_bar_is_whole_where_the_store_keeps_less(span: Span) -> None:
    size = span.bar // span.per.span
    kept = buckets_of(span, NOW)[-(2 * size + 1) :]
    bars = list(span.bars(kept))
    assert [bar.tally.requests for bar in bars[-2:]] == [size, size]


@pytest.mark.parametrize("span", SPANS, ids=lambda span: span.name)
def test_a_chart_has_room_for_its_bars(span: Span) -> None:
    assert 20 <= span.length // span.bar <= 40
    assert span.length % span.bar == timedelta(0)
