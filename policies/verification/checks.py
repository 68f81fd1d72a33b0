"""Which checks ran over an answer, why the others did not, and which of those were demanded."""

from dataclasses import dataclass

from guards.core.guard import Stage
from guards.core.registry import all_guards
from policies.judging.claims import Skip
from policies.judging.judge import JUDGE
from policies.schema.base import Mode
from policies.schema.policy import Policy
from policies.verdict import NOT_WANTED, PARTIAL, GuardOutcome, GuardResult, Verdict
from policies.verification.options import Options
from policies.verification.parts import Checks

_FAILED = "failed:"


@dataclass(frozen=True, slots=True)
class CheckBook:
    """What was to be checked, and what came of it.

    Attributes:
        policy: The policy.
        verdict: The verdict over the answer.
        options: What was wanted.
        asked: The guards that were asked for by name; None for all.
    """

    policy: Policy
    verdict: Verdict
    options: Options
    asked: frozenset[str] | None

    @property
    def checks(self) -> Checks:
        """Every check, as one that ran or with why it did not."""
        results = self._results
        skipped = {
            guard: reason for guard in all_guards() if (reason := self._reason(guard)) is not None
        }
        if JUDGE not in self.verdict.ran:
            skipped[JUDGE] = self._why_no_judge
        return Checks(
            run=tuple(guard for guard in results if guard in self.verdict.ran),
            shadow=tuple(
                guard
                for guard, result in results.items()
                if result.mode is Mode.SHADOW and result.outcome is not GuardOutcome.NOT_RUN
            ),
            skipped=skipped,
        )

    @property
    def degraded(self) -> tuple[str, ...]:
        """What was wanted and failed, as ``name:reason``."""
        failed = [
            f"{guard}:{result.reason}"
            for guard, result in self._results.items()
            if guard != JUDGE and result.mode is Mode.ENFORCE and result.reason.startswith(_FAILED)
        ]
        if self.misses_judge or self._has_part_of_judge:
            failed.append(f"{JUDGE}:{self._why_no_judge}")
        return tuple(failed)

    @property
    def misses_judge(self) -> bool:
        """Whether a model's opinion was wanted and there is none."""
        if JUDGE in self.verdict.ran:
            return False
        result = self._results.get(JUDGE)
        failed = (
            result is not None
            and result.mode is Mode.ENFORCE
            and result.outcome is GuardOutcome.NOT_RUN
            and result.reason not in set(Skip)
        )
        return failed or self.options.judge == "force"

    @property
    def _has_part_of_judge(self) -> bool:
        """Return whether a model's opinion counts on some of the open claims only."""
        return JUDGE in self.verdict.ran and self._results[JUDGE].reason == PARTIAL

    @property
    def _why_no_judge(self) -> str:
        """Return why no opinion of a judge counts, or not on every open claim."""
        result = self._results.get(JUDGE)
        if result is not None:
            return result.reason or "shadow"
        if self.options.judge == "off":
            return "off"
        rules = self.policy.judge
        if rules is None:
            return "not_configured"
        return "off" if rules.mode is Mode.OFF else "not_asked"

    @property
    def missing(self) -> tuple[str, ...]:
        """Checks without which the answer is not verified, and that did not run."""
        failed = [name.partition(":")[0] for name in self.degraded]
        demanded = sorted((self.asked or frozenset()) - self.verdict.ran)
        wanting = [guard for guard in demanded if self._reason(guard) not in NOT_WANTED]
        return tuple(dict.fromkeys([*failed, *wanting]))

    @property
    def _results(self) -> dict[str, GuardResult]:
        return {result.guard: result for result in self.verdict.results}

    def _reason(self, guard: str) -> str | None:
        """Return why a guard did not run; None if it did."""
        rule = self.policy.guards.get(guard)
        if rule is None or rule.mode is Mode.OFF:
            return "off"
        if Stage.OUTPUT not in all_guards()[guard].stages:
            return "question_only"
        result = self._results.get(guard)
        if result is None:
            return "not_asked"
        return result.reason if result.outcome is GuardOutcome.NOT_RUN else None
