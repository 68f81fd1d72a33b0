"""What a question is about, by the policy's rules, when the caller does not say."""

from collections.abc import Iterable
from typing import NamedTuple

from guards.text.normal import normalise
from policies.patterns import tenant_pattern
from policies.policy import IntentRule


class IntentFound(NamedTuple):
    """An intent and why.

    Attributes:
        intent: The intent's name; None if no rule matched.
        why: The pattern that matched, or that none did; never words of the question.
    """

    intent: str | None
    why: str


class Intents:
    """Intent rules, compiled once."""

    def __init__(self, rules: Iterable[IntentRule]) -> None:
        self._patterns = [
            (rule.intent, pattern, tenant_pattern(pattern))
            for rule in rules
            for pattern in rule.patterns
        ]

    def intent_of(self, question: str) -> IntentFound:
        """Return the intent of the first rule with a match in the question."""
        text = normalise(question).text
        for intent, pattern, compiled in self._patterns:
            if compiled.is_in(text):
                return IntentFound(intent, f"pattern {pattern!r}")
        return IntentFound(None, "no pattern matched" if self._patterns else "no intent rules")
