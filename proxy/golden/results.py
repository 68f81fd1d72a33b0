"""What came of a run: shapes that are printed, saved as JSON, and read back to compare."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from statistics import fmean
from typing import Literal

from policies.schema.base import Shape


class Outcome(StrEnum):
    """How a case came out."""

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
    """What came of one question.

    Attributes:
        query: The question.
        reply: What the user would have read.
        action: What the proxy says it did; empty if it says nothing.
        reasons: Why.
        attempts: How often the model was asked; None if nobody says.
        trace_id: Id of the request's trace.
        score: See `scoring`.
        faults: What is not as expected.
        error: Why there was no reply.
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
        """How it came out."""
        if self.error is not None:
            return Outcome.ERROR
        return Outcome.FAILED if self.faults else Outcome.PASSED


class CaseResult(Shape):
    """What came of one case.

    Attributes:
        turns: Its questions, as far as they were asked; the worst run where it ran several times.
        runs: How often it ran.
        runs_passed: How often it passed.
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
        """What is wrong with it, a line each, by turn where there are several."""
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
        new: Ids of cases that the earlier run does not have.
        gone: Ids of cases that are no longer in the set.
    """

    better: tuple[Change, ...]
    worse: tuple[Change, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]


class Run(Shape):
    """One run of a golden set.

    Attributes:
        golden: Name of the set.
        target: Address that was asked, or ``scripted``.
        policy: Name and version of the policy of a scripted run.
        model: Model that was asked for.
        took_s: Time of the whole run.
        tally: Counts of all cases.
        cases: In the order of the file.
        comparison: What changed since an earlier run, if it was held against one.
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
        """Whether every case ran."""
        return self.tally.not_run == 0

    @property
    def has_passed(self) -> bool:
        """Whether every case passed."""
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
