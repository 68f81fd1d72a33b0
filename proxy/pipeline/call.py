"""A stream on its way to a client."""

import asyncio
import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from litestar.types import Send

from guards.core.keeping import lazy
from policies.schema.guard_rule import Action
from proxy.candidates import Gatekeeper, Selection
from proxy.long_text_pool import LongTextPool, Seat
from proxy.openai_api.endpoint import Endpoint
from proxy.openai_api.live_stream import LiveStream
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import Written
from proxy.openai_api.sse import KEEP_ALIVE
from proxy.pipeline.pseudonyms import NONE as NO_PSEUDONYMS
from proxy.pipeline.pseudonyms import Pseudonyms
from proxy.server.asgi_reply import EVENT_STREAM, send_head, send_piece
from proxy.telemetry.spans import NO_SPANS, RequestSpans
from proxy.tenants import Tenant
from proxy.traces.builder import TraceBuilder
from proxy.upstream.request import RetryBudget

MOST_ANSWER_CHARS = 200_000
"""Longest answer that is judged if nothing else is set."""


class Outgoing:
    """Events of a stream in order; those that are put together leave together.

    The sender waits for a client that reads slowly, and so the model server waits too.

    Args:
        send: Takes the messages of the reply.
        head: Tells the headers at the moment when the stream begins.
        keep_alive_s: How long nothing may be said.

    Attributes:
        headers: Those of the model server that go along; set before anything is put.
        begun: The reply has begun: its status is 200 and its form a stream, for good.
    """

    def __init__(
        self, send: Send, head: Callable[[], Mapping[str, str]], keep_alive_s: float
    ) -> None:
        self.headers: Mapping[str, str] = {}
        self.begun = False
        self._send = send
        self._head: Callable[[], Mapping[str, str]] | None = head
        self._keep_alive_s = keep_alive_s
        self._waiting: list[bytes] = []
        self._is_sending = False
        self._said_at_s = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._comment: asyncio.Task[None] | None = None

    def put(self, events: bytes) -> None:
        """Put something to send with the next `flush`."""
        if events:
            self.begun = True
            self._waiting.append(events)

    async def flush(self) -> None:
        """Send what was put."""
        if self._waiting:
            await self._leave(more=True)

    async def end(self, last: bytes) -> None:
        """Send what was put and what ends the stream; nothing may be put after that."""
        self._waiting.append(last)
        self.close()
        await self._leave(more=False)

    def keep_alive(self) -> None:
        """Begin to send comments where there is nothing to say for long, until the end."""
        loop = asyncio.get_running_loop()
        self._said_at_s = loop.time()
        self._timer = loop.call_at(self._said_at_s + self._keep_alive_s, self._on_silence)

    def close(self) -> None:
        """Send no more comments."""
        if self._timer is not None:
            self._timer.cancel()

    def let_go(self) -> None:
        """Let go of who tells the headers, once nothing more is sent."""
        self._head = None

    async def _leave(self, *, more: bool) -> None:
        if self._comment is not None:
            await self._comment
        leaving = self._waiting[0] if len(self._waiting) == 1 else b"".join(self._waiting)
        self._waiting.clear()
        await self._say(leaving, more=more)

    async def _say(self, said: bytes, *, more: bool) -> None:
        self._is_sending = True
        if self._head is not None:
            headers = {**self._head(), "content-type": EVENT_STREAM}
            self._head = None
            await send_head(self._send, 200, headers)
        await send_piece(self._send, said, more=more)
        self._is_sending = False
        self._said_at_s = asyncio.get_running_loop().time()

    def _on_silence(self) -> None:
        loop = asyncio.get_running_loop()
        quiet_until_s = self._said_at_s + self._keep_alive_s
        if loop.time() >= quiet_until_s:
            # Who is still sending is not silent: the client reads slowly.
            if not self._is_sending:
                self.begun = True
                self._comment = asyncio.create_task(self._send_comment())
            quiet_until_s = loop.time() + self._keep_alive_s
        self._timer = loop.call_at(quiet_until_s, self._on_silence)

    async def _send_comment(self) -> None:
        with contextlib.suppress(OSError):  # the client is gone; that is noticed elsewhere
            await self._say(KEEP_ALIVE, more=True)
        self._comment = None


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
        endpoint: The endpoint.
        request: What was asked.
        headers: The caller's headers.
        caller_key: The caller's bearer key.
        query: What followed the path of its address.
        trace: Filled as the request goes on.
        spans: What telemetry is told of it.
        outgoing: The way to the client, for a stream.
        stream: What reads the model server's stream and writes what leaves; None for a plain reply.
        pseudonyms: What the model server gets in place of the user's own identifiers.
        judge_spent_s: Time that the tenant's judge has taken so far, in seconds.
        seat: Where its very long texts are read and judged.
        most_answer_chars: How long an answer may be that is judged.
        sent_text: The text sent of each choice's stream so far, by number.
        inspecting_s: Time that inspecting the answers of this attempt has taken so far.
        retry_budget: The one repeated request that all attempts together may cost.
    """

    tenant: Tenant
    endpoint: Endpoint[Any]
    request: ModelRequest
    headers: Mapping[str, str]
    caller_key: str | None
    trace: TraceBuilder
    outgoing: Outgoing
    spans: RequestSpans = NO_SPANS
    query: bytes = b""
    stream: LiveStream | None = None
    pseudonyms: Pseudonyms = NO_PSEUDONYMS
    judge_spent_s: float = 0.0
    inspecting_s: float = 0.0
    retry_budget: RetryBudget = field(default_factory=RetryBudget)
    seat: Seat = field(default_factory=LongTextPool(()).seat)
    most_answer_chars: int = MOST_ANSWER_CHARS
    sent_text: dict[int, str] = field(default_factory=dict)

    @lazy
    def gatekeeper(self) -> Gatekeeper:
        """The keeper of the gates of the request's answers."""
        request, tenant = self.request, self.tenant
        return Gatekeeper(
            tenant.policy,
            request.structured,
            request.offers_tools,
            tenant.looks_at_answers,
            tenant.acts_on_answers,
        )

    @property
    def remaining_s(self) -> float:
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
    def judge_remaining_s(self) -> float:
        """Seconds that are left for asking the tenant's judge; not above 0 if there are none.

        Its time is that of one opinion, however many choices and attempts there are.
        """
        rules = self.tenant.policy.judge
        if rules is None:
            return 0.0
        # How long a client says that it waits is no reason to look less closely.
        left_s = self.tenant.upstream.timeouts.total_s - self.trace.spent_s
        return min(left_s, rules.limit_s - self.judge_spent_s)


