"""Reads JSON from the wire, strictly: what we check must be what the model server reads."""

import json
import math
from typing import TypeAlias

from pydantic import JsonValue

JsonObject: TypeAlias = dict[str, JsonValue]
JSON_TYPE = "application/json"


def read_object(raw: bytes) -> JsonObject:
    """Return a JSON object.

    A key that stands twice is refused: readers disagree on which one counts, so one value could be
    checked and another one used.

    Raises:
        ValueError: not UTF-8, not JSON, not an object, a key twice, or nested too deeply.
    """
    try:
        value = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
            parse_float=_finite,
        )
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError(f"expected an object, got {type(value).__name__}")  # noqa: TRY004
    return value


def _unique(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError("a number is too large to be written again")
    return number


def member(value: JsonValue | None, key: str) -> JsonValue | None:
    """Return a member of a JSON object; None if it is missing or the value is no object."""
    return value.get(key) if isinstance(value, dict) else None


def objects(value: JsonValue | None) -> list[JsonObject]:
    """Return the objects of a JSON array; an empty list if it is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def member_path(place: tuple[int | str, ...]) -> str:
    """Return a place as OpenAI writes it: ``messages[0].role``."""
    named = ""
    for step in place:
        if isinstance(step, int):
            named += f"[{step}]"
        elif step.isidentifier():  # pydantic also names union members, which are no fields
            named += f".{step}" if named else step
    return named.removesuffix(".str")
