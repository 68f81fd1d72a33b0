"""Tables of API fields: inspected, passed without inspection, or refused.

Every endpoint has a table for its requests, its replies and the chunks of its streams. The readers
follow the tables. A field that no row covers is named in the trace, so that new fields are noticed.

A place is written like ``choices[].message.content``: ``[]`` stands for every item of a list. A row
without rows below it speaks for all that is inside, so that schemas, arguments of tools and the
like are never searched. The rows stand in `fields.toml`, which says how to read them.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from pydantic import JsonValue

from proxy.errors import BadRequest
from proxy.openai_api.json_body import JsonObject

ITEM: Final = "[]"
"""Stands for every item of a list."""
# What a member is called may be anybody's words; what looks like a field's name is shown as one.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,40}")
_NAMELESS = "?"


class Treatment(StrEnum):
    """Treatments of a field."""

    INSPECTED = "inspected"
    PASSED = "passed"
    REFUSED = "refused"


class Origin(StrEnum):
    """Origin of a field; all but OpenAI's are extensions."""

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
        note: Why, in a few words. Of a refused field, the reason that the caller is told.
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
    """A place in a body, with the places below it.

    Attributes:
        below: The places below it, by the step that leads there.
        quiet: Members that need no remark, whatever their value.
        unchecked: Members that are named as not checked where they hold anything.
        deep: Members that may need a remark inside.
        folded: The members by their names without case.
    """

    row: Row | None = None
    below: dict[str, "Node"] = field(default_factory=dict)
    quiet: frozenset[str] = frozenset()
    unchecked: frozenset[str] = frozenset()
    deep: tuple[tuple[str, "Node"], ...] = ()
    folded: dict[str, str] = field(default_factory=dict)

    def settle(self) -> None:
        """Sort the members, once all are known."""
        members = {name: node for name, node in self.below.items() if name != ITEM}
        rows = {name: node.row for name, node in members.items()}
        refused = {name for name, row in rows.items() if row and row.treatment is _REFUSED}
        self.unchecked = frozenset(name for name, row in rows.items() if row and row.unchecked)
        self.quiet = frozenset(members) - refused
        self.deep = tuple((name, node) for name, node in members.items() if node.below)
        self.folded = {name.casefold(): name for name in members}
        for node in self.below.values():
            node.settle()

    def is_quiet(self, value: JsonValue) -> bool:
        """Tell whether all inside a value is known, and nothing is to be said about any of it."""
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
        if not self.unchecked.isdisjoint(value) and any(map(value.get, self.unchecked)):
            return False
        for name, node in self.deep:
            # Most of what could be deep is a plain text.
            inside = value.get(name)
            if isinstance(inside, (dict, list)) and not node.is_quiet(inside):
                return False
        return True


@dataclass(frozen=True, slots=True)
class FieldMatch:
    """A field found in a body: its row, or its place if it has none.

    Attributes:
        node: The known place; None if it is unknown.
        twin: For an unknown field, the known one that differs from it only in case.
    """

    path: str
    node: Node | None
    value: JsonValue
    twin: str | None = None


def walk(node: Node, value: JsonValue, path: str) -> Iterator[FieldMatch]:
    """Yield all fields inside a value, known or not, as far as rows speak of its inside."""
    if isinstance(value, dict):
        yield from _members(node, value, path)
    elif isinstance(value, list) and ITEM in node.below:
        inside = node.below[ITEM]
        for item in value:
            yield FieldMatch(f"{path}{ITEM}", inside, item)
            yield from walk(inside, item, f"{path}{ITEM}")


def _members(node: Node, value: JsonObject, path: str) -> Iterator[FieldMatch]:
    if not node.below or set(node.below) == {ITEM}:
        return  # a leaf, or a list where an object came: nothing is said about its members
    for name, item in value.items():
        inside = node.below.get(name)
        shown = name if inside or _NAME.fullmatch(name) else _NAMELESS
        place = f"{path}.{shown}" if path else shown
        if inside is None:
            yield FieldMatch(place, None, item, node.folded.get(name.casefold()))
        else:
            yield FieldMatch(place, inside, item)
            yield from walk(inside, item, place)


