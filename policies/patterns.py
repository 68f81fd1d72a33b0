"""Patterns that tenants write, on a linear-time engine."""

from functools import lru_cache
from typing import Protocol

import re2

PATTERN_MEMORY_BYTES = 1 << 20


class Pattern(Protocol):
    """What is used of a compiled RE2 pattern, which ships no types of its own."""

    def search(self, text: str) -> object | None:
        """Find the first match anywhere in the text."""


class BadPattern(ValueError):
    """RE2 does not take the pattern."""

    def __init__(self, pattern: str, reason: str) -> None:
        super().__init__(f"is no pattern that RE2 takes: {reason}")
        self.pattern = pattern
        self.reason = reason


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> Pattern:
    """Compile a pattern; upper and lower case are alike, and ``.`` takes line ends too.

    Raises:
        BadPattern: a syntax error, look-around, a backreference, or too large when compiled.
    """
    options = re2.Options()
    options.max_mem = PATTERN_MEMORY_BYTES
    options.case_sensitive = False
    options.dot_nl = True
    options.log_errors = False
    try:
        found: Pattern = re2.compile(pattern, options)
    except re2.error as error:
        [reason] = error.args
        raise BadPattern(pattern, reason.decode("utf-8", "replace")) from error
    return found
