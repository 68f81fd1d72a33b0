"""Traces for tests of the pages about them."""

from guards.core.exchange import Source
from guards.core.finding import Evidence, Finding, Span
from guards.core.guard import Stage
from policies.schema.base import Mode
from policies.schema.policy import Action
from policies.verdict import GuardOutcome
from proxy.traces.trace import (
    Attempt,
    Choice,
    GuardRun,
    PolicyUsed,
    ReplyOrigin,
    Trace,
)
from tests.proxy.traces.making import a_trace

USED = PolicyUsed(name="acme", version="0123abcd")
FEE = "월 이용료는 55,000원입니다."
SOURCES = (
    Source(id="1", title="안내", text="평일에만 엽니다."),
    Source(id="규정", title="이용료", text="월 이용료는\n45,000원으로 한다. 보증금은 없다."),
)
WRONG = Finding(
    guard="numbers",
    code="numbers.value_differs",
    part="answer",
    span=Span(7, 14),
    observed="55,000원",
    expected=("45,000원",),
    evidence=(Evidence("규정", "월 이용료는 45,000원으로 한다."),),
)


def trace_with(**changes: object) -> Trace:
    return a_trace("one").model_copy(update=changes)


def made(action: Action, **more: object) -> ReplyOrigin:
    return ReplyOrigin(action=action, attempt=1).model_copy(update=more)


def judged(*findings: Finding, mode: Mode = Mode.ENFORCE) -> Trace:
    run = GuardRun(
        guard="numbers", mode=mode, stage=Stage.OUTPUT, outcome=GuardOutcome.ACTED, attempt=1
    )
    choice = Choice(text=FEE, findings=findings)
    return trace_with(sources=SOURCES, guards=(run,), attempts=(Attempt(choices=(choice,)),))
