"""`guard-proxy golden export`: labelled requests as a golden set.

A false alarm becomes a case that has to pass, a missed error one that must not get through, and
what was right has to stay as it was. The words are those of the traces: masked as the policy said.
"""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from guards.core.exchange import ContextState
from policies.schema.policy import Action
from proxy.cli.eval import must_be_writable, write_file
from proxy.cli.terminal import err, fail
from proxy.cli.traces import LabelOption, SinceOption, TenantOption, UntilOption, with_store
from proxy.golden.shape import MOST_CASES, Case, is_visible
from proxy.openai_api.json_body import JsonObject
from proxy.replay.judging import why_not
from proxy.traces.query import Query
from proxy.traces.store import TraceStore, walk
from proxy.traces.trace import ANY_LABEL, Attempt, Choice, Label, Trace, Unknown
from proxy.views.words import NOT_REPLAYED, UNKNOWN

_CHANGED = [action.value for action in Action if action is not Action.PASS]
_LONGEST_KEYWORD_CHARS = 1_000
_UNJUDGED_ANSWER = "확인해 보겠습니다."
"""Stands for the answer to a question that never reached the model."""
_ANY_TOOL: JsonObject = {"type": "function", "function": {"name": "any", "parameters": {}}}
UNFIT = "too long for a case"


def exported(traces: Sequence[Trace]) -> tuple[list[JsonObject], Counter[str]]:
    """Return the cases of labelled traces, as many as a set may have, and the reasons of others."""
    cases: list[JsonObject] = []
    left_out: Counter[str] = Counter()
    for trace in traces:
        reason = _left_out(trace)
        if reason is None and len(cases) < MOST_CASES:
            case = _case(trace)
            try:
                Case.model_validate(case)
            except ValidationError:
                reason = UNFIT
            else:
                cases.append(case)
                continue
        left_out[reason or f"beyond {MOST_CASES} cases"] += 1
    return cases, left_out


def _left_out(trace: Trace) -> str | None:
    reason = why_not(trace)
    if reason is not None:
        return NOT_REPLAYED[reason]
    ended = trace.error is not None or trace.action is None
    answered = [_choice(attempt, trace) for attempt in trace.attempts]
    if ended or any(one is None or one.tool_turn for one in answered):
        return UNKNOWN[Unknown.NO_ANSWER]
    return None


def _choice(attempt: Attempt, trace: Trace) -> Choice | None:
    """Return the answer of an attempt that the label is about; the first where it has one."""
    wanted = trace.feedback.choice if trace.feedback else 0
    choices = attempt.choices
    return next((one for one in choices if one.index == wanted), choices[0] if choices else None)


def _case(trace: Trace) -> JsonObject:
    label = trace.feedback.label if trace.feedback else Label.RIGHT
    answers = [choice for one in trace.attempts if (choice := _choice(one, trace))]
    asked = trace.asked
    case: JsonObject = {
        "id": trace.id,
        "category": label.value,
        "scope": trace.tenant,
        "about": trace.feedback.note if trace.feedback else "",
        "instructions": asked.echo,
        "query": trace.question,
        "request": _request(trace),
        "model": [choice.text for choice in answers] or [_UNJUDGED_ANSWER],
        **_expected(trace, label),
    }
    if trace.context is not ContextState.ABSENT:
        case["sources"] = [_passage(trace, place) for place in range(len(trace.sources))]
    return {name: value for name, value in case.items() if value or name in _ALSO_EMPTY}


_ALSO_EMPTY = frozenset({"instructions", "sources"})
"""Members that say something when they hold nothing."""


def _expected(trace: Trace, label: Label) -> JsonObject:
    """Return the expected result."""
    acted = trace.action is not Action.PASS
    if label is Label.FALSE_ALARM:
        if trace.attempts:
            return {"expected_action": [Action.PASS.value]}
        return {"forbidden_reason": [*trace.reasons]}  # the model's answer is not known
    if label is Label.MISSED:
        words = _missed_words(trace)
        return {"forbidden_keywords": [words]} if words else {"expected_action": [*_CHANGED]}
    if not acted:
        return {"expected_action": [Action.PASS.value]}
    return {"expected_action": [*_CHANGED], "expected_reason": [*trace.reasons]}


def _missed_words(trace: Trace) -> str:
    """Return the marked words if they say where the error is; empty otherwise."""
    words = trace.missed_words
    if not words or len(words) > _LONGEST_KEYWORD_CHARS or not is_visible(words):
        return ""
    choice = trace.feedback.choice if trace.feedback else 0
    return words if trace.replies[choice].count(words) == 1 else ""


def _request(trace: Trace) -> JsonObject:
    """Return what else the app said."""
    asked = trace.asked
    x: JsonObject = {
        "intent": asked.told_intent,
        "last_error_reason": asked.last_error_reason,
        "guards": [*asked.guards],
        "hold": asked.hold,
    }
    request: JsonObject = {}
    guard: JsonObject = {name: value for name, value in x.items() if value}
    if guard:
        request["guard"] = guard
    if asked.offers_tools:
        request["tools"] = [_ANY_TOOL]
    if asked.structured:
        request["response_format"] = {"type": "json_object"}
    return request


def _passage(trace: Trace, place: int) -> JsonObject:
    source = trace.sources[place]
    passage: JsonObject = {
        "id": source.id,
        "title": source.title,
        "text": source.text,
        "file": source.file,
        "page": source.page,
        "score": source.score,
    }
    return {name: value for name, value in passage.items() if value not in ("", None)}


golden = typer.Typer(help="Golden sets.", no_args_is_help=True)


@golden.callback()
def _golden() -> None:
    """Golden sets."""


@golden.command()
def export(
    tenant: TenantOption = None,
    label: LabelOption = ANY_LABEL,
    since: SinceOption = None,
    until: UntilOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the set here, as JSON.")
    ] = None,
) -> None:
    """Write labelled requests as a golden set, which `eval` and `replay` run.

    A false alarm becomes a case that has to pass, a missed error one that must not get through, and
    what was right has to stay. Words are those of the traces, masked as the policy says.
    """
    if output is not None:
        if output.suffix.lower() != ".json":
            fail(f"{output}: the set is written as JSON; give the file a name that ends in .json.")
        must_be_writable(output)
    query = Query(tenant=tenant, label=label, since=since, until=until)

    async def read(store: TraceStore) -> list[Trace]:
        return [trace async for trace in walk(store, query)]

    cases, left_out = exported(with_store(read))
    err.print(f"{len(cases)} exported", markup=False)
    for reason, many in left_out.most_common():
        err.print(f"{many} left out: {reason}", markup=False)
    if not cases:
        fail("There is nothing to export: no labelled request can become a case.")
    today = datetime.now(UTC).date().isoformat()
    about = f"Labelled requests{f' of {tenant}' if tenant else ''}, exported {today}."
    text = json.dumps({"about": about, "cases": cases}, ensure_ascii=False, indent=2) + "\n"
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_file(output, text.encode())
