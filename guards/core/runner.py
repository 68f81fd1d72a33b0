"""Runs guards over one reading: each ends as clean, found, or not run with the reason."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from time import perf_counter
from typing import Any

from guards.core.finding import Finding
from guards.core.guard import Guard
from guards.core.reading import Reading, RequestReading


class Outcome(StrEnum):
    """Outcome of a guard's run. A guard that did not run is never reported as clean."""

    CLEAN = "clean"
    FOUND = "found"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True)
class GuardReport:
    """One guard's run over one reading.

    Attributes:
        guard: Id of the guard.
        outcome: How it ended.
        findings: Not empty exactly when the outcome is FOUND.
        reason: Why it did not run: what the exchange lacks, or ``failed:<exception type>``.
        duration_ms: Time taken, in milliseconds.
        error: What broke it, for the log; None if nothing did.
        cleared: What it saw and the judge took back; not among the findings.
    """

    guard: str
    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    duration_ms: float = 0.0
    error: Exception | None = None
    cleared: tuple[Finding, ...] = ()

    @property
    def failed(self) -> bool:
        """True if the guard failed; false if it ran or had nothing to check."""
        return self.error is not None


def run(guards: Iterable[Guard[Any]], reading: Reading) -> tuple[GuardReport, ...]:
    """Run each guard; one that breaks is reported as not run and does not stop the others."""
    return tuple(_run_one(guard, reading) for guard in guards)


def read_ahead(guards: Iterable[Guard[Any]], request: RequestReading) -> Iterator[None]:
    """Read what guards need for any answer to a request, with a pause after each piece."""
    for guard in guards:
        # What broke breaks again when the guard runs, and is reported then.
        with suppress(Exception):
            yield from guard.read_ahead(request)


def _run_one(guard: Guard[Any], reading: Reading) -> GuardReport:
    started_s = perf_counter()
    findings: list[Finding] = []
    error: Exception | None = None
    try:
        reason = guard.not_checkable(reading)
        if reason is None:
            findings = guard.check(reading)
    except Exception as failure:  # noqa: BLE001 - whatever breaks is reported, never passed over
        error = failure
        reason = f"failed:{type(failure).__name__}"
    if reason is not None:
        outcome = Outcome.NOT_RUN
    else:
        outcome = Outcome.FOUND if findings else Outcome.CLEAN
    spent_ms = (perf_counter() - started_s) * 1000
    return GuardReport(guard.id, outcome, tuple(findings), reason or "", spent_ms, error)
