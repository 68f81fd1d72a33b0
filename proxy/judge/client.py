"""A judge behind HTTP, held to its time and behind its breaker."""

from policies.judging.bounded import BoundedJudge
from policies.judging.judge import JudgeFailure, JudgeQuestion, Opinions
from proxy.judge.adapter import Adapter
from proxy.judge.breaker import Breaker, BreakerState
from proxy.judge.server import JudgeCallFailed, JudgeServer
from proxy.logs import logger

log = logger(__name__)


class HttpJudge:
    """The `Judge` that tenants configure.

    Args:
        tenant: Whose judge it is.
        adapter: How this kind is spoken to.
        server: Where it is.
        breaker: Leaves it alone when it fails.
        fair_s: Time in which a healthy backend answers.
    """

    def __init__(
        self,
        tenant: str,
        adapter: Adapter,
        server: JudgeServer,
        breaker: Breaker,
        fair_s: float,
    ) -> None:
        self._tenant = tenant
        self._bounded = BoundedJudge(_Asking(adapter, server))
        self._breaker = breaker
        self._fair_s = fair_s

    @property
    def state(self) -> BreakerState:
        """The state of its breaker."""
        return self._breaker.state

    async def opinions(self, question: JudgeQuestion, within_s: float) -> Opinions | JudgeFailure:
        """Return an opinion within some seconds, or why there is none."""
        ticket = self._breaker.enter()
        if ticket is None:
            return JudgeFailure("breaker_open")
        before = self.state
        note = self._breaker.dropped  # a client that leaves says nothing about the backend
        try:
            said = await self._bounded.opinions(question, within_s)
            if isinstance(said, Opinions):
                note = self._breaker.succeeded
            elif not said.by_input and not self._was_hurried(said, within_s):
                note = self._breaker.failed
            return said
        finally:
            note(ticket)
            self._log_change(before)

    def _log_change(self, before: BreakerState) -> None:
        if self.state is BreakerState.OPEN and before is not BreakerState.OPEN:
            opens_for_s = round(self._breaker.opens_for_s, 1)
            log.warning("judge.left_alone", tenant=self._tenant, opens_for_s=opens_for_s)
        elif self.state is BreakerState.CLOSED and before is BreakerState.HALF_OPEN:
            log.info("judge.back", tenant=self._tenant)

    def _was_hurried(self, failure: JudgeFailure, within_s: float) -> bool:
        """Tell whether the request itself had left the backend too little time."""
        return failure.reason == "timeout" and within_s < self._fair_s


class _Asking:
    """An adapter and its server as a judge without limits."""

    def __init__(self, adapter: Adapter, server: JudgeServer) -> None:
        self._adapter = adapter
        self._server = server

    async def opinions(self, question: JudgeQuestion, within_s: float) -> Opinions | JudgeFailure:
        del within_s
        try:
            return await self._adapter.ask(self._server, question)
        except JudgeCallFailed as failed:
            return JudgeFailure(failed.reason, failed.by_input)
