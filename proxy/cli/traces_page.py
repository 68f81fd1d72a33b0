"""Traces for people at a terminal: one as a page, many as a table."""

from collections.abc import Iterable, Iterator, Sequence

from rich.table import Table
from rich.text import Text

from guards.core.finding import Finding
from policies.schema.guard_rule import Action
from policies.schema.sections import StoredText
from policies.verdict import GuardOutcome
from proxy.cli.output import excerpt, harmless, shown
from proxy.traces.trace import Attempt, ReplayResult, Trace
from proxy.views.findings import Stretch
from proxy.views.trace import SentReply, sent_replies

_LONGEST_CHARS = 2_000
_OBSERVED_CHARS = 60


def action_of(trace: Trace) -> str:
    """Return the action, what ended an answer, and what guards in shadow would have done.

    Of a verification it is the result.
    """
    if trace.verification is not None:
        return trace.verification.value.replace("_", " ")
    said = trace.action.value if trace.action else "-"
    if trace.closings:
        said += f" ({', '.join(trace.closings)})"
    if trace.would is not Action.PASS:
        said += f", would {trace.would.value}"
    return said


def page(trace: Trace) -> Iterator[Text]:
    """Yield the lines. What was taken out stands in ``[-…-]``, what was put in, in ``{+…+}``."""
    yield from _heading(trace)
    for number, attempt in enumerate(trace.attempts, start=1):
        yield from _attempt(number, attempt)
    for sent in sent_replies(trace):
        yield from _sent(sent, trace)
    if not trace.made and trace.replies:
        yield Text("answer sent:", "bold")
        for reply in trace.replies:
            yield from _indented(Text(harmless(reply)))
    yield from _guards(trace)
    if trace.shadow:
        yield from _shadow(trace.shadow)


def _heading(trace: Trace) -> Iterator[Text]:
    yield Text(f"{trace.id}  {shown(trace.started_at)}  {trace.tenant}", "bold")
    facts = {
        "policy": f"{trace.policy.name}@{trace.policy.version}",
        "endpoint": f"{trace.door}, stream" if trace.stream else trace.door,
        "status": f"{trace.status} {trace.error or ''} {trace.duration_ms:.0f} ms",
        "action": action_of(trace),
        "reasons": ", ".join(trace.reasons),
        "not checked": ", ".join(trace.not_checked),
        "sources": str(len(trace.sources)),
        "question": excerpt(trace.question, _LONGEST_CHARS),
        "label": _label(trace),
    }
    for name, value in facts.items():
        if value:
            yield Text(f"{name + ':':<13}{' '.join(value.split())}")
    if trace.text is StoredText.NONE:
        yield Text("This tenant's policy keeps no words: places and codes only.", "italic")


def _label(trace: Trace) -> str:
    feedback = trace.feedback
    if feedback is None:
        return ""
    pinned = ", pinned" if feedback.pinned else ""
    marked = trace.missed_words
    said = (f"at “{excerpt(marked, _OBSERVED_CHARS)}”" if marked else "", feedback.note)
    return " ".join([f"{feedback.label.value}{pinned}", *filter(None, said)])


def _attempt(number: int, attempt: Attempt) -> Iterator[Text]:
    ended = f", ended by {attempt.error}" if attempt.error else ""
    yield Text(f"attempt {number}: {attempt.upstream_ms:.0f} ms{ended}", "bold")
    for choice in attempt.choices:
        yield from _indented(Text(harmless(choice.text)))
        yield from (_finding(finding) for finding in choice.findings)


def _finding(finding: Finding) -> Text:
    expected = f" (expected {', '.join(finding.expected)})" if finding.expected else ""
    said = excerpt(f"“{finding.observed}”{expected}", _OBSERVED_CHARS * 2)
    return Text(f"  ! {finding.code} at {finding.span.start}-{finding.span.end}: {said}")


