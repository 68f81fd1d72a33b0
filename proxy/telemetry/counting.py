"""Counts requests for Prometheus: those that have ended, and those being served."""

from collections.abc import Iterable, Iterator, Set
from enum import StrEnum
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self

from litestar.types import Message, Send

from guards.core.guard import Stage
from policies.decision import ANSWER_EDITED
from policies.judging.claims import Skip
from policies.schema.policy import Action
from policies.verdict import PARTIAL, GuardOutcome
from proxy.errors import GuardProxyError, RequestRefused, UpstreamError, UpstreamRefused
from proxy.metrics import Metrics
from proxy.openai_api.endpoints import ENDPOINTS
from proxy.openai_api.sse import STREAM_TYPE
from proxy.traces.trace import Delivery, Trace

OTHER: Final = "other"


class Regenerated(StrEnum):
    """Outcome of a second attempt."""

    LEFT = "second_left"
    """It is what the client got."""
    FIRST_KEPT = "first_kept"
    """The first one was the better of the two."""
    REPLACED = "replaced"
    """Neither was fit to leave: a template did, or ended what had begun to leave."""
    FAILED = "failed"
    """The model server failed."""
    UNFINISHED = "unfinished"
    """The request ended before that was known."""


def _codes(error: type[GuardProxyError]) -> Iterator[str]:
    yield error.code or error.type
    for kind in error.__subclasses__():
        yield from _codes(kind)


REFUSED_REQUEST: Final = "refused_request"
"""Stands for calls that the model server refused for what its client asked of it."""
UPSTREAM_ERRORS: Final = frozenset(_codes(UpstreamError))
# A kind counts once its module is read: so the refusals are named beside what they derive from.
ERRORS: Final = frozenset(
    {*_codes(GuardProxyError), *_codes(RequestRefused), Delivery.CLIENT_GONE.value}
)
NOT_RUN: Final = frozenset(
    {
        *Skip,
        ANSWER_EDITED,
        PARTIAL,
        # Of guards:
        *"no_question no_evidence_demanded may_still_fetch abstained empty_answer failed".split(),
        # Of judges:
        *"timeout no_time breaker_open unreachable refused garbage cut_short".split(),
        *"reply_too_long unknown_labels no_model".split(),
    }
)
"""Reasons why a guard or the judge did not run, without the part behind a colon."""


def known(word: str, words: Set[str]) -> str:
    """Return a word if it is one of those, else the one for all others."""
    return word if word in words else OTHER


def not_run_reason(reason: str) -> str:
    """Return why a guard did not run, in a word: ``failed:ValueError`` is ``failed``."""
    return known(reason.partition(":")[0], NOT_RUN)


PASSED_THROUGH = "passthrough"
"""The endpoint and the action of requests that were passed through."""
_ASK_THE_MODEL = frozenset(endpoint.name for endpoint in ENDPOINTS)


def count(metrics: Metrics, trace: Trace) -> None:
    """Count a request, its guards and its calls of the model server."""
    _count_end(metrics, trace)
    _count_guards(metrics, trace)
    _count_judge(metrics, trace)
    if trace.door in _ASK_THE_MODEL:
        _count_model(metrics, trace)


def count_passed(metrics: Metrics, tenant: str, status: int) -> None:
    """Count a request that was handed through."""
    metrics.of(metrics.requests, tenant, PASSED_THROUGH, PASSED_THROUGH, str(status)).inc()


def count_shadow(metrics: Metrics, trace: Trace) -> None:
    """Count what the shadow policy would have made of a request; nothing if it has none."""
    shadow = trace.shadow
    if shadow is None:
        return
    if shadow.not_run is not None:
        metrics.shadow_not_judged.labels(trace.tenant, shadow.not_run.value).inc()
        return
    changed = str(shadow.does_otherwise(trace)).lower()
    metrics.shadow_decisions.labels(trace.tenant, shadow.action_name, changed).inc()


def stage_of(step: str) -> Stage | None:
    """Return which stage of the guards a step of a trace is; None if it is none."""
    if not step.startswith("inspect_"):
        return None
    return Stage.INPUT if step == "inspect_question" else Stage.OUTPUT


