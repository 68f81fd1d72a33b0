"""What happened to a request, step by step, each guard's run where it ran."""

from collections.abc import Iterator
from dataclasses import dataclass

from policies.verdict import GuardOutcome
from proxy.dashboard.traces.reasons import reason_word
from proxy.dashboard.traces.terms import OUTCOMES
from proxy.dashboard.traces.waterfall import STEP_WORDS
from proxy.dashboard.words import guard_word
from proxy.traces.trace import GuardRun, Step, Trace

_INSPECTION = "inspect_"
_BEFORE_MODEL = "inspect_question"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log.

    Attributes:
        name: A step or a guard, to be translated.
        attempt: Number of the attempt that a step belongs to; empty if to none.
        guard: Id of the guard; empty for a step.
        word: What a guard's run came to, to be translated; empty for a step.
        tone: Of its badge.
        note: Why a guard did not run, to be translated; empty if it did.
        started_ms: From the beginning of the request; None for a guard, whose beginning nobody
            notes.
        duration_ms: Time taken; None for a guard that did not run.
    """

    name: str
    attempt: str = ""
    guard: str = ""
    word: str = ""
    tone: str = "calm"
    note: str = ""
    started_ms: float | None = None
    duration_ms: float | None = None


def log_of(trace: Trace) -> list[Entry]:
    """Return the steps in order, each inspection with its guards' runs behind it."""
    steps = sorted(trace.steps, key=lambda step: step.started_ms)
    return [entry for step in steps for entry in _entries(step, trace)]


def _entries(step: Step, trace: Trace) -> Iterator[Entry]:
    stem, _, number = step.name.rpartition("_")
    name, attempt = (stem, number) if number.isdecimal() else (step.name, "")
    yield Entry(
        name=STEP_WORDS.get(name, step.name),
        attempt=attempt,
        started_ms=step.started_ms,
        duration_ms=step.duration_ms,
    )
    if name.startswith(_INSPECTION):
        number_of_attempt = 0 if name == _BEFORE_MODEL else int(attempt or 1)
        yield from (_run(run) for run in trace.guards if run.attempt == number_of_attempt)


def _run(run: GuardRun) -> Entry:
    word, tone = OUTCOMES[run.outcome]
    ran = run.outcome is not GuardOutcome.NOT_RUN
    return Entry(
        name=guard_word(run.guard),
        guard=run.guard,
        word=word,
        tone=tone,
        note=reason_word(run.reason),
        duration_ms=run.duration_ms if ran else None,
    )
