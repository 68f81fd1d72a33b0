"""`guard-proxy policy explain`."""

from collections.abc import Sequence
from typing import Annotated

import typer

from policies.explaining import NotThere, Setting, changed, explained, under
from proxy.cli.output import fail, out, print_json
from proxy.cli.policy_names import NAMED, AsJson, Directory, NamedPolicies, described, sourced
from proxy.cli.policy_tables import heading, settings_table, whole_setting


def explain(
    name: Annotated[str, typer.Argument(metavar="TENANT|POLICY", help=NAMED)],
    policies: Directory = None,
    key: Annotated[
        str | None,
        typer.Option(help="Only this key and what is below it; one single value is shown whole."),
    ] = None,
    only_changed: Annotated[
        bool,
        typer.Option("--changed", help="Only what a file sets otherwise than the shipped default."),
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
