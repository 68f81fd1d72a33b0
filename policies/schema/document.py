"""YAML files as trees of values that know where they stand.

YAML 1.2, so that ``mode: off`` is the word. What makes a policy hard to read is refused: a key that
appears twice, aliases (policies share through ``extends``), and tags.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ruamel.yaml import YAML
from ruamel.yaml.constructor import ConstructorError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from policies.schema.errors import Key, Place, PolicyError, Problem, spelled

LARGEST_FILE_BYTES = 1 << 20
PLAIN_TAGS = frozenset(
    f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null", "map", "seq")
)
TIMESTAMP_TAG = "tag:yaml.org,2002:timestamp"

Scalar = str | int | float | bool | None
Plain = Scalar | dict[str, "Plain"] | list["Plain"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A value and its place; a map's entries stand at their keys."""

    place: Place
    value: "Scalar | Mapping[str, Entry] | tuple[Entry, ...]"

    def at(self, key: Key) -> Place:
        """Return the place of a value under this one, or of the nearest value above it."""
        if not key:
            return self.place
        below = self._below(key[0])
        return self.place if below is None else below.at(key[1:])

    def place_of(self, key: Key) -> Place | None:
        """Return the place of exactly this value; None if nothing stands there."""
        if not key:
            return self.place
        below = self._below(key[0])
        return None if below is None else below.place_of(key[1:])

    def _below(self, step: str | int) -> "Entry | None":
        if isinstance(self.value, Mapping):
            return self.value.get(str(step))
        if isinstance(self.value, tuple) and isinstance(step, int) and step < len(self.value):
            return self.value[step]
        return None

    def without(self, names: Collection[str]) -> "Entry":
        """Return the map without some of its keys."""
        if not isinstance(self.value, Mapping):
            return self
        kept = {name: entry for name, entry in self.value.items() if name not in names}
        return Entry(self.place, kept)

    def plain(self) -> Plain:
        """Return the bare value, without places."""
        if isinstance(self.value, Mapping):
            return {name: entry.plain() for name, entry in self.value.items()}
        if isinstance(self.value, tuple):
            return [entry.plain() for entry in self.value]
        return self.value


def merged(base: Entry, over: Entry) -> Entry:
    """Lay one tree over another: maps merge key by key, lists and plain values replace."""
    if not isinstance(base.value, Mapping) or not isinstance(over.value, Mapping):
        return over
    entries = dict(base.value)
    for name, entry in over.value.items():
        entries[name] = merged(entries[name], entry) if name in entries else entry
    return Entry(over.place, entries)


def read_document(content: bytes, file: str) -> Entry:
    """Read one policy file.

    Args:
        content: The file's bytes, UTF-8.
        file: What to call the file in errors.

    Raises:
        PolicyError: it is not a YAML map of plain values.
    """
    entry = read_tree(content, file, instead_of_alias="name a policy in `extends` to share values")
    if not isinstance(entry.value, Mapping):
        raise PolicyError([Problem(Place(file), "", "holds no policy; a policy is a map of keys")])
    return entry


def read_tree(content: bytes, file: str, *, instead_of_alias: str) -> Entry:
    """Read one YAML file of any kind.

    Args:
        content: The file's bytes, UTF-8.
        file: What to call the file in errors.
        instead_of_alias: What somebody who wrote an alias is told to do.

    Raises:
        PolicyError: it is not YAML, or holds more than plain values.
    """
    node = _compose(_decoded(content, file), file)
    place = Place(file, 1, 1)
    if node is None:
        return Entry(place, None)
    reader = _Reader(file, instead_of_alias)
    entry = reader.entry(node, place, ())
    if reader.problems:
        raise PolicyError(reader.problems)
    return entry


def _decoded(content: bytes, file: str) -> str:
    if len(content) > LARGEST_FILE_BYTES:
        raise PolicyError([Problem(Place(file), "", f"is larger than {LARGEST_FILE_BYTES} bytes")])
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PolicyError([Problem(Place(file, line, 1), "", "is not UTF-8")]) from error


def _compose(text: str, file: str) -> Node | None:
    place, problem = Place(file), ""
    try:
        node: Node | None = _parser().compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if mark is not None:
            place = Place(file, mark.line + 1, mark.column + 1)
        problem = " ".join(filter(None, (error.problem, error.context)))
    except YAMLError as error:
        problem = str(error).splitlines()[0]
    except RecursionError:
        problem = "values are nested too deep"
    else:
        return node
    raise PolicyError([Problem(place, "", f"is not well-formed YAML: {problem}")])


def _parser() -> YAML:
    return YAML(typ="safe", pure=True)


class _Reader:
    """Turns YAML nodes into entries and notes what it refuses."""

    def __init__(self, file: str, instead_of_alias: str) -> None:
        self.file = file
        self.instead_of_alias = instead_of_alias
        self.problems: list[Problem] = []
        self._construct = _parser().constructor.construct_object
        self._seen: set[int] = set()

    def entry(self, node: Node, place: Place, key: Key) -> Entry:
        if id(node) in self._seen:
            self._refuse(place, key, f"is an alias; {self.instead_of_alias}")
            return Entry(place, None)
        self._seen.add(id(node))
        if node.tag not in PLAIN_TAGS | {TIMESTAMP_TAG}:
            self._refuse(place, key, f"carries the tag {node.tag}, and tags have no meaning here")
            return Entry(place, None)
        if isinstance(node, MappingNode):
            return Entry(place, self._map(node, key))
        if isinstance(node, SequenceNode):
            items = (
                self.entry(item, self._place(item), (*key, position))
                for position, item in enumerate(node.value)
            )
            return Entry(place, tuple(items))
        return Entry(place, self._scalar(node, place, key))

    def _map(self, node: MappingNode, key: Key) -> dict[str, Entry]:
        entries: dict[str, Entry] = {}
        for name_node, value_node in node.value:
            place = self._place(name_node)
            if not isinstance(name_node, ScalarNode):
                self._refuse(place, key, "has a key that is not a word")
                continue
            name = name_node.value
            if name in entries:
                first = entries[name].place.line
                self._refuse(place, (*key, name), f"appears twice, first in line {first}")
                continue
            entries[name] = self.entry(value_node, place, (*key, name))
        return entries

    def _scalar(self, node: Node, place: Place, key: Key) -> Scalar:
        if node.tag == TIMESTAMP_TAG:
            return str(node.value)
        try:
            value: Scalar = self._construct(node)
        except (ConstructorError, ValueError):
            self._refuse(place, key, f"does not fit its tag {node.tag}")
            return None
        if isinstance(value, float) and not math.isfinite(value):
            self._refuse(place, key, "must be a finite number")
            return None
        return value

    def _place(self, node: Node) -> Place:
        return Place(self.file, node.start_mark.line + 1, node.start_mark.column + 1)

    def _refuse(self, place: Place, key: Key, message: str) -> None:
        self.problems.append(Problem(place, spelled(key), message))
