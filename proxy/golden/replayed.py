"""Judges the scripted answers of a golden set by a policy: no server, no model, no traces."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from time import perf_counter

from guards.core.exchange import Exchange
from policies.schema.sections import StoredText
from proxy.errors import GuardProxyError
from proxy.golden.client import GuardedReply
from proxy.golden.results import CaseResult, TurnResult
from proxy.golden.runner import UNSCRIPTED, EarlierTurn, body_of, case_result, judged
from proxy.golden.shape import Case, GoldenSet, Turn
from proxy.openai_api.chat.endpoint import ChatEndpoint
from proxy.openai_api.sources import SourceFormatError, find_sources
from proxy.openai_api.sse import json_bytes
from proxy.replay.judging import replay
from proxy.tenants import Judging
from proxy.traces.builder import request_details
from proxy.traces.trace import Attempt, Choice, PolicyUsed, ReplayResult, Trace, Unknown

_NOT_KNOWN = {
    Unknown.MODEL_NOT_ASKED: UNSCRIPTED,
    Unknown.NO_ANSWER: "nothing could be judged",
}


def replayed_cases(
    golden: GoldenSet, cases: Iterable[Case], judging: Judging
) -> tuple[CaseResult, ...]:
    """Return what comes of each case when a policy judges what its `model` says.

    Args:
        golden: The set, for its passages and instructions.
        cases: Those of its cases that are wanted.
        judging: The policy.
    """
    return tuple(_result(golden, case, judging) for case in cases)


def _result(golden: GoldenSet, case: Case, judging: Judging) -> CaseResult:
    before: list[EarlierTurn] = []
    results: list[TurnResult] = []
    for turn in case.asked:
        began = perf_counter()
        try:
            tried = replay(_trace(golden, case, turn, before, judging), judging)
        except (GuardProxyError, SourceFormatError) as error:
            results.append(TurnResult(query=turn.query, error=str(error)))
            break
        if tried.not_run or tried.unknown:
            results.append(TurnResult(query=turn.query, error=_why(tried)))
            break
        took_ms = round((perf_counter() - began) * 1000, 1)
        results.append(judged(turn, _reply(tried, took_ms)))
        before.append(EarlierTurn(turn.query, tried.replies[0]))
    return case_result(case, results)


def _trace(
    golden: GoldenSet, case: Case, turn: Turn, before: Sequence[EarlierTurn], judging: Judging
) -> Trace:
    """Return the trace that a turn would leave if the model said what the set has it say."""
    request = ChatEndpoint().read_request(json_bytes(body_of(golden, case, turn, before, "")))
    found = find_sources(request.conversation, judging.policy.sources)
    exchange = Exchange(
        question=found.question,
        sources=found.sources,
        context=found.context,
        echo=found.echo,
        previous_answer=found.previous_answer,
        last_error_reason=request.guard.last_error_reason,
        may_fetch=request.offers_tools,
    )
    guard_field = request.guard
    said = turn.model or ()
    return Trace(
        id=case.id,
        tenant="",
        policy=PolicyUsed(name=judging.loaded.name, version=judging.loaded.version),
        door=ChatEndpoint.name,
        text=StoredText.FULL,
        started_at=datetime.now(UTC),
        duration_ms=0.0,
        question=exchange.question,
        sources=exchange.sources,
        context=exchange.context,
        asked=request_details(
            exchange, guard_field, intent=guard_field.intent, structured=request.structured
        ),
        # Whatever it is told, the model says what it says last.
        attempts=tuple(_attempt(text) for text in (said[0], said[-1])) if said else (),
        status=200,
    )


def _attempt(text: str) -> Attempt:
    return Attempt(choices=(Choice(text=text, finish_reason="stop"),))


def _why(tried: ReplayResult) -> str:
    if tried.unknown:
        return _NOT_KNOWN.get(tried.unknown, tried.unknown.value)
    return tried.not_run.value if tried.not_run else ""


def _reply(tried: ReplayResult, took_ms: float) -> GuardedReply:
    return GuardedReply(
        text=tried.replies[0],
        action=tried.action_name,
        reasons=tried.reasons,
        attempts=None,
        trace_id="",
        took_ms=took_ms,
    )
