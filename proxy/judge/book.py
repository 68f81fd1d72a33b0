"""The judges of all tenants: each with a breaker of its own that outlives requests and reloads.

A breaker pauses the calls of a judge that fails, and lets single calls through to see if it has
recovered. Only failures of the backend count. Failures caused by the texts of a request do not (too
long, refused, or a model that they lead to write anything but an opinion): otherwise anyone who can
write a question could switch the second opinion off for everybody else.

There are libraries for breakers. None of those examined uses a share of recent calls, lets a single
probe through among asyncio tasks, and doubles its pause.
"""

import os
import secrets
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from random import Random

from policies.judging.judge import BoundedJudge, JudgeFailure, JudgeQuestion, Opinions
from policies.schema.base import Mode
from policies.schema.sections import BreakerRules, JudgeKind, JudgeRules
from proxy.judge.chat import ChatJudge
from proxy.judge.classifiers import GraniteGuardianJudge, MiniCheckJudge, TeiJudge, VllmJudge
from proxy.judge.server import (
    Adapter,
    JudgeCallFailed,
    JudgeServer,
    OwnServer,
    judge_client,
)
from proxy.logs import logger


class BreakerState(StrEnum):
    """State of a circuit breaker."""

    CLOSED = "closed"
    """They do."""
    HALF_OPEN = "half_open"
    """One does, and tells."""
    OPEN = "open"
    """None does."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """Leave for one call; handed back with its outcome.

    Attributes:
        era: Counts how often the breaker has opened or closed: results of older calls tell nothing.
        is_probe: It is the one call by which a half-open breaker is decided.
    """

    era: int
    is_probe: bool


class Breaker:
    """A breaker for one backend and one tenant. For use by the tasks of one event loop.

    Args:
        rules: When it opens, and for how long.
        clock: Monotonic, in seconds.
        chance: Returns a random number from 0 to 1.
    """

    def __init__(
        self, rules: BreakerRules, clock: Callable[[], float], chance: Callable[[], float]
    ) -> None:
        self._rules = rules
        self._clock = clock
        self._chance = chance
        self._calls: deque[tuple[float, bool]] = deque()
        self._failures_in_a_row = 0
        self._era = 0
        self._times_opened = 0
        self._open_until_s: float | None = None
        self._is_probing = False

    @property
    def state(self) -> BreakerState:
        """The state at this moment."""
        if self._open_until_s is None:
            return BreakerState.CLOSED
        is_over = self._clock() >= self._open_until_s
        return BreakerState.HALF_OPEN if is_over else BreakerState.OPEN

    @property
    def opens_for_s(self) -> float:
        """Seconds until it closes; 0 if it is not open."""
        return max(0.0, (self._open_until_s or 0.0) - self._clock())

    def enter(self) -> Ticket | None:
        """Return leave for a call; None while the backend is left alone."""
        state = self.state
        if state is BreakerState.OPEN or self._is_probing:
            return None
        self._is_probing = state is BreakerState.HALF_OPEN
        return Ticket(self._era, self._is_probing)

    def succeeded(self, ticket: Ticket) -> None:
        """Note that the backend answered."""
        if ticket.era != self._era:
            return
        if ticket.is_probe:
            self._close()
            return
        self._failures_in_a_row = 0
        self._note(failed=False)

    def failed(self, ticket: Ticket) -> None:
        """Note that the backend failed."""
        if ticket.era != self._era:
            return
        if ticket.is_probe:
            self._open()
            return
        self._failures_in_a_row += 1
        self._note(failed=True)
        if self._is_too_much():
            self._open()

    def dropped(self, ticket: Ticket) -> None:
        """Note that the call tells nothing about the backend; another one may probe it."""
        if ticket.is_probe:
            self._is_probing = False

    def _note(self, *, failed: bool) -> None:
        now_s = self._clock()
        self._calls.append((now_s, failed))
        while self._calls[0][0] < now_s - self._rules.window_s:
            self._calls.popleft()

    def _is_too_much(self) -> bool:
        if self._failures_in_a_row >= self._rules.failures:
            return True
        failures = sum(failed for _, failed in self._calls)
        enough = len(self._calls) >= self._rules.least_calls
        return enough and failures > self._rules.share * len(self._calls)

    def _open(self) -> None:
        rules = self._rules
        # The exponent is bounded: beyond it the longest pause holds anyway.
        pause_s = rules.open_s * 2.0 ** min(self._times_opened, 32)
        pause_s *= 1 + rules.jitter * self._chance()
        self._times_opened += 1
        self._start_over()
        self._open_until_s = self._clock() + min(rules.longest_open_s, pause_s)

    def _close(self) -> None:
        self._times_opened = 0
        self._start_over()
        self._open_until_s = None

    def _start_over(self) -> None:
        self._era += 1
        self._is_probing = False
        self._failures_in_a_row = 0
        self._calls.clear()


log = logger(__name__)


class HttpJudge:
    """The `Judge` that tenants configure.

    Args:
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
        self._adapter = adapter
        self._server = server
        self._bounded = BoundedJudge(_Asking(adapter, server))
        self._breaker = breaker
        self._fair_s = fair_s

    @property
    def state(self) -> BreakerState:
        """The state of its breaker."""
        return self._breaker.state

    def at(self, server: JudgeServer) -> "HttpJudge":
        """Return the same judge, breaker and all, behind a server as one request reaches it."""
        return HttpJudge(self._tenant, self._adapter, server, self._breaker, self._fair_s)

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
            elif not (said.by_input or self._is_callers_doing(said, within_s)):
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

    def _is_callers_doing(self, failure: JudgeFailure, within_s: float) -> bool:
        """Tell whether the request left too little time, or its caller chose a slow model."""
        is_excused = within_s < self._fair_s or self._server.callers_choice
        return failure.reason == "timeout" and is_excused


