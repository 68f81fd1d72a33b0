"""Results of a run: printed, saved as JSON, compared with an earlier run, written as JUnit XML."""

import io
import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from statistics import fmean
from typing import Literal

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from policies.schema.base import Shape


class Outcome(StrEnum):
    """Outcome of a case."""

    PASSED = "passed"
    FAILED = "failed"
    """A reply was not as expected."""
    ERROR = "error"
    """There was no reply to judge: no connection, an error status, a timeout."""
    NOT_RUN = "not_run"
    """The run was cut short before."""

    @property
    def rank(self) -> int:
        """A higher one is better; what was not run has none."""
        return [Outcome.NOT_RUN, Outcome.ERROR, Outcome.FAILED, Outcome.PASSED].index(self)


class TurnResult(Shape):
    """Result of one question.

    Attributes:
        action: What the proxy says it did; empty if it says nothing.
        attempts: How often the model was asked; None if nobody says.
        score: The share of expected keywords that it says, see `runner`.
        faults: What is not as expected.
        took_ms: From the request to the last byte.
    """

    query: str
    reply: str = ""
    action: str = ""
    reasons: tuple[str, ...] = ()
    attempts: int | None = None
    trace_id: str = ""
    score: float = 0.0
    faults: tuple[str, ...] = ()
    error: str | None = None
    took_ms: float = 0.0

    @property
    def outcome(self) -> Outcome:
        """Outcome of the case."""
        if self.error is not None:
            return Outcome.ERROR
        return Outcome.FAILED if self.faults else Outcome.PASSED


class CaseResult(Shape):
    """Result of one case.

    Attributes:
        turns: Its questions, as far as they were asked; the worst run where it ran several times.
        score: Mean of its turns, and of its runs.
    """

    id: str
    category: str
    scope: str = ""
    outcome: Outcome
    score: float = 0.0
    runs: int = 1
    runs_passed: int = 0
    turns: tuple[TurnResult, ...] = ()

    @property
    def took_ms(self) -> float:
        """Time of all its turns."""
        return sum(turn.took_ms for turn in self.turns)

    @property
    def told(self) -> tuple[str, ...]:
        """Faults of the case, one line each, by turn where there are several."""
        return tuple(
            f"turn {number}: {said}" if len(self.turns) > 1 else said
            for number, turn in enumerate(self.turns, 1)
            for said in (*turn.faults, *([turn.error] if turn.error else []))
        )


class Tally(Shape):
    """Counts of some cases."""

    cases: int
    passed: int
    failed: int
    errors: int
    not_run: int
    score: float | None

    @classmethod
    def of(cls, results: Sequence[CaseResult]) -> "Tally":
        """Count cases; the score is the mean of those that ran."""
        outcomes = [result.outcome for result in results]
        ran = [result.score for result in results if result.outcome is not Outcome.NOT_RUN]
        return cls(
            cases=len(results),
            passed=outcomes.count(Outcome.PASSED),
            failed=outcomes.count(Outcome.FAILED),
            errors=outcomes.count(Outcome.ERROR),
            not_run=outcomes.count(Outcome.NOT_RUN),
            score=round(fmean(ran), 4) if ran else None,
        )


class Change(Shape):
    """A case that came out otherwise than before."""

    id: str
    before: Outcome
    after: Outcome
    score_before: float
    score_after: float

    def __str__(self) -> str:
        """Say what changed."""
        if self.before is not self.after:
            return f"{self.id}: {self.before.value} → {self.after.value}"
        return f"{self.id}: score {self.score_before:.2f} → {self.score_after:.2f}"


class Comparison(Shape):
    """A run against an earlier one.

    Attributes:
        better: Cases that pass now, or came nearer to it: an error is worse than a failure.
        worse: Cases with a worse outcome, or the same one with a lower score.
    """

    better: tuple[Change, ...]
    worse: tuple[Change, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]


