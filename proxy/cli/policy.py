"""`guard-proxy policy check|explain|diff|schema`, and policies by name for other commands."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePath
from typing import Annotated

import typer
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from policies.explaining import (
    Difference,
    NotThere,
    Setting,
    changed,
    contrast,
    differences,
    explained,
    in_words,
    is_shipped,
    pieces,
    policy_called,
    under,
)
from policies.schema.base import Place, PolicyError
from policies.schema.document import Plain, json_schema
from policies.schema.inheritance import ENDINGS
from policies.schema.loader import LoadedPolicy, load_file, load_policies, survey
from proxy.cli.settings import Directory, read_settings
from proxy.cli.terminal import BAD_INPUT, AsJson, err, excerpt, fail, harmless, out, print_json
from proxy.limits.limiter import limits_for_one, limits_without_count

NAMED = "A tenant, a policy of the directory, a shipped policy, or a policy file."


class NamedPolicies:
    """Finds policies by what people call them; reads a directory once, if it has to.

    Args:
        directory: Where the policies are; None for the one that the settings name.
    """

    def __init__(self, directory: Path | None) -> None:
        self._given = directory

    def called(self, name: str) -> LoadedPolicy:
        """Return a policy, or end the command and say why it cannot."""
        try:
            if Path(name).suffix in ENDINGS:
                return load_file(Path(name))
            return policy_called(name, self._own)
        except PolicyError as error:
            fail(*(f"error: {problem}" for problem in error.problems))
        except NotThere as error:
            looked = self._directory
            fail(f"{looked}: {error}" if self._own else f"{looked} does not exist: {error}")

    @cached_property
    def _directory(self) -> Path:
        return self._given or read_settings().policies

    @cached_property
    def _own(self) -> Mapping[str, LoadedPolicy]:
        # Shipped policies can be looked at before there are any others.
        if self._given is None and not self._directory.exists():
            return {}
        return load_policies(self._directory, require_env=False)


def described(loaded: LoadedPolicy) -> dict[str, object]:
    """Return what tells a policy from others, for programs."""
    return {
        "policy": loaded.name,
        "tenant": loaded.policy.tenant,
        "version": loaded.version,
        "file": loaded.path,
    }


def sourced(setting: Setting) -> dict[str, object]:
    """Return a value and its source, for programs; ``from`` is null for a default."""
    place = setting.place
    source = place and {"file": place.file, "line": place.line, "shipped": is_shipped(place)}
    return {"value": setting.value, "from": source}


_VALUE_COLUMNS = 60
_SHORT_COLUMNS = 24
_PIECE_CHARS = 300
_MOST_PIECES = 10


def heading(loaded: LoadedPolicy) -> str:
    """Return what tells a policy from others."""
    tenant = f"tenant {loaded.policy.tenant}" if loaded.policy.tenant else "no tenant"
    return f"{loaded.name}  ({tenant}, version {loaded.version}, {loaded.path})"


def settings_table(settings: Sequence[Setting]) -> Table:
    """Return one row for each setting; long values are cut."""
    table = Table()
    table.add_column("key", overflow="fold")
    table.add_column("value", overflow="fold")
    table.add_column("from", no_wrap=True)
    for setting in settings:
        cells = (_name(setting.name), _shortened(setting.value), _origin(setting.place))
        table.add_row(*map(Text, cells), style="dim" if setting.place is None else "")
    return table


def whole_setting(setting: Setting) -> Iterator[Text]:
    """Yield the lines of one setting, nothing of its value left out."""
    yield Text(f"{_name(setting.name)}  ({_origin(setting.place)})", "bold")
    for piece in pieces(setting.value):
        yield Text(harmless(piece))


def differences_table(found: Sequence[Difference]) -> Table:
    """Return one row for each difference; of long values only what differs."""
    table = Table()
    table.add_column("key", overflow="fold")
    table.add_column("A", overflow="fold", ratio=1)
    table.add_column("B", overflow="fold", ratio=1)
    for difference in found:
        sides = _sides(difference)
        long = any("\n" in side.plain for side in sides)
        if long:
            table.add_section()
        table.add_row(Text(_name(difference.name)), *sides, end_section=long)
    return table


def _sides(difference: Difference) -> tuple[Text, Text]:
    first, second = difference.first, difference.second
    if first is None or second is None or (_is_short(first) and _is_short(second)):
        return _side(first), _side(second)
    apart = contrast(first.value, second.value)
    return (
        _parts(first, [f"- {piece}" for piece in apart.removed]),
        _parts(second, [f"+ {piece}" for piece in apart.added]),
    )


def _side(setting: Setting | None) -> Text:
    if setting is None:
        return Text("–", "dim")
    value = _shortened(setting.value)
    between = "  " if cell_len(value) <= _SHORT_COLUMNS else "\n"
    return Text.assemble(value, between, (f"({_origin(setting.place)})", "dim"))


def _parts(setting: Setting, parts: Sequence[str]) -> Text:
    if not parts and _is_short(setting):
        return _side(setting)
    lines = [excerpt(part, _PIECE_CHARS) for part in parts[:_MOST_PIECES]]
    if len(parts) > len(lines):
        lines.append(f"… {len(parts) - len(lines)} more")
    origin = (f"({_origin(setting.place)})", "dim")
    return Text.assemble(*(f"{line}\n" for line in lines), origin)


def _is_short(setting: Setting) -> bool:
    return cell_len(_on_one_line(setting.value)) <= _VALUE_COLUMNS


def _shortened(value: Plain) -> str:
    """Return a value on one line; a list that is cut says how long it is."""
    line = _on_one_line(value)
    if isinstance(value, list) and cell_len(line) > _VALUE_COLUMNS:
        line = f"{len(value)}: {', '.join(pieces(value))}"
    text = Text(excerpt(line, _PIECE_CHARS))
    text.truncate(_VALUE_COLUMNS, overflow="ellipsis")
    return text.plain


def _on_one_line(value: Plain) -> str:
    return f"[{', '.join(pieces(value))}]" if isinstance(value, list) else in_words(value)


def _name(name: str) -> str:
    """Return a key that may hold anything that a policy file can."""
    return excerpt(name, _PIECE_CHARS)


def _origin(place: Place | None) -> str:
    """Return the place of a value; its folder is the policy's own, or where the program is."""
    if place is None:
        return "default"
    line = f"{PurePath(place.file).name}:{place.line}"
    return f"shipped {line}" if is_shipped(place) else line


