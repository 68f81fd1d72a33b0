"""What a draft would have made of requests, beside what was made of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from guards.core.finding import Finding
from proxy.dashboard.languages import msgid
from proxy.dashboard.policies.drafting import Tried
from proxy.dashboard.traces.codes import code_word
from proxy.dashboard.traces.terms import NOT_REJUDGED, UNKNOWN
from proxy.dashboard.words import action_word
from proxy.traces.trace import Rejudged, Trace

_NOT_KNOWN = msgid("Not known")


@dataclass(frozen=True, slots=True)
class Seen:
    """A finding.

    Attributes:
        attempt: Number of the attempt whose answer it is about; 0 for the question.
        finding: The finding.
    """

    attempt: int
    finding: Finding

    @property
    def title(self) -> str:
        """What it says, to be translated."""
        return code_word(self.finding.code)


@dataclass(frozen=True, slots=True)
class Preview:
    """One request under a draft.

    Attributes:
        trace: The request as it was served.
        tried: What the draft would have made of it.
    """

    trace: Trace
    tried: Rejudged

    @property
    def not_tried(self) -> str:
        """Why it cannot be tried, to be translated; empty if it can."""
        return NOT_REJUDGED[self.tried.not_run] if self.tried.not_run else ""

    @property
    def not_known(self) -> str:
        """Why nobody knows what would leave, to be translated; empty if it is known."""
        return UNKNOWN[self.tried.unknown] if self.tried.unknown else ""

    @property
    def word(self) -> str:
        """What the draft would do, in a word to be translated."""
        return word_of(self.tried.action_name)

    @property
    def changes_action(self) -> bool:
        """Whether the draft would do something else."""
        return self.tried.action_name != self.trace.action_name

    @property
    def comes(self) -> list[Seen]:
        """Findings that only the draft has."""
        known = {_key(seen) for seen in _recorded(self.trace)}
        return [seen for seen in _found(self.tried) if _key(seen) not in known]

    @property
    def goes(self) -> list[Seen]:
        """Findings that the draft does not have."""
        known = {_key(seen) for seen in _found(self.tried)}
        return [seen for seen in _recorded(self.trace) if _key(seen) not in known]


@dataclass(frozen=True, slots=True)
class Move:
    """Requests of which the same was made, and of which a draft would make the same.

    Attributes:
        before: The action.
        after: What it would be.
        count: How many there are.
        example: Id of the newest.
    """

    before: str
    after: str
    count: int
    example: str

    @property
    def changes(self) -> bool:
        """Whether the draft would do something else."""
        return self.before != self.after

    @property
    def after_word(self) -> str:
        """What the draft would do, in a word to be translated."""
        return word_of(self.after)


@dataclass(frozen=True, slots=True)
class Moves:
    """Many requests under a draft.

    Attributes:
        moves: What changes first, then the most frequent.
        untried: How many could not be tried, by why, to be translated.
        left_out: For how many there was no time.
    """

    moves: Sequence[Move]
    untried: Sequence[tuple[str, int]]
    left_out: int

    @classmethod
    def of(cls, tried: Tried) -> "Moves":
        """Count what changes."""
        counts: Counter[tuple[str, str]] = Counter()
        examples: dict[tuple[str, str], str] = {}
        untried: Counter[str] = Counter()
        for trace, judged in tried.pairs:
            if judged.not_run is not None:
                untried[NOT_REJUDGED[judged.not_run]] += 1
                continue
            pair = trace.action_name, judged.action_name
            counts[pair] += 1
            examples.setdefault(pair, trace.id)
        moves = [Move(*pair, count, examples[pair]) for pair, count in counts.items()]
        moves.sort(key=lambda move: (not move.changes, -move.count))
        return cls(moves, untried.most_common(), tried.left_out)

    @property
    def judged(self) -> int:
        """How many were tried."""
        return sum(move.count for move in self.moves)

    @property
    def changed(self) -> int:
        """Of how many the draft would make something else."""
        return sum(move.count for move in self.moves if move.changes)


def word_of(action_name: str) -> str:
    """Return the word for an action, or that it is not known, to be translated."""
    return _NOT_KNOWN if action_name == "unknown" else action_word(action_name)


def _recorded(trace: Trace) -> list[Seen]:
    about_question = [Seen(0, finding) for finding in trace.findings]
    return about_question + [
        Seen(number, finding)
        for number, attempt in enumerate(trace.attempts, start=1)
        for choice in attempt.choices
        for finding in choice.findings
    ]


def _found(tried: Rejudged) -> list[Seen]:
    return [Seen(one.attempt, finding) for one in tried.choices for finding in one.findings]


def _key(seen: Seen) -> tuple[object, ...]:
    finding = seen.finding
    return seen.attempt, finding.code, finding.part, finding.span.start, finding.span.end
