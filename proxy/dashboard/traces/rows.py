"""A trace as a line of the list."""

from collections.abc import Iterator
from dataclasses import dataclass

from policies.schema.guard_rule import Action
from proxy.dashboard.traces.story import outcome_of, shadow_word
from proxy.traces.trace import Delivery, Trace

_LONGEST_CHARS = 240
_MOST_REASONS = 3
_AROUND_CHARS = 40


@dataclass(frozen=True, slots=True)
class Snippet:
    """A word that was looked for in an answer, and what stands around it."""

    before: str
    word: str
    after: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line.

    Attributes:
        trace: The trace.
        text: What was looked for; empty if nothing.
    """

    trace: Trace
    text: str = ""

    @property
    def outcome(self) -> str:
        """What became of the request in a word, to be translated."""
        return outcome_of(self.trace)

    @property
    def question(self) -> str:
        """The question on one line, as much as has room."""
        return " ".join(self.trace.question[: 2 * _LONGEST_CHARS].split())[:_LONGEST_CHARS]

    @property
    def snippet(self) -> Snippet | None:
        """Where an answer has a word that was looked for; None if the question has them all."""
        words = [word for word in self.text.lower().split() if word not in self.question.lower()]
        places = ((text, text.lower().find(word), word) for word in words for text in self._answers)
        for text, place, word in places:
            if place >= 0:
                end = place + len(word)
                return Snippet(
                    text[max(0, place - _AROUND_CHARS) : place],
                    text[place:end],
                    text[end : end + _AROUND_CHARS],
                )
        return None

    @property
    def reasons(self) -> tuple[str, ...]:
        """The first codes of what led to it."""
        return self.trace.reasons[:_MOST_REASONS]

    @property
    def more_reasons(self) -> int:
        """How many more there are."""
        return max(0, len(self.trace.reasons) - _MOST_REASONS)

    @property
    def choices(self) -> int:
        """How many answers left."""
        return len(self.trace.made)

    @property
    def asked_twice(self) -> bool:
        """Whether a second attempt was made that the action does not tell of."""
        return len(self.trace.attempts) > 1 and self.trace.action is not Action.REGENERATE

    @property
    def model_not_asked(self) -> bool:
        """Whether the answer was replaced before there was one."""
        return self.trace.action is Action.REPLACE and not self.trace.attempts

    @property
    def client_left(self) -> bool:
        """Whether the client left before the end."""
        return self.trace.delivery is Delivery.CLIENT_GONE

    @property
    def shadow(self) -> str:
        """What the shadow policy would have done, to be translated; empty if the same."""
        return shadow_word(self.trace)

    @property
    def would(self) -> str:
        """What guards in shadow would have done; empty if nothing."""
        return "" if self.trace.would is Action.PASS else self.trace.would.value

    @property
    def _answers(self) -> Iterator[str]:
        yield from self.trace.replies
        for attempt in self.trace.attempts:
            yield from (choice.text for choice in attempt.choices)
