"""How much of a request's words its trace keeps. The one place where that is decided.

``none`` keeps no words at all: places, codes and counts are left, ids of sources become their
numbers, and a name that the caller chose (model, intent, …) stays only if it looks like a code.
``masked`` puts labels over personal identifiers, also where one found in one text stands in
another without the words that gave it away; the spans of findings move along. ``full`` keeps all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from guards.core.exchange import Source
from guards.core.finding import Evidence, Finding, Span
from guards.text.personal_data.mask import Masked
from policies.tracing import StoredText
from proxy.traces.changes import applied, changes
from proxy.traces.keepers import Keeper, KeepsAll, KeepsMasked, KeepsNoWords
from proxy.traces.parts import (
    Asked,
    Attempt,
    Change,
    Choice,
    FoundPlace,
    GuardRun,
    Made,
    Rejudged,
    Shape,
    Step,
)
from proxy.traces.trace import Trace

ShapeT = TypeVar("ShapeT", bound=Shape)


def stored(trace: Trace, text: StoredText) -> Trace:
    """Return what may be kept of a trace.

    Args:
        trace: The whole trace.
        text: What the policy wants kept.
    """
    match text:
        case StoredText.FULL:
            keeper: Keeper = KeepsAll()
        case StoredText.MASKED:
            keeper = KeepsMasked.of(trace)
        case StoredText.NONE:
            keeper = KeepsNoWords(trace.sources)
    return _with(_rewritten(trace, keeper), text=text)


class _Rewritten:
    """A text as it was and as it is kept; made once, because findings ask for it again."""

    def __init__(self, raw: str, kept: Masked) -> None:
        self.raw = raw
        self.kept = kept


_Parts = dict[str, _Rewritten]
_Answers = Sequence[Mapping[int, _Rewritten]]


def _words(raw: str, keeper: Keeper) -> _Rewritten:
    return _Rewritten(raw, keeper.words(raw))


def _with(shape: ShapeT, **values: object) -> ShapeT:
    """Return a shape with other values; the same one if they are what it has."""
    had = shape.__dict__
    changed = {name: value for name, value in values.items() if value != had[name]}
    return shape.model_copy(update=changed) if changed else shape


def _rewritten(trace: Trace, keeper: Keeper) -> Trace:
    question = _words(trace.question, keeper)
    sources = [_Rewritten(source.text, keeper.source(source.text)) for source in trace.sources]
    parts = {"question": question}
    for source, text in zip(trace.sources, sources, strict=True):
        parts[f"source:{source.id}"] = text
    answers = [
        {choice.index: _words(choice.text, keeper) for choice in attempt.choices}
        for attempt in trace.attempts
    ]
    return _with(
        trace,
        door=keeper.code(trace.door),
        model=keeper.code(trace.model),
        question=question.kept.text,
        sources=tuple(
            _source(source, text.kept.text, keeper)
            for source, text in zip(trace.sources, sources, strict=True)
        ),
        found=tuple(_place(place, keeper) for place in trace.found),
        asked=None if trace.asked is None else _asked(trace.asked, keeper),
        intent=None if trace.intent is None else keeper.code(trace.intent),
        route=keeper.code(trace.route),
        route_reason=keeper.code(trace.route_reason),
        findings=tuple(_finding(finding, parts, keeper) for finding in trace.findings),
        constrained_by=keeper.code(trace.constrained_by),
        attempts=tuple(
            _attempt(attempt, texts, parts, keeper)
            for attempt, texts in zip(trace.attempts, answers, strict=True)
        ),
        guards=tuple(_run(run, keeper) for run in trace.guards),
        reasons=tuple(map(keeper.code, trace.reasons)),
        not_checked=tuple(map(keeper.code, trace.not_checked)),
        unknown_fields=tuple(map(keeper.code, trace.unknown_fields)),
        replies=tuple(keeper.words(reply).text for reply in trace.replies),
        made=tuple(_made(made, answers, keeper) for made in trace.made),
        steps=tuple(_step(step, keeper) for step in trace.steps),
        error=None if trace.error is None else keeper.code(trace.error),
        shadow=None if trace.shadow is None else _shadow(trace.shadow, parts, answers, keeper),
    )


def _asked(asked: Asked, keeper: Keeper) -> Asked:
    told, reason = asked.told_intent, asked.last_error_reason
    return _with(
        asked,
        echo=keeper.words(asked.echo).text,
        previous_answer=keeper.words(asked.previous_answer).text,
        told_intent=None if told is None else keeper.code(told),
        last_error_reason=None if reason is None else keeper.code(reason),
        guards=tuple(map(keeper.code, asked.guards)),
    )


def _shadow(shadow: Rejudged, parts: _Parts, answers: _Answers, keeper: Keeper) -> Rejudged:
    return _with(
        shadow,
        reasons=tuple(map(keeper.code, shadow.reasons)),
        choices=tuple(
            _with(
                one,
                findings=tuple(
                    _finding(
                        finding,
                        parts | {"answer": _answer(answers, one.attempt, one.choice, keeper)},
                        keeper,
                    )
                    for finding in one.findings
                ),
            )
            for one in shadow.choices
        ),
        guards=tuple(_run(run, keeper) for run in shadow.guards),
        replies=tuple(keeper.words(reply).text for reply in shadow.replies),
    )


def _source(source: Source, text: str, keeper: Keeper) -> Source:
    number, title = keeper.source_id(source.id), keeper.title(source.title)
    file = keeper.title(source.file)
    if (number, title, text, file) == (source.id, source.title, source.text, source.file):
        return source
    return replace(source, id=number, title=title, text=text, file=file)


def _place(place: FoundPlace, keeper: Keeper) -> FoundPlace:
    return _with(place, format=keeper.code(place.format), place=keeper.code(place.place))


def _run(run: GuardRun, keeper: Keeper) -> GuardRun:
    # There are twenty of them in every trace, and mostly there is nothing to rewrite.
    if not run.reason and not run.cleared and keeper.code(run.guard) == run.guard:
        return run
    return _with(
        run,
        guard=keeper.code(run.guard),
        reason=keeper.code(run.reason),
        cleared=tuple(map(keeper.code, run.cleared)),
    )


def _step(step: Step, keeper: Keeper) -> Step:
    name = keeper.code(step.name)
    return step if name == step.name else _with(step, name=name)


def _attempt(
    attempt: Attempt, answers: Mapping[int, _Rewritten], parts: _Parts, keeper: Keeper
) -> Attempt:
    return _with(
        attempt,
        choices=tuple(
            _choice(choice, answers[choice.index], parts, keeper) for choice in attempt.choices
        ),
        error=None if attempt.error is None else keeper.code(attempt.error),
    )


def _choice(choice: Choice, answer: _Rewritten, parts: _Parts, keeper: Keeper) -> Choice:
    parts = parts | {"answer": answer}
    reason = choice.finish_reason
    return _with(
        choice,
        text=answer.kept.text,
        finish_reason=None if reason is None else keeper.code(reason),
        findings=tuple(_finding(finding, parts, keeper) for finding in choice.findings),
    )


def _answer(answers: _Answers, attempt: int, choice: int, keeper: Keeper) -> _Rewritten:
    """Return one of the attempts' answers; an empty text where there is none."""
    known = answers[attempt - 1] if 0 < attempt <= len(answers) else {}
    return known.get(choice) or _words("", keeper)


