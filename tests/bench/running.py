"""One run: every load in rounds, in each round every subject in turn."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from rich.progress import Progress

from tests.bench import idle, long_request
from tests.bench.figures import Figures
from tests.bench.guard_pass import GuardPass
from tests.bench.loads import Load
from tests.bench.results import Results, SubjectRow
from tests.bench.stage import Failed, Stage, Started, stage
from tests.bench.subjects import Subject

PRIMING = "answers of the first replies"
MANY_CONNECTIONS = 32
"""Several workers are measured with so many requests at a time, and not with fewer."""


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    Attributes:
        loads: The loads.
        rounds: Most rounds; the first is always gone through.
        seconds: How long each load lasts in a round.
        extras: Idle streams and long requests, too.
        until_s: No load is begun anew after that, by `time.monotonic`.
    """

    loads: Sequence[Load]
    rounds: int
    seconds: float
    extras: bool
    until_s: float = math.inf


@dataclass(frozen=True)
class _Turn:
    """One figure-taking."""

    load: str
    subject: Started
    measure: Callable[[], Figures]


def run(subjects: Sequence[Subject], plan: Plan, results: Results, progress: Progress) -> None:
    """Measure; ``results`` holds what was found even if this ends early."""
    with stage(subjects, progress.console.print) as on:
        _introduce(subjects, on, results)
        ready = [one for one in on.started if _is_right(one, on, results, progress)]
        turns = list(_turns(on, ready, plan))
        shown = progress.add_task("", total=len(turns))
        for turn in turns:
            description = f"{turn.load}: {turn.subject.subject.name}"
            progress.update(shown, description=description)
            if not progress.console.is_terminal:  # no bar is drawn there
                progress.console.print(description)
            _take(turn, results)
            progress.advance(shown)
    alone = GuardPass()
    for _ in range(plan.rounds):
        results.guard_pass_seen_ms.append(alone.seen_ms())
        results.guard_pass_new_ms.append(alone.new_ms())


def _introduce(subjects: Sequence[Subject], on: Stage, results: Results) -> None:
    versions = {one.subject.name: one.version for one in on.started}
    results.subjects = [
        SubjectRow(
            name=one.name,
            workers=one.workers,
            guarded=one.guarded,
            version=versions.get(one.name, ""),
            absent=on.absent.get(one.name, ""),
        )
        for one in subjects
    ]


def _is_right(one: Started, on: Stage, results: Results, progress: Progress) -> bool:
    """Prime a subject and tell whether it says what the model says."""
    progress.console.print(f"priming {one.subject.name}")
    try:
        on.prime(one)
    except Failed as failed:
        results.measurement(one.subject.name, PRIMING).problem = str(failed)
        return False
    return True


def _turns(on: Stage, ready: Sequence[Started], plan: Plan) -> Iterator[_Turn]:
    for number in range(plan.rounds):
        for load in plan.loads:
            if number and time.monotonic() > plan.until_s:
                return
            for one in ready:
                if _concerns(load, one.subject):
                    yield _Turn(load.name, one, partial(on.measure, one, load, plan.seconds))
        if plan.extras:
            yield from _extras(on, ready, plan, with_idle=number == 0)


def _extras(on: Stage, ready: Sequence[Started], plan: Plan, *, with_idle: bool) -> Iterator[_Turn]:
    for one in ready:
        measure = partial(long_request.measure_long, on, one, plan.seconds)
        yield _Turn(long_request.NAME, one, measure)
    for one in ready if with_idle else ():
        if one.subject.workers == 1:
            yield _Turn(idle.NAME, one, partial(idle.measure_idle, on, one))


def _concerns(load: Load, subject: Subject) -> bool:
    return subject.workers <= 1 or load.connections >= MANY_CONNECTIONS


def _take(turn: _Turn, results: Results) -> None:
    """Measure once; a subject that failed under a load is not asked again."""
    name = turn.subject.subject.name
    measurement = results.measurement(name, turn.load)
    if measurement.problem:
        return
    try:
        results.add(name, turn.load, turn.measure())
    except Failed as failed:
        measurement.problem = str(failed)