class _Asking:
    """An adapter and its server as a judge without limits."""

    def __init__(self, adapter: Adapter, server: JudgeServer) -> None:
        self._adapter = adapter
        self._server = server

    async def opinions(self, question: JudgeQuestion, within_s: float) -> Opinions | JudgeFailure:
        del within_s
        server = self._server.metered()
        try:
            said = await self._adapter.ask(server, question)
        except JudgeCallFailed as failed:
            return JudgeFailure(failed.reason, failed.by_input, server.tokens)
        return replace(said, tokens=server.tokens)


_NONCE_BYTES = 8


class JudgeBook:
    """Finds the judge of a tenant.

    Args:
        clock: Monotonic, in seconds.
        environment: Where judges' keys are looked up.
        ca_file: Certificates that are trusted beside the public ones; None for none.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        environment: Mapping[str, str] = os.environ,
        ca_file: Path | None = None,
    ) -> None:
        self._clock = clock
        self._environment = environment
        self._chance = Random().random  # noqa: S311 - spreads probes, hides nothing
        self._client = judge_client(ca_file)
        self._judges: dict[str, tuple[tuple[JudgeRules, str], HttpJudge]] = {}

    def of(
        self, tenant: str, rules: JudgeRules | None, own: OwnServer | None = None
    ) -> HttpJudge | None:
        """Return a tenant's judge by its policy; None if it has none.

        It is the same one, breaker and all, until the policy says something else about it.

        Args:
            own: Its own model server, for a policy that names no other.

        Raises:
            ValueError: there is neither an address in the policy nor a server of the tenant's own.
        """
        if rules is None or rules.mode is Mode.OFF:
            return None
        base_url = rules.base_url or (own.base_url if own else None)
        if base_url is None:
            raise ValueError("a judge without an address needs the tenant's own model server")
        known = self._judges.get(tenant)
        if known is None or known[0] != (rules, base_url):
            built = self._built(tenant, rules, base_url)
            known = self._judges[tenant] = ((rules, base_url), built)
        if rules.base_url is None and own is not None:
            return known[1].at(JudgeServer.of(self._client, own))
        return known[1]

    def states(self) -> dict[str, BreakerState]:
        """Return the state of each judge's breaker, by tenant; those never asked are left out."""
        return {tenant: judge.state for tenant, (_, judge) in sorted(self._judges.items())}

    async def close(self) -> None:
        """Close every connection."""
        await self._client.aclose()

    def _built(self, tenant: str, rules: JudgeRules, base_url: str) -> HttpJudge:
        key = self._environment.get(rules.api_key_env) if rules.api_key_env else None
        return HttpJudge(
            tenant,
            _adapter(rules),
            JudgeServer(self._client, base_url, key),
            Breaker(rules.breaker, self._clock, self._chance),
            rules.limit_s,
        )


def _adapter(rules: JudgeRules) -> Adapter:
    match rules.kind:
        case JudgeKind.CHAT:
            return ChatJudge(rules.model, lambda: secrets.token_hex(_NONCE_BYTES), rules.max_tokens)
        case JudgeKind.MINICHECK:
            return MiniCheckJudge(rules.model)
        case JudgeKind.GRANITE_GUARDIAN:
            return GraniteGuardianJudge(rules.model)
        case JudgeKind.TEI_NLI:
            return TeiJudge()
        case JudgeKind.VLLM_CLASSIFY:
            return VllmJudge(rules.model, rules.pair_separator)
