"""The policies that arguments of commands name, and what programs are told of them."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated

import typer

from policies.explaining import NotThere, Setting, is_shipped, policy_called
from policies.schema.errors import PolicyError
from policies.schema.inheritance import ENDINGS
from policies.schema.loader import LoadedPolicy, load_file, load_policies
from proxy.cli.environment import read_settings
from proxy.cli.output import fail

NAMED = "A tenant, a policy of the directory, a shipped policy, or a policy file."
Directory = Annotated[
    Path | None,
    typer.Option(
        "--policies", metavar="DIR", help="Directory of policy files; by default the service's."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]


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
