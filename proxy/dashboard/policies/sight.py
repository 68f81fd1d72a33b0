"""What of policies somebody may see: the admin all, a tenant its own policy and nothing beside it.

A tenant's policy may inherit from another tenant's file. It sees what that comes to, and not whose
file that is.
"""

import re
from collections.abc import Iterable
from pathlib import PurePath

from policies.explaining import Setting, is_shipped
from policies.schema.errors import Place, Problem
from policies.schema.inheritance import shipped_files
from policies.schema.loader import LoadedPolicy
from policies.schema.store import PolicyStore
from proxy.dashboard.desk import Desk

_PATH = re.compile(r"[^\s'\"(]*/([^/\s'\"]+\.ya?ml)\b")
_NAMING = frozenset({"extends", "shadow_policy"})


class Sight:
    """What the viewer of a desk may see of the policies in force."""

    def __init__(self, desk: Desk, policies: PolicyStore) -> None:
        self._is_admin = desk.is_admin
        self._snapshot = policies.snapshot
        self._policies = {
            name: loaded
            for name, loaded in policies.snapshot.policies.items()
            if desk.is_admin or (loaded.policy.tenant and desk.may_read(loaded.policy.tenant))
        }
        self._others = {
            loaded.name: PurePath(loaded.path).name
            for loaded in policies.snapshot.policies.values()
            if not desk.is_admin and loaded.policy.tenant and loaded.name not in self._policies
        }

    @property
    def policies(self) -> Iterable[LoadedPolicy]:
        """The policies that may be seen: those of tenants first, by name."""
        return sorted(self._policies.values(), key=lambda one: (not one.policy.tenant, one.name))

    @property
    def names(self) -> list[str]:
        """Names of the policies that one may be compared with; shipped ones are no secret."""
        return [*sorted(self._policies), *sorted(shipped_files().keys() - self._policies.keys())]

    def called(self, name: str) -> LoadedPolicy | None:
        """Return a policy in force that may be seen."""
        return self._policies.get(name)

    def name(self, name: str) -> str | None:
        """Return the name of a policy that another one names; None if it may not be known."""
        return None if name in self._others else name

    def place(self, place: Place | None) -> str:
        """Return a place as a file's name and a line; empty for a default or what is hidden."""
        if place is None:
            return ""
        name = PurePath(place.file).name
        if not is_shipped(place) and name in self._others.values():
            return ""
        return f"{name}:{place.line}" if place.line else name

    def settings(self, settings: Iterable[Setting]) -> list[Setting]:
        """Return settings as they may be seen."""
        return [one for one in settings if self._is_admin or self._is_open(one)]

    def problem(self, problem: Problem) -> Problem:
        """Return a warning without the folders that it names."""
        place = self.place(problem.place)
        return Problem(Place(place), problem.key, without_folders(problem.message))

    def _is_open(self, setting: Setting) -> bool:
        if setting.key[0] == "keys":
            return False
        return setting.key[0] not in _NAMING or self.name(str(setting.value)) is not None


def without_folders(text: str) -> str:
    """Return a text in which policy files are called by their names alone."""
    return _PATH.sub(r"\1", text)
