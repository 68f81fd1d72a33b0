"""What all commands share in speaking to the person (or program) at the terminal."""

import json
import sys
from typing import NoReturn

import typer
from rich.console import Console

BAD_INPUT = 2

# Off a terminal nobody knows the width; tables of Korean text want a wide page.
_WIDTH = None if sys.stdout.isatty() else 150
out = Console(highlight=False, soft_wrap=True, width=_WIDTH)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def fail(*lines: str) -> NoReturn:
    """Say what is wrong with the input, and end with exit status 2."""
    for line in lines:
        err.print(line, style="red", markup=False)
    raise typer.Exit(BAD_INPUT)


def print_json(value: object) -> None:
    """Print a value as JSON for programs."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))