MOST_UNKNOWN: Final = 20
_LONGEST_PATH_CHARS = 80
_STEP = re.compile(r"\[\]|[^.\[\]]+")
_WORDS = re.compile(r"[가-힣一-鿿ぁ-ヿ]|\S\s+\S")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_MOST_JOINED_CHARS = 200


@dataclass(frozen=True, slots=True)
class FieldRemarks:
    """Remarks on a body.

    Attributes:
        unchecked: What carries words and is not looked at, each name once.
        unknown: The places that no row covers: names only, never values.
    """

    unchecked: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


_NOTHING = FieldRemarks()


class FieldTable:
    """The rows of one thing that travels: a request, a reply or a chunk.

    Raises:
        ValueError: two rows for one place.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = tuple(rows)
        self._root = Node()
        for row in self.rows:
            node = self._root
            for step in steps(row.path):
                node = node.below.setdefault(step, Node())
            if node.row is not None:
                raise ValueError(f"two rows for {row.path}")
            node.row = row
        self._root.settle()
        self._nodes: dict[str, Node] = {"": self._root}

    def covers(self, path: str) -> bool:
        """Tell whether a row speaks for a place: its own, or one above that has none below it."""
        node = self._root
        for step in steps(path):
            if step not in node.below:
                return node.row is not None and not node.below
            node = node.below[step]
        return True

    def refuse(self, body: JsonObject) -> None:
        """Refuse what is not served, and what some servers would take for another field.

        Those mind no case, and go by the last of two fields: not by the one that was read here.

        Raises:
            BadRequest: it names the field.
        """
        if self._root.is_quiet(body):
            return
        for met in walk(self._root, body, ""):
            if met.twin is not None:
                raise BadRequest(f"'{met.path}' is no field; '{met.twin}' is.", met.path)
            row = met.node.row if met.node else None
            if row is not None and row.refuses(met.value):
                param = row.path.replace(ITEM, "")
                raise BadRequest(f"'{param}' cannot be served here: {row.note}.", param)

    def remarks(self, body: JsonObject) -> FieldRemarks:
        """Return the remarks on a body; raises as `refuse` does."""
        if self._root.is_quiet(body):
            return _NOTHING
        self.refuse(body)
        return FieldRemarks(self.unchecked(body), self.unknown(body))

    def remarks_on(self, bodies: Iterable[JsonObject]) -> FieldRemarks:
        """Return the remarks on a reply, or on all chunks of a stream; nothing is refused.

        An unknown field with text is named as not checked, by its place. As streams write text in
        pieces, the values of one place in all chunks are read together.
        """
        unchecked: dict[str, None] = {}
        pieces: dict[str, str] = {}
        for body in bodies:
            if self._root.is_quiet(body):
                continue
            unchecked |= dict.fromkeys(self.unchecked(body))
            for place, value in self._unknown(body):
                if place not in pieces and len(pieces) == MOST_UNKNOWN:
                    continue
                joined = pieces.get(place, "") + "".join(_strings(value))
                pieces[place] = joined[-_MOST_JOINED_CHARS:]
                if _WORDS.search(joined) and _LETTERS.search(joined):
                    unchecked[place] = None
        return FieldRemarks(tuple(unchecked), tuple(pieces)) if unchecked or pieces else _NOTHING

    def unchecked(self, value: JsonObject) -> tuple[str, ...]:
        """Return what carries words in a body and is not looked at, each name once."""
        if self._root.is_quiet(value):
            return ()
        rows = (met.node.row for met in walk(self._root, value, "") if met.node and met.value)
        return tuple(dict.fromkeys(row.unchecked for row in rows if row and row.unchecked))

    def unknown(self, value: JsonObject) -> tuple[str, ...]:
        """Return the places that no row covers: names only, never values."""
        if self._root.is_quiet(value):
            return ()
        found: dict[str, None] = {}
        for place, _ in self._unknown(value):
            found[place] = None
            if len(found) == MOST_UNKNOWN:
                break
        return tuple(found)

    def _unknown(self, body: JsonObject) -> Iterator[tuple[str, JsonValue]]:
        """Yield the fields of a body that no row covers: place and value."""
        for met in walk(self._root, body, ""):
            if met.node is None:
                yield met.path[:_LONGEST_PATH_CHARS], met.value

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
            prefix: Its place; empty for the body itself.
        """
        known = self._node(prefix).below
        if known.keys() >= value.keys():
            return frozenset()
        return frozenset(name for name in value if name not in known and _has_words(value[name]))

    def _rows_below(self, prefix: str) -> dict[str, Row]:
        below = self._node(prefix).below
        return {name: node.row for name, node in below.items() if node.row}

    def _node(self, prefix: str) -> Node:
        if prefix not in self._nodes:
            node = self._root
            for step in steps(prefix):
                node = node.below[step]
            self._nodes[prefix] = node
        return self._nodes[prefix]


