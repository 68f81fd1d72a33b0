"""Tables of cases: one test tries every row of a table and reports all that fail."""

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from _pytest.mark import ParameterSet
from pydantic import TypeAdapter

Test = Callable[..., Any]
LONGEST_NAME = 60
_NAME = re.compile(r"\{([A-Z][A-Z_0-9]*)\}")
KNOWN_MISSES = Path(__file__).parent / "known_misses.txt"


def each_row(columns: str, rows: str | Iterable[object]) -> Callable[[Test], Test]:
    """Run a test once for every row of a table.

    Args:
        columns: Names of the test's parameters that a row fills, with commas between them.
        rows: The name of a table in the YAML file beside the test, or the rows themselves. A table
            maps the name of a row to its values; rows that explain themselves are a list. A row of
            one column is the value, a row of several a sequence.

    A value of a file is read as the annotation of its parameter says (a tuple, an enum by its
    value); `{NAME}` in it stands for that text of the test's module. A column that a row leaves out
    takes the parameter's default. A row that `known_misses.txt` names as `path::test[row]` has to
    fail.

    Fixtures are made once for all rows; those with a method `tidied` are tidied before each row.
    """
    names = [name.strip() for name in columns.split(",")]

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        assert signature.parameters.keys() >= set(names), f"{test.__name__} has other parameters"

        def calls(fixtures: Mapping[str, object]) -> Iterator[tuple[str, dict[str, Any]]]:
            table = _from_file(test, names, rows) if isinstance(rows, str) else _named(rows)
            for row, values in table.items():
                for fixture in fixtures.values():
                    if hasattr(fixture, "tidied"):
                        fixture.tidied()
                yield row, {**dict(zip(names, _values(names, values), strict=False)), **fixtures}

        @functools.wraps(test)
        def run(**fixtures: object) -> None:
            _report({row: _failure(test, call) for row, call in calls(fixtures)})

        @functools.wraps(test)
        async def run_async(**fixtures: object) -> None:
            _report({row: await _async_failure(test, call) for row, call in calls(fixtures)})

        tried: Test = run_async if inspect.iscoroutinefunction(test) else run
        parameters = [one for name, one in signature.parameters.items() if name not in names]
        tried.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return tried

    return decorate


def _report(found: Mapping[str, Exception | None]) -> None:
    """Fail where a row failed, or passed that is known to fail."""
    known = _known_misses()
    failures = []
    for row, failure in found.items():
        if (failure is None) == (row in known):
            failure = failure or AssertionError("passes: take it out of known_misses.txt")
            failure.add_note(f"row {row!r}")
            failures.append((row, failure))
    assert known <= found.keys(), "known_misses.txt names a row that is gone"
    if failures:
        missed = f"{len(failures)} of {len(found)} rows: " + ", ".join(dict(failures))
        raise ExceptionGroup(missed, [failure for _, failure in failures])


def _failure(test: Test, arguments: Mapping[str, object]) -> Exception | None:
    with _caught() as failures:
        test(**arguments)
    return failures[0] if failures else None


async def _async_failure(test: Test, arguments: Mapping[str, object]) -> Exception | None:
    with _caught() as failures:
        await test(**arguments)
    return failures[0] if failures else None


@contextmanager
def _caught() -> Iterator[list[Exception]]:
    failures: list[Exception] = []
    try:
        yield failures
    except pytest.fail.Exception as failure:  # no Exception, which a group could not hold
        failures.append(AssertionError(str(failure)).with_traceback(failure.__traceback__))
    except Exception as failure:  # noqa: BLE001 - any error is this row's; the others run on
        failures.append(failure)


def _values(names: list[str], row: object) -> list[object]:
    if len(names) == 1:
        return [row]
    assert isinstance(row, list | tuple)
    assert len(row) <= len(names), f"{len(row)} values for {', '.join(names)}"
    return list(row)


def _named(rows: Iterable[object]) -> dict[str, object]:
    """Name rows by their keys or ids, or else by what they hold, as pytest does."""
    if isinstance(rows, Mapping):
        return dict(rows)
    named: dict[str, object] = {}
    for row in rows:
        name, values = None, row
        if isinstance(row, ParameterSet):
            name, values = row.id, row.values if len(row.values) > 1 else row.values[0]
        name = str(name or _text(values)[:LONGEST_NAME])
        while name in named:
            name += "'"
        named[name] = values
    return named


def _text(values: object) -> str:
    if isinstance(values, tuple | list):
        return "-".join(str(value) for value in values)
    return str(values)


def _from_file(test: Test, names: list[str], table: str) -> dict[str, object]:
    readers = [
        TypeAdapter(inspect.signature(test, eval_str=True).parameters[name].annotation)
        for name in names
    ]
    file = Path(inspect.getfile(inspect.unwrap(test))).with_suffix(".yaml")
    module = vars(inspect.getmodule(inspect.unwrap(test)))
    texts = {name: text for name, text in module.items() if isinstance(text, str)}
    read: dict[str, object] = {}
    for row, values in _named(_tables(file)[table]).items():
        cells = [
            reader.validate_python(_filled(value, texts))
            for reader, value in zip(readers, _values(names, values), strict=False)
        ]
        read[row] = cells[0] if len(names) == 1 else cells
    return read


def _filled(value: object, texts: Mapping[str, str]) -> object:
    if isinstance(value, str):
        return _NAME.sub(lambda name: texts[name[1]], value)
    if isinstance(value, dict):
        return {name: _filled(one, texts) for name, one in value.items()}
    return [_filled(one, texts) for one in value] if isinstance(value, list) else value


@cache
def _tables(file: Path) -> dict[str, Any]:
    tables: dict[str, Any] = yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)
    return tables


def _known_misses() -> set[str]:
    """Return the rows of the running test that are expected to fail."""
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
    return {row for id_, row in _misses() if id_ == test}


@cache
def _misses() -> list[tuple[str, str]]:
    return list(_read_misses())


def _read_misses() -> Iterator[tuple[str, str]]:
    for line in KNOWN_MISSES.read_text("utf-8").splitlines():
        test, bracket, row = line.partition("[")
        if bracket and not line.startswith("#"):
            yield test, row.removesuffix("]")
