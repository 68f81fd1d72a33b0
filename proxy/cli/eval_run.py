"""Performs what `guard-proxy eval` was asked for, with a progress bar on a terminal."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from policies.verification.policies import ChosenPolicy
from proxy.certificates import trusted
from proxy.cli.output import err, fail
from proxy.cli.stopping import ending_in_order, unless_told
from proxy.golden.client import KeyRefused, NoReply, Target, first_model
from proxy.golden.playing import Player
from proxy.golden.results import CaseResult, Outcome, Run, Tally
from proxy.golden.running import run_cases
from proxy.golden.scripted import scripted
from proxy.golden.shape import Case
from proxy.golden.shipped import Chosen
from proxy.logs import configure_logs
from proxy.settings import LogFormat

INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Asked:
    """A server that runs already; without a model's name the first that it lists is asked for.

    Attributes:
        target: The server.
        ca_file: Certificates that are trusted beside the public ones; None for none.
    """

    target: Target
    ca_file: Path | None


@dataclass(frozen=True, slots=True)
class Played:
    """A scripted model behind a proxy of our own, by this policy."""

    policy: ChosenPolicy
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run, and how.

    Attributes:
        chosen: The set.
        cases: Those of its cases that are wanted.
        whom: Who answers.
        concurrency: How many cases are under way at once.
        repeat: How often each case runs.
        fail_fast: Whether the first case that does not pass ends the run.
    """

    chosen: Chosen
    cases: tuple[Case, ...]
    whom: Asked | Played
    concurrency: int
    repeat: int
    fail_fast: bool


async def perform(plan: Plan) -> tuple[Run, bool]:
    """Return the run, and whether somebody ended it early.

    Raises:
        PolicyError: the policy of a scripted run cannot serve a tenant.
    """
    started_at, began = datetime.now(UTC), time.perf_counter()
    with ending_in_order() as stop:
        async with _player(plan, stop) as player:
            results = await _results(plan, player, stop)
    is_scripted = isinstance(plan.whom, Played)
    run = Run(
        golden=plan.chosen.name,
        target="scripted" if is_scripted else player.target.base_url,
        policy=plan.whom.policy.name if isinstance(plan.whom, Played) else None,
        model=player.target.model,
        started_at=started_at,
        took_s=round(time.perf_counter() - began, 2),
        tally=Tally.of(results),
        cases=results,
    )
    return run, stop.is_set()


async def _results(plan: Plan, player: Player, stop: asyncio.Event) -> tuple[CaseResult, ...]:
    with _progress() as progress:
        bar = progress.add_task(plan.chosen.name, total=len(plan.cases), faults=0)
        faults = 0

        def advance(result: CaseResult) -> None:
            nonlocal faults
            faults += result.outcome is not Outcome.PASSED
            progress.update(bar, advance=1, faults=faults)

        return await run_cases(
            plan.cases,
            player.play,
            concurrency=plan.concurrency,
            stop=stop,
            fail_fast=plan.fail_fast,
            on_result=advance,
        )


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[faults]} not passed"),
        TimeElapsedColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )


@contextlib.asynccontextmanager
async def _player(plan: Plan, stop: asyncio.Event) -> AsyncGenerator[Player, None]:
    golden, repeat = plan.chosen.golden, plan.repeat
    limits = httpx.Limits(max_connections=plan.concurrency)
    if isinstance(plan.whom, Played):
        _keep_logs_quiet()
        async with (
            scripted(golden, plan.whom.policy.inspector.policy, plan.whom.timeout_s) as target,
            # Nothing on loopback goes through a proxy that the environment names.
            httpx.AsyncClient(limits=limits, trust_env=False) as client,
        ):
            yield Player(client, target, golden, scripted=True, repeat=repeat)
    else:
        rules = trusted(plan.whom.ca_file)
        async with httpx.AsyncClient(limits=limits, verify=rules) as client:
            asked = await unless_told(stop, _with_model(client, plan.whom.target))
            if asked is None:
                raise typer.Exit(INTERRUPTED)
            yield Player(client, asked, golden, repeat=repeat)


async def _with_model(client: httpx.AsyncClient, target: Target) -> Target:
    if target.model:
        return target
    try:
        model = await first_model(client, target)
    except KeyRefused as error:
        fail(f"{target.base_url}/models: {error}", "The key comes from OPENAI_API_KEY.")
    except NoReply as error:
        fail(f"{target.base_url}/models: {error}", "With --model it is not asked.")
    if model is None:
        fail(f"{target.base_url}/models lists no model. Name one with --model.")
    return replace(target, model=model)


def _keep_logs_quiet() -> None:
    """What the proxy has to say of a request stands in the case's result."""
    configure_logs(LogFormat.AUTO)
    logging.getLogger("proxy").setLevel(logging.CRITICAL)
