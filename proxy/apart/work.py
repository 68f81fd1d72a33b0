"""What is done in the process, and how its results travel."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Concatenate, ParamSpec, TypeVar

from policies.inspection import Inspector
from policies.verdict import Verdict
from proxy.inspecting import FailedApart
from proxy.replay.workers import judging_by_packed

Given = ParamSpec("Given")
Made = TypeVar("Made")
Work = Callable[Concatenate[Inspector, Given], Made]
"""A function of a module that works with an inspector."""


@dataclass(frozen=True, slots=True)
class Which:
    """Which inspector works.

    Attributes:
        policy: Its policy, packed.
        only: Its guards, where they are not all that the policy has switched on.
        of_segments: It judges answers that are not complete yet.
    """

    policy: bytes
    only: frozenset[str] | None = None
    of_segments: bool = False

    def among(self, wanted: Collection[str]) -> "Which":
        """Return the same with only some of the guards."""
        only = frozenset(wanted)
        return replace(self, only=only if self.only is None else only & self.only)

    def inspector(self) -> Inspector:
        """Return the inspector; policies that were read once stay ready."""
        inspector = judging_by_packed(self.policy).inspector
        if self.only is not None:
            inspector = inspector.only(self.only)
        return inspector.of_segments if self.of_segments else inspector


def done_here(
    which: Which, work: Work[Given, Made], *args: Given.args, **kwargs: Given.kwargs
) -> Made:
    """Do a piece of work; runs in the process."""
    made = work(which.inspector(), *args, **kwargs)
    return _portable(made) if isinstance(made, Verdict) else made  # type: ignore[return-value]


def _portable(verdict: Verdict) -> Verdict:
    """Return a verdict of which all can travel: exceptions cannot, nor would they tell from where.

    Of most verdicts that is the verdict itself.
    """
    if not any(report.error for report in verdict.reports):
        return verdict
    return replace(
        verdict,
        reports=tuple(
            replace(report, error=FailedApart.of(report.error)) if report.error else report
            for report in verdict.reports
        ),
    )
