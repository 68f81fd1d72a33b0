"""Policy files, and inheritance between them through ``extends``.

A file is named after its policy. ``extends`` finds a file of the same directory, else a shipped
policy; a file's own name always means the shipped one, and shipped files extend only each other.
``tenant`` and ``keys`` are never inherited: what extends a tenant's file is another tenant.
"""

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath
from types import MappingProxyType

from policies.schema.base import Place, PolicyError, Problem
from policies.schema.document import LARGEST_FILE_BYTES, Entry, merged, read_document, suggestion
from policies.schema.sections import Tone

POLICY_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}"
ENDINGS = frozenset({".yaml", ".yml"})
MOST_FILES = 5000
SHIPPED = files("policies")
NEVER_INHERITED = frozenset({"tenant", "keys", "extends"})


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """One file.

    Attributes:
        name: The policy's name: the file's, without its ending.
        draft: What stands there instead, of a file that nobody has written yet.
    """

    name: str
    source: Traversable
    shipped: bool = False
    draft: bytes | None = None

    def __str__(self) -> str:
        return str(self.source)

    def document(self) -> Entry:
        """Read the file, without what it inherits.

        Raises:
            PolicyError: it cannot be read.
        """
        if self.draft is not None:
            return read_document(self.draft, str(self))
        try:
            content = _content(self.source)
        except OSError as error:
            raise PolicyError([_about_file(self, f"cannot be read: {error.strerror}")]) from error
        if content is None:
            raise PolicyError([_about_file(self, "is no regular file")])
        return read_document(content, str(self))


def files_in(directory: Path) -> Mapping[str, PolicyFile]:
    """Return the policy files of a directory by name; hidden files and folders are passed over.

    Raises:
        PolicyError: there are none, or their names cannot stand.
    """
    try:
        paths = sorted(path for path in directory.iterdir() if _is_policy(path))
    except OSError as error:
        problem = Problem(Place(str(directory)), "", f"cannot be read: {error.strerror}")
        raise PolicyError([problem]) from error
    if not paths:
        raise PolicyError([Problem(Place(str(directory)), "", "holds no policy (no *.yaml file)")])
    if len(paths) > MOST_FILES:
        problem = Problem(Place(str(directory)), "", f"holds more than {MOST_FILES} policies")
        raise PolicyError([problem])
    found: dict[str, PolicyFile] = {}
    problems = []
    for path in paths:
        file = PolicyFile(path.stem, path)
        if not re.fullmatch(POLICY_NAME, file.name):
            problems.append(_about_file(file, f"a policy's name must match {POLICY_NAME}"))
        if file.name in found:
            problems.append(_about_file(file, f"has the same name as {found[file.name]}"))
        found[file.name] = file
    if problems:
        raise PolicyError(problems)
    return MappingProxyType(found)


@cache
def shipped_files() -> Mapping[str, PolicyFile]:
    """Return the policies that come with the program, by name."""
    sources = [*SHIPPED.iterdir(), *(SHIPPED / "examples").iterdir()]
    found = (
        PolicyFile(PurePath(source.name).stem, source, shipped=True)
        for source in sources
        if PurePath(source.name).suffix in ENDINGS
    )
    return MappingProxyType({file.name: file for file in found})


