"""Output shared by all commands, for a person or a program at the terminal."""

import json
import sys
import unicodedata
from datetime import datetime
from typing import Annotated, NoReturn

import typer
from rich.console import Console

BAD_INPUT = 2
AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]

# Without a terminal the width is unknown; tables of Korean text need a wide page.
_WIDTH = None if sys.stdout.isatty() else 150
out = Console(highlight=False, emoji=False, soft_wrap=True, width=_WIDTH)
err = Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)


def fail(*lines: str) -> NoReturn:
    """Say what is wrong with the input, and end with exit status 2."""
    for line in lines:
        err.print(line, style="red", markup=False)
    raise typer.Exit(BAD_INPUT)


def print_json(value: object) -> None:
    """Print a value as JSON for programs, in UTF-8 wherever it goes."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    # A lone surrogate, which UTF-8 cannot hold, becomes its escape in JSON again.
    typer.echo(text.encode("utf-8", "backslashreplace"))


def excerpt(text: str, most_chars: int) -> str:
    """Return the beginning of a text of others on one line, with nothing a terminal obeys."""
    line = "".join(map(_harmless, " ".join(text.split())))
    return line if len(line) <= most_chars else f"{line[:most_chars]}…"


def harmless(text: str) -> str:
    """Return a text of others in its lines, with nothing a terminal obeys."""
    return "\n".join("".join(map(_harmless, line)) for line in text.splitlines())


def _harmless(char: str) -> str:
    return "\ufffd" if unicodedata.category(char) in {"Cc", "Cs"} else char


def shown(time: datetime) -> str:
    """Return a time as people here read it, which is also how they may say it."""
    return f"{time.astimezone():%Y-%m-%d %H:%M:%S}"
