"""The settings of commands, from the environment."""

import difflib
from collections.abc import Iterable, Mapping

from pydantic import ValidationError

from proxy.cli.output import fail
from proxy.settings import Settings

_NEARLY_ALL = 0.9


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


def odd_variables(environment: Mapping[str, str]) -> Iterable[tuple[str, str]]:
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
