"""Writes what the pipeline has learned into a trace in the making."""

from collections.abc import Sequence

from guards.core.exchange import Exchange
from guards.core.finding import Finding
from policies.policy import Action
from policies.verdict import Verdict
from proxy.judged import Judged, Settled
from proxy.openai_api.door import ChoiceOutcome, Edited, Kept, Replaced, Reply
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sources import FoundContext
from proxy.traces.trace import Attempt, Choice, FoundPlace, GuardRun, TraceBuilder, Usage


def note_exchange(trace: TraceBuilder, exchange: Exchange, found: FoundContext, why: str) -> None:
    """Note what was asked, on what evidence, and what it is about."""
    trace.question = exchange.question
    trace.context = exchange.context
    trace.sources = exchange.sources
    trace.unkept = f"{exchange.echo}\n{exchange.previous_answer}"
    trace.intent = ",".join(exchange.intents) or None
    trace.route_reason = why
    trace.found = tuple(
        FoundPlace(
            format=place.format,
            place=place.field if place.message is None else f"{place.field}[{place.message}]",
            count=place.sources,
        )
        for place in found.found
    )


def note_verdict(trace: TraceBuilder, verdict: Verdict, *, attempt: int, choice: int) -> None:
    """Note every guard's run over the question (attempt 0) or over one answer."""
    trace.guards += [
        GuardRun(
            guard=result.guard,
            mode=result.mode,
            stage=verdict.stage,
            outcome=result.outcome,
            reason=result.reason,
            cleared=tuple(finding.code for finding in result.cleared),
            duration_ms=result.duration_ms,
            attempt=attempt,
            choice=choice,
        )
        for result in verdict.results
    ]
    if attempt == 0:
        trace.findings = _findings(verdict)


def note_attempt(
    trace: TraceBuilder,
    reply: Reply | None,
    judged: Sequence[Judged],
    upstream_ms: float,
    error: str | None = None,
) -> None:
    """Note one request to the model server: its answers with their findings, or its failure."""
    choices = tuple(
        Choice(
            text=one.text,
            finish_reason=None if one.is_partial else one.answer.finish_reason,
            findings=_findings(one.recorded) if one.recorded else (),
        )
        for one in judged
    )
    usage = reply.usage if reply else None
    trace.attempts.append(
        Attempt(
            choices=choices,
            usage=_usage(usage) if isinstance(usage, dict) else None,
            upstream_ms=upstream_ms,
            error=error,
        )
    )


def note_verification(
    trace: TraceBuilder, verdict: Verdict, answer: str, corrected: str | None
) -> None:
    """Note an answer that somebody had verified, and what became of it."""
    trace.attempts.append(Attempt(choices=(Choice(text=answer, findings=_findings(verdict)),)))
    note_verdict(trace, verdict, attempt=1, choice=0)
    trace.action = verdict.action
    trace.reasons = verdict.reasons
    trace.confidence = verdict.confidence.value if verdict.confidence else None
    trace.not_checked = verdict.not_run
    trace.replies = () if corrected is None else (corrected,)


def note_end(
    trace: TraceBuilder,
    settled: Sequence[Settled],
    action: Action,
    reasons: tuple[str, ...],
    confidence: float | None,
) -> None:
    """Note what left."""
    trace.action = action
    trace.reasons = reasons
    trace.confidence = confidence
    kept = [one.attempt for one in settled if not isinstance(one.outcome, Replaced)]
    trace.kept_attempt = max(kept, default=None)
    trace.replies = tuple(_left(one.outcome) for one in settled)


def _left(outcome: ChoiceOutcome) -> str:
    match outcome:
        case Replaced():
            return outcome.template
        case Edited():
            return outcome.content
        case Kept():
            return outcome.answer.content


def _findings(verdict: Verdict) -> tuple[Finding, ...]:
    return tuple(finding for result in verdict.results for finding in result.findings)


def _usage(usage: JsonObject) -> Usage:
    counts = {
        name: value for name in Usage.model_fields if isinstance(value := usage.get(name), int)
    }
    return Usage(**counts)
