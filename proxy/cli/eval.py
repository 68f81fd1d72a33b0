"""`guard-proxy eval GOLDEN`: runs a golden set against a proxy, or with scripted answers."""

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import httpx
import typer
from pydantic import ValidationError
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from policies.schema.base import PolicyError
from policies.schema.document import suggestion
from policies.verification.verifying import ChosenPolicy, chosen_policy
from proxy.certificates import trusted
from proxy.cli.settings import read_settings
from proxy.cli.terminal import (
    AsJson,
    err,
    excerpt,
    fail,
    graceful_stop,
    out,
    print_json,
    unless_stopped,
)
from proxy.golden.client import KeyRefused, NoReply, Target, first_model
from proxy.golden.results import (
    CaseResult,
    Comparison,
    Outcome,
    Run,
    Tally,
    TurnResult,
    compared,
    junit_xml,
)
from proxy.golden.runner import Player, run_cases, scripted
from proxy.golden.shape import Case, Chosen, GoldenError, GoldenSet, chosen_set, shipped_sets
from proxy.logs import configure_logs
from proxy.settings import LogFormat

_MOST_CHARS = 200
_STYLES = {Outcome.FAILED: ("✗", "red"), Outcome.ERROR: ("!", "magenta")}
_DETAIL = "    "


def page(run: Run) -> Iterator[Text | Table]:
    """Yield the page's lines, the outcome last."""
    yield _table(run)
    for result in run.cases:
        if result.outcome in _STYLES:
            yield from _fault(result)
    if run.comparison is not None:
        yield from _comparison(run.comparison)
    yield _outcome(run)


def _table(run: Run) -> Table:
    table = Table("category", "cases", "passed", "failed", "errors", "not run", "score")
    for column in table.columns[1:]:
        column.justify = "right"
    by_category = run.by_category()
    for category, results in by_category.items():
        table.add_row(Text(excerpt(category, _MOST_CHARS)), *_counts(Tally.of(results)))
    if len(by_category) > 1:
        table.add_section()
        table.add_row("all", *_counts(run.tally))
    return table


def _counts(tally: Tally) -> list[Text]:
    numbers = (
        (tally.cases, ""),
        (tally.passed, "green"),
        (tally.failed, "red"),
        (tally.errors, "magenta"),
        (tally.not_run, "yellow"),
    )
    score = "" if tally.score is None else f"{tally.score:.2f}"
    return [*(Text(str(count), style if count else "dim") for count, style in numbers), Text(score)]


def _fault(result: CaseResult) -> Iterator[Text]:
    mark, style = _STYLES[result.outcome]
    often = "" if result.runs == 1 else f", passed {result.runs_passed} of {result.runs} times"
    told = f"  ({excerpt(result.category, _MOST_CHARS)}, score {result.score:.2f}{often})"
    yield Text.assemble("\n", (f"{mark} {result.id}", style), (told, "dim"))
    for number, turn in enumerate(result.turns, 1):
        if turn.outcome is not Outcome.PASSED:
            yield from _turn(turn, f"turn {number}: " if len(result.turns) > 1 else "")


def _turn(turn: TurnResult, which: str) -> Iterator[Text]:
    yield Text(f"{_DETAIL}{which}asked  {excerpt(turn.query, _MOST_CHARS)}")
    if turn.error is not None:
        yield Text(f"{_DETAIL}error  {excerpt(turn.error, 2 * _MOST_CHARS)}", style="magenta")
    for fault in turn.faults:
        yield Text(f"{_DETAIL}fault  {excerpt(fault, 2 * _MOST_CHARS)}", style="red")
    if turn.reply:
        yield Text(f"{_DETAIL}reply  {excerpt(turn.reply, _MOST_CHARS)}")
    if turn.action or turn.trace_id:
        reasons = ", ".join(turn.reasons) or "none"
        line = f"action {turn.action or 'none'}, reasons {reasons}, trace {turn.trace_id or 'none'}"
        yield Text(f"{_DETAIL}{excerpt(line, 2 * _MOST_CHARS)}", style="dim")


def _comparison(found: Comparison) -> Iterator[Text]:
    yield Text("\nagainst the saved run", style="bold")
    for name, changes, style in (("better", found.better, "green"), ("worse", found.worse, "red")):
        for change in changes:
            yield Text(f"{_DETAIL}{name}  {excerpt(str(change), _MOST_CHARS)}", style=style)
    for name, ids in (("new", found.new), ("gone", found.gone)):
        for one in ids:
            yield Text(f"{_DETAIL}{name}  {excerpt(one, _MOST_CHARS)}")
    counts = (found.better, found.worse, found.new, found.gone)
    said = "{} better, {} worse, {} new, {} removed".format(*map(len, counts))
    yield Text(f"{_DETAIL}{said}")


def _outcome(run: Run) -> Text:
    tally = run.tally
    policy = "" if run.policy is None else f", policy {run.policy}"
    score = "" if tally.score is None else f", score {tally.score:.2f}"
    who = f"{run.golden} ({run.target}{policy}, model {run.model})"
    said = f"\n{tally.passed} of {tally.cases} passed{score}, in {run.took_s:.1f} s: {who}"
    left = f"   {tally.not_run} not run" if tally.not_run else ""
    return Text(said + left, style="green" if run.has_passed else "red")


