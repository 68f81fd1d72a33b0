"""Which fields of the wire are looked at, which travel unlooked at, and which are refused.

Every door has a table for its requests, its replies and its stream's chunks. The readers go by the
tables, and what no row covers is named in the trace: so a field that is new is noticed.

A place is written like ``choices[].message.content``: ``[]`` stands for every item of a list. A row
without rows below it speaks for all that is inside, so that schemas, arguments of tools and the
like are never searched.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

from proxy.errors import BadRequest
from proxy.openai_api.json_body import JsonObject

MOST_UNKNOWN: Final = 20
_LONGEST_PATH_CHARS = 80
_ITEM = "[]"
_STEP = re.compile(r"\[\]|[^.\[\]]+")
# What a member is called may be anybody's words; what looks like a field's name is shown as one.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,40}")
_NAMELESS = "?"
_WORDS = re.compile(r"[가-힣]|\S\s+\S")


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
        if self.treatment is not Treatment.REFUSED:
            return False
        return value in self.refused_at if self.refused_at else bool(value)


@dataclass(slots=True)
class _Node:
    row: Row | None = None
    below: dict[str, "_Node"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Met:
    """A field that was met: its row, or its place if it has none."""

    path: str
    node: _Node | None
    value: JsonValue


class FieldTable:
    """The rows of one thing that travels: a request, a reply or a chunk.

    Args:
        rows: Its rows.

    Raises:
        ValueError: two rows for one place.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = tuple(rows)
        self._root = _Node()
        for row in self.rows:
            node = self._root
            for step in steps(row.path):
                node = node.below.setdefault(step, _Node())
            if node.row is not None:
                raise ValueError(f"two rows for {row.path}")
            node.row = row

    def covers(self, path: str) -> bool:
        """Tell whether a row speaks for a place: its own, or one above that has none below it."""
        node = self._root
        for step in steps(path):
            if step not in node.below:
                return node.row is not None and not node.below
            node = node.below[step]
        return True

    def refuse(self, body: JsonObject) -> None:
        """Refuse what is not served.

        Raises:
            BadRequest: it names the field.
        """
        for met in _walk(self._root, body, ""):
            row = met.node.row if met.node else None
            if row is not None and row.refuses(met.value):
                param = row.path.replace(_ITEM, "")
                raise BadRequest(f"'{param}' cannot be served here: {row.note}.", param)

    def unchecked(self, value: JsonObject) -> tuple[str, ...]:
        """Return what carries words in a body and is not looked at, each name once."""
        rows = (met.node.row for met in _walk(self._root, value, "") if met.node and met.value)
        return tuple(dict.fromkeys(row.unchecked for row in rows if row and row.unchecked))

    def unknown(self, value: JsonObject) -> tuple[str, ...]:
        """Return the places that no row covers: names only, never values."""
        found: dict[str, None] = {}
        for met in _walk(self._root, value, ""):
            if met.node is None:
                found[met.path[:_LONGEST_PATH_CHARS]] = None
                if len(found) == MOST_UNKNOWN:
                    break
        return tuple(found)

    def silent(self, prefix: str = "") -> frozenset[str]:
        """Return the members of an object that are no second telling of an answer.

        Args:
            prefix: Place of the object; empty for the body itself.
        """
        rows = self._rows_below(prefix).items()
        return frozenset(name for name, row in rows if not row.spells_answer)

    def telling(self, prefix: str = "") -> frozenset[str]:
        """Return the members of an object that can tell an answer once more.

        Args:
            prefix: Place of the object; empty for the body itself.
        """
        rows = self._rows_below(prefix).items()
        return frozenset(name for name, row in rows if row.spells_answer)

    def worded_unknown(self, value: JsonObject, prefix: str = "") -> frozenset[str]:
        """Return the members of an object that no row covers and that hold somebody's words.

        Args:
            value: The object.
            prefix: Its place; empty for the body itself.
        """
        known = self._node(prefix).below
        return frozenset(name for name in value if name not in known and _has_words(value[name]))

    def _rows_below(self, prefix: str) -> dict[str, Row]:
        below = self._node(prefix).below
        return {name: node.row for name, node in below.items() if node.row}

    def _node(self, prefix: str) -> _Node:
        node = self._root
        for step in steps(prefix):
            node = node.below[step]
        return node


