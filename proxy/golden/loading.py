"""Reads golden sets from files, and finds them by name; names what is wrong by file, line and case.

YAML and JSON hold a map with `cases`, or the list of cases itself; JSONL holds a case per line.
"""

import codecs
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath
from types import MappingProxyType

from pydantic import JsonValue, ValidationError

from policies.schema.base import Key, Place, PolicyError, Problem, spelled
from policies.schema.document import read_tree, remarks_on, suggestion
from policies.schema.inheritance import ENDINGS
from proxy.golden.shape import Case, Evidence, GoldenSet
from proxy.openai_api.json_body import JsonObject, read_object

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def case_lines(text: str) -> list[int]:
    """Return the line of each element of the member `cases` of a JSON object.

    Args:
        text: An object that `json` reads without objection.
    """
    position = _cases_at(text)
    lines: list[int] = []
    line, counted = 1, 0
    while position is not None and text[position] != "]":
        line += text.count("\n", counted, position)
        counted = position
        lines.append(line)
        position = _next(text, _DECODER.raw_decode(text, position)[1])
    return lines


def _cases_at(text: str) -> int | None:
    """Return where the first case or the end of the list stands; None if there is no list."""
    position = _next(text, _skip(text, 0) + 1)
    while text[position] != "}":
        name, end = _DECODER.raw_decode(text, position)
        value = _skip(text, _skip(text, end) + 1)
        if name == "cases":
            return _skip(text, value + 1) if text[value] == "[" else None
        position = _next(text, _DECODER.raw_decode(text, value)[1])
    return None


def _skip(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _next(text: str, position: int) -> int:
    """Return where the next element or the closing bracket stands."""
    position = _skip(text, position)
    return _skip(text, position + 1) if text[position] == "," else position


LARGEST_FILE_BYTES = 32 << 20
"""Of JSON. YAML has a lower limit, that of policies: it takes a hundred times as long to read."""


class GoldenError(Exception):
    """A golden set cannot be used.

    Attributes:
        problems: Everything that is wrong, in the order of lines; never empty.
    """

    def __init__(self, *problems: Problem) -> None:
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(map(str, self.problems)))


@dataclass(frozen=True, slots=True)
class _Written:
    """Contents of a file, with their places."""

    values: Mapping[str, JsonValue]
    place: Callable[[Key], Place]


def read_golden(content: bytes, file: str) -> GoldenSet:
    """Read a golden set.

    Args:
        content: The file's bytes, UTF-8.
        file: Its name, whose ending tells the format; for errors, too.

    Raises:
        GoldenError: it cannot be used.
    """
    reader = _READERS.get(Path(file).suffix.lower())
    if reader is None:
        known = ", ".join(_READERS)
        raise GoldenError(Problem(Place(file), "", f"is none of {known}"))
    if len(content) > LARGEST_FILE_BYTES:
        raise GoldenError(Problem(Place(file), "", f"is larger than {LARGEST_FILE_BYTES} bytes"))
    written = reader(content.removeprefix(codecs.BOM_UTF8), file)
    try:
        golden = GoldenSet.model_validate_json(json.dumps(written.values), strict=True)
    except ValidationError as error:
        remarks = remarks_on(error, GoldenSet)
        raise GoldenError(
            *(_problem(written, remark.key, remark.message) for remark in remarks)
        ) from None
    wrong = [
        *(_problem(written, *one) for one in _twice(golden, written)),
        *(_problem(written, *one) for one in _unknown_passages(golden)),
    ]
    if wrong:
        raise GoldenError(*wrong)
    return golden


def _read_yaml(content: bytes, file: str) -> _Written:
    try:
        tree = read_tree(content, file, instead_of_alias="cases share sources through `passages`")
    except PolicyError as error:
        raise GoldenError(*error.problems) from None
    values = tree.plain()
    if isinstance(values, list):
        return _Written({"cases": [*values]}, lambda key: tree.at(key[1:]))
    if not isinstance(values, dict):
        raise GoldenError(Problem(tree.place, "", "holds no cases"))
    return _Written({**values}, tree.at)


def _read_json(content: bytes, file: str) -> _Written:
    is_list = content.lstrip()[:1] == b"["
    # One way to read both; no line moves.
    whole = b'{"cases":' + content + b"}" if is_list else content
    values = _object(whole, file)
    lines = case_lines(whole.decode())
    return _Written(values, lambda key: Place(file, *_line_and_column(key, lines)))


def _line_and_column(key: Key, lines: list[int]) -> tuple[int, int]:
    number = key[1] if len(key) > 1 and key[0] == "cases" else None
    return (lines[number], 1) if isinstance(number, int) else (1, 1)


def _read_jsonl(content: bytes, file: str) -> _Written:
    numbered = [
        (number, line) for number, line in enumerate(content.split(b"\n"), 1) if line.strip()
    ]
    lines = [number for number, _ in numbered]
    cases: list[JsonValue] = [_object(line, file, number) for number, line in numbered]
    return _Written({"cases": cases}, lambda key: Place(file, *_line_and_column(key, lines)))


def _object(content: bytes, file: str, line: int = 0) -> JsonObject:
    try:
        return read_object(content)
    except ValueError as error:
        # In JSONL the line is that of the file, and not the first of its own.
        said = str(error).replace("line 1, ", "") if line else str(error)
        raise GoldenError(Problem(Place(file, line, 1), "", f"is not usable: {said}")) from None


_READERS: Mapping[str, Callable[[bytes, str], _Written]] = {
    ".yaml": _read_yaml,
    ".yml": _read_yaml,
    ".json": _read_json,
    ".jsonl": _read_jsonl,
}


def _problem(written: _Written, key: Key, message: str) -> Problem:
    if len(key) < 2 or key[0] != "cases":
        return Problem(written.place(key), spelled(key), message)
    return Problem(written.place(key), f"case {_case_name(written, key)}", _inside(key, message))


def _inside(key: Key, message: str) -> str:
    within = spelled(key[2:])
    return f"{within}: {message}" if within else message


def _case_name(written: _Written, key: Key) -> str:
    """Return a case's id, else its number, from 1."""
    cases, number = written.values["cases"], key[1]
    if not isinstance(cases, list) or not isinstance(number, int):
        return str(number)
    case = cases[number]
    name = case.get("id") if isinstance(case, dict) else None
    return repr(name) if isinstance(name, str) else f"number {number + 1}"


Remarked = tuple[Key, str]


def _twice(golden: GoldenSet, written: _Written) -> Iterator[Remarked]:
    first: dict[str, int] = {}
    for number, case in enumerate(golden.cases):
        before = first.setdefault(case.id, number)
        if before != number:
            line = written.place(("cases", before, "id")).line
            yield ("cases", number, "id"), f"is already the id of the case in line {line}"


def _unknown_passages(golden: GoldenSet) -> Iterator[Remarked]:
    for number, case in enumerate(golden.cases):
        for key, evidence in _evidence(case):
            for at, name in enumerate(evidence.passages or ()):
                if name not in golden.passages:
                    hint = suggestion(name, golden.passages)
                    place = ("cases", number, *key, "passages", at)
                    yield place, f"there is no passage {name!r}; {hint}"


def _evidence(case: Case) -> Iterator[tuple[Key, Evidence]]:
    yield (), case
    for number, turn in enumerate(case.turns):
        yield ("turns", number), turn


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
