"""What a question is about, by the policy's rules, when the caller does not say."""

from collections.abc import Iterable
from typing import NamedTuple

from guards.text.normal import normalise
from policies.patterns import any_pattern, tenant_pattern
from policies.policy import IntentRule


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
