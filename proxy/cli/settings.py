"""The settings of commands, from the environment, and `guard-proxy settings`, which shows them."""

import difflib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError
from rich.table import Table
from rich.text import Text

from proxy.cli.terminal import AsJson, err, fail, harmless, out, print_json
from proxy.settings import Settings

_NEARLY_ALL = 0.9
Directory = Annotated[
    Path | None,
    typer.Option(
        "--policies", metavar="DIR", help="Directory of policy files; by default the service's."
    ),
]


def read_settings(**options: object) -> Settings:
    """Read the settings from the environment.

    Args:
        options: What the command line says instead, by the name of the setting.
    """
    try:
        return Settings.model_validate(options)
    except ValidationError as error:
        fail(
            "The settings cannot be used:",
            *(
                f"{_given_as(item['loc'], options)}: {item['msg'].removeprefix('Value error, ')}"
                for item in error.errors()
            ),
        )


def variable_of(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"{Settings.model_config['env_prefix']}{name.upper()}"


def help_of(name: str) -> str:
    """Return the help of an option that stands for a setting."""
    field = Settings.model_fields[name]
    said = (field.description or "").removesuffix(".")
    return f"{said} ({variable_of(name)}; {field.get_default()} without it)."


def _given_as(place: tuple[int | str, ...], options: Mapping[str, object]) -> str:
    name = "_".join(map(str, place))
    return f"--{name.replace('_', '-')}" if name in options else variable_of(name)


def unknown_variables(environment: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Return variables that look like settings and are none, each with what may be meant."""
    prefix = Settings.model_config["env_prefix"]
    known = {variable_of(name): name.upper() for name in Settings.model_fields}
    for name in sorted(environment.keys() - known.keys()):
        said = name.upper()
        if said in known:
            continue
        if said.startswith(prefix):
            close = difflib.get_close_matches(said.removeprefix(prefix), known.values(), n=1)
            yield name, f"{prefix}{close[0]}" if close else ""
        elif "GUARD" in said:  # the prefix itself may be mistyped
            for meant in difflib.get_close_matches(said, known, n=1, cutoff=_NEARLY_ALL):
                yield name, meant


_MASK = "********"


class _SettingRow(BaseModel):
    """One setting, as it is shown."""

    model_config = ConfigDict(frozen=True)

    variable: str
    value: bool | int | float | str | None
    source: str
    default: bool | int | float | str | None
    meaning: str


def settings(
    as_json: AsJson = False,
) -> None:
    """Show every setting: its variable, value, source and meaning. Secrets are masked.

    The options of `serve` take precedence over these values.
    """
    shown = _shown(read_settings())
    odd = dict(unknown_variables(os.environ))
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


def _shown(found: Settings) -> list[_SettingRow]:
    return [
        _SettingRow(
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


def _table(shown: list[_SettingRow]) -> Table:
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
