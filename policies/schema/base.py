"""Base classes for the sections of a policy, and errors in policy files with their place."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeAlias
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict

VARIABLE_NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"


_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?")


class Shape(BaseModel):
    """Base of every part of a policy."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Mode(StrEnum):
    """Effect of a guard's findings."""

    ENFORCE = "enforce"
    SHADOW = "shadow"
    OFF = "off"


def _http_address(value: str) -> str:
    if not re.fullmatch("[!-~]{1,2000}", value):
        raise ValueError(
            "must be written in visible characters of ASCII: a host's name as xn--…, a path's "
            "other letters as %…"
        )
    address = urlsplit(value)
    if address.scheme not in {"http", "https"} or not address.hostname:
        raise ValueError("must begin with http:// or https:// and name a host")
    if "@" in address.netloc or address.query or address.fragment:
        raise ValueError("must end with the path; name the key's variable in api_key_env")
    if ":" not in address.hostname and not _HOST.fullmatch(address.hostname):
        raise ValueError("names no host: letters, digits and hyphens between single dots")
    _check_port(address)
    return value.rstrip("/")


def _check_port(address: SplitResult) -> None:
    try:
        is_one = address.port != 0
    except ValueError:
        is_one = False
    if not is_one:
        raise ValueError("names no port: a number from 1 to 65535")


HttpAddress: TypeAlias = Annotated[str, AfterValidator(_http_address)]
"""The address of a server, without a slash at its end."""


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
