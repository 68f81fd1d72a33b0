"""`guard-proxy keys new|list|revoke`: the API keys of tenants, and their lines in policy files."""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from policies.schema.base import PolicyError, Problem
from policies.schema.keys import fingerprint, matching, new_key
from proxy.cli.settings import Directory, read_settings
from proxy.cli.terminal import BAD_INPUT, AsJson, err, excerpt, fail, out, print_json

keys = typer.Typer(help="API keys of tenants.", no_args_is_help=True)

_LINE = re.compile(r"""\s*-\s+(['"]?)(?P<hash>hmac:[0-9a-f:]+)\1\s*(?:#\s*(?P<note>.*\S))?\s*""")
"""A line of a policy file with a key's hash and nothing else but a comment."""
_NOTE_CHARS = 60
_NOT_REVOKED = 1


@keys.command()
def new(tenant: str = typer.Argument(help="Name of the tenant.")) -> None:
    """Create a key; print it once, with the line for the tenant's policy file."""
    try:
        key, hashed = new_key(tenant)
    except ValueError as error:
        fail(str(error))
    out.print("The key, shown only now. Give it to the app as OPENAI_API_KEY:", style="bold")
    out.print(f"  {key}", markup=False)
    out.print(f"The line for `keys:` in the policy file of {tenant}:", style="bold")
    out.print(f"  - {hashed}  # {datetime.now(UTC):%Y-%m-%d}", markup=False)


@dataclass(frozen=True, slots=True)
class KeyLine:
    """A key as a policy file has it.

    Attributes:
        fingerprint: First characters of the hash's salt, by which people name the key.
        line: Line of the file, from 1.
        note: Comment behind the hash: the day, as `keys new` writes it, and what people add.
    """

    tenant: str
    fingerprint: str
    file: str
    line: int
    note: str


@keys.command("list")
def list_keys(
    tenant: Annotated[str | None, typer.Option(help="Only of this tenant.")] = None,
    policies: Directory = None,
    as_json: AsJson = False,
) -> None:
    """List the keys of all tenants: fingerprint, file and line, and the comment behind the hash.

    Exit status 2 if a policy of the directory cannot be used; its keys are not listed.
    """
    directory = policies or read_settings().policies
    stored, problems = _stored_keys(directory)
    found = [line for line, _ in stored if tenant in (None, line.tenant)]
    if as_json:
        print_json({"keys": list(map(asdict, found)), "errors": list(map(str, problems))})
    else:
        for problem in problems:
            err.print(f"error: {problem}", style="red", markup=False)
        if found:
            out.print(_table(found))
        else:
            owner = f"tenant {tenant}" if tenant else "any tenant"
            out.print(
                f"{directory} holds no key of {owner}. `guard-proxy keys new TENANT` makes one.",
                markup=False,
            )
    if problems:
        raise typer.Exit(BAD_INPUT)


@keys.command()
def revoke(
    key: Annotated[
        str,
        typer.Argument(
            metavar="FINGERPRINT",
            help="As `keys list` shows it; - to read the key itself, without echo, from the "
            "terminal or stdin.",
        ),
    ],
    policies: Directory = None,
) -> None:
    """Take a key's line out of its policy file; all other lines stay as they are.

    A service that runs reads the file again within seconds. Exit status 1 if the file cannot be
    edited: then the line to take out is named.
    """
    directory = policies or read_settings().policies
    stored, problems = _stored_keys(directory)
    if key == "-":
        given = _read_key()
        found = [line for line, hashed in stored if matching(given, [hashed])]
    else:
        named = key.removeprefix("hmac:").removesuffix("…")
        found = [line for line, _ in stored if line.fingerprint == named]
    if len(found) != 1:
        number = "More than one" if found else "No"
        fail(
            f"{number} key of {directory} matches; `guard-proxy keys list` shows all.",
            *(f"not read: {problem}" for problem in problems),
        )
    [line] = found
    place = f"{line.file}:{line.line}"
    try:
        _take_out(line, directory)
    except (OSError, PolicyError, _NotEditable) as error:
        err.print(f"{place} was not edited: {error}", style="red", markup=False)
        err.print(f"Take the key {line.fingerprint} out of `keys` there by hand.", markup=False)
        raise typer.Exit(_NOT_REVOKED) from None
    out.print(f"Revoked {line.fingerprint} of tenant {line.tenant}: {place}", markup=False)


