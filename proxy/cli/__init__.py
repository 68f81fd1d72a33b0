"""The command line: `guard-proxy`. Exit status 0 for yes, 1 for no, 2 for input that is wrong.

Only the module of the command that is called gets imported, so that making a key need not wait
for the web framework. The others stand in the help with the line they have in `COMMANDS`, which
is where a new command is added.
"""

import os
import sys
from collections.abc import Sequence
from pkgutil import resolve_name
from typing import Annotated

import typer

# Name -> the function or `typer.Typer` it calls, and the first line of that one's help.
COMMANDS = {
    "serve": (
        "proxy.cli.serve:serve",
        "Serve tenants until SIGTERM. Settings come from the environment (GUARD_PROXY_…).",
    ),
    "settings": (
        "proxy.cli.settings:settings",
        "Show every setting: its variable, value, source and meaning. Secrets are masked.",
    ),
    "health": (
        "proxy.cli.health:health",
        "Ask the service on this machine whether it is ready. Exit status 0 if it is, 1 if not.",
    ),
    "demo": (
        "proxy.cli.demo:demo",
        "Show the proxy at work, on loopback, with nothing to set up.",
    ),
    "sources": (
        "proxy.cli.verify:sources",
        "Show the question and the sources that would be found in a request.",
    ),
    "verify": (
        "proxy.cli.verify:verify",
        "Compare an answer with its sources. Exit status 0 if it is verified, 1 if not.",
    ),
    "eval": (
        "proxy.cli.eval:evaluate",
        "Ask the questions of a golden set, and compare the replies with the expected ones.",
    ),
    "golden": ("proxy.cli.golden:golden", "Golden sets."),
    "replay": (
        "proxy.cli.replay:replay",
        "Judge stored requests again by another policy, and show what changes. No model is called.",
    ),
    "policy": ("proxy.cli.policy:policy", "Policy files."),
    "keys": ("proxy.cli.keys:keys", "API keys of tenants."),
    "traces": ("proxy.cli.traces:traces", "Traces of requests."),
}


def command_line(arguments: Sequence[str]) -> typer.Typer:
    """Return the command line, with the command that these arguments call."""
    app = typer.Typer(
        name="guard-proxy",
        help="An OpenAI-compatible reverse proxy that lets only answerable, cited, Korean and "
        "grounded answers out.",
        no_args_is_help=True,
        context_settings={"help_option_names": ["--help", "-h"]},
        pretty_exceptions_enable=False,
    )
    app.callback()(_program)
    called = next((word for word in arguments if not word.startswith("-")), None)
    for name, (place, summary) in COMMANDS.items():
        if name != called:
            app.command(name, help=summary)(_not_called)
            continue
        command = resolve_name(place)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"guard-proxy {resolve_name('proxy.metrics:product_version')()}")
        raise typer.Exit


def _program(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Stand for the program itself, whose options need no command."""


def _not_called() -> None:
    """Stand in the help for a command that these arguments do not call."""


def main() -> None:
    """Run the command line."""
    command_line(_typed_so_far() or sys.argv[1:])()


def _typed_so_far() -> list[str]:
    """Return the words behind the program's name that a shell wants completed; none otherwise."""
    if "_GUARD_PROXY_COMPLETE" not in os.environ:
        return []
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    return line.split()[1:]