DIFFERENT = 1


def diff(
    a: Annotated[str, typer.Argument(metavar="A", help=NAMED)],
    b: Annotated[str, typer.Argument(metavar="B", help="The one to compare it with.")],
    policies: Directory = None,
    as_json: AsJson = False,
) -> None:
    """Show the differences between two policies. Exit status 0 if they judge alike, 1 if not."""
    named = NamedPolicies(policies)
    first, second = named.called(a), named.called(b)
    found = differences(first, second)
    if as_json:
        texts = {"a": described(first), "b": described(second)}
        print_json({**texts, "differences": list(map(_difference_json, found))})
    else:
        for side, loaded in (("A", first), ("B", second)):
            out.print(f"{side}: {heading(loaded)}", style="bold", markup=False)
        out.print(differences_table(found) if found else "They judge alike.")
    raise typer.Exit(DIFFERENT if found else 0)


def _difference_json(difference: Difference) -> dict[str, object]:
    first, second = difference.first, difference.second
    return {"key": difference.name, "a": first and sourced(first), "b": second and sourced(second)}


def explain(
    name: Annotated[str, typer.Argument(metavar="TENANT|POLICY", help=NAMED)],
    policies: Directory = None,
    key: Annotated[
        str | None,
        typer.Option(help="Only this key and those below it; a single value is shown in full."),
    ] = None,
    only_changed: Annotated[
        bool,
        typer.Option("--changed", help="Only values that differ from the shipped default."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show every effective value of a policy, and the file and line that it comes from."""
    loaded = NamedPolicies(policies).called(name)
    settings = _chosen(explained(loaded), key, only_changed=only_changed)
    if as_json:
        listed = [{"key": each.name, **sourced(each)} for each in settings]
        print_json({**described(loaded), "settings": listed})
        return
    out.print(heading(loaded), style="bold", markup=False)
    if not settings:
        out.print("Nothing here is set otherwise than in the shipped default.")
    elif key is not None and len(settings) == 1:
        for line in whole_setting(settings[0]):
            out.print(line)
    else:
        out.print(settings_table(settings))


def _chosen(
    settings: Sequence[Setting], key: str | None, *, only_changed: bool
) -> Sequence[Setting]:
    try:
        found = settings if key is None else under(settings, key)
    except NotThere as error:
        fail(f"--key: {error}")
    return changed(found) if only_changed else found


policy = typer.Typer(help="Policy files.", no_args_is_help=True)


@policy.command()
def check(
    directory: Annotated[
        Path | None,
        typer.Argument(help="Directory of policy files; by default the service's."),
    ] = None,
    no_env: Annotated[
        bool,
        typer.Option(
            "--no-env",
            help="Do not require the environment variables that hold keys, as on a machine that "
            "does not serve: those that are not set are warnings.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check every policy of a directory, as `serve` does. Exit status 2 if one cannot be used.

    Limits need Redis where more than one worker or replica serves: a warning if GUARD_PROXY_WORKERS
    names one, an error if it names more.
    """
    settings = read_settings()
    found = survey(directory or settings.policies, require_env=not no_env)
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
