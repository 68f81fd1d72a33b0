"""Loads a directory of policy files; every problem has its file, line and key."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from pydantic import ValidationError

from policies.checks import faults_in_judging, remarks_about
from policies.patterns import Intents
from policies.schema.base import Key, Place, PolicyError, Problem, Remark, spelled
from policies.schema.document import Entry, remarks_on, validated
from policies.schema.inheritance import PolicyFile, Shelf, files_in, shipped_files
from policies.schema.policy import Policy
from policies.templates import ReplyTemplates

VERSION_CHARS = 12


@dataclass(frozen=True)
class LoadedPolicy:
    """A policy, ready for use.

    Attributes:
        name: Name of the file, without its ending.
        version: Short hash of the policy without its keys: equal versions judge alike.
        entry: What its file and those that it extends say, with the place of each value.
        warnings: What is odd about it and still works.
        shadow: The policy that is tried on the same requests; None if there is none.
    """

    name: str
    policy: Policy
    version: str
    path: str
    templates: ReplyTemplates = field(compare=False, repr=False)
    intents: Intents = field(compare=False, repr=False)
    entry: Entry = field(compare=False, repr=False)
    warnings: tuple[Problem, ...] = field(default=(), compare=False, repr=False)
    shadow: "LoadedPolicy | None" = field(default=None, repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        """Travel to another process without what is compiled, which is made anew there."""
        return _loaded, (self.name, self.policy, self.path, self.entry, self.warnings, self.shadow)


@dataclass(frozen=True, slots=True)
class Survey:
    """Contents of a directory of policies."""

    policies: Mapping[str, LoadedPolicy]
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def load_policies(directory: Path, *, require_env: bool) -> Mapping[str, LoadedPolicy]:
    """Load every policy of a directory, by name.

    Args:
        directory: Where the files are; hidden files and folders are passed over.
        require_env: Whether the variables that hold model servers' keys must be set.

    Raises:
        PolicyError: a file cannot be used; holds what is wrong with all of them.
    """
    found = survey(directory, require_env=require_env)
    if found.errors:
        raise PolicyError(found.errors)
    return found.policies


def survey(directory: Path, *, require_env: bool) -> Survey:
    """Look at every policy of a directory; what is wrong with one does not hide the others."""
    try:
        own = files_in(directory)
    except PolicyError as error:
        return Survey({}, error.problems, ())
    shelf = Shelf(own)
    errors: set[Problem] = set()
    warnings: set[Problem] = set()
    usable: list[LoadedPolicy] = []
    for file in own.values():
        try:
            looked = _look(file, shelf, require_env=require_env)
        except PolicyError as error:
            errors |= set(error.problems)
            continue
        errors |= set(looked.refused)
        warnings |= set(looked.warnings)
        if not looked.refused:
            try:
                usable.append(_loaded_policy(looked, shelf))
            except PolicyError as error:
                errors |= set(error.problems)
    errors |= set(_claimed_twice(usable))
    policies = {loaded.name: loaded for loaded in usable}
    return Survey(MappingProxyType(policies), tuple(sorted(errors)), tuple(sorted(warnings)))


def load_shipped(name: str) -> LoadedPolicy:
    """Load a policy that comes with the program, such as ``default``.

    Raises:
        KeyError: there is none of this name.
        PolicyError: it cannot be used.
    """
    return _draw(shipped_files()[name], Shelf({}), require_env=False)


def load_file(path: Path) -> LoadedPolicy:
    """Load one policy file; it may extend the others of its folder.

    Raises:
        PolicyError: it cannot be used.
    """
    file = PolicyFile(path.stem, path)
    try:
        beside = files_in(path.parent)
    except PolicyError:
        # Whatever is wrong with its neighbours is no business of a file that names none of them.
        beside = {}
    return _draw(file, Shelf(beside), require_env=False)


def load_text(text: str, name: str, directory: Path) -> LoadedPolicy:
    """Load a draft, as if it stood in a directory's file of that name.

    Args:
        text: The draft, YAML.
        directory: Where the policies are that it may extend.

    Raises:
        PolicyError: it cannot be used.
    """
    draft = PolicyFile(name, directory / f"{name}.yaml", draft=text.encode("utf-8", "replace"))
    return _draw(draft, Shelf({**files_in(directory), name: draft}), require_env=False)


@dataclass(frozen=True, slots=True)
class _CheckedPolicy:
    """A policy whose shape is right, and what there is to say about it."""

    file: PolicyFile
    policy: Policy
    entry: Entry
    refused: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def _draw(file: PolicyFile, shelf: Shelf, *, require_env: bool) -> LoadedPolicy:
    looked = _look(file, shelf, require_env=require_env)
    if looked.refused:
        raise PolicyError(looked.refused)
    return _loaded_policy(looked, shelf)


def _look(file: PolicyFile, shelf: Shelf, *, require_env: bool) -> _CheckedPolicy:
    entry = shelf.effective(file)
    try:
        policy = validated(entry.plain())
    except ValidationError as error:
        raise PolicyError(_problems_at(remarks_on(error), entry)) from error
    remarks = remarks_about(policy, os.environ, require_env=require_env)
    refused = _problems_at((remark for remark in remarks if remark.refused), entry)
    warnings = (_warning(remark, entry) for remark in remarks if not remark.refused)
    return _CheckedPolicy(file, policy, entry, tuple(refused), tuple(warnings))


def _loaded_policy(looked: _CheckedPolicy, shelf: Shelf) -> LoadedPolicy:
    shadow = shelf.shadow(looked.file, looked.entry)
    return _loaded(
        looked.file.name,
        looked.policy,
        str(looked.file),
        looked.entry,
        looked.warnings,
        None if shadow is None else _shadow(shadow, shelf),
    )


def _shadow(file: PolicyFile, shelf: Shelf) -> LoadedPolicy:
    """Return what is to be tried; what it would try itself is of no interest."""
    looked = _look(file, shelf, require_env=False)
    if faults := faults_in_judging(looked.policy):
        raise PolicyError(_problems_at(faults, looked.entry))
    return _loaded(file.name, looked.policy, str(file), looked.entry, looked.warnings, None)


def _loaded(
    name: str,
    policy: Policy,
    path: str,
    entry: Entry,
    warnings: tuple[Problem, ...],
    shadow: LoadedPolicy | None,
) -> LoadedPolicy:
    return LoadedPolicy(
        name=name,
        policy=policy,
        version=_version(policy),
        path=path,
        templates=ReplyTemplates(policy),
        intents=Intents(policy.intents),
        entry=entry,
        warnings=warnings,
        shadow=shadow,
    )


def _problems_at(remarks: Iterable[Remark], entry: Entry) -> list[Problem]:
    return [
        Problem(entry.at(remark.key), spelled(remark.key), remark.message) for remark in remarks
    ]


def _warning(remark: Remark, entry: Entry) -> Problem:
    """Place a warning; nobody can change a shipped file, so that it goes to who extends it."""
    place, message = entry.at(remark.key), remark.message
    own = entry.place.file
    if place.file != own and place.file in map(str, shipped_files().values()):
        above = (entry.at(remark.key[:steps]) for steps in range(len(remark.key) - 1, 0, -1))
        near = next((each for each in above if each.file == own), entry.at(("extends",)))
        place, message = near, f"{message} (inherited from {place})"
    return Problem(place, spelled(remark.key), message)


def _version(policy: Policy) -> str:
    said = policy.model_dump(mode="json", exclude={"keys"})
    # The order of keys is part of it: the first guard of a policy that acts leads.
    written = json.dumps(said, ensure_ascii=False)
    return hashlib.sha256(written.encode()).hexdigest()[:VERSION_CHARS]


def _claimed_twice(usable: Iterable[LoadedPolicy]) -> Iterator[Problem]:
    """Find tenants and keys that two files claim; the first in the order of names keeps them."""
    owners: dict[str, Place] = {}
    for loaded in usable:
        for key, claim in _claims(loaded.policy):
            place = loaded.entry.at(key)
            owner = owners.setdefault(claim, place)
            if owner.file != place.file:
                yield Problem(place, spelled(key), f"is already claimed at {owner}")


def _claims(policy: Policy) -> Iterator[tuple[Key, str]]:
    if policy.tenant:
        yield ("tenant",), policy.tenant
    for number, hashed in enumerate(policy.keys):
        yield ("keys", number), hashed
