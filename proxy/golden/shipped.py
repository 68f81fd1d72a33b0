"""The golden sets that come with the program, and how a set is named: by name or by file."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath
from types import MappingProxyType

from policies.schema.errors import Place, Problem
from policies.schema.inheritance import ENDINGS
from policies.schema.typed import suggestion
from proxy.golden.reading import GoldenError, read_golden
from proxy.golden.shape import GoldenSet


@dataclass(frozen=True, slots=True)
class Chosen:
    """A golden set, ready to be run.

    Attributes:
        name: The name of a shipped one; a file's name without its ending.
        golden: What it holds.
        policy: The policy that it was written for, by name or by file; None if it names none.
    """

    name: str
    golden: GoldenSet
    policy: str | None


@cache
def shipped_sets() -> Mapping[str, Traversable]:
    """Return the files of the sets that come with the program, by name."""
    found = sorted((files("proxy.golden") / "sets").iterdir(), key=lambda file: file.name)
    return MappingProxyType({PurePath(file.name).stem: file for file in found})


def chosen_set(choice: str) -> Chosen:
    """Return the set that somebody means: a shipped one's name, or a file.

    Raises:
        GoldenError: there is none, or it cannot be used.
    """
    if choice in shipped_sets():
        file = shipped_sets()[choice]
        golden = read_golden(file.read_bytes(), str(file))
        return Chosen(choice, golden, golden.policy)
    path = Path(choice)
    if not path.suffix:
        hint = suggestion(choice, shipped_sets())
        message = f"is neither a shipped set nor a .yaml, .json or .jsonl file; {hint}"
        raise GoldenError(Problem(Place(choice), "", message))
    try:
        content = path.read_bytes()
    except OSError as error:
        raise GoldenError(Problem(Place(choice), "", f"cannot be read: {error.strerror}")) from None
    golden = read_golden(content, choice)
    return Chosen(path.stem, golden, _beside(path, golden.policy))


def _beside(path: Path, policy: str | None) -> str | None:
    """Return a policy's name as it is, and a policy's file seen from the set's folder."""
    if policy is None or PurePath(policy).suffix not in ENDINGS:
        return policy
    return str(path.parent / policy)
