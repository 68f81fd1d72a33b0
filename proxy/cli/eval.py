"""`guard-proxy eval GOLDEN`: a golden set, asked through a proxy or played without a model."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from policies.schema.errors import PolicyError
from proxy.cli.environment import read_settings
from proxy.cli.eval_inputs import (
    about_shipped,
    chosen,
    earlier_run,
    exact_text,
    must_be_writable,
    played_by,
    read_key,
    selected,
    server_address,
    write_file,
)
from proxy.cli.eval_page import page
from proxy.cli.eval_run import INTERRUPTED, Asked, Plan, Played, perform
from proxy.cli.output import err, fail, out, print_json
from proxy.golden.client import Target
from proxy.golden.comparing import compared
from proxy.golden.junit import junit_xml
from proxy.golden.results import Run

NOT_AS_EXPECTED = 1
DEFAULT_KEY_ENV = "OPENAI_API_KEY"


def evaluate(
    golden: Annotated[
        str | None,
        typer.Argument(help="A .yaml, .json or .jsonl file, or the name of a shipped set."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Whom to ask, up to and including the version.")
    ] = None,
    scripted: Annotated[
        bool,
        typer.Option("--scripted", help="Play the model by the set, behind a proxy of our own."),
    ] = False,
    policy: Annotated[
        str | None,
        typer.Option(help="With --scripted: a shipped policy or a file, instead of the set's own."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Model to ask for; else the first that is listed.")
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="Bearer key; the environment is the better place.")
    ] = None,
    key_env: Annotated[
        str, typer.Option(help="Environment variable that holds the key.")
    ] = DEFAULT_KEY_ENV,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--filter", help="Only cases whose id, category or scope is like it (*, ?); repeatable."
        ),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Cases at once.")] = 4,
    timeout: Annotated[
        float, typer.Option(min=0.1, max=3600, help="Seconds that one reply may take.")
    ] = 60.0,
    repeat: Annotated[
        int, typer.Option(min=1, max=100, help="Run each case so often; it must pass every time.")
    ] = 1,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="End at the first fault.")] = False,
    junit: Annotated[Path | None, typer.Option(help="Write a JUnit report here.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the run here, to compare with.")] = None,
    against: Annotated[Path | None, typer.Option(help="A saved run to compare with.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    list_sets: Annotated[bool, typer.Option("--list", help="List the shipped sets.")] = False,
    example: Annotated[
        str | None, typer.Option(metavar="NAME", help="Print a shipped set, to start from.")
    ] = None,
) -> None:
    """Ask the questions of a golden set, and hold the replies against what it expects.

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
        fail("Say either --base-url or --scripted.")
    if policy is not None and not scripted:
        fail("--policy goes with --scripted; a proxy that is asked has its own.")
    found = chosen(golden)
    whom: Asked | Played
    if base_url is None:
        whom = Played(played_by(policy or found.policy), timeout)
    else:
        bearer = read_key(key, key_env, required=key_env != DEFAULT_KEY_ENV)
        target = Target(server_address(base_url), model or "", bearer, timeout)
        whom = Asked(target, read_settings().ca_file)
    cases = selected(found.golden, only or [])
    plan = Plan(found, cases, whom, concurrency, repeat, fail_fast)
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