class Run(Shape):
    """One run of a golden set.

    Attributes:
        target: Address that was asked, or ``scripted``.
        policy: Name and version of the policy of a scripted run.
        cases: In the order of the file.
        comparison: Changes since an earlier run, if it was compared with one.
    """

    format: Literal[1] = 1
    golden: str
    target: str
    policy: str | None = None
    model: str
    started_at: datetime
    took_s: float
    tally: Tally
    cases: tuple[CaseResult, ...]
    comparison: Comparison | None = None

    @property
    def is_complete(self) -> bool:
        """True if every case ran."""
        return self.tally.not_run == 0

    @property
    def has_passed(self) -> bool:
        """True if every case passed."""
        return self.tally.passed == self.tally.cases

    def by_category(self) -> dict[str, list[CaseResult]]:
        """Return the cases of each category, in the order of the file."""
        found: dict[str, list[CaseResult]] = {}
        for result in self.cases:
            found.setdefault(result.category, []).append(result)
        return found


def worst_of(runs: Iterable[CaseResult]) -> CaseResult:
    """Return the runs of one case as one result: the worst, with the mean score."""
    every = list(runs)
    worst = min(every, key=lambda run: (run.outcome.rank, run.score))
    return worst.model_copy(
        update={
            "runs": len(every),
            "runs_passed": sum(run.outcome is Outcome.PASSED for run in every),
            "score": fmean(run.score for run in every),
        }
    )


_SAME = 1e-9


def compared(now: Run, before: Run, known: Collection[str]) -> Comparison:
    """Compare two runs of a set; cases that one of them did not run are left out.

    Args:
        now: This run.
        before: The earlier one.
        known: Ids of all cases of the set, also of those that this run was not to ask.
    """
    earlier = {case.id: case for case in before.cases}
    ran = [case for case in now.cases if case.outcome is not Outcome.NOT_RUN]
    pairs = [(earlier[case.id], case) for case in ran if case.id in earlier]
    pairs = [pair for pair in pairs if pair[0].outcome is not Outcome.NOT_RUN]
    return Comparison(
        better=tuple(_change_of(old, new) for old, new in pairs if _is_better(new, old)),
        worse=tuple(_change_of(old, new) for old, new in pairs if _is_better(old, new)),
        new=tuple(case.id for case in ran if case.id not in earlier),
        gone=tuple(name for name in earlier if name not in known),
    )


def _is_better(one: CaseResult, other: CaseResult) -> bool:
    if one.outcome is not other.outcome:
        return one.outcome.rank > other.outcome.rank
    return one.score > other.score + _SAME


def _change_of(old: CaseResult, new: CaseResult) -> Change:
    return Change(
        id=new.id,
        before=old.outcome,
        after=new.outcome,
        score_before=old.score,
        score_after=new.score,
    )


# What XML 1.0 cannot hold, not even escaped.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(run: Run) -> bytes:
    """Return a run as a JUnit report in UTF-8."""
    report = JUnitXml(_xml(f"guard-proxy eval {run.golden}"))
    for category, results in run.by_category().items():
        suite = TestSuite(_xml(category))
        suite.timestamp = run.started_at.isoformat(timespec="seconds")
        suite.add_testcases([_test(run, result) for result in results])
        report.add_testsuite(suite)
    written = io.BytesIO()
    report.write(written)
    return written.getvalue()


def _test(run: Run, result: CaseResult) -> TestCase:
    name = _xml(f"{run.golden}.{result.category}")
    test = TestCase(_xml(result.id), name, round(result.took_ms / 1000, 3))
    told = result.told
    if result.outcome is Outcome.FAILED:
        test.result = _explained(Failure(_xml(told[0]), "not_as_expected"), result)
    elif result.outcome is Outcome.ERROR:
        test.result = _explained(Error(_xml(told[0]), "no_reply"), result)
    elif result.outcome is Outcome.NOT_RUN:
        test.result = Skipped("not run")
    return test


def _explained(fault: Failure | Error, result: CaseResult) -> Failure | Error:
    lines = [*result.told]
    for turn in result.turns:
        lines += [
            "",
            f"asked: {turn.query}",
            f"reply: {turn.reply}",
            f"action: {turn.action}  reasons: {', '.join(turn.reasons)}  trace: {turn.trace_id}",
        ]
    fault.text = _xml("\n".join(lines))
    return fault


def _xml(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