def _made(made: Made, answers: _Answers, keeper: Keeper) -> Made:
    answer = _answer(answers, made.attempt, made.choice, keeper)
    return _with(
        made,
        changes=_changes(made.changes, answer, keeper),
        replaced_with=keeper.code(made.replaced_with),
        closed_with=keeper.code(made.closed_with),
    )


def _changes(made: Sequence[Change], answer: _Rewritten, keeper: Keeper) -> tuple[Change, ...]:
    """Return the changes between two texts as they are kept.

    They may cut an identifier in pieces, which nothing would recognise on their own.
    """
    if not made:
        return ()
    left = _words(applied(answer.raw, made), keeper)
    if answer.raw == answer.kept.text and left.raw == left.kept.text:
        return tuple(made)
    if not answer.kept.text and not left.kept.text:
        return tuple(Change(span=change.span) for change in made)
    return changes(answer.kept.text, left.kept.text)


def _finding(finding: Finding, parts: _Parts, keeper: Keeper) -> Finding:
    text = parts.get(finding.part) or _words("", keeper)
    span = text.kept.moved(finding.span)
    return replace(
        finding,
        guard=keeper.code(finding.guard),
        code=keeper.code(finding.code),
        part=_part(finding.part, keeper),
        span=span,
        observed=_observed(finding, text, span, keeper),
        expected=tuple(keeper.words(value).text for value in finding.expected),
        fix=None if finding.fix is None else keeper.words(finding.fix).text,
        evidence=tuple(
            Evidence(keeper.source_id(quote.source_id), keeper.words(quote.quote).text)
            for quote in finding.evidence
        ),
    )


def _observed(finding: Finding, text: _Rewritten, span: Span, keeper: Keeper) -> str:
    """Return what stands at the finding's place now, where masking changed it.

    A finding may be about a piece of an identifier, which nothing would recognise on its own.
    """
    was = text.raw[finding.span.start : finding.span.end]
    now = text.kept.text[span.start : span.end]
    return keeper.words(finding.observed).text if was == now else now


def _part(part: str, keeper: Keeper) -> str:
    kind, separator, source_id = part.partition(":")
    return f"{keeper.code(kind)}:{keeper.source_id(source_id)}" if separator else keeper.code(kind)