@dataclass(frozen=True, slots=True)
class Coverage:
    """The tables of one endpoint."""

    endpoint: str
    request: FieldTable
    reply: FieldTable
    chunk: FieldTable


def steps(path: str) -> list[str]:
    """Return the steps of a place: names of members, and ``[]`` for the items of a list."""
    return _STEP.findall(path)


def rows(coverage: Coverage) -> str:
    """Return one endpoint's tables as Markdown; fields with the same explanation share a line."""
    alike: dict[tuple[str, Treatment, str], list[str]] = {}
    for (path, treatment, said), where in _places(coverage).items():
        alike.setdefault((", ".join(where), treatment, said), []).append(f"`{path}`")
    lines = ["| where | field | | note |", "|---|---|---|---|"]
    for (shown, treatment, said), paths in alike.items():
        lines.append(f"| {shown} | {', '.join(paths)} | {treatment} | {said} |")
    return "\n".join(lines)


def _places(coverage: Coverage) -> dict[tuple[str, Treatment, str], list[str]]:
    """Return everything that is stated about fields, and where it holds."""
    found: dict[tuple[str, Treatment, str], list[str]] = {}
    for where in ("request", "reply", "chunk"):
        table: FieldTable = getattr(coverage, where)
        for row in table.rows:
            found.setdefault((row.path, row.treatment, _row_text(row)), []).append(where)
    return found


def _row_text(row: Row) -> str:
    owner = "" if row.origin is Origin.OPENAI else f" ({row.origin})"
    named = f"; named as not checked: `{row.unchecked}`" if row.unchecked else ""
    return f"{row.note}{named}{owner}".replace("|", "\\|").lstrip()


def _has_words(value: JsonValue) -> bool:
    """Tell whether a value holds words, as against names, numbers and ids."""
    return any(map(_WORDS.search, _strings(value)))


def _strings(value: JsonValue) -> Iterator[str]:
    """Yield every string of a value, whatever its field is called."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


_Line = Mapping[str, Any]


def _rows_of(lines: Iterable[_Line], sets: Mapping[str, list[_Line]], prefix: str) -> Iterator[Row]:
    """Yield the rows of some lines of the file, below a place."""
    for line in lines:
        place = prefix + line.get("prefix", "")
        if "use" in line:
            yield from _rows_of(sets[line["use"]], sets, place)
            continue
        treatment = next(one for one in Treatment if one in line)
        named = line.get("unchecked", "")
        for origin in (one for one in Origin if one in line):
            for path in line[origin].split():
                yield Row(
                    f"{place}{path}",
                    treatment,
                    line[treatment],
                    origin,
                    path.rpartition(".")[2] if named is True else named,
                    tuple(line.get("refused_at", ())),
                    line.get("spells_answer", False),
                )


def _read_tables() -> dict[str, Coverage]:
    """Return the tables of the file by endpoint."""
    tables = tomllib.loads(Path(__file__).with_name("fields.toml").read_text("utf-8"))
    sets = tables.pop("sets")

    def table(lines: Iterable[_Line]) -> FieldTable:
        return FieldTable(_rows_of(lines, sets, ""))

    return {
        path: Coverage(
            path,
            request=table(found["request"]),
            reply=table(found["reply"]),
            # The pieces of some endpoints' streams are of the same shape as their replies.
            chunk=table(found.get("chunk", found["reply"])),
        )
        for path, found in tables.items()
    }


_TABLES = _read_tables()
CHAT: Final = _TABLES["/v1/chat/completions"]
COMPLETIONS: Final = _TABLES["/v1/completions"]
RESPONSES: Final = _TABLES["/v1/responses"]
