"""Reads PromQL as far as it takes to know which metrics and labels a query names."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|\#[^\n]*)
    | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    | (?P<time>\[[^\]]*\])
    | (?P<figure>\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:ms|[smhdwy])?|Inf|NaN)
    | (?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)
    | (?P<sign>=~|!~|!=|==|>=|<=|[-+*/%^(){},=<>@])
    """,
    re.VERBOSE,
)
_DURATION = re.compile(r"\[(?:\d+(?:ms|[smhdwy]))+(?::(?:\d+(?:ms|[smhdwy]))*)?\]")
_OF_LABELS = frozenset({"by", "without", "on", "ignoring", "group_left", "group_right"})
_WORDS = frozenset({"and", "or", "unless", "bool", "offset"})
_FUNCTIONS = frozenset(
    "absent changes deriv histogram_quantile increase max min rate sum time topk vector".split()
)
"""Those that are used here; one that is not may be misspelt."""


class NotPromQL(Exception):
    """A query that cannot be read."""


@dataclass
class Query:
    """What a query names.

    Attributes:
        selectors: Each metric with what its labels have to be: the sign and the text.
        grouped: Labels that it groups, joins or leaves out by.
    """

    selectors: list[tuple[str, Mapping[str, tuple[str, str]]]] = field(default_factory=list)
    grouped: set[str] = field(default_factory=set)


def read_query(text: str) -> Query:
    """Return what a query names.

    Raises:
        NotPromQL: it cannot be read.
    """
    tokens = list(_tokens(text))
    _check_brackets(text, [said for kind, said in tokens if kind == "sign"])
    query = Query()
    place = 0
    while place < len(tokens):
        kind, said = tokens[place]
        follows = tokens[place + 1][1] if place + 1 < len(tokens) else ""
        place += 1
        if kind == "time" and not _DURATION.fullmatch(said):
            raise NotPromQL(f"{text}: {said} is no span of time")
        if kind != "name" or said in _WORDS:
            continue
        if said in _OF_LABELS:
            names, place = _list(tokens, place)
            query.grouped.update(names)
        elif said in _FUNCTIONS:
            if follows != "(" and follows not in _OF_LABELS:
                raise NotPromQL(f"{text}: {said} is a function")
        elif follows == "(":
            raise NotPromQL(f"{text}: no function is called {said}")
        else:
            wanted, place = _matchers(tokens, place)
            query.selectors.append((said, wanted))
    return query


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise NotPromQL(f"{text}: nothing is written like {text[place:]!r}")
        place = found.end()
        if found.lastgroup and found.lastgroup != "space":
            yield found.lastgroup, found[0]


def _check_brackets(text: str, signs: list[str]) -> None:
    opened: list[str] = []
    for sign in signs:
        if sign in "({":
            opened.append(sign)
        elif sign in ")}" and (not opened or opened.pop() + sign not in {"()", "{}"}):
            raise NotPromQL(f"{text}: {sign} closes nothing")
    if opened:
        raise NotPromQL(f"{text}: {opened[-1]} is never closed")


def _list(tokens: list[tuple[str, str]], place: int) -> tuple[list[str], int]:
    """Return the names in the brackets at a place, if there are any, and what comes behind."""
    if place == len(tokens) or tokens[place][1] != "(":
        return [], place
    end = next(at for at in range(place, len(tokens)) if tokens[at][1] == ")")
    return [said for kind, said in tokens[place:end] if kind == "name"], end + 1


def _matchers(tokens: list[tuple[str, str]], place: int) -> tuple[dict[str, tuple[str, str]], int]:
    """Return what the labels in the braces at a place have to be, and what comes behind."""
    if place == len(tokens) or tokens[place][1] != "{":
        return {}, place
    end = next(at for at in range(place, len(tokens)) if tokens[at][1] == "}")
    inside = [token for token in tokens[place + 1 : end] if token[1] != ","]
    found = {}
    for at in range(0, len(inside), 3):
        (kind, label), (_, sign), (what, said) = inside[at : at + 3]
        if (kind, what) != ("name", "text"):
            raise NotPromQL(f"{label} {sign} {said} is no matcher")
        found[label] = sign, said[1:-1]
    return found, end + 1
