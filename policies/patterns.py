"""Regular expressions of tenants on the linear-time engine RE2: patterns and intent rules."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import re2

from guards.text.normal import normalise
from policies.schema.policy import IntentRule

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


class IntentFound(NamedTuple):
    """An intent and why.

    Attributes:
        intent: The intent's name; None if no rule matched.
        why: The pattern that matched, or that none did; never words of the question.
    """

    intent: str | None
    why: str


_NO_MATCH = IntentFound(None, "no pattern matched")
_NO_RULES = IntentFound(None, "no intent rules")


class Intents:
    """Intent rules, compiled once."""

    def __init__(self, rules: Iterable[IntentRule]) -> None:
        self._patterns = [
            (rule.intent, pattern, tenant_pattern(pattern))
            for rule in rules
            for pattern in rule.patterns
        ]
        self._any = any_pattern([pattern for _, pattern, _ in self._patterns])

    def intent_of(self, question: str) -> IntentFound:
        """Return the intent of the first rule with a match in the question."""
        text = normalise(question).text
        if self._any is not None and not self._any.is_in(text):
            return _NO_MATCH
        for intent, pattern, compiled in self._patterns:
            if compiled.is_in(text):
                return IntentFound(intent, f"pattern {pattern!r}")
        return _NO_MATCH if self._patterns else _NO_RULES
