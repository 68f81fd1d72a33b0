"""How times are counted: in buckets of fixed bounds, from which percentiles are estimated."""

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

BOUNDS_MS = (
    *(1, 2, 3, 5, 7),
    *(step * decade for decade in (10, 100, 1_000, 10_000) for step in (1, 1.5, 2, 3, 5, 7)),
    *(100_000, 150_000, 200_000, 300_000),
)
"""Upper bounds of the buckets, in milliseconds, each within its bucket."""
BEYOND = "more"
"""Label of what is longer than the last bound."""
LABELS = (*(f"{bound:g}" for bound in BOUNDS_MS), BEYOND)


class Latency(StrEnum):
    """A time that is counted."""

    WHOLE = "whole"
    """The whole request."""
    MODEL = "model"
    """All that the model server took in one request."""
    GUARDS = "guards"
    """All that reading, guards and decision took in one request."""
    FIRST_TEXT = "first_text"
    """From the request to the first word of a stream that left."""


def label_of(time_ms: float) -> str:
    """Return the label of the bucket that a time falls into."""
    return LABELS[bisect_left(BOUNDS_MS, time_ms)]


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many times fell into which bucket.

    Attributes:
        counts: By the labels of the buckets.
    """

    counts: Mapping[str, int]

    @property
    def count(self) -> int:
        """How many times were counted."""
        return sum(self.counts.values())

    def percentile(self, share: float) -> float | None:
        """Estimate the time that this share of all times does not exceed, in milliseconds.

        The estimate lies in the bucket of the true one. Beyond the last bound it is that bound.

        Args:
            share: From 0 to 1.

        Returns:
            None if nothing was counted.
        """
        if not self.count:
            return None
        rank = max(1, math.ceil(share * self.count))
        below, low = 0, 0.0
        for bound, label in zip(BOUNDS_MS, LABELS, strict=False):
            here = self.counts.get(label, 0)
            if below + here >= rank:
                return low + (bound - low) * (rank - below) / here
            below, low = below + here, float(bound)
        return low
