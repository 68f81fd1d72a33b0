"""The `guard` object of a reply: what was found, what was decided, and what was not checked."""

from collections.abc import Sequence

from pydantic import JsonValue, TypeAdapter

from guards.core.finding import Finding
from policies.schema.guard_rule import Action
from proxy.judged import Settled
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sources import FoundContext

_FINDING = TypeAdapter(Finding)


def guard_report(
    request_id: str,
    policy: str,
    found: FoundContext,
    settled: Sequence[Settled],
    attempts: int,
    not_checked: Sequence[str],
    low_below: float,
) -> JsonObject:
    """Return the report. Spans are half-open and count code points of their part's text."""
    action = max((one.action for one in settled), key=lambda taken: taken.rank)
    choices: list[JsonValue] = [_choice(one, low_below) for one in settled]
    return {
        "request_id": request_id,
        "policy": policy,
        "action": action.value,
        "attempts": attempts,
        "context": found.context.value,
        "sources": _sources(found),
        "choices": choices,
        "not_checked": list(not_checked),
    }


def _choice(one: Settled, low_below: float) -> JsonObject:
    verdict = one.verdict
    findings = verdict.findings if verdict else ()
    known = None if one.action is Action.REPLACE or verdict is None else verdict.confidence
    return {
        "index": one.outcome.index,
        "action": one.action.value,
        "reasons": list(one.reasons),
        "attempt": one.attempt,
        "confidence": known.value if known else None,
        "confidence_band": known.band.value if known else None,
        "confidence_caps": [cap.value for cap in known.caps] if known else [],
        "confidence_is_low": known.value < low_below if known else None,
        "findings": [_FINDING.dump_python(finding, mode="json") for finding in findings],
    }


def _sources(found: FoundContext) -> JsonValue:
    return [
        {
            "id": source.id,
            "title": source.title,
            "file": source.file,
            "page": source.page,
            "score": source.score,
        }
        for source in found.sources
    ]
