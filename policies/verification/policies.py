"""The policy that a caller of the library names: a shipped one, a file, or a policy itself."""

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from policies.inspection import Inspector
from policies.patterns import Intents
from policies.schema.base import Place, PolicyError, Problem
from policies.schema.document import suggestion
from policies.schema.inheritance import ENDINGS, shipped_files
from policies.schema.loader import LoadedPolicy, load_file, load_shipped
from policies.schema.policy import Policy
from policies.schema.store import FileState, file_states

PolicyChoice = str | Path | Policy
_FILES_KEPT = 16
_POLICIES_KEPT = 16


@dataclass(frozen=True)
class ChosenPolicy:
    """A policy, ready to verify by.

    Attributes:
        name: Its name and version.
        inspector: The policy with its guards.
        intents: Its rules on what a question is about.
    """

    name: str
    inspector: Inspector
    intents: Intents


def chosen_policy(choice: PolicyChoice) -> ChosenPolicy:
    """Return the policy that a caller means.

    A file is read again only when something in its folder has changed.

    Raises:
        PolicyError: there is no such policy, or it cannot be used.
    """
    if isinstance(choice, Policy):
        return _unnamed(_Own(choice))
    if isinstance(choice, str) and choice in shipped_files():
        return _shipped(choice)
    path = Path(choice)
    if path.suffix not in ENDINGS:
        hint = suggestion(str(choice), shipped_files())
        message = f"is neither a shipped policy nor a .yaml file; {hint}"
        raise PolicyError([Problem(Place(str(choice)), "", message)])
    path = path.resolve()
    return _from_file(path, file_states(path.parent))


class _Own:
    """A caller's own policy, the same only as itself: policies cannot be hashed."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Own) and other.policy is self.policy

    def __hash__(self) -> int:
        return id(self.policy)


@lru_cache(maxsize=_POLICIES_KEPT)
def _unnamed(own: _Own) -> ChosenPolicy:
    return ChosenPolicy("unnamed", Inspector(own.policy), Intents(own.policy.intents))


@cache
def _shipped(name: str) -> ChosenPolicy:
    return ready(load_shipped(name))


@lru_cache(maxsize=_FILES_KEPT)
def _from_file(path: Path, states: frozenset[FileState]) -> ChosenPolicy:
    del states  # part of the key only
    return ready(load_file(path))


def ready(loaded: LoadedPolicy) -> ChosenPolicy:
    """Return a policy with its guards built."""
    return ChosenPolicy(f"{loaded.name}@{loaded.version}", Inspector(loaded.policy), loaded.intents)
