"""Commands on the pages of the documentation are commands that exist, with options that exist."""

import json
import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import typer

from proxy.cli import command_line
from tests.tables import each_row

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "deploy/README.md")),
    *(
        page
        for page in sorted((ROOT / "docs").rglob("*.md"))
        if page.parent.name != "reference"  # generated from the commands themselves
    ),
]
# Of the copy of click that typer carries.
UsageError: type[Exception] = typer.BadParameter.__mro__[1]
BLOCK = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
OURS = re.compile(r"(?:\$ )?(?:\.venv/bin/)?guard-proxy (.+)")
MODULE = re.compile(r"(?:\.venv/bin/)?python -m (\S+)")
MAKE = re.compile(r"(?:\$ )?make ((?:[a-z-]+ ?)+)")
BODY = re.compile(r"-d '(\{.*?\})'", re.DOTALL)
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def commands(page: Path) -> Iterator[str]:
    """Yield the lines of a page's shell blocks, and what stands in backticks elsewhere."""
    text = page.read_text("utf-8")
    for language, block in BLOCK.findall(text):
        if language in {"", "sh"}:
            yield from map(str.strip, block.replace("\\\n", " ").splitlines())
    for words in INLINE.findall(BLOCK.sub("", text)):
        yield words.replace("[", "").replace("]", "")


def parse(arguments: list[str]) -> None:
    """Read the arguments of `guard-proxy` as it does, and run nothing."""
    command: Any = typer.main.get_command(command_line(arguments))
    context = command.make_context("guard-proxy", [*arguments])
    while hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)


@pytest.mark.parametrize("words", ["serve --nope", "nope", "keys nope", "policy check a b c"])
def test_a_wrong_command_is_noticed(words: str) -> None:
    with pytest.raises(UsageError):
        parse(words.split())


@each_row("page", PAGES)
def test_commands_can_be_typed_as_they_stand(page: Path) -> None:
    wrong: list[str] = []
    for line in commands(page):
        if ours := OURS.fullmatch(line):
            try:
                parse(shlex.split(ours[1].partition(" <")[0], comments=True))
            except UsageError as error:
                # Prose names commands without their arguments.
                if type(error).__name__ != "MissingParameter":
                    wrong.append(f"{line}: {error}")
        if made := MAKE.match(line):
            unknown = set(made[1].split()) - TARGETS
            wrong += [f"{line}: no such target"] if unknown and "=" not in line else []
        if (module := MODULE.match(line)) and find_spec(module[1]) is None:
            wrong.append(f"{line}: no such module")

    assert wrong == []


@each_row("page", PAGES)
def test_bodies_of_requests_are_json(page: Path) -> None:
    for body in BODY.findall(page.read_text("utf-8")):
        assert isinstance(json.loads(body), dict), body
