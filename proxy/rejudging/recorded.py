"""A trace as what it was made from: the question with its evidence, and the model's answers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from guards.core.exchange import Exchange
from guards.core.finding import Finding
from guards.text.personal_data.kinds import PersonalKind
from policies.patterns import Intents
from policies.verdict import GuardOutcome
from proxy.openai_api.answer import Answer
from proxy.traces.trace import Asked, Attempt, Choice, Trace

_LABEL = re.compile("|".join(re.escape(kind.label) for kind in PersonalKind))


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """A reply of a model server of which only the answers are known."""

    answers: tuple[Answer, ...]
    raw: bytes = b""
    usage: JsonValue | None = None
    unseen: tuple[str, ...] = ()
    is_stream: bool = False
    unknown: tuple[str, ...] = ()


def exchange_of(trace: Trace, asked: Asked, intents: Intents) -> Exchange:
    """Return what the guards looked at, with the intents that a policy's rules see in it."""
    by_rule = intents.intent_of(trace.question).intent
    return Exchange(
        question=trace.question,
        sources=trace.sources,
        context=trace.context,
        echo=asked.echo,
        previous_answer=asked.previous_answer,
        intents=tuple(one for one in (by_rule, asked.told_intent) if one),
        last_error_reason=asked.last_error_reason,
        may_fetch=asked.offers_tools,
    )


def reply_of(attempt: Attempt) -> RecordedReply:
    """Return the reply of the model server that an attempt was."""
    return RecordedReply(tuple(_answer(choice) for choice in attempt.choices))


def found(trace: Trace) -> Iterator[tuple[int, Choice | None, Finding]]:
    """Yield what was found: in which attempt (0: in the question), in which answer, and what."""
    for finding in trace.findings:
        yield 0, None, finding
    for number, attempt in enumerate(trace.attempts, start=1):
        for choice in attempt.choices:
            for finding in choice.findings:
                yield number, choice, finding


def holds_labels(trace: Trace) -> bool:
    """Tell whether labels stand in the trace where the request had personal identifiers."""
    answers = (choice.text for attempt in trace.attempts for choice in attempt.choices)
    texts = (trace.question, *(source.text for source in trace.sources), *answers)
    return any(_LABEL.search(text) for text in texts)


def rests_on_labels(trace: Trace) -> bool:
    """Tell whether a guard acted on a place where only a label stands now."""
    acted = {run.guard for run in trace.guards if run.outcome is GuardOutcome.ACTED}
    return any(
        finding.guard in acted and _is_on_label(finding, _text_of(finding.part, trace, choice))
        for _, choice, finding in found(trace)
    )


def _text_of(part: str, trace: Trace, choice: Choice | None) -> str:
    if part == "answer":
        return choice.text if choice else ""
    texts = {f"source:{source.id}": source.text for source in trace.sources}
    return texts.get(part, trace.question)


def _is_on_label(finding: Finding, text: str) -> bool:
    span = finding.span
    return any(
        label.start() < span.end and span.start < label.end() for label in _LABEL.finditer(text)
    )


def _answer(choice: Choice) -> Answer:
    return Answer(
        index=choice.index,
        content=choice.text,
        tool_turn=choice.tool_turn,
        finish_reason=choice.finish_reason,
    )
