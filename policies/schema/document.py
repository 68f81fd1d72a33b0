"""Policy files as YAML trees whose values know their line, and limits on their form.

YAML 1.2, so that ``mode: off`` is the word. What makes a policy hard to read is refused: a key that
appears twice, aliases (policies share through ``extends``), and tags. The shape has every guard's
own options in it: to check files, and for editors.
"""

import difflib
import json
import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeGuard, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    ValidationError,
    WithJsonSchema,
    create_model,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import ErrorDetails
from ruamel.yaml import YAML
from ruamel.yaml.constructor import ConstructorError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from guards.core.registry import all_guards
from policies.schema.base import Key, Place, PolicyError, Problem, Remark, Shape, spelled
from policies.schema.policy import GuardRule, Policy

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


LONGEST_SHOWN_CHARS = 60
WORDING = (
    (r"^(Input|String|Tuple) should", "must"),
    (r"\ban object\b", "a map"),
    (r"\ba valid array\b", "a list"),
    (r"<\w+\.\w+: ('\w+')>", r"\1"),
)
"""Pydantic's wording in JSON's terms -> ours, in YAML's."""
SECRET_KEYS = frozenset({"keys", "api_key_env"})
"""Fields where a key may be pasted by mistake; an error never repeats their values."""


@cache
def typed_policy() -> type[Policy]:
    """Return `Policy` with exactly the guards that exist, each with its own options."""
    rules: dict[str, Any] = {}
    for name in all_guards():
        rule = _typed_rule(name)
        rules[name] = (rule, Field(default_factory=rule))
    guards = create_model("Guards", __base__=Shape, **rules)
    guards.__doc__ = "A rule for each guard; one that is not named does not run."
    fields: dict[str, Any] = {"guards": (guards, Field(default_factory=guards))}
    typed = create_model("TypedPolicy", __base__=Policy, **fields)
    typed.__doc__ = Policy.__doc__
    return typed


def _typed_rule(guard: str) -> type[GuardRule]:
    guard_type = all_guards()[guard]
    codes = [*guard_type.codes]

    def known(code: str) -> str:
        if code not in codes:
            raise ValueError(f"{code!r} is no code of this guard; {suggestion(code, codes)}")
        return code

    listed = WithJsonSchema({"type": "string", "enum": codes})
    code = Annotated[str, AfterValidator(known), listed]
    options = Field(default_factory=dict, validate_default=True)
    fields: dict[str, Any] = {
        "options": (guard_type.settings_type, options),
        "weak": (tuple[code, ...], GuardRule.model_fields["weak"]),
    }
    rule = create_model(f"Rule_{guard}", __base__=GuardRule, **fields)
    rule.__doc__ = f"What a tenant wants of the guard `{guard}`."
    return rule


def json_schema() -> JsonSchemaValue:
    """Return the JSON Schema of policy files, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **typed_policy().model_json_schema(),
        "title": "Policy of guard-proxy",
    }


def validated(values: Plain) -> Policy:
    """Return the policy that the bare values of a file stand for.

    Strict as JSON is: the text ``"5"`` is not a number, and ``yes`` is a word.

    Raises:
        ValidationError: `remarks_on` says it in our words.
    """
    typed_policy().model_validate_json(json.dumps(values), strict=True)
    return Policy.model_validate_json(json.dumps(values), strict=True)


def remarks_on(error: ValidationError, shape: type[BaseModel] | None = None) -> list[Remark]:
    """Say what is wrong, one remark for each value.

    Args:
        shape: What was to be read; None for a policy.
    """
    root = shape or typed_policy()
    return [
        Remark(tuple(details["loc"]), _message(details, root))
        for details in error.errors(include_url=False)
    ]


def _message(details: ErrorDetails, root: type[BaseModel]) -> str:
    kind, key, said = details["type"], tuple(details["loc"]), details["msg"]
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        *above, name = key
        known = _names_at(root, tuple(above))
        homes = [one for one in known if name in _names_at(root, (*above, one))]
        if len(homes) == 1:
            return f"is not a known key here; it belongs under {homes[0]!r}"
        return "is not a known key; " + suggestion(str(name), known)
    if kind == "value_error":
        return said.removeprefix("Value error, ")
    if kind == "string_pattern_mismatch" and key[:1] == ("keys",):
        return (
            "is no salted hash of a key; paste the line that `guard-proxy keys new TENANT` prints"
        )
    for theirs, ours in WORDING:
        said = re.sub(theirs, ours, said)
    found = details["input"]
    shown = "nothing" if found is None else repr(found)
    if SECRET_KEYS & set(key) or len(shown) > LONGEST_SHOWN_CHARS or isinstance(found, dict | list):
        return said
    return f"{said}, not {shown}"


def suggestion(word: str, known: Iterable[str]) -> str:
    """Say which known word was probably meant, or which there are."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1)
    return f"did you mean {close[0]!r}?" if close else "known here: " + ", ".join(names or ["none"])


def _names_at(root: type[BaseModel], key: Key) -> list[str]:
    kind: object = root
    for step in key:
        kind = _inside(kind, step)
    return list(kind.model_fields) if _is_shape(kind) else []


def _inside(kind: object, step: str | int) -> object:
    """Return the type of the value at a key of a model, of a map or of a list."""
    if _is_shape(kind):
        field = kind.model_fields.get(str(step))
        inside: object = field.annotation if field else None
    else:
        types = get_args(kind) or (None,)
        inside = types[-1] if get_origin(kind) is dict else types[0]
    is_optional = get_origin(inside) in {Union, UnionType} and type(None) in get_args(inside)
    return get_args(inside)[0] if is_optional else inside


def _is_shape(kind: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
