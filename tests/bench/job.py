"""What a process of callers is told to do, and the requests that it makes then."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from tests.bench.corpus import RECURRING, SINGLE, Case, Passage, numbered
from tests.bench.prepared import Prepared, Way
from tests.bench.subjects import Reached

LONG_SETS = 40
"""Sets of sources in each source of a long request; five sources make 1 MB."""
GRACE_S = 60.0
"""How long a request may take after the load's time is over."""

Sources: TypeAlias = Literal["recurring", "new", "long"]


@dataclass(frozen=True)
class Job:
    """A part of a load, for one process.

    Attributes:
        reached: Whom to ask.
        way: How the model server replies.
        connections: How many are busy at a time; each asks again when it has its reply.
        most: Requests to make at most.
        most_s: Time after which a connection makes no further request.
        sources: Sources seen before, never seen, or 1 MB of them that were never seen.
        warm_up: Requests of each connection before the load begins.
        held: Leave each connection in its first reply, until told to stop.
        spread_s: The connections begin one after the other within this time, as callers who do not
            know each other do; all at once, they would wait for each other from then on.
        phase: Where this process's connections begin between those of the others, from 0 to 1.
    """

    reached: Reached
    way: Way
    connections: int
    most: int
    most_s: float
    sources: Sources = "recurring"
    warm_up: int = 1
    held: bool = False
    spread_s: float = 0.0
    phase: float = 0.0

    @property
    def asking_s(self) -> float:
        """How long requests are made; the last connection has all its time as well."""
        return self.spread_s + self.most_s

    @property
    def longest_s(self) -> float:
        """After this time it has ended, well or not."""
        return self.asking_s + GRACE_S


class Requests:
    """Deals out requests; no two are alike."""

    def __init__(self, job: Job, process: int, serials: Iterator[int]) -> None:
        self.cases = _cases(job.sources)
        self._new = job.sources != "recurring"
        self._serials = serials
        self._order = random.Random(process)
        self._prepared = [
            Prepared(case, number, job.way, job.reached.path, job.reached.headers)
            for number, case in self.cases.items()
        ]

    def next(self) -> tuple[int, bytes]:
        """Return the number of a seed and its request."""
        prepared = self._order.choice(self._prepared)
        return prepared.filled(next(self._serials), new_sources=self._new)


def _cases(sources: Sources) -> dict[int, Case]:
    if sources == "long":
        return {RECURRING.start: _long_case()}
    numbers = SINGLE if sources == "new" else RECURRING
    return {number: numbered(number) for number in numbers}


def _long_case() -> Case:
    """Return a case of which each source holds the documents of many companies."""
    short = numbered(RECURRING.start)
    sets = [short.sources, *(numbered(number).sources for number in SINGLE[: LONG_SETS - 1])]
    sources = tuple(
        Passage(same[0].title, "\n".join(one.text for one in same))
        for same in zip(*sets, strict=True)
    )
    return replace(short, sources=sources)
