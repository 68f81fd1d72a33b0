"""Where the cases of a JSON file stand."""

import json
import re

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
