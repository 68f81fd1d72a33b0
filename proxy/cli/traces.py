"""`guard-proxy traces list|show|tail`: reads the store that the settings name."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, TypeVar

import typer

from proxy.cli.output import fail, out, print_json, shown
from proxy.cli.settings import read_settings
from proxy.cli.signals import stop_signals
from proxy.cli.traces_page import page, row, table
from proxy.logs import configure_logs
from proxy.traces.opening import open_store
from proxy.traces.query import Query, UnknownMoment, moment
from proxy.traces.sqlite import UnknownSchema
from proxy.traces.store import TraceStore, TraceStoreAway, walk
from proxy.traces.store import tail as tail_store
from proxy.traces.trace import ACTION_NAMES, LABEL_FILTERS, Trace

_SAID = "as in 90m, 24h, 7d, 2026-11-22 or 2026-11-22T09:00"


def _moment(said: str) -> datetime:
    try:
        return moment(said, datetime.now().astimezone())
    except UnknownMoment as unknown:
        raise typer.BadParameter(f"{unknown}.") from None


Since = Annotated[
    datetime | None,
    typer.Option(parser=_moment, metavar="TIME", help=f"Of requests since then only, {_SAID}."),
]
Until = Annotated[
    datetime | None,
    typer.Option(parser=_moment, metavar="TIME", help="Of requests before that time only."),
]


traces = typer.Typer(help="Traces of requests.", no_args_is_help=True)
T = TypeVar("T")

Tenant = Annotated[str | None, typer.Option(help="Only of this tenant.")]
_AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]
_ID_CHARS = 32
_LEAST_PREFIX_CHARS = 6


def _action(name: str) -> str:
    if name not in ACTION_NAMES:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(ACTION_NAMES)}.")
    return name


Action = Annotated[
    str | None,
    typer.Option(parser=_action, metavar="|".join(ACTION_NAMES), help="Only with this action."),
]
_Guard = Annotated[str | None, typer.Option(help="Only where this guard found something.")]
_Code = Annotated[
    str | None,
    typer.Option(help="Only with this code of a finding or an error, or one that begins with it."),
]
_Text = Annotated[
    str | None, typer.Option(help="Only with these words in question, answers or replies.")
]


def _label(name: str) -> str:
    if name not in LABEL_FILTERS:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(LABEL_FILTERS)}.")
    return name


Label = Annotated[
    str | None,
    typer.Option(parser=_label, metavar="|".join(LABEL_FILTERS), help="Only with this label."),
]
_Endpoint = Annotated[
    str | None, typer.Option(help="Only at this endpoint, as in chat.completions.")
]


@traces.command("list")
def list_(
    tenant: Tenant = None,
    action: Action = None,
    guard: _Guard = None,
    code: _Code = None,
    text: _Text = None,
    since: Since = None,
    until: Until = None,
    endpoint: _Endpoint = None,
    label: Label = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most this many.")] = 20,
    as_json: _AsJson = False,
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
    as_json: _AsJson = False,
) -> None:
    """Show one trace: the answer sent, with [-removed-] and {+inserted+} words; --json: all."""
    found = with_store(lambda store: _called(store, trace_id))
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
    tenant: Tenant = None,
    action: Action = None,
    guard: _Guard = None,
    code: _Code = None,
    text: _Text = None,
    endpoint: _Endpoint = None,
    as_json: _AsJson = False,
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
        # The Redis client now and then swallows a cancellation, so the end is not left to one.
        with stop_signals() as stop:
            following = asyncio.create_task(follow(store))
            stopping = asyncio.create_task(stop.wait())
            done, _ = await asyncio.wait({following, stopping}, return_when=asyncio.FIRST_COMPLETED)
            following.cancel()
            stopping.cancel()
            if following in done:
                following.result()
            await asyncio.wait({following}, timeout=1)
            if following.done() and not following.cancelled():
                following.exception()  # whatever the cancellation led to is of no interest

    with_store(follow_until_stopped)


async def _called(store: TraceStore, said: str) -> list[Trace]:
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
