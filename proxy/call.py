"""One chat completion: what is known of it on the way in, and what comes out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from guards.core.lazy import lazy
from policies.schema.guard_rule import Action
from proxy.gatekeeping import Gatekeeper
from proxy.judged import Settled
from proxy.openai_api.door import Door
from proxy.openai_api.live_stream import LiveStream
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import Written
from proxy.outgoing import Outgoing
from proxy.personal.stand_ins import NONE as NO_STAND_INS
from proxy.personal.stand_ins import StandIns
from proxy.telemetry.spans import UNHEARD, RequestSpans
from proxy.tenants import Tenant
from proxy.traces.builder import TraceBuilder
from proxy.upstream.request import RetryBudget

# How long the OpenAI clients wait for a reply, as they say themselves.
_CLIENT_WAITS = ("x-stainless-read-timeout", "x-stainless-timeout")
LATE_HEADERS = (
    "x-guard-action",
    "x-guard-attempts",
    "x-guard-reasons",
    "x-guard-confidence",
    "x-guard-not-checked",
)
"""Headers that tell what was decided."""
_SECONDS = re.compile(r"\d{1,6}(?:\.\d{1,6})?")


@dataclass
class Call:
    """One request under way.

    Attributes:
        tenant: Who asks, with the policy as it stood when the request came.
        door: The endpoint.
        request: What was asked.
        headers: The caller's headers.
        caller_key: The caller's bearer key.
        query: What followed the path of its address.
        trace: Filled as the request goes on.
        spans: What telemetry is told of it.
        outgoing: The way to the client, for a stream.
        stream: What reads the model server's stream and writes what leaves; None for a plain reply.
        stand_ins: What the model server gets in place of the user's own identifiers.
        judge_spent_s: Time that the tenant's judge has taken so far, in seconds.
        left: What has left of each choice's stream so far, by number.
        inspecting_s: Time that inspecting the answers of this attempt has taken so far.
        retry_budget: The one repeated request that all attempts together may cost.
    """

    tenant: Tenant
    door: Door[Any]
    request: ModelRequest
    headers: Mapping[str, str]
    caller_key: str | None
    trace: TraceBuilder
    outgoing: Outgoing
    spans: RequestSpans = UNHEARD
    query: bytes = b""
    stream: LiveStream | None = None
    stand_ins: StandIns = NO_STAND_INS
    judge_spent_s: float = 0.0
    inspecting_s: float = 0.0
    retry_budget: RetryBudget = field(default_factory=RetryBudget)
    left: dict[int, str] = field(default_factory=dict)

    @lazy
    def gatekeeper(self) -> Gatekeeper:
        """What lets the request's answers through their gates."""
        request, tenant = self.request, self.tenant
        return Gatekeeper(
            tenant.policy, request.structured, request.offers_tools, tenant.looks_at_answers
        )

    @property
    def left_s(self) -> float:
        """Seconds that are left for asking anybody anything; not above 0 if there are none.

        The policy's time for a reply is that of the whole request, and a client that waits for a
        plain reply may say how long it does.
        """
        limit_s = self.tenant.upstream.timeouts.total_s
        for name in () if self.request.stream else _CLIENT_WAITS:
            if _SECONDS.fullmatch(said := self.headers.get(name, "")):
                limit_s = min(limit_s, float(said))
        return limit_s - self.trace.spent_s

    @property
    def judge_left_s(self) -> float:
        """Seconds that are left for asking the tenant's judge; not above 0 if there are none.

        Its time is that of one opinion, however many choices and attempts there are.
        """
        rules = self.tenant.policy.judge
        if rules is None:
            return 0.0
        # How long a client says that it waits is no reason to look less closely.
        left_s = self.tenant.upstream.timeouts.total_s - self.trace.spent_s
        return min(left_s, rules.timeout_s - self.judge_spent_s)


@dataclass(frozen=True)
class Finished:
    """A guarded reply.

    Attributes:
        written: The body; None if it has left already, as a stream.
        upstream_headers: Headers of the model server that go along.
        settled: What became of each choice.
        attempts: How often the model was asked.
        not_checked: What no guard looked at, with the reason.
    """

    written: Written | None
    upstream_headers: Mapping[str, str]
    settled: Sequence[Settled]
    attempts: int
    not_checked: tuple[str, ...]

    def headers(self, threshold: float) -> dict[str, str]:
        """Return what is told of it in headers, or in comments where those have been sent.

        Their names are those of `LATE_HEADERS`.

        Args:
            threshold: The policy's threshold of confidence.
        """
        told = {"x-guard-action": self.action.value, "x-guard-attempts": str(self.attempts)}
        if self.reasons:
            told["x-guard-reasons"] = ",".join(self.reasons)
        if self.is_doubtful(threshold):
            told["x-guard-confidence"] = "low"
        if self.not_checked:
            told["x-guard-not-checked"] = ",".join(self.not_checked)
        return told

    @property
    def action(self) -> Action:
        """The strongest action over all choices."""
        return max((one.action for one in self.settled), key=lambda action: action.rank)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Codes that led to the actions, each once."""
        return tuple(dict.fromkeys(code for one in self.settled for code in one.reasons))

    def is_doubtful(self, threshold: float) -> bool:
        """Tell whether what leaves is below the policy's threshold of confidence."""
        return self.confidence is not None and self.confidence < threshold

    @property
    def confidence(self) -> float | None:
        """The lowest confidence of what the model said and the client gets; None if unknown."""
        known = (
            one.verdict.confidence
            for one in self.settled
            if one.verdict and one.action is not Action.REPLACE
        )
        return min((confidence.value for confidence in known if confidence), default=None)
