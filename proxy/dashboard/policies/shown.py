"""A policy in force, as the list of policies shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

from policies.schema.base import Mode
from policies.schema.errors import Problem
from policies.schema.inheritance import shipped_files
from policies.schema.loader import LoadedPolicy, load_shipped
from policies.schema.store import PolicyStore
from proxy.dashboard.policies.sight import Sight


@dataclass(frozen=True, slots=True)
class Shown:
    """One policy.

    Attributes:
        loaded: The policy.
        since: Since when it is in force as it is.
        chain: What it inherits from, the nearest first; None for what may not be known.
        shadow: The policy that is tried on the same requests; None if there is none.
        hides_shadow: There is one, and it may not be known which.
        warnings: What is odd about it.
        guards: Guards by what the policy lets them do.
    """

    loaded: LoadedPolicy
    since: datetime
    chain: tuple[str | None, ...]
    shadow: str | None
    hides_shadow: bool
    warnings: tuple[Problem, ...]
    guards: Mapping[Mode, tuple[str, ...]]

    @classmethod
    def of(cls, loaded: LoadedPolicy, policies: PolicyStore, sight: Sight) -> "Shown":
        """Return a policy as its viewer may see it."""
        shadow = loaded.policy.shadow_policy
        told = sight.name(shadow) if shadow else None
        return cls(
            loaded=loaded,
            since=policies.snapshot.since[loaded.name],
            chain=tuple(sight.name(name) for name in chain_of(loaded, policies)),
            shadow=told,
            hides_shadow=shadow is not None and told is None,
            warnings=tuple(map(sight.problem, loaded.warnings)),
            guards=_by_mode(loaded),
        )


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """Something that keeps the newest edit from being in force.

    Attributes:
        place: File and line.
        key: The key that it is about; empty for the file as a whole.
        said: What is wrong.
        policy: Name of the policy whose file it is.
    """

    place: str
    key: str
    said: str
    policy: str


def broken_lines(policies: PolicyStore, sight: Sight) -> list[BrokenLine]:
    """Return what is wrong with the newest edit. For the admin alone: it may name any tenant."""
    problems = policies.last_error.problems if policies.last_error else ()
    return [
        BrokenLine(
            place=sight.place(problem.place),
            key=problem.key,
            said=sight.problem(problem).message,
            policy=PurePath(problem.place.file).stem,
        )
        for problem in problems
    ]


def chain_of(loaded: LoadedPolicy, policies: PolicyStore) -> list[str]:
    """Return the names of what a policy inherits from, the nearest first."""
    names = []
    current, is_shipped = loaded, False
    while (base := current.policy.extends) is not None:
        own = None if is_shipped or base == current.name else policies.snapshot.policies.get(base)
        is_shipped = own is None
        if own is None and base not in shipped_files():
            break  # a file that was not there yet when this snapshot was taken
        current = own or load_shipped(base)
        names.append(base)
    return names


def _by_mode(loaded: LoadedPolicy) -> Mapping[Mode, tuple[str, ...]]:
    rules = loaded.policy.guards
    return {
        mode: tuple(guard for guard, rule in rules.items() if rule.mode is mode) for mode in Mode
    }
