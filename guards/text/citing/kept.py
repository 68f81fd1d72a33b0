"""What several ask of the citations of one exchange, made once and shared.

The guard of citations, the report on an answer and its claims hold the same sentences against the
same sources. The latest exchanges are kept; one that is equal is the same.
"""

from dataclasses import dataclass, field
from functools import lru_cache

from guards.core.exchange import Exchange
from guards.core.reading import Reading
from guards.evidence.support import Support
from guards.text.citing.cited_answer import CitedAnswer

EXCHANGES_KEPT = 4


@dataclass(frozen=True, slots=True)
class Asked:
    """A reading that counts as the same as any other of the same exchange from the same place."""

    exchange: Exchange
    judged_from: int
    reading: Reading = field(compare=False)


def asked(reading: Reading) -> Asked:
    """Return what a reading is kept under."""
    return Asked(reading.exchange, reading.judged_from, reading)


def cited_answer(reading: Reading) -> CitedAnswer:
    """Return the answer of an exchange as it cites; an empty one before the model has spoken."""
    return _cited_answer(reading.exchange.answer or "")


def support_of(reading: Reading) -> Support:
    """Return the sources of an exchange, to hold its statements against."""
    return _support(asked(reading))


_cited_answer = lru_cache(maxsize=EXCHANGES_KEPT)(CitedAnswer)


@lru_cache(maxsize=EXCHANGES_KEPT)
def _support(of: Asked) -> Support:
    return Support(of.reading, cited_answer(of.reading).marks)