@dataclass(frozen=True, slots=True)
class Coverage:
    """The tables of one door.

    Attributes:
        door: Its name.
        request: Of its requests.
        reply: Of its plain replies.
        chunk: Of its stream's chunks.
    """

    door: str
    request: FieldTable
    reply: FieldTable
    chunk: FieldTable


def unknown_fields(table: FieldTable, bodies: Iterable[JsonObject]) -> tuple[str, ...]:
    """Return the places in some bodies that no row covers: names only, never values."""
    found = dict.fromkeys(path for body in bodies for path in table.unknown(body))
    return tuple(found)[:MOST_UNKNOWN]


def steps(path: str) -> list[str]:
    """Return the steps of a place: names of members, and ``[]`` for the items of a list."""
    return _STEP.findall(path)


def group(
    treatment: Treatment, origin: Origin, note: str, paths: str, prefix: str = ""
) -> Iterator[Row]:
    """Yield rows for fields of which the same is to be said.

    Args:
        treatment: What is done with them.
        origin: Whose fields they are.
        note: Why.
        paths: Their places, parted by spaces.
        prefix: What stands before each of them.
    """
    for path in paths.split():
        yield Row(f"{prefix}{path}", treatment, note, origin)


def rows(coverage: Coverage) -> str:
    """Return one door's tables as Markdown; fields of which the same is said share a line."""
    alike: dict[tuple[str, Treatment, str], list[str]] = {}
    for (path, treatment, said), where in _places(coverage).items():
        alike.setdefault((", ".join(where), treatment, said), []).append(f"`{path}`")
    lines = ["| where | field | | note |", "|---|---|---|---|"]
    for (shown, treatment, said), paths in alike.items():
        lines.append(f"| {shown} | {', '.join(paths)} | {treatment} | {said} |")
    return "\n".join(lines)


def _places(coverage: Coverage) -> dict[tuple[str, Treatment, str], list[str]]:
    """Return all that is said of fields, and where it holds."""
    found: dict[tuple[str, Treatment, str], list[str]] = {}
    for where in ("request", "reply", "chunk"):
        table: FieldTable = getattr(coverage, where)
        for row in table.rows:
            found.setdefault((row.path, row.treatment, _said(row)), []).append(where)
    return found


def _said(row: Row) -> str:
    owner = "" if row.origin is Origin.OPENAI else f" ({row.origin})"
    named = f"; named as not checked: `{row.unchecked}`" if row.unchecked else ""
    return f"{row.note}{named}{owner}".replace("|", "\\|").lstrip()


def _has_words(value: JsonValue) -> bool:
    """Tell whether a value holds words, as against names, numbers and ids."""
    if isinstance(value, str):
        return _WORDS.search(value) is not None
    if isinstance(value, dict):
        return any(map(_has_words, value.values()))
    return isinstance(value, list) and any(map(_has_words, value))


def _walk(node: _Node, value: JsonValue, path: str) -> Iterator[_Met]:
    if isinstance(value, dict):
        yield from _members(node, value, path)
    elif isinstance(value, list) and _ITEM in node.below:
        inside = node.below[_ITEM]
        for item in value:
            yield _Met(f"{path}{_ITEM}", inside, item)
            yield from _walk(inside, item, f"{path}{_ITEM}")


def _members(node: _Node, value: JsonObject, path: str) -> Iterator[_Met]:
    if not node.below or set(node.below) == {_ITEM}:
        return  # a leaf, or a list where an object came: nothing is said of its members
    for name, item in value.items():
        inside = node.below.get(name)
        shown = name if inside or _NAME.fullmatch(name) else _NAMELESS
        place = f"{path}.{shown}" if path else shown
        yield _Met(place, inside, item)
        if inside is not None:
            yield from _walk(inside, item, place)
