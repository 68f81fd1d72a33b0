"""JSON on the wire, read strictly: what is checked must be what the model server reads."""

import json
import math
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from typing import NamedTuple, TypeAlias

import msgspec
from pydantic import JsonValue

JsonObject: TypeAlias = dict[str, JsonValue]
JSON_TYPE = "application/json"
_SHORT_BYTES = 2_000
"""Up to here it is quicker to read a text and write it again than to look at each of its keys."""
_ESCAPED_COLON = b"\\u003"
_MOST_LEVELS = 200
"""Deeper than anybody nests what is meant, and shallow enough for every step that walks down."""


class Bounds(NamedTuple):
    """The most brackets and braces, and the most commas, those in texts counted, too.

    To read so many values takes long and cannot be interrupted; a text of as many bytes takes
    little.
    """

    containers: int
    commas: int


OF_REQUEST = Bounds(150_000, 1_000_000)
OF_REPLY = Bounds(1_000_000, 5_000_000)
"""The log probabilities of 16,000 tokens, with 20 alternatives each, are 700,000 containers."""
_READER = msgspec.json.Decoder()
_WRITER = msgspec.json.Encoder()


class _Unfit(ValueError):
    """JSON that some parsers accept and this one refuses."""


def read_object(raw: bytes, bounds: Bounds = OF_REQUEST) -> JsonObject:
    """Return a JSON object.

    A key that appears twice is refused: parsers disagree on which one counts, so one value could be
    checked and another one used.

    Raises:
        ValueError: not UTF-8, not JSON, not an object, a key twice, nested too deeply, or with too
            many values.
    """
    containers = raw.count(b"[") + raw.count(b"{")
    may_be_deep = containers > _MOST_LEVELS
    if containers > bounds.containers or raw.count(b",") > bounds.commas:
        raise ValueError("more values than can be read")
    if len(raw) <= _SHORT_BYTES and not may_be_deep:
        found = _short_object(raw)
        if found is not None:
            return found
    value = _strict(raw)
    if not isinstance(value, dict):
        raise ValueError(f"expected an object, got {type(value).__name__}")  # noqa: TRY004
    if may_be_deep and _is_deep(value):
        raise ValueError("nested too deeply")
    return value


def _strict(raw: bytes) -> JsonValue:
    try:
        value: JsonValue = _STRICT.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except _Unfit:
        raise
    except ValueError:
        raise ValueError("a number has more digits than can be read") from None
    return value


def _is_deep(value: JsonObject) -> bool:
    level: list[JsonObject | list[JsonValue]] = [value]
    for _ in range(_MOST_LEVELS):
        below = (one for holder in level for one in _inside(holder))
        level = [one for one in below if isinstance(one, (dict, list))]
        if not level:
            return False
    return True


def _inside(holder: JsonObject | list[JsonValue]) -> Iterable[JsonValue]:
    return holder.values() if isinstance(holder, dict) else holder


def _short_object(raw: bytes) -> JsonObject | None:
    """Return a JSON object of which all is well; None for everything that is to be looked at."""
    try:
        found = _READER.decode(raw)
    except (ValueError, RecursionError):
        return None
    # A key that appears twice is lost, and its colon with it; an escaped one could hide that.
    if not isinstance(found, dict) or _ESCAPED_COLON in raw:
        return None
    return found if _WRITER.encode(found).count(b":") == raw.count(b":") else None


def _unique(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        times = Counter(key for key, _ in pairs)
        twice = next(key for key, number in times.items() if number > 1)
        raise _Unfit(f"the key {twice!r} appears twice in one object")
    return found


def _no_constant(name: str) -> None:
    raise _Unfit(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _Unfit("a number is too large to be written again")
    return number


_STRICT = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
)


def member(value: JsonValue | None, key: str) -> JsonValue | None:
    """Return a member of a JSON object; None if it is missing or the value is no object."""
    return value.get(key) if isinstance(value, dict) else None


def objects(value: JsonValue | None) -> list[JsonObject]:
    """Return the objects of a JSON array; an empty list if it is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def only(value: JsonObject, names: Container[str]) -> JsonObject:
    """Return an object with no other members than those named."""
    return {key: item for key, item in value.items() if key in names}


def with_text_at_end(message: JsonObject, text: str, kind: str = "text") -> JsonObject:
    """Return a message with one more paragraph, or part of that kind, at its end."""
    content = message.get("content")
    if isinstance(content, list):
        return message | {"content": [*content, {"type": kind, "text": text}]}
    return message | {"content": f"{content}\n\n{text}" if content else text}


def with_note(turns: list[JsonValue], note: str, kind: str = "text") -> list[JsonValue]:
    """Return turns with a note at the end of the last one, or behind it if it is no user's."""
    last = turns[-1] if turns else None
    if not isinstance(last, dict) or last.get("role") != "user":
        return [*turns, {"role": "user", "content": note}]
    return [*turns[:-1], with_text_at_end(last, note, kind)]


def member_path(place: tuple[int | str, ...]) -> str:
    """Return a place as OpenAI writes it: ``messages[0].role``."""
    named = ""
    for step in place:
        if isinstance(step, int):
            named += f"[{step}]"
        elif step.isidentifier():  # pydantic also names union members, which are no fields
            named += f".{step}" if named else step
    return named.removesuffix(".str")


# Pictures, sound and documents: addresses and base64, in which nothing may be replaced.
_FILES = frozenset({"image_url", "input_audio", "video_url", "audio_url", "file", "token_ids"})


def texts(value: JsonValue) -> Iterator[str]:
    """Yield every text of a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in _FILES:
                yield from texts(item)


def with_texts(value: JsonValue, change: Callable[[str], str]) -> JsonValue:
    """Return a value with every text changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [with_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {
            key: item if key in _FILES else with_texts(item, change) for key, item in value.items()
        }
    return value
