"""What a run found, as it is kept in a file."""

import statistics
from collections.abc import Sequence
from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict

from tests.bench.figures import Figures, Metric
from tests.bench.measuring import machine


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SubjectRow(_Kept):
    """A subject; ``absent`` says why there are no figures of it."""

    name: str
    workers: int
    guarded: bool
    version: str = ""
    absent: str = ""


class Measurement(_Kept):
    """The figures of a subject under a load, one value a round; or why there are none."""

    subject: str
    load: str
    rounds: dict[Metric, list[float]] = {}
    problem: str = ""


class Results(_Kept):
    """All of a run."""

    machine: str
    date: str
    seconds: float
    """How long each load lasted in each round."""
    subjects: list[SubjectRow] = []
    loads: list[str] = []
    measurements: list[Measurement] = []
    guard_pass_seen_ms: list[float] = []
    """The guards alone over one answer, in this process, when its sources were seen before."""
    guard_pass_new_ms: list[float] = []

    @classmethod
    def begin(cls, seconds: float) -> "Results":
        return cls(machine=machine(), date=f"{datetime.now(UTC):%Y-%m-%d}", seconds=seconds)

    def measurement(self, subject: str, load: str) -> Measurement:
        """Return the measurement of a subject under a load; a new one if there is none."""
        for one in self.measurements:
            if (one.subject, one.load) == (subject, load):
                return one
        self.measurements.append(Measurement(subject=subject, load=load))
        return self.measurements[-1]

    def add(self, subject: str, load: str, figures: Figures) -> None:
        """Keep the figures of one more round."""
        rounds = self.measurement(subject, load).rounds
        for metric, value in figures.items():
            rounds.setdefault(metric, []).append(value)

    def values(self, subject: str, load: str, metric: Metric) -> Sequence[float]:
        """Return a figure of each round; empty where it was not measured."""
        for one in self.measurements:
            if (one.subject, one.load) == (subject, load) and not one.problem:
                return one.rounds.get(metric, [])
        return []

    def median(self, subject: str, load: str, metric: Metric) -> float | None:
        """Return the median of the rounds."""
        values = self.values(subject, load, metric)
        return statistics.median(values) if values else None

    @property
    def problems(self) -> list[str]:
        """What went wrong with whom."""
        return [
            f"{one.subject}, {one.load}: {one.problem}" for one in self.measurements if one.problem
        ]
