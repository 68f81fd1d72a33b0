"""What a trace adds to the counts of its store."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from policies.guard_rule import Action
from policies.verdict import GuardOutcome
from proxy.traces.differing import does_otherwise
from proxy.traces.latency import Latency, label_of
from proxy.traces.trace import Delivery, Trace

CLIENT_GONE = "client_gone"
"""Stands for the class of a status that nobody was there to get."""
_NAME = re.compile(r"[a-z][a-z0-9_.]{0,39}")
_WEIGHTIEST_FIRST = (
    GuardOutcome.ACTED,
    GuardOutcome.WOULD_ACT,
    GuardOutcome.NOTED,
    GuardOutcome.CLEAN,
    GuardOutcome.NOT_RUN,
)


def counters_of(trace: Trace) -> Iterator[str]:
    """Yield the counters that a trace adds one to."""
    yield "requests"
    yield f"action:{trace.action_name}"
    yield f"door:{_name(trace.door)}"
    yield f"status:{_status_class(trace)}"
    if trace.not_checked:
        yield "not_checked"
    yield from _guards(trace.not_checked, tuple((run.guard, run.outcome) for run in trace.guards))
    yield from _shadows(trace)
    if len(trace.attempts) > 1:
        yield f"regeneration:{_second_attempt(trace)}"
    for what, time_ms in _times(trace):
        yield f"{what}_ms:{label_of(time_ms)}"


def _status_class(trace: Trace) -> str:
    if trace.delivery is Delivery.CLIENT_GONE:
        return CLIENT_GONE
    return f"{trace.status // 100}xx"


@lru_cache(256)
def _guards(
    not_checked: Sequence[str], runs: Sequence[tuple[str, GuardOutcome]]
) -> tuple[str, ...]:
    """Return the counters of the guards; those of most requests are the same."""
    missed = {_name(name.partition(":")[0]) for name in not_checked}
    came: dict[str, set[GuardOutcome]] = {}
    for guard, outcome in runs:
        came.setdefault(_name(guard), set()).add(outcome)
    counters = []
    for guard, outcomes in came.items():
        outcome = _weightiest(outcomes, missed=guard in missed)
        # A guard that had no call to run missed nothing.
        if outcome is not GuardOutcome.NOT_RUN or guard in missed:
            counters.append(f"guard:{guard}:{outcome}")
    reasons = {_name(_reason(name)) for name in not_checked}
    return (*counters, *(f"not_run:{reason}" for reason in reasons))


def _reason(not_checked: str) -> str:
    """Return the reason of ``guard:reason:details``; what is no guard stands for itself."""
    _, _, reason = not_checked.partition(":")
    return reason.partition(":")[0] or not_checked


def _weightiest(outcomes: set[GuardOutcome], *, missed: bool) -> GuardOutcome:
    """Return the outcome that counts; clean on one answer is nothing if another was missed."""
    found = next(outcome for outcome in _WEIGHTIEST_FIRST if outcome in outcomes)
    if missed and found is GuardOutcome.CLEAN and GuardOutcome.NOT_RUN in outcomes:
        return GuardOutcome.NOT_RUN
    return found


def _shadows(trace: Trace) -> Iterator[str]:
    if trace.would is not Action.PASS:
        yield f"would:{trace.would}"
    shadow = trace.shadow
    if shadow is None:
        return
    if shadow.not_run is not None:
        yield "shadow_not_judged"
        return
    yield f"shadow:{shadow.action_name}"
    if does_otherwise(trace, shadow):
        yield "shadow_changed"


def _second_attempt(trace: Trace) -> str:
    if trace.error is not None:
        return "unfinished"
    return "helped" if trace.kept_attempt == len(trace.attempts) else "failed"


def _times(trace: Trace) -> Iterator[tuple[Latency, float]]:
    yield Latency.WHOLE, trace.duration_ms
    model_ms = sum(attempt.upstream_ms for attempt in trace.attempts)
    if model_ms:
        yield Latency.MODEL, model_ms
    guards = [step.duration_ms for step in trace.steps if step.name.startswith("inspect_")]
    if guards:
        yield Latency.GUARDS, sum(guards)
    if trace.first_text_ms is not None:
        yield Latency.FIRST_TEXT, trace.first_text_ms


def _name(said: str) -> str:
    """Return a name that may be one of a counter's."""
    return said if _NAME.fullmatch(said) else "other"
