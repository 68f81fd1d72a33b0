"""Traces, stores and recorders for tests."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from guards.core.exchange import Source
from guards.core.guard import Stage
from policies.schema.base import Mode
from policies.schema.policy import Action
from policies.schema.sections import StoredText, Tracing
from policies.verdict import GuardOutcome
from proxy.traces.store import Entry
from proxy.traces.trace import GuardRun, PolicyUsed, Trace

TRACING = Tracing(text=StoredText.FULL)
KEEP = Tracing(keep_days=30.0, keep_last=100_000)
PATIENT_S = 20.0
"""How long a Redis may take to answer, on a busy machine."""


def a_trace(
    trace_id: str,
    *,
    tenant: str = "acme",
    action: Action | None = Action.PASS,
    guards: dict[str, GuardOutcome] | None = None,
    age: timedelta = timedelta(),
    question: str = "연차는 며칠인가요?",
) -> Trace:
    return Trace(
        id=trace_id,
        tenant=tenant,
        policy=PolicyUsed(name="acme", version="0123abcd"),
        door="chat.completions",
        started_at=datetime.now(UTC) - age,
        duration_ms=12.5,
        question=question,
        sources=(Source(id="1", title="제15조 연차휴가", text="연차휴가는 15일이다."),),
        guards=tuple(
            GuardRun(guard=guard, mode=Mode.ENFORCE, stage=Stage.OUTPUT, outcome=outcome)
            for guard, outcome in (guards or {}).items()
        ),
        action=action,
        status=200,
    )


def entries(*traces: Trace, keep: Tracing = KEEP) -> list[Entry]:
    return [Entry.of(trace, keep) for trace in traces]


def now_ms() -> int:
    return time.time_ns() // 1_000_000


async def until(condition: Callable[[], bool], within_s: float = 20.0) -> None:
    """Wait until a condition holds; fail if it does not in time."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110 - conditions of other processes set no event
            await asyncio.sleep(0.005)
