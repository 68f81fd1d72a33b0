"""Errors in policy files, with their place."""

from collections.abc import Iterable
from dataclasses import dataclass

Key = tuple[str | int, ...]
"""The way to a value: names of keys and, inside a list, positions from 0."""


def spelled(key: Key) -> str:
    """Spell a key the way people write it: ``intents[0].patterns[1]``."""
    text = ""
    for step in key:
        if isinstance(step, int):
            text += f"[{step}]"
        elif "." in step:
            text += f"[{step!r}]"
        else:
            text += f".{step}" if text else step
    return text


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in a file; line and column count from 1, and 0 means the file as a whole."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to say about one value of a policy.

    Attributes:
        key: The value.
        message: What is wrong with it; it goes on after the key's name.
        refused: False for what is odd and still works.
    """

    key: Key
    message: str
    refused: bool = True


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A remark and the place it is about.

    Attributes:
        place: Where the value stands, which may be in a file that the policy extends.
        key: The key as `spelled`; empty for the file as a whole.
        message: What is wrong.
    """

    place: Place
    key: str
    message: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (str(self.place), self.key, self.message)))


class PolicyError(Exception):
    """Policies cannot be used as they stand.

    Attributes:
        problems: Everything that is wrong, in the order of files and lines; never empty.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))
