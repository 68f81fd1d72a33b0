"""`guard-proxy settings`."""

import os
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict, SecretStr
from rich.table import Table
from rich.text import Text

from proxy.cli.environment import odd_variables, read_settings, variable_of
from proxy.cli.output import err, harmless, out, print_json
from proxy.settings import Settings

_MASK = "********"


class _Shown(BaseModel):
    """One setting, as it is shown."""

    model_config = ConfigDict(frozen=True)

    variable: str
    value: bool | int | float | str | None
    source: str
    default: bool | int | float | str | None
    meaning: str


def settings(
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Show every setting: its variable, value, source and meaning. Secrets are masked.

    The options of `serve` take precedence over what stands here.
    """
    shown = _shown(read_settings())
    odd = dict(odd_variables(os.environ))
    if as_json:
        print_json(
            {
                "settings": [one.model_dump() for one in shown],
                "unknown_variables": [
                    {"variable": name, "meant": meant or None} for name, meant in odd.items()
                ],
            }
        )
        return
    out.print(_table(shown))
    for name, meant in odd.items():
        hint = f"; did you mean {meant}?" if meant else ""
        err.print(f"warning: {name} is no setting{hint}", style="yellow", markup=False)


def _shown(found: Settings) -> list[_Shown]:
    return [
        _Shown(
            variable=variable_of(name),
            value=_plain(getattr(found, name)),
            source="environment" if name in found.model_fields_set else "default",
            default=_plain(field.get_default()),
            meaning=field.description or "",
        )
        for name, field in Settings.model_fields.items()
    ]


def _plain(value: object) -> bool | int | float | str | None:
    if isinstance(value, SecretStr):
        return _MASK
    if isinstance(value, Path):
        return str(value)
    return value if isinstance(value, bool | int | float | str) else None


def _table(shown: list[_Shown]) -> Table:
    table = Table()
    table.add_column("variable", no_wrap=True)
    table.add_column("value", overflow="fold")
    table.add_column("from", no_wrap=True)
    table.add_column("meaning")
    for one in shown:
        cells = (one.variable, harmless(_in_words(one.value)), one.source, one.meaning)
        table.add_row(*map(Text, cells), style="dim" if one.source == "default" else "")
    return table


def _in_words(value: bool | int | float | str | None) -> str:
    """Return a value as an environment variable would hold it."""
    if value is None:
        return "–"
    return str(value).lower() if isinstance(value, bool) else str(value)
