"""Regular expressions on RE2, a linear-time engine that tenants may write for."""

from collections.abc import Sequence
from functools import lru_cache

import re2

PATTERN_MEMORY_BYTES = 1 << 20
OWN_PATTERN_MEMORY_BYTES = 8 << 20
_FEWEST_TOGETHER = 3


class BadPattern(ValueError):
    """RE2 does not take the pattern."""

    def __init__(self, pattern: str, reason: str) -> None:
        super().__init__(f"is no pattern that RE2 takes: {reason}")
        self.pattern = pattern
        self.reason = reason


class Pattern:
    """A compiled pattern; ``.`` takes line ends too.

    Raises:
        BadPattern: a syntax error, look-around, a backreference, or too large when compiled.
    """

    def __init__(self, pattern: str, *, ignore_case: bool, memory_bytes: int) -> None:
        options = re2.Options()
        options.max_mem = memory_bytes
        options.case_sensitive = not ignore_case
        options.dot_nl = True
        options.never_capture = True
        options.log_errors = False
        try:
            self._compiled = re2.compile(pattern, options)
        except re2.error as error:
            [reason] = error.args
            raise BadPattern(pattern, reason.decode("utf-8", "replace")) from error

    def is_in(self, text: str) -> bool:
        """Return whether the pattern matches anywhere in a text."""
        # Half of a surrogate pair can come in through JSON, and RE2 reads UTF-8.
        # As bytes, since re2 writes a str anew and counts its way back to each match.
        return self._compiled.search(text.encode("utf-8", "replace")) is not None


@lru_cache(maxsize=4096)
def tenant_pattern(pattern: str) -> Pattern:
    """Compile a pattern that a tenant wrote; upper and lower case are alike.

    Raises:
        BadPattern: RE2 does not take it, or it grows too large when compiled.
    """
    return Pattern(pattern, ignore_case=True, memory_bytes=PATTERN_MEMORY_BYTES)


def any_pattern(patterns: Sequence[str]) -> Pattern | None:
    """Return what matches wherever one of several tenants' patterns does.

    None where there are too few for that to pay, or where they are too large together.
    """
    if len(patterns) < _FEWEST_TOGETHER:
        return None
    try:
        return tenant_pattern("|".join(f"(?:{pattern})" for pattern in patterns))
    except BadPattern:
        return None
