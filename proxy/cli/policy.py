"""`guard-proxy policy check|explain|diff|schema`."""

from pathlib import Path
from typing import Annotated

import typer

from policies.schema.loader import survey
from policies.schema.typed import json_schema
from proxy.cli.environment import read_settings
from proxy.cli.output import BAD_INPUT, err, out, print_json
from proxy.cli.policy_diff import diff
from proxy.cli.policy_explain import explain
from proxy.limits.together import limits_for_one, limits_without_count

policy = typer.Typer(help="Policy files.", no_args_is_help=True)


@policy.command()
def check(
    directory: Annotated[
        Path | None,
        typer.Argument(help="Directory of policy files; by default the service's."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Check every policy of a directory. Exit status 2 if one cannot be used.

    A variable for a model server's key that is not set is a warning here, and refused at the start.
    Limits need Redis where more than one worker or replica serves: a warning if GUARD_PROXY_WORKERS
    names one, an error if it names more.
    """
    settings = read_settings()
    found = survey(directory or settings.policies, require_env=False)
    usable = found.policies.values()
    errors = [*found.errors, *limits_without_count(usable, settings)]
    warnings = [*found.warnings, *limits_for_one(usable, settings)]
    if as_json:
        print_json(
            {
                "policies": {
                    name: {"tenant": loaded.policy.tenant, "version": loaded.version}
                    for name, loaded in found.policies.items()
                },
                "errors": [str(problem) for problem in errors],
                "warnings": [str(problem) for problem in warnings],
            }
        )
    else:
        for problem in errors:
            err.print(f"error: {problem}", style="red", markup=False)
        for problem in warnings:
            err.print(f"warning: {problem}", style="yellow", markup=False)
        for name, loaded in found.policies.items():
            tenant = f"tenant {loaded.policy.tenant}" if loaded.policy.tenant else "to be extended"
            out.print(f"ok: {name} ({tenant}, version {loaded.version})", markup=False)
    if errors:
        raise typer.Exit(BAD_INPUT)


policy.command()(explain)
policy.command()(diff)


@policy.command()
def schema() -> None:
    """Print the JSON Schema of policy files, for editors."""
    print_json(json_schema())