_DEFAULT_POLICY = "default"
_CATEGORIES_SHOWN = 20


def chosen(choice: str) -> Chosen:
    """Return the set that is meant."""
    try:
        return chosen_set(choice)
    except GoldenError as error:
        fail("The golden set cannot be used:", *map(str, error.problems))


def about_shipped() -> Table:
    """Return a table of the sets that come with the program."""
    table = Table("set", "cases", "policy", "what it shows")
    for name in shipped_sets():
        found = chosen(name)
        policy = found.policy or _DEFAULT_POLICY
        table.add_row(name, str(len(found.golden.cases)), policy, found.golden.about)
    return table


def exact_text(name: str) -> str:
    """Return the file of a shipped set."""
    if name not in shipped_sets():
        fail(f"There is no shipped set {name!r}; {suggestion(name, shipped_sets())}.")
    return shipped_sets()[name].read_text(encoding="utf-8")


def selected(golden: GoldenSet, patterns: Sequence[str]) -> tuple[Case, ...]:
    """Return the cases whose id, category or scope is like one of the patterns."""
    cases = tuple(case for case in golden.cases if not patterns or _is_like(case, patterns))
    if not cases:
        categories = sorted({case.category for case in golden.cases})[:_CATEGORIES_SHOWN]
        fail(f"No case is like {' or '.join(patterns)}. Categories: {', '.join(categories)}.")
    return cases


def _is_like(case: Case, patterns: Sequence[str]) -> bool:
    names = (case.id, case.category, case.scope)
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def played_by(name: str | None) -> ChosenPolicy:
    """Return the policy of a scripted run."""
    try:
        return chosen_policy(name or _DEFAULT_POLICY)
    except PolicyError as error:
        fail("The policy cannot be used:", *map(str, error.problems))


def server_address(base_url: str) -> str:
    """Return the address of who is asked, without a slash at its end."""
    address = urlsplit(base_url)
    if address.scheme not in {"http", "https"} or not address.hostname:
        fail("--base-url must begin with http:// or https:// and name a host.")
    if address.username or address.password or address.query or address.fragment:
        fail("--base-url must end with the path; the key has its own option.")
    return base_url.rstrip("/")


def read_key(given: str | None, variable: str, *, required: bool) -> str | None:
    """Return the bearer key; nothing that is said about it repeats it."""
    key = given or os.environ.get(variable)
    if not key and required:
        fail(f"--key-env names {variable}, which is not set.")
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        fail("The key holds characters that no key has.")
    return key or None


def earlier_run(file: Path) -> Run:
    """Return a saved run."""
    try:
        return Run.model_validate_json(file.read_bytes())
    except OSError as error:
        fail(f"{file}: {error.strerror}")
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        fail(f"{file}: is not a run that --save wrote: {place} {first['msg']}")


def must_be_writable(file: Path) -> None:
    """Refuse a file that could not be written in the end, before anything is asked."""
    if file.is_dir() or not file.parent.is_dir():
        fail(f"{file}: cannot be written there.")


def write_file(file: Path, content: bytes) -> None:
    """Write a result."""
    try:
        file.write_bytes(content)
    except OSError as error:
        fail(f"{file}: {error.strerror}")


INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class ScriptedTarget:
    """A scripted model behind a proxy of our own, by this policy."""

    policy: ChosenPolicy
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The cases to run, and how to run them.

    Attributes:
        cases: Those cases of the set that are wanted.
        whom: A scripted model, or a server that runs already; without a model's name the first that
            it lists is asked for.
        ca_file: Certificates by which a server that runs is trusted as well.
        fail_fast: Whether the first case that does not pass ends the run.
    """

    chosen: Chosen
    cases: tuple[Case, ...]
    whom: Target | ScriptedTarget
    ca_file: Path | None
    concurrency: int
    repeat: int
    fail_fast: bool


async def perform(plan: Plan) -> tuple[Run, bool]:
    """Return the run, and whether somebody ended it early.

    Raises:
        PolicyError: the policy of a scripted run cannot serve a tenant.
    """
    started_at, began = datetime.now(UTC), time.perf_counter()
    with graceful_stop() as stop:
        async with _player(plan, stop) as player:
            results = await _results(plan, player, stop)
    is_scripted = isinstance(plan.whom, ScriptedTarget)
    run = Run(
        golden=plan.chosen.name,
        target="scripted" if is_scripted else player.target.base_url,
        policy=plan.whom.policy.name if isinstance(plan.whom, ScriptedTarget) else None,
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
    if isinstance(plan.whom, ScriptedTarget):
        _keep_logs_quiet()
        async with (
            scripted(golden, plan.whom.policy.inspector.policy, plan.whom.timeout_s) as target,
            # Nothing on loopback goes through a proxy that the environment names.
            httpx.AsyncClient(limits=limits, trust_env=False) as client,
        ):
            yield Player(client, target, golden, scripted=True, repeat=repeat)
    else:
        async with httpx.AsyncClient(limits=limits, verify=trusted(plan.ca_file)) as client:
            asked = await unless_stopped(stop, _with_model(client, plan.whom))
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
        fail(f"{target.base_url}/models: {error}", "With --model the list is not read.")
    if model is None:
        fail(f"{target.base_url}/models lists no model. Name one with --model.")
    return replace(target, model=model)


def _keep_logs_quiet() -> None:
    """Keep logs quiet: the result of a case has what the proxy reports on its request."""
    configure_logs(LogFormat.AUTO)
    logging.getLogger("proxy").setLevel(logging.CRITICAL)


NOT_AS_EXPECTED = 1
DEFAULT_KEY_ENV = "OPENAI_API_KEY"


def evaluate(
    golden: Annotated[
        str | None,
        typer.Argument(help="A .yaml, .json or .jsonl file, or the name of a shipped set."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address of the proxy, up to and including the version.")
    ] = None,
    scripted: Annotated[
        bool,
        typer.Option(
            "--scripted",
            help="Use the set's scripted answers as the model, behind a temporary proxy.",
        ),
    ] = False,
    policy: Annotated[
        str | None,
        typer.Option(help="With --scripted: a shipped policy or a file, instead of the set's own."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Model to ask for; else the first that is listed.")
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="Bearer key; an environment variable is safer.")
    ] = None,
    key_env: Annotated[
        str, typer.Option(help="Environment variable that holds the key.")
    ] = DEFAULT_KEY_ENV,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            help="Only cases whose id, category or scope matches this pattern (*, ?); repeatable.",
        ),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Cases at once.")] = 4,
    timeout: Annotated[
        float, typer.Option(min=0.1, max=3600, help="Seconds that one reply may take.")
    ] = 60.0,
    repeat: Annotated[
        int,
        typer.Option(min=1, max=100, help="How often to run each case; it must pass every time."),
    ] = 1,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first failure.")
    ] = False,
    junit: Annotated[Path | None, typer.Option(help="Write a JUnit report here.")] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the run here, for later comparison.")
    ] = None,
    against: Annotated[Path | None, typer.Option(help="A saved run to compare with.")] = None,
    as_json: AsJson = False,
    list_sets: Annotated[bool, typer.Option("--list", help="List the shipped sets.")] = False,
    example: Annotated[
        str | None, typer.Option(metavar="NAME", help="Print a shipped set as a starting point.")
    ] = None,
) -> None:
    """Ask the questions of a golden set, and compare the replies with the expected ones.

    Exit status 0 if every case passed, 1 if one did not or came out worse than in the saved run.
    Servers are trusted as the service trusts them (GUARD_PROXY_CA_FILE, not SSL_CERT_FILE); one
    that says 429 or 503 with Retry-After is asked again, up to two minutes for each reply.
    """
    if list_sets:
        out.print(about_shipped())
        return
    if example is not None:
        typer.echo(exact_text(example), nl=False)
        return
    if golden is None:
        fail("Name a golden set: a file, or one of those that --list shows.")
    if (base_url is not None) is scripted:
        fail("Give either --base-url or --scripted.")
    if policy is not None and not scripted:
        fail("--policy needs --scripted; a running proxy has its own policies.")
    found = chosen(golden)
    whom: Target | ScriptedTarget
    ca_file = None
    if base_url is None:
        whom = ScriptedTarget(played_by(policy or found.policy), timeout)
    else:
        bearer = read_key(key, key_env, required=key_env != DEFAULT_KEY_ENV)
        whom = Target(server_address(base_url), model or "", bearer, timeout)
        ca_file = read_settings().ca_file
    cases = selected(found.golden, only or [])
    plan = Plan(found, cases, whom, ca_file, concurrency, repeat, fail_fast)
    _carry_out(plan, junit=junit, save=save, against=against, as_json=as_json)


def _carry_out(
    plan: Plan, *, junit: Path | None, save: Path | None, against: Path | None, as_json: bool
) -> None:
    before = None if against is None else earlier_run(against)
    for file in filter(None, (junit, save)):
        must_be_writable(file)
    try:
        run, interrupted = asyncio.run(perform(plan))
    except PolicyError as error:
        fail("The policy cannot be used:", *map(str, error.problems))
    if before is not None:
        known = {case.id for case in plan.chosen.golden.cases}
        run = run.model_copy(update={"comparison": compared(run, before, known)})
    if as_json:
        print_json(run.model_dump(mode="json"))
    else:
        for line in page(run):
            out.print(line)
    if junit is not None:
        write_file(junit, junit_xml(run))
    if save is not None:
        _save(run, save)
    raise typer.Exit(INTERRUPTED if interrupted else _status(run))


def _save(run: Run, file: Path) -> None:
    if run.is_complete:
        write_file(file, run.model_dump_json(indent=2).encode())
    else:
        err.print(f"{file}: not written, because not every case ran.", markup=False)


def _status(run: Run) -> int:
    got_worse = run.comparison is not None and bool(run.comparison.worse)
    return 0 if run.has_passed and not got_worse else NOT_AS_EXPECTED
