"""`guard-proxy replay`: stored requests, judged again by another policy."""

import asyncio
import os
from collections.abc import AsyncIterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from time import perf_counter
from typing import Annotated

import typer
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from policies.checks import faults_in_judging
from policies.schema.loader import LoadedPolicy
from proxy.cli.eval import NOT_AS_EXPECTED, chosen
from proxy.cli.eval import page as golden_page
from proxy.cli.policy import NamedPolicies
from proxy.cli.replay_page import Limit, Share, listing, notes, page
from proxy.cli.settings import Directory, read_settings
from proxy.cli.terminal import AsJson, err, fail, graceful_stop, out, print_json, unless_stopped
from proxy.cli.traces import ActionOption, LabelOption, SinceOption, TenantOption, UntilOption
from proxy.golden.results import Run, Tally
from proxy.golden.runner import replayed_cases
from proxy.logs import configure_logs
from proxy.replay.comparison import Compared, Totals
from proxy.replay.workers import TRACES_AT_ONCE, Workers, packed, replayed
from proxy.settings import Settings
from proxy.tenants import judging_by
from proxy.traces.query import Query
from proxy.traces.recorder import open_store
from proxy.traces.sqlite import UnknownSchema
from proxy.traces.store import TraceStore, TraceStoreAway, walk
from proxy.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Plan:
    """The requests to judge again, and how to judge them.

    Attributes:
        limit: At most so many; None for all.
    """

    loaded: LoadedPolicy
    query: Query
    limit: int | None
    jobs: int


def perform(plan: Plan, settings: Settings, totals: Totals) -> bool:
    """Judge requests again and add them up; return False if somebody interrupted it.

    Raises:
        TraceStoreAway: the store cannot be used.
        UnknownSchema: it is of another version of the proxy.
        BrokenProcessPool: a process ended by itself.
    """
    return asyncio.run(_interruptible(plan, settings, totals))


async def _interruptible(plan: Plan, settings: Settings, totals: Totals) -> bool:
    with graceful_stop() as stop:
        await unless_stopped(stop, _go_through(plan, settings, totals))
        return not stop.is_set()


async def _go_through(plan: Plan, settings: Settings, totals: Totals) -> None:
    async with open_store(settings) as store:
        many = await store.count(plan.query)
        many = min(many, plan.limit or many)
        jobs = min(plan.jobs, ceil(many / TRACES_AT_ONCE))
        if not jobs:
            return
        workers = Workers.start(jobs)
        try:
            traces = _first(store, plan.query, plan.limit)
            policy = packed(plan.loaded)
            async with aclosing(replayed(traces, policy, workers.pool, jobs=jobs)) as pieces:
                await _add_up(pieces, many, totals)
        finally:
            workers.end()


async def _add_up(pieces: AsyncIterator[list[Compared]], expected: int, totals: Totals) -> None:
    with _progress() as progress:
        bar = progress.add_task("", total=expected, changed=0)
        async for piece in pieces:
            for one in piece:
                totals.add(one)
            progress.update(bar, advance=len(piece), changed=totals.changed)


async def _first(store: TraceStore, query: Query, limit: int | None) -> AsyncIterator[Trace]:
    left = limit
    async for trace in walk(store, query):
        if left == 0:
            return
        yield trace
        left = None if left is None else left - 1


def _progress() -> Progress:
    return Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[changed]} changed"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )


TOO_MUCH = 1
INTERRUPTED = 130


def replay(
    golden: Annotated[
        str | None,
        typer.Argument(
            help="A golden set, whose scripted answers are judged instead of stored requests: a "
            "file, or the name of a shipped set."
        ),
    ] = None,
    *,
    policy: Annotated[
        str,
        typer.Option(
            help="The policy to judge by: a file, which may extend those of its folder, or the "
            "name of a tenant, of a policy of --policies, or of a shipped policy."
        ),
    ],
    since: SinceOption = None,
    until: UntilOption = None,
    tenant: TenantOption = None,
    action: ActionOption = None,
    label: LabelOption = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most this many requests, the newest.")
    ] = None,
    max_changed: Share = None,
    examples: Annotated[int, typer.Option(min=0, max=1000, help="How many changes are shown.")] = 5,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, max=256, help="Number of judging processes; one per core by default."),
    ] = None,
    policies: Directory = None,
    as_json: AsJson = False,
) -> None:
    """Judge stored requests again by another policy, and show what changes. No model is called.

    With a golden set the answers are those that its cases have the model say (`model`); exit status
    1 if one does not come out as expected.

    Exit status 1 if more changes than --max-changed allows, 130 if it was interrupted.
    """
    loaded = _usable(NamedPolicies(policies).called(policy))
    if golden is not None:
        stored = (since, until, tenant, action, label, limit, max_changed)
        if any(one is not None for one in stored):
            fail("Filters and --max-changed are for stored requests; a golden set has none.")
        raise typer.Exit(_judge_set(golden, loaded, as_json=as_json))
    settings = read_settings()
    configure_logs(settings.log_format)
    plan = Plan(
        loaded=loaded,
        query=Query(tenant=tenant, action=action, since=since, until=until, label=label),
        limit=limit,
        jobs=jobs or os.cpu_count() or 1,
    )
    totals = Totals(most_examples=examples)
    try:
        is_whole = perform(plan, settings, totals)
    except (TraceStoreAway, UnknownSchema) as error:
        fail(str(error))
    except BrokenProcessPool:
        fail(
            "A process that judged has ended by itself; it may have had too little memory. Each "
            "one takes about 100 MB: try fewer --jobs."
        )
    said = notes(loaded, totals, policies or settings.policies)
    held = Limit(max_changed, totals)
    if as_json:
        print_json(listing(loaded, totals, held, said, is_whole=is_whole))
    else:
        for line in page(loaded, totals, held, said, is_whole=is_whole):
            out.print(line)
    _end(held, is_whole=is_whole)


def _judge_set(name: str, loaded: LoadedPolicy, *, as_json: bool) -> int:
    """Judge the scripted answers of a golden set, show the result, and return the status."""
    started_at, began = datetime.now(UTC), perf_counter()
    found = chosen(name)
    cases = replayed_cases(found.golden, found.golden.cases, judging_by(loaded))
    run = Run(
        golden=found.name,
        target="replayed",
        policy=f"{loaded.name}@{loaded.version}",
        model="scripted",
        started_at=started_at,
        took_s=round(perf_counter() - began, 2),
        tally=Tally.of(cases),
        cases=cases,
    )
    if as_json:
        print_json(run.model_dump(mode="json"))
    else:
        for line in golden_page(run):
            out.print(line)
    return 0 if run.has_passed else NOT_AS_EXPECTED


def _usable(loaded: LoadedPolicy) -> LoadedPolicy:
    faults = faults_in_judging(loaded.policy)
    if faults:
        fail(*(f"error: {loaded.entry.at(one.key)}: {one.message}" for one in faults))
    return loaded


def _end(held: Limit, *, is_whole: bool) -> None:
    if not is_whole:
        raise typer.Exit(INTERRUPTED)
    if held.is_empty:
        fail("Nothing was judged, so that nothing is known about --max-changed.")
    if held.is_passed:
        raise typer.Exit(TOO_MUCH)
