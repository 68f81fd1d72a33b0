"""`guard-proxy policy diff`."""

from typing import Annotated

import typer

from policies.explaining import Difference, differences
from proxy.cli.output import out, print_json
from proxy.cli.policy_names import NAMED, AsJson, Directory, NamedPolicies, described, sourced
from proxy.cli.policy_tables import differences_table, heading

DIFFERENT = 1


def diff(
    a: Annotated[str, typer.Argument(metavar="A", help=NAMED)],
    b: Annotated[str, typer.Argument(metavar="B", help="The one to compare it with.")],
    policies: Directory = None,
    as_json: AsJson = False,
) -> None:
    """Show where two policies differ. Exit status 0 if they judge alike, 1 if not."""
    named = NamedPolicies(policies)
    first, second = named.called(a), named.called(b)
    found = differences(first, second)
    if as_json:
        told = {"a": described(first), "b": described(second)}
        print_json({**told, "differences": list(map(_listed, found))})
    else:
        for side, loaded in (("A", first), ("B", second)):
            out.print(f"{side}: {heading(loaded)}", style="bold", markup=False)
        out.print(differences_table(found) if found else "They judge alike.")
    raise typer.Exit(DIFFERENT if found else 0)


def _listed(difference: Difference) -> dict[str, object]:
    first, second = difference.first, difference.second
    return {"key": difference.name, "a": first and sourced(first), "b": second and sourced(second)}
