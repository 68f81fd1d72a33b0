"""`guard-proxy traces list|show|tail`: reads the store that the settings name."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Annotated, TypeVar

import typer
from rich.table import Table
from rich.text import Text

from guards.core.finding import Finding
from policies.schema.policy import Action
from policies.schema.sections import StoredText
from policies.verdict import GuardOutcome
from proxy.cli.settings import read_settings
from proxy.cli.terminal import (
    AsJson,
    excerpt,
    fail,
    graceful_stop,
    harmless,
    out,
    print_json,
    shown,
    unless_stopped,
)
from proxy.logs import configure_logs
from proxy.traces.query import Query, UnknownMoment, moment
from proxy.traces.recorder import open_store
from proxy.traces.sqlite import UnknownSchema
from proxy.traces.store import TraceStore, TraceStoreAway, walk
from proxy.traces.store import tail as tail_store
from proxy.traces.trace import ACTION_NAMES, LABEL_FILTERS, Attempt, ReplayResult, Trace
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
        yield from _reply_lines(sent, trace)
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
        "label": _label_line(trace),
    }
    for name, value in facts.items():
        if value:
            yield Text(f"{name + ':':<13}{' '.join(value.split())}")
    if trace.text is StoredText.NONE:
        yield Text("This tenant's policy keeps no words: places and codes only.", "italic")


def _label_line(trace: Trace) -> str:
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


def _reply_lines(sent: SentReply, trace: Trace) -> Iterator[Text]:
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


_TIME_FORMATS = "as in 90m, 24h, 7d, 2026-11-22 or 2026-11-22T09:00"


def _moment(said: str) -> datetime:
    try:
        return moment(said, datetime.now().astimezone())
    except UnknownMoment as unknown:
        raise typer.BadParameter(f"{unknown}.") from None


SinceOption = Annotated[
    datetime | None,
    typer.Option(
        parser=_moment, metavar="TIME", help=f"Only requests since then, {_TIME_FORMATS}."
    ),
]
UntilOption = Annotated[
    datetime | None,
    typer.Option(parser=_moment, metavar="TIME", help="Only requests before that time."),
]


traces = typer.Typer(help="Traces of requests.", no_args_is_help=True)
T = TypeVar("T")

TenantOption = Annotated[str | None, typer.Option(help="Only of this tenant.")]
_ID_CHARS = 32
_LEAST_PREFIX_CHARS = 6


def _action(name: str) -> str:
    if name not in ACTION_NAMES:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(ACTION_NAMES)}.")
    return name


ActionOption = Annotated[
    str | None,
    typer.Option(parser=_action, metavar="|".join(ACTION_NAMES), help="Only with this action."),
]
_Guard = Annotated[
    str | None, typer.Option(help="Only traces in which this guard found something.")
]
_Code = Annotated[
    str | None,
    typer.Option(help="Only with this code of a finding or an error, or one that begins with it."),
]
_Text = Annotated[
    str | None, typer.Option(help="Only traces with these words in question, answers or replies.")
]


def _label(name: str) -> str:
    if name not in LABEL_FILTERS:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(LABEL_FILTERS)}.")
    return name


LabelOption = Annotated[
    str | None,
    typer.Option(parser=_label, metavar="|".join(LABEL_FILTERS), help="Only with this label."),
]
_Endpoint = Annotated[
    str | None, typer.Option(help="Only at this endpoint, as in chat.completions.")
]


@traces.command("list")
def list_(
    tenant: TenantOption = None,
    action: ActionOption = None,
    guard: _Guard = None,
    code: _Code = None,
    text: _Text = None,
    since: SinceOption = None,
    until: UntilOption = None,
    endpoint: _Endpoint = None,
    label: LabelOption = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most this many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the newest traces."""
    query = Query(tenant, action, guard, code, text, since, until, endpoint, label, limit=limit)

    async def read(store: TraceStore) -> list[Trace]:
        found: list[Trace] = []
        async for trace in walk(store, query):
            found.append(trace)
            if len(found) == limit:
                break
        return found

    found = with_store(read)
    if as_json:
        print_json([trace.model_dump(mode="json") for trace in found])
    elif not found:
        out.print(_nothing(query), markup=False)
    else:
        out.print(table(found, out.width), markup=False)


@traces.command()
def show(
    trace_id: Annotated[
        str,
        typer.Argument(
            help=f"Id of the request, or its first {_LEAST_PREFIX_CHARS} or more characters."
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Show one trace: the answer sent, with [-removed-] and {+inserted+} words; --json: all."""
    found = with_store(lambda store: _traces_with_id(store, trace_id))
    if not found:
        short = len(trace_id) < _LEAST_PREFIX_CHARS
        hint = f" An id can be shortened to {_LEAST_PREFIX_CHARS} characters." if short else ""
        fail(f"There is no trace {trace_id}.{hint}")
    if len(found) > 1:
        ids = " and ".join(trace.id for trace in found)
        fail(f"Several traces begin with {trace_id}, such as {ids}. Give more of the id.")
    [trace] = found
    if as_json:
        print_json(trace.model_dump(mode="json"))
        return
    for line in page(trace):
        out.print(line)


@traces.command()
def tail(
    tenant: TenantOption = None,
    action: ActionOption = None,
    guard: _Guard = None,
    code: _Code = None,
    text: _Text = None,
    endpoint: _Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Show traces as they come in, until Ctrl-C."""
    query = Query(tenant, action, guard, code, text, door=endpoint)

    async def follow(store: TraceStore) -> None:
        async for trace in tail_store(store, query, sleep=asyncio.sleep):
            if as_json:
                typer.echo(trace.model_dump_json())
            else:
                out.print("  ".join(row(trace)), markup=False)

    async def follow_until_stopped(store: TraceStore) -> None:
        with graceful_stop() as stop:
            await unless_stopped(stop, follow(store))

    with_store(follow_until_stopped)


async def _traces_with_id(store: TraceStore, said: str) -> list[Trace]:
    """Return the trace of an id or of its beginning; two where the beginning fits several."""
    if whole := await store.get(said):
        return [whole]
    found: list[Trace] = []
    if _LEAST_PREFIX_CHARS <= len(said) < _ID_CHARS:
        async for trace in walk(store, Query()):
            if trace.id.startswith(said):
                found.append(trace)
            if len(found) > 1:
                break
    return found


def with_store(use: Callable[[TraceStore], Awaitable[T]]) -> T:
    """Return what comes of using the store that the settings name; say so if that cannot be."""
    settings = read_settings()
    configure_logs(settings.log_format)

    async def run() -> T:
        async with open_store(settings) as store:
            return await use(store)

    try:
        return asyncio.run(run())
    except (TraceStoreAway, UnknownSchema) as error:
        fail(str(error))
    except UnicodeEncodeError:  # out of a terminal with another encoding
        fail("The arguments must be UTF-8.")


def _nothing(query: Query) -> str:
    """Say why a list is empty."""
    filters = {
        "tenant": query.tenant,
        "action": query.action,
        "guard": query.guard,
        "code": query.code,
        "text": query.text,
        "since": query.since and f"'{shown(query.since)}'",
        "until": query.until and f"'{shown(query.until)}'",
        "endpoint": query.door,
        "label": query.label,
    }
    given = [f"--{name} {value}" for name, value in filters.items() if value is not None]
    if given:
        return f"No trace matches {' '.join(given)}."
    return "No traces yet. Every request through the proxy leaves one."