def _table(found: Sequence[KeyLine]) -> Table:
    table = Table()
    for column in ("tenant", "fingerprint"):
        table.add_column(column, no_wrap=True)
    table.add_column("where", overflow="fold")
    table.add_column("note", overflow="fold")
    for one in found:
        cells = (one.tenant, one.fingerprint, f"{one.file}:{one.line}")
        table.add_row(*map(Text, cells), Text(excerpt(one.note, _NOTE_CHARS) or "–"))
    return table


def _read_key() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("Key", hide_input=True)).strip()
    return sys.stdin.readline().strip()


def _stored_keys(directory: Path) -> tuple[list[tuple[KeyLine, str]], Sequence[Problem]]:
    """Return each key with its hash, by tenant, and what is wrong with the policies."""
    from policies.schema.loader import survey  # imports every guard; `keys new` needs none

    found = survey(directory, require_env=False)
    tenants = sorted(found.policies.values(), key=lambda one: one.policy.tenant or "")
    stored = []
    for loaded in tenants:
        for number, hashed in enumerate(loaded.policy.keys):
            place = loaded.entry.at(("keys", number))
            line = KeyLine(
                tenant=loaded.policy.tenant or "",
                fingerprint=fingerprint(hashed),
                file=place.file,
                line=place.line,
                note=_note(Path(place.file), place.line),
            )
            stored.append((line, hashed))
    return stored, found.errors


def _note(file: Path, number: int) -> str:
    found = _LINE.fullmatch(_lines(file)[number - 1])
    return (found["note"] or "") if found else ""


def _lines(file: Path) -> list[str]:
    return file.read_bytes().decode("utf-8-sig").splitlines(keepends=True)


class _NotEditable(Exception):
    """The line cannot be taken out without touching something else."""


def _take_out(line: KeyLine, directory: Path) -> None:
    """Take a key's line out of its file.

    Raises:
        _NotEditable: it shares its line with something else, or the file is a link.
        OSError: the file cannot be written.
        PolicyError: without the line the policy could not be used.
    """
    from policies.schema.loader import load_text  # as above

    file = Path(line.file)
    if file.is_symlink():
        raise _NotEditable("the file is a link, as in a mounted ConfigMap")
    lines = _lines(file)
    if not _LINE.fullmatch(lines[line.line - 1]):
        raise _NotEditable("the hash shares its line with something else")
    before = load_text("".join(lines), file.stem, directory).policy
    text = "".join(_without(lines, line.line - 1))
    after = load_text(text, file.stem, directory).policy
    kept = [one for one in before.keys if fingerprint(one) != line.fingerprint]
    if after != before.model_copy(update={"keys": tuple(kept)}):
        raise _NotEditable("without this line the policy would say something else")
    _replace(file, text)


def _without(lines: Sequence[str], taken: int) -> Iterator[str]:
    """Yield the lines without one; a list of which nothing stays becomes an empty one."""
    rest = [number for number, text in enumerate(lines) if _LINE.fullmatch(text)]
    head = next(
        (n for n in range(taken - 1, -1, -1) if lines[n].split("#")[0].strip() == "keys:"), None
    )
    for number, text in enumerate(lines):
        if number == head and rest == [taken]:
            yield text.replace("keys:", "keys: []", 1)
        elif number != taken:
            yield text


def _replace(file: Path, text: str) -> None:
    """Replace a file in one step: a concurrent reader sees the old one or the new one."""
    beside = file.with_name(f".{file.name}.new")  # hidden files are no policies
    try:
        beside.write_text(text, encoding="utf-8", newline="")
        was = file.stat()
        # The service may run as somebody else, and would go by the old file if it cannot read this.
        if (was.st_uid, was.st_gid) != (beside.stat().st_uid, beside.stat().st_gid):
            os.chown(beside, was.st_uid, was.st_gid)
        beside.chmod(was.st_mode)
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)
