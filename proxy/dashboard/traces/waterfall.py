"""The steps of a request on one line of time."""

from collections.abc import Iterator
from dataclasses import dataclass

from proxy.dashboard.languages import msgid
from proxy.traces.trace import Trace

WIDTH = 1000.0
"""Of the whole line, in the units of the picture."""
_THINNEST = 3.0
STEP_WORDS = {
    "read": msgid("Read the request"),
    "inspect_question": msgid("Check the question"),
    "model": msgid("Model answers"),
    "inspect_answer": msgid("Check the answer"),
    "judge": msgid("Second reader"),
    "write": msgid("Write the reply"),
}
_MODEL_TEXT = msgid("First word of the model")
_FIRST_TEXT = msgid("First word to the client")


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of the picture.

    Attributes:
        name: What happened, to be translated; a step without a word of its own stands for itself.
        attempt: Number of the attempt that it belongs to; empty if to none.
        started_ms: From the beginning of the request.
        duration_ms: None for what is a moment.
        left: Where the bar begins, in units of the picture.
        width: Its width; at least one that can be seen.
        kind: ``model``, ``guards``, ``moment`` or ``own``.
    """

    name: str
    attempt: str
    started_ms: float
    duration_ms: float | None
    left: float
    width: float
    kind: str


def waterfall(trace: Trace) -> list[Bar]:
    """Return the lines of a trace in the order of their beginning."""
    return sorted(_bars(trace), key=lambda bar: bar.started_ms)


def _bars(trace: Trace) -> Iterator[Bar]:
    ends = [step.started_ms + step.duration_ms for step in trace.steps]
    whole_ms = max([trace.duration_ms, *ends]) or 1.0
    scale = WIDTH / whole_ms
    for step in trace.steps:
        stem, _, number = step.name.rpartition("_")
        name, attempt = (stem, number) if number.isdecimal() else (step.name, "")
        width = max(step.duration_ms * scale, _THINNEST)
        left = min(step.started_ms * scale, WIDTH - width)
        yield Bar(
            name=STEP_WORDS.get(name, step.name),
            attempt=attempt,
            started_ms=step.started_ms,
            duration_ms=step.duration_ms,
            left=round(max(left, 0.0), 1),
            width=round(width, 1),
            kind=_kind(name),
        )
    for name, at_ms in ((_MODEL_TEXT, trace.model_text_ms), (_FIRST_TEXT, trace.first_text_ms)):
        if at_ms is not None:
            left = min(max(at_ms * scale, 0.0), WIDTH - _THINNEST)
            yield Bar(name, "", at_ms, None, round(left, 1), _THINNEST, "moment")


def _kind(step: str) -> str:
    if step.startswith("inspect"):
        return "guards"
    return "model" if step in ("model", "judge") else "own"
