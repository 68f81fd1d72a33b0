"""The answers of a trace: as they came, and what left of them."""

from dataclasses import dataclass

from policies.schema.sections import StoredText
from proxy.dashboard.traces.highlighting import Piece, Stretch, changed
from proxy.dashboard.traces.numbering import ANSWER, Numbered, Seen
from proxy.traces.changes import applied
from proxy.traces.trace import Attempt, Choice, Made, Trace


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as it came.

    Attributes:
        choice: The answer.
        pieces: Its text, cut where findings are about it.
        findings: What was found in it.
        left: It is what the reply was made from.
    """

    choice: Choice
    pieces: list[Piece]
    findings: tuple[Seen, ...]
    left: bool


@dataclass(frozen=True, slots=True)
class Try:
    """One attempt.

    Attributes:
        number: From 1.
        attempt: The attempt.
        answers: Its answers.
    """

    number: int
    attempt: Attempt
    answers: list[Answer]


@dataclass(frozen=True, slots=True)
class Left:
    """What left for one choice.

    Attributes:
        number: From 1.
        made: How it was made; None if the trace does not say.
        text: All that left.
        stretches: The answer that it was made from, with what was changed in it; empty where it
            was made from none.
        closing: The notice that ended it.
    """

    number: int
    made: Made | None
    text: str
    stretches: list[Stretch]
    closing: str

    @property
    def changes(self) -> int:
        """In how many places it was changed."""
        return len(self.made.changes) if self.made else 0


def tries_of(trace: Trace, found: Numbered) -> list[Try]:
    """Return the attempts of a trace."""
    sent = {
        (made.attempt, made.choice)
        for made in trace.made
        if made.attempt and not made.replaced_with
    }
    return [
        Try(
            number,
            attempt,
            [
                Answer(
                    choice,
                    found.pieces(choice.text, found.answers[number, choice.index], ANSWER),
                    found.answers[number, choice.index],
                    (number, choice.index) in sent,
                )
                for choice in attempt.choices
            ],
        )
        for number, attempt in enumerate(trace.attempts, start=1)
    ]


def left_of(trace: Trace) -> list[Left]:
    """Return what left, a text for each choice."""
    return [
        _left(trace, number) for number in range(1, 1 + max(len(trace.made), len(trace.replies)))
    ]


def _left(trace: Trace, number: int) -> Left:
    text = trace.replies[number - 1] if number <= len(trace.replies) else ""
    made = trace.made[number - 1] if number <= len(trace.made) else None
    if made is None or made.replaced_with or trace.text is StoredText.NONE:
        return Left(number, made, text, [], "")
    came = _came(made, trace)
    closing = text.removeprefix(applied(came, made.changes)).strip() if made.closed_with else ""
    return Left(number, made, text, changed(came, made.changes), closing)


def _came(made: Made, trace: Trace) -> str:
    """Return the answer that a reply was made from."""
    for attempt in trace.attempts[max(made.attempt - 1, 0) : made.attempt]:
        for choice in attempt.choices:
            if choice.index == made.choice:
                return choice.text
    return ""
