"""Sizes and times of the trace recorder."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes and times of the recorder.

    Attributes:
        batch: Most traces written at once.
        batch_chars: A batch ends with the trace that goes past this many characters.
        gather_s: How long a batch that is not full waits for more.
        spill_at: A queue this long is moved to the outbox.
        capacity: Most traces in memory; beyond it new ones are dropped.
        long_chars: A trace with more words than this is masked beside the event loop, because
            that takes about a second for some megabytes.
        most_refusals: How often in a row a store that is there may refuse a batch.
        first_retry_s: Wait after the store's first failure; doubled with each further one.
        last_retry_s: Longest wait between two tries.
    """

    batch: int = 100
    batch_chars: int = 4_000_000
    gather_s: float = 0.1
    spill_at: int = 1_000
    capacity: int = 10_000
    long_chars: int = 20_000
    most_refusals: int = 5
    first_retry_s: float = 0.2
    last_retry_s: float = 5.0