@dataclass(frozen=True)
class Finished:
    """A guarded reply.

    Attributes:
        written: The body; None if it has been sent already, as a stream.
        upstream_headers: Headers of the model server that go along.
        settled: What became of each choice.
        attempts: How often the model was asked.
        not_checked: What no guard looked at, with the reason.
    """

    written: Written | None
    upstream_headers: Mapping[str, str]
    settled: Sequence[Selection]
    attempts: int
    not_checked: tuple[str, ...]

    def headers(self, threshold: float) -> dict[str, str]:
        """Return what is told of it in headers, or in comments where those have been sent.

        Their names are those of `LATE_HEADERS`.

        Args:
            threshold: The policy's threshold of confidence.
        """
        values = {"x-guard-action": self.action.value, "x-guard-attempts": str(self.attempts)}
        if self.reasons:
            values["x-guard-reasons"] = ",".join(self.reasons)
        if self.is_doubtful(threshold):
            values["x-guard-confidence"] = "low"
        if self.not_checked:
            values["x-guard-not-checked"] = ",".join(self.not_checked)
        return values

    @property
    def action(self) -> Action:
        """The strongest action over all choices; PASS if there are none."""
        actions = (one.action for one in self.settled)
        return max(actions, key=lambda action: action.rank, default=Action.PASS)

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
