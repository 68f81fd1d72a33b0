"""Fields of the wire as a tree: what is done with each, and a quick look at a body by it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject

ITEM: Final = "[]"
"""Stands for every item of a list."""
# What a member is called may be anybody's words; what looks like a field's name is shown as one.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,40}")
_NAMELESS = "?"


class Treatment(StrEnum):
    """What is done with a field."""

    INSPECTED = "inspected"
    PASSED = "passed"
    REFUSED = "refused"


class Origin(StrEnum):
    """Whose field it is; all but OpenAI's are extensions."""

    OPENAI = "OpenAI"
    VLLM = "vLLM"
    SGLANG = "SGLang"
    LLAMA_CPP = "llama.cpp"
    OLLAMA = "Ollama"
    LITELLM = "LiteLLM"
    OTHER = "other servers"
    PROXY = "this proxy"


_REFUSED = Treatment.REFUSED


@dataclass(frozen=True, slots=True)
class Row:
    """One field.

    Attributes:
        path: Its place.
        treatment: What is done with it.
        note: Why, in a few words. Of a refused field, the reason that the caller is told.
        origin: Whose field it is.
        unchecked: What `not checked` calls it where it is there; for words that no guard reads.
        refused_at: The values that are refused; without any, all but null, false and empty ones.
        spells_answer: It can hold the words of an answer once more, so it goes when they change.
    """

    path: str
    treatment: Treatment
    note: str = ""
    origin: Origin = Origin.OPENAI
    unchecked: str = ""
    refused_at: tuple[JsonValue, ...] = ()
    spells_answer: bool = False

    def refuses(self, value: JsonValue) -> bool:
        """Tell whether a request with this value in this place is refused."""
        if self.treatment is not _REFUSED:
            return False
        return value in self.refused_at if self.refused_at else bool(value)


@dataclass(slots=True)
class Node:
    """A place and what stands below it.

    Attributes:
        row: Its row.
        below: The places below it, by the step that leads there.
        quiet: Members of which nothing is to be said, whatever their value.
        told: Members that are named as not checked where they hold anything.
        deep: Members inside of which something may have to be said.
        folded: The members by their names without case.
    """

    row: Row | None = None
    below: dict[str, "Node"] = field(default_factory=dict)
    quiet: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()
    deep: tuple[tuple[str, "Node"], ...] = ()
    folded: dict[str, str] = field(default_factory=dict)

    def settle(self) -> None:
        """Sort the members, once all are known."""
        members = {name: node for name, node in self.below.items() if name != ITEM}
        rows = {name: node.row for name, node in members.items()}
        refused = {name for name, row in rows.items() if row and row.treatment is _REFUSED}
        self.told = frozenset(name for name, row in rows.items() if row and row.unchecked)
        self.quiet = frozenset(members) - refused
        self.deep = tuple((name, node) for name, node in members.items() if node.below)
        self.folded = {name.casefold(): name for name in members}
        for node in self.below.values():
            node.settle()

    def is_quiet(self, value: JsonValue) -> bool:
        """Tell whether all inside a value is known, and nothing is to be said of any of it."""
        if isinstance(value, dict):
            return not self.quiet or self._has_quiet_members(value)
        if not isinstance(value, list) or ITEM not in self.below:
            return True
        item = self.below[ITEM]
        if item.row and (item.row.unchecked or item.row.treatment is _REFUSED):
            return not value
        return all(map(item.is_quiet, value))

    def _has_quiet_members(self, value: JsonObject) -> bool:
        if not self.quiet.issuperset(value):
            return False
        if not self.told.isdisjoint(value) and any(map(value.get, self.told)):
            return False
        for name, node in self.deep:
            # Most of what could be deep is a plain text.
            inside = value.get(name)
            if isinstance(inside, (dict, list)) and not node.is_quiet(inside):
                return False
        return True


@dataclass(frozen=True, slots=True)
class Met:
    """A field that was met: its row, or its place if it has none.

    Attributes:
        path: Its place.
        node: The known place; None if it is unknown.
        value: What it holds.
        twin: Of an unknown field, the known one from which nothing but case parts it.
    """

    path: str
    node: Node | None
    value: JsonValue
    twin: str | None = None


def walk(node: Node, value: JsonValue, path: str) -> Iterator[Met]:
    """Yield all fields inside a value, known or not, as far as rows speak of its inside.

    Args:
        node: Where the value stands in the tree.
        value: The value.
        path: Its place.
    """
    if isinstance(value, dict):
        yield from _members(node, value, path)
    elif isinstance(value, list) and ITEM in node.below:
        inside = node.below[ITEM]
        for item in value:
            yield Met(f"{path}{ITEM}", inside, item)
            yield from walk(inside, item, f"{path}{ITEM}")


def _members(node: Node, value: JsonObject, path: str) -> Iterator[Met]:
    if not node.below or set(node.below) == {ITEM}:
        return  # a leaf, or a list where an object came: nothing is said of its members
    for name, item in value.items():
        inside = node.below.get(name)
        shown = name if inside or _NAME.fullmatch(name) else _NAMELESS
        place = f"{path}.{shown}" if path else shown
        if inside is None:
            yield Met(place, None, item, node.folded.get(name.casefold()))
        else:
            yield Met(place, inside, item)
            yield from walk(inside, item, place)