class Shelf:
    """The files of one directory and the shipped ones; each is read once."""

    def __init__(self, own: Mapping[str, PolicyFile]) -> None:
        self._own = own
        self._documents: dict[PolicyFile, Entry] = {}

    def effective(self, file: PolicyFile) -> Entry:
        """Return what a file says with what it inherits, in the tone that it asks for.

        Raises:
            PolicyError: it or a file that it extends cannot be read, or they go in a circle.
        """
        return _in_tone(self._inherited(file))

    def _inherited(self, file: PolicyFile, trail: tuple[PolicyFile, ...] = ()) -> Entry:
        """Return what a file says with what it inherits; `trail` are the files that extend it."""
        if file not in self._documents:
            self._documents[file] = _shipped(file) if file.shipped else file.document()
        document = self._documents[file]
        base = self._base(file, document, trail)
        return document if base is None else merged(base.without(NEVER_INHERITED), document)

    def shadow(self, file: PolicyFile, entry: Entry) -> PolicyFile | None:
        """Return the file that is to be tried on a file's requests; None if there is none.

        Raises:
            PolicyError: there is no such file, or it is the same.
        """
        names = entry.value
        said = names.get("shadow_policy") if isinstance(names, Mapping) else None
        if said is None or not isinstance(said.value, str):
            return None
        found = self._own.get(said.value) or shipped_files().get(said.value)
        if found is None:
            hint = suggestion(said.value, self._own.keys() | shipped_files().keys())
            message = f"there is no policy {said.value!r}; {hint}"
            raise PolicyError([Problem(said.place, "shadow_policy", message)])
        if found != file:
            return found
        if said.place.file == str(file):
            message = "is this policy itself, which has nothing to show"
            raise PolicyError([Problem(said.place, "shadow_policy", message)])
        return None  # what is tried extends what it is tried for, and so inherits its own name

    def _base(
        self, file: PolicyFile, document: Entry, trail: tuple[PolicyFile, ...]
    ) -> Entry | None:
        names = document.value
        extends = names.get("extends") if isinstance(names, Mapping) else None
        if extends is None or not isinstance(extends.value, str):
            return None
        found = self._policy_named(extends.value, file)
        if found is None:
            known = (self._own.keys() | shipped_files().keys()) - {file.name}
            hint = suggestion(extends.value, known)
            message = f"there is no policy {extends.value!r}; {hint}"
            raise PolicyError([Problem(extends.place, "extends", message)])
        if found in (*trail, file):
            circle = " -> ".join(each.name for each in (*trail, file, found))
            raise PolicyError([Problem(extends.place, "extends", f"goes in a circle: {circle}")])
        return self._inherited(found, (*trail, file))

    def _policy_named(self, name: str, asking: PolicyFile) -> PolicyFile | None:
        own = None if asking.shipped or name == asking.name else self._own.get(name)
        return own or shipped_files().get(name)


@cache
def _shipped(file: PolicyFile) -> Entry:
    """Read a file that came with the program: once, as nearly every policy extends one."""
    return file.document()


def _in_tone(policy: Entry) -> Entry:
    """Return a policy with the shipped texts for users, but no others, in its tone."""
    tone = policy.value.get("tone") if isinstance(policy.value, Mapping) else None
    if tone is None or tone.value != Tone.FRIENDLY:
        return policy
    for file in shipped_files().values():
        texts = _friendly_texts(file)
        if texts is not None:
            policy = _replaced(policy, texts, str(file))
    return policy


@cache
def _friendly_texts(file: PolicyFile) -> Entry | None:
    """Return the friendly texts of a shipped file; None if it has none of its own."""
    source = SHIPPED / "friendly" / f"{file.name}.yaml"
    return PolicyFile(file.name, source, shipped=True).document() if source.is_file() else None


def _replaced(entry: Entry, texts: Entry, file: str) -> Entry:
    """Return a tree with other texts in the place of those that stand in a file."""
    if not isinstance(entry.value, Mapping) or not isinstance(texts.value, Mapping):
        return texts if entry.place.file == file else entry
    replaced = {
        name: _replaced(below, texts.value[name], file) if name in texts.value else below
        for name, below in entry.value.items()
    }
    return Entry(entry.place, replaced)


def _content(source: Traversable) -> bytes | None:
    """Return a file's bytes, at most one more than it may have; None of a pipe or a device.

    Those would be waited for without end, or have no end.
    """
    if not isinstance(source, Path):
        return source.read_bytes()
    opened = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(opened, "rb") as file:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            return None
        return file.read(LARGEST_FILE_BYTES + 1)


def _is_policy(path: Path) -> bool:
    return path.suffix in ENDINGS and not path.name.startswith(".") and not path.is_dir()


def _about_file(file: PolicyFile, message: str) -> Problem:
    return Problem(Place(str(file)), "", message)
