"""Recognises a text that a template wrote, by what the template always says.

A template's syntax tree becomes one RE2 pattern: its words stand as they are, any blank for any
other, whatever it fills in is left open, a branch may be either, a loop may come any number of
times. RE2 keeps the search linear.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import re2
from jinja2 import nodes

from policies.jinja import parsed
from policies.patterns import OWN_PATTERN_MEMORY_BYTES, Pattern

FEWEST_FIXED_CHARS = 12
"""A template that always says less than this could be found in anybody's words."""
LONGEST_TEXT_CHARS = 20_000
BLANKS = r"[\pZ\p{Cc}]*"


@dataclass(frozen=True, slots=True)
class Print:
    """What a template leaves in the texts that it writes.

    Attributes:
        pattern: Finds it in a text.
        fixed_chars: Characters, blanks aside, that stand in every text of the template.
    """

    pattern: Pattern
    fixed_chars: int

    def is_in(self, text: str) -> bool:
        """Return whether the template wrote the text, or a part of it."""
        if self.fixed_chars < FEWEST_FIXED_CHARS:
            return False
        return self.pattern.is_in(text[:LONGEST_TEXT_CHARS])


@lru_cache(maxsize=1024)
def print_of(source: str) -> Print:
    """Return what a template leaves in its texts."""
    pattern, fixed_chars = _all(parsed(source).body)
    inner = pattern.removeprefix(BLANKS).removesuffix(BLANKS)
    compiled = Pattern(inner, ignore_case=False, memory_bytes=OWN_PATTERN_MEMORY_BYTES)
    return Print(compiled, fixed_chars)


_Piece = tuple[str, int]


def _all(body: Sequence[nodes.Node]) -> _Piece:
    pieces = [_piece(node) for node in body]
    return "".join(pattern for pattern, _ in pieces), sum(fixed for _, fixed in pieces)


def _piece(node: nodes.Node) -> _Piece:
    if isinstance(node, nodes.Output):
        return _all(node.nodes)
    if isinstance(node, nodes.TemplateData):
        return _words(node.data)
    if isinstance(node, nodes.If):
        return _either([node.body, *(other.body for other in node.elif_), node.else_])
    if isinstance(node, nodes.For):
        pattern, _ = _either([node.body, node.else_])
        return f"{pattern}*", 0
    return ".*", 0


def _either(bodies: Sequence[Sequence[nodes.Node]]) -> _Piece:
    pieces = [_all(body) for body in bodies]
    patterns = "|".join(pattern for pattern, _ in pieces)
    return f"(?:{patterns})", min(fixed for _, fixed in pieces)


def _words(text: str) -> _Piece:
    pattern = BLANKS.join(re2.escape(word) for word in re.split(r"\s+", text))
    return pattern, len("".join(text.split()))
