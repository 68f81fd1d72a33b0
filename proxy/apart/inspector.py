"""An inspector whose work is done in another process."""

from collections.abc import Collection
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from guards.core.exchange import Exchange
from guards.core.guard import Stage
from policies.decision import Possible
from policies.inspection import NOTHING, Inspector, SegmentInspector
from policies.judging.report import JudgeReport
from policies.schema.guard_rule import Action
from policies.schema.policy import Policy
from policies.verdict import Verdict
from proxy.apart.lane import Lane
from proxy.apart.work import Which


class InspectorApart(Inspector):
    """Asks a process for its verdicts, which are those that it would come to itself.

    Every method waits for the process: call it in a thread, as is done for long texts. Each may
    raise `CannotJudgeNow`.

    Args:
        policy: The policy.
        lane: Where the process is.
        which: Which inspector works there.
    """

    waits: ClassVar[bool] = True

    def __init__(self, policy: Policy, lane: Lane, which: Which) -> None:
        super().__init__(policy, guards=())
        self._lane = lane
        self._which = which

    def only(self, wanted: Collection[str]) -> Inspector:
        """Return an inspector by the same policy that runs only some of its guards."""
        return InspectorApart(self.policy, self._lane, self._which.among(wanted))

    def inspect(self, exchange: Exchange, stage: Stage, possible: Possible = NOTHING) -> Verdict:
        """Read the exchange, run the guards of a stage over it, and decide."""
        return self._lane.done(self._which, Inspector.inspect, exchange, stage, possible)

    def settled(self, exchange: Exchange, verdict: Verdict, *, may_edit: bool) -> Verdict:
        """Return the verdict over the same answer now that no second attempt is left."""
        if verdict.action is not Action.REGENERATE:
            return verdict
        return self._lane.done(self._which, Inspector.settled, exchange, verdict, may_edit=may_edit)

    def heard(
        self, exchange: Exchange, verdict: Verdict, report: JudgeReport, possible: Possible
    ) -> Verdict:
        """Return the verdict over the same answer with what came of asking a judge."""
        return self._lane.done(self._which, Inspector.heard, exchange, verdict, report, possible)

    @cached_property
    def of_segments(self) -> SegmentInspector:
        """The inspector of answers that are not complete yet."""
        which = replace(self._which, of_segments=True)
        return _SegmentInspectorApart(self.policy, self._lane, which)

    def direct_answer(self, exchange: Exchange) -> str | None:
        """Return the sources' own answer, if the policy wants it, there is one and it passes."""
        if not self.policy.replacement.direct_answer:
            return None
        return self._lane.done(self._which, Inspector.direct_answer, exchange)


class _SegmentInspectorApart(InspectorApart, SegmentInspector):
    """The same for answers that are not complete yet."""