def _count_end(metrics: Metrics, trace: Trace) -> None:
    ended = (trace.tenant, trace.door, trace.action_name, str(trace.status))
    metrics.of(metrics.requests, *ended).inc()
    took = metrics.of(metrics.request_seconds, trace.tenant, trace.door)
    took.observe(trace.duration_ms / 1000)
    if trace.error is not None:
        metrics.errors.labels(trace.tenant, known(trace.error, ERRORS)).inc()
    if trace.not_checked:
        metrics.not_checked.labels(trace.tenant).inc()
    for template in trace.closings:
        metrics.closings.labels(trace.tenant, template).inc()


def _count_guards(metrics: Metrics, trace: Trace) -> None:
    for run in trace.guards:
        metrics.of(metrics.guard_outcomes, trace.tenant, run.guard, run.outcome.value).inc()
        if run.reason:
            metrics.not_run.labels(run.guard, not_run_reason(run.reason)).inc()
        if run.outcome is not GuardOutcome.NOT_RUN:
            metrics.of(metrics.one_guard_seconds, run.guard).observe(run.duration_ms / 1000)
    for step in trace.steps:
        if stage := stage_of(step.name):
            spent = metrics.of(metrics.guard_seconds, trace.tenant, stage.value)
            spent.observe(step.duration_ms / 1000)


def _count_judge(metrics: Metrics, trace: Trace) -> None:
    for one in trace.opinions:
        unanswered = one.claims - one.supported - one.objected
        for family, label, amount in (
            (metrics.judge_claims, "supported", one.supported),
            (metrics.judge_claims, "objected", one.objected),
            (metrics.judge_claims, "unanswered", unanswered),
            (metrics.judge_findings, "cleared", one.cleared),
            (metrics.judge_findings, "confirmed", one.confirmed),
            (metrics.judge_tokens, "prompt", one.prompt_tokens),
            (metrics.judge_tokens, "completion", one.completion_tokens),
        ):
            if amount:
                family.labels(trace.tenant, label).inc(amount)


def _count_model(metrics: Metrics, trace: Trace) -> None:
    for attempt in trace.attempts:
        metrics.of(metrics.upstream_seconds, trace.tenant).observe(attempt.upstream_ms / 1000)
        # That its client left, or that something broke in here, is not the model server's fault.
        if attempt.error in UPSTREAM_ERRORS:
            code = _failure(trace, attempt.error)
            metrics.upstream_errors.labels(trace.tenant, code).inc()
    for waited_ms, waiting in (
        (trace.model_text_ms, metrics.model_text_seconds),
        (trace.first_text_ms, metrics.first_text_seconds),
    ):
        if waited_ms is not None:
            metrics.of(waiting, trace.tenant).observe(waited_ms / 1000)
    if len(trace.attempts) > 1:
        metrics.regenerations.labels(trace.tenant, _regenerated(trace).value).inc()


def _failure(trace: Trace, error: str) -> str:
    """Return the code of a call that failed; what the client may not ask for has its own."""
    is_last_word = error == trace.error == UpstreamRefused.code
    if is_last_word and 400 <= trace.status < 500 and trace.status != HTTPStatus.TOO_MANY_REQUESTS:
        return REFUSED_REQUEST
    return error


def _regenerated(trace: Trace) -> Regenerated:
    if trace.attempts[1].error in UPSTREAM_ERRORS:
        return Regenerated.FAILED
    if trace.error is not None:
        return Regenerated.UNFINISHED
    if trace.action is Action.REPLACE:
        return Regenerated.REPLACED
    return Regenerated.LEFT if trace.kept_attempt == 2 else Regenerated.FIRST_KEPT


_STREAM_TYPE = STREAM_TYPE.encode()


class InFlight:
    """Counts a request inside its block, by the name of its endpoint.

    A stream is told from its reply, so that those which are handed through count as well.
    """

    def __init__(self, metrics: Metrics, endpoint: str, send: Send) -> None:
        self.has_begun = False
        self._requests = metrics.of(metrics.requests_in_flight, endpoint)
        self._streams = metrics.of(metrics.streams_in_flight, endpoint)
        self._is_stream = False
        self._send = send

    def __enter__(self) -> Self:
        self._requests.inc()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._requests.dec()
        if self._is_stream:
            self._streams.dec()

    async def send(self, message: Message) -> None:
        """Send a message of the reply."""
        if message["type"] == "http.response.start":
            self.has_begun = True
            if _is_stream(message["headers"]):
                self._is_stream = True
                self._streams.inc()
        await self._send(message)


def _is_stream(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    types = (value for name, value in headers if name.lower() == b"content-type")
    return any(value.lower().startswith(_STREAM_TYPE) for value in types)
