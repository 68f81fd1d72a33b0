"""A file -> a golden set, with all that is wrong named by file, line and case.

YAML and JSON hold a map with `cases`, or the list of cases itself; JSONL holds a case per line.
"""

import codecs
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue, ValidationError

from policies.schema.document import read_tree
from policies.schema.errors import Key, Place, PolicyError, Problem, spelled
from policies.schema.typed import remarks_on, suggestion
from proxy.golden.positions import case_lines
from proxy.golden.shape import Case, Evidence, GoldenSet
from proxy.openai_api.json_body import JsonObject, read_object

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
    """What a file says, and where."""

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
