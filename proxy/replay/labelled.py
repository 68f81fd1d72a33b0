"""Compares what another policy makes of a labelled request with what its label asks for."""

from enum import StrEnum

from guards.core.finding import Span
from policies.schema.guard_rule import Action
from proxy.traces.trace import Label, ReplayResult, ReplyOrigin, Trace, Unknown


class Improvement(StrEnum):
    """Effect of another policy on a labelled request."""

    BETTER = "better"
    """The fault that the label names is gone."""
    WORSE = "worse"
    """A reply that was right would be so no longer."""
    SAME = "same"
    """It is as right or as wrong as before."""
    UNKNOWN = "unknown"
    """It cannot be told without asking the model."""


def improvement(trace: Trace, tried: ReplayResult) -> Improvement | None:
    """Return the effect of another policy; None without a label, or where nothing was judged."""
    if trace.feedback is None or tried.not_run is not None:
        return None
    was_right = trace.feedback.label is Label.RIGHT
    is_right = _is_right(trace, trace.feedback.label, tried)
    if is_right is None:
        return Improvement.UNKNOWN
    if is_right is was_right:
        return Improvement.SAME
    return Improvement.BETTER if is_right else Improvement.WORSE


def _is_right(trace: Trace, label: Label, tried: ReplayResult) -> bool | None:
    """Tell whether the other policy does what the label asks for; None if unknown."""
    if label is Label.FALSE_ALARM and tried.unknown is Unknown.MODEL_NOT_ASKED:
        return True  # the question goes to the model now
    if tried.action is None:
        return None
    acts = tried.action is not Action.PASS
    match label:
        case Label.FALSE_ALARM:
            return not acts
        case Label.RIGHT:
            return acts is (trace.action is not Action.PASS)
        case Label.MISSED:
            return acts and _finds_missed(trace, tried)


def _finds_missed(trace: Trace, tried: ReplayResult) -> bool:
    """Tell whether a finding that led to the action touches the marked place, if one is marked."""
    feedback = trace.feedback
    if feedback is None or feedback.span is None or feedback.choice >= len(trace.made):
        return True
    made = trace.made[feedback.choice]
    if made.replaced_with:
        return True  # the words are those of a template, which no guard looks at
    place = place_in_attempt(made, feedback.span)
    return any(
        finding.part == "answer"
        and finding.code in tried.reasons
        and finding.span.start < place.end
        and place.start < finding.span.end
        for one in tried.choices
        if (one.attempt, one.choice) == (made.attempt, made.choice)
        for finding in one.findings
    )


def place_in_attempt(made: ReplyOrigin, span: Span) -> Span:
    """Return where words of a reply stand in the answer that it was made from."""
    return Span(_position(made, span.start, is_end=False), _position(made, span.end, is_end=True))


def _position(made: ReplyOrigin, position: int, *, is_end: bool) -> int:
    grown = 0
    for change in made.changes:
        start = change.span.start + grown
        # What was taken out right there stands before the words that begin, behind those that end.
        if position < start or (is_end and position == start):
            break
        if position < start + len(change.text):
            return change.span.end if is_end else change.span.start
        grown += len(change.text) - (change.span.end - change.span.start)
    return position - grown
