"""The base class of guards, what each declares, and its run over a reading.

A run ends as clean, found, or not run with the reason.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from time import perf_counter
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from guards.core.finding import Finding
from guards.core.reading import Reading, RequestReading


class Stage(StrEnum):
    """Stage at which a guard runs."""

    INPUT = "input"
    """Before the model is asked."""
    OUTPUT = "output"
    """After the model has answered."""


class Scope(StrEnum):
    """Part of an answer that a guard must see."""

    SEGMENT = "segment"
    """The answer up to the end of a sentence so far; findings that may change are `provisional`."""
    ANSWER = "answer"
    """All of it: of less, its findings say nothing."""


class GuardSettings(BaseModel):
    """Options of a guard in a policy; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


SettingsT = TypeVar("SettingsT", bound=GuardSettings)


@dataclass(frozen=True, slots=True)
class Label:
    """A short name for operators, as the dashboard shows it.

    Attributes:
        en: English.
        ko: Korean.
    """

    en: str
    ko: str


class Subject(StrEnum):
    """Matter of a guard: policies and reports treat guards by it, never by their names."""

    CLAIMS = "claims"
    """Claims of any other kind, compared with the sources."""
    FIGURES = "figures"
    PROVISIONS = "provisions"
    CONTACTS = "contacts"
    ROUTES = "routes"
    CITATIONS = "citations"
    """Marks that name the source of a claim."""
    PERSONAL_DATA = "personal_data"
    FORM = "form"
    """Form of the answer: says nothing on whether its claims are true."""
    QUESTION = "question"
    """The question and its sources, not the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """One kind of finding, with all that anybody is shown about it.

    Attributes:
        label: Short name, for lists and the dashboard.
        meaning: One sentence for the reference, in English.
        message: What is wrong with the words found, for a report in Korean: a clause without a full
            stop. Empty: the report words it by the finding's strength.
        instruction: What a model is told that is asked again, in Korean. ``{observed}`` and
            ``{expected}`` stand for the finding's own words, ``{observed:은}`` for the particle
            that fits behind them. Empty for kinds that never lead to a second attempt.
        without_value: The same without ``{expected}``, for kinds that expect a value of the
            sources: said where it is not certain that the value is of the thing asked about.
    """

    label: Label
    meaning: str
    message: str = ""
    instruction: str = ""
    without_value: str = ""


class Guard(ABC, Generic[SettingsT]):
    """One check. A plain synchronous function of a reading: no I/O, no clock, no randomness.

    Attributes:
        id: The file's name; findings and policies call it so.
        label: Its name for operators.
        subject: What its findings are about.
        stages: When it runs.
        scope: How much of the answer it must see.
        needs_sources: It compares with the sources: without any it does not run.
        settings_type: Its options.
        codes: Every kind of finding it can report, by code.
    """

    id: ClassVar[str]
    label: ClassVar[Label]
    subject: ClassVar[Subject] = Subject.CLAIMS
    stages: ClassVar[frozenset[Stage]]
    scope: ClassVar[Scope] = Scope.ANSWER
    needs_sources: ClassVar[bool] = False
    settings_type: ClassVar[type[GuardSettings]]
    codes: ClassVar[Mapping[str, Code]]

    def __init__(self, settings: SettingsT) -> None:
        self.settings = settings

    def runs_at(self, stage: Stage) -> bool:
        """Tell whether it runs at a stage; a guard's options may leave out one of its stages."""
        return stage in self.stages

    def not_checkable(self, reading: Reading) -> str | None:
        """Return why this exchange cannot be checked (``no_sources``, …), or None if it can."""
        if reading.answer is None and Stage.INPUT not in self.stages:
            return "no_answer"
        return "no_sources" if self.needs_sources and not reading.sources else None

    def read_ahead(self, request: RequestReading) -> Iterator[None]:
        """Read what checks of any answer to a request need; pause after each piece.

        What is read is kept with the request or its sources, so that it is there when the answer
        is. A check reads for itself what was not read ahead.
        """
        del request
        yield from ()

    @abstractmethod
    def check(self, reading: Reading) -> list[Finding]:
        """Report what is wrong. Called only if `not_checkable` gave None."""


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
