"""Finds the JSON value in what a model wrote: in a fence, among prose, slightly broken."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import islice

from pydantic import JsonValue

_LONGEST_CHARS = 64 * 1024
_MOST_STARTS = 60
_THOUGHT = re.compile(r"^\s*<think>.*?(?:</think>|\Z)", re.DOTALL)
_START = re.compile(r"[{\[]")
_PIECE = re.compile(
    # Strings stay as they are. One that is never closed reaches to the end, so that no place is
    # looked at twice.
    r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)'
    r"|'((?:[^'\\]|\\.)*)(?:'|\\?\Z)"
    r"|,(?=\s*[}\]])"
    r"|\b(?:True|False|None)\b",
    re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_ESCAPED_QUOTE = re.compile(r"\\'")
_decoder = json.JSONDecoder(strict=False)


def find_json(text: str, fits: Callable[[JsonValue], bool]) -> JsonValue:
    """Return the first JSON value in a text that fits.

    Values as they stand are looked at first. Then the text is repaired, once: trailing commas,
    single quotes and Python's words for truth values.

    Raises:
        ValueError: there is none.
    """
    for candidate in _candidates(text):
        for value in _values(candidate):
            if fits(value):
                return value
    raise ValueError("no JSON value that fits")


def find_pieces(text: str, fits: Callable[[JsonValue], bool]) -> list[JsonValue]:
    """Return every JSON value in a text that fits: what is whole of something that was cut."""
    for candidate in _candidates(text):
        if found := [value for value in _values(candidate) if fits(value)]:
            return found
    return []


def _candidates(text: str) -> Iterator[str]:
    """Yield a text without what was only thought, as it stands and repaired."""
    shown = _THOUGHT.sub("", text[:_LONGEST_CHARS])
    yield shown
    begun = shown[shown.find("{") :]  # an apostrophe in the prose before it would pass for a quote
    yield _PIECE.sub(_repaired, begun)


def _values(text: str) -> Iterator[JsonValue]:
    # A bounded number of places is tried, so that a text full of brackets takes no longer.
    for start in islice(_START.finditer(text), _MOST_STARTS):
        try:
            yield _decoder.raw_decode(text, start.start())[0]
        except (ValueError, RecursionError):
            continue


def _repaired(piece: re.Match[str]) -> str:
    found = piece.group()
    if found == ",":
        return ""
    if piece[1] is not None:
        inner = _ESCAPED_QUOTE.sub("'", piece[1]).replace('"', r"\"")
        return f'"{inner}"'
    return _WORDS.get(found, found)
