"""`guard-proxy replay`: stored requests, judged again by another policy."""

import os
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Annotated

import typer

from policies.checks import faults_in_judging
from policies.schema.loader import LoadedPolicy
from proxy.cli.environment import read_settings
from proxy.cli.output import fail, out, print_json
from proxy.cli.policy_names import AsJson, NamedPolicies
from proxy.cli.replay_listing import listing
from proxy.cli.replay_notes import notes
from proxy.cli.replay_page import page
from proxy.cli.replay_run import Plan, perform
from proxy.cli.replay_share import Limit, Share
from proxy.cli.times import Since, Until
from proxy.cli.traces import Action, Tenant
from proxy.logs import configure_logs
from proxy.rejudging.totals import Totals
from proxy.traces.query import Query
from proxy.traces.sqlite import UnknownSchema
from proxy.traces.store import TraceStoreAway

TOO_MUCH = 1
INTERRUPTED = 130


def replay(
    policy: Annotated[
        str,
        typer.Option(
            help="The policy to judge by: a file, which may extend those of its folder, or the "
            "name of a tenant, of a policy of --policies, or of a shipped policy."
        ),
    ],
    since: Since = None,
    until: Until = None,
    tenant: Tenant = None,
    action: Action = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many requests, the newest.")
    ] = None,
    max_changed: Share = None,
    examples: Annotated[int, typer.Option(min=0, max=1000, help="How many changes are shown.")] = 5,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=256, help="Processes that judge; one for each core.")
    ] = None,
    policies: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Directory of policy files; by default the service's."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Judge stored requests again by another policy, and show what changes. No model is asked.

    Exit status 1 if more changes than --max-changed allows, 130 if it was interrupted.
    """
    loaded = _usable(NamedPolicies(policies).called(policy))
    settings = read_settings()
    configure_logs(settings.log_format)
    plan = Plan(
        loaded=loaded,
        query=Query(tenant=tenant, action=action, since=since, until=until),
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