def _sent(sent: SentReply, trace: Trace) -> Iterator[Text]:
    made = sent.made
    if made is None:
        return
    action = made.action.value if made.action else "no decision"
    origin = f", from attempt {made.attempt}" if made.attempt else ""
    yield Text(f"reply {sent.number}: {action}{origin}", "bold")
    if made.replaced_with:
        yield Text(f"  replaced with {made.replaced_with}:")
        yield from _indented(Text(harmless(sent.text)))
        return
    if trace.text is StoredText.NONE:
        places = ", ".join(f"{one.span.start}-{one.span.end}" for one in made.changes)
        yield Text(f"  changed at {places}" if places else "  nothing changed")
    else:
        yield from _indented(_marked(sent.stretches))
    if made.closed_with:
        yield Text(f"  closed with {made.closed_with}:")
        yield from _indented(Text(harmless(sent.closing)))


def _marked(stretches: Iterable[Stretch]) -> Text:
    text = Text()
    for one in stretches:
        text.append(harmless(one.same))
        if gone := harmless(one.gone):
            text.append(f"[-{gone}-]", "strike red")
        if one.put_in:
            text.append(f"{{+{harmless(one.put_in)}+}}", "green")
    return text


def _indented(text: Text) -> Iterator[Text]:
    """Yield the lines of a text; none of one that is not kept."""
    for line in text.split("\n", allow_blank=True) if text else ():
        yield Text("  ").append_text(line)


def _guards(trace: Trace) -> Iterator[Text]:
    """Yield the guards that had something to say, or could not."""
    said = [run for run in trace.guards if run.outcome is not GuardOutcome.CLEAN]
    if said:
        yield Text("guards:", "bold")
    for run in said:
        where = f"attempt {run.attempt}" if run.attempt else "question"
        asked = run.action.value if run.action is not Action.PASS else ""
        words = (run.outcome.value.replace("_", " "), asked, run.reason)
        yield Text(f"  {run.guard} ({where}): {' '.join(filter(None, words))}")


def _shadow(shadow: ReplayResult) -> Iterator[Text]:
    """Yield what the shadow policy would have done."""
    yield Text(f"shadow policy {shadow.policy.name}@{shadow.policy.version}:", "bold")
    if shadow.not_run:
        yield Text(f"  did not judge: {shadow.not_run.value.replace('_', ' ')}")
        return
    would = f"would {shadow.action.value}" if shadow.action else "what it would do is unknown"
    reasons = f" for {', '.join(shadow.reasons)}" if shadow.reasons else ""
    unknown = f" ({shadow.unknown.value.replace('_', ' ')})" if shadow.unknown else ""
    yield Text(f"  {would}{reasons}{unknown}")


_EXCERPT_CHARS = 40
_WIDE_CHARS = 120
_COLUMNS = ("time", "id", "tenant", "action", "status", "ms", "reasons", "question")
_WHOLE = ("time", "id")
_NARROW = (*_WHOLE, "action", "status")
"""Columns that fit beside a whole id in a terminal 80 characters wide."""


def table(found: Sequence[Trace], width: int) -> Table:
    """Return the table that fits into so many columns of a terminal."""
    names = _COLUMNS if width >= _WIDE_CHARS else _NARROW
    made = Table()
    for name in names:
        made.add_column(name, no_wrap=name in _WHOLE, overflow="fold")
    for trace in found:
        cells = dict(zip(_COLUMNS, row(trace), strict=True))
        made.add_row(*(cells[name] for name in names))
    return made


def row(trace: Trace) -> tuple[str, ...]:
    """Return what a line says of a trace, in the order of the whole table."""
    return (
        shown(trace.started_at),
        trace.id,
        trace.tenant,
        action_of(trace),
        str(trace.status),
        f"{trace.duration_ms:.0f}",
        ", ".join(trace.reasons) or trace.error or "",
        excerpt(trace.question, _EXCERPT_CHARS),
    )
