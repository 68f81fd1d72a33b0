"""One trace as a page shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from guards.core.finding import Finding
from policies.schema.sections import StoredText
from policies.schema.store import Snapshot
from policies.verdict import GuardOutcome
from proxy.dashboard.traces.answers import Left, Try, left_of, tries_of
from proxy.dashboard.traces.highlighting import Piece
from proxy.dashboard.traces.numbering import QUESTION, Numbered, Seen, numbered
from proxy.dashboard.traces.sources import Passage, passages_of
from proxy.dashboard.traces.story import outcome_of, shadow_word, story_of
from proxy.dashboard.traces.terms import NOT_REJUDGED
from proxy.dashboard.traces.waterfall import Bar, waterfall
from proxy.rejudging.again import VERIFY_DOOR, why_not
from proxy.traces.trace import GuardRun, Trace, Usage

_WEIGHT = tuple(GuardOutcome)


class Standing(StrEnum):
    """Whether the policy that judged is still the one in force."""

    IN_FORCE = "in_force"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What the shadow policy found.

    Attributes:
        seen: The finding; its number is that of the list.
        attempt: Number of the attempt; 0 for the question.
        is_new: The policy in force did not find it.
    """

    seen: Seen
    attempt: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class TracePage:
    """Everything on the page of a trace.

    Attributes:
        trace: The trace.
        findings: All findings with their numbers.
        question: The question, cut where findings are about it.
        left: What left.
        tries: The attempts.
        passages: The sources.
        bars: The steps.
        noticed: Guards' runs that came to something, and those that did not happen, at the end.
        silent: Those that found nothing.
        foreseen: What the shadow policy found.
        standing: Whether the policy that judged is still in force.
    """

    trace: Trace
    findings: Numbered
    question: list[Piece]
    left: list[Left]
    tries: list[Try]
    passages: list[Passage]
    bars: list[Bar]
    noticed: list[GuardRun]
    silent: list[GuardRun]
    foreseen: list[Foreseen]
    standing: Standing

    @classmethod
    def of(cls, trace: Trace, policies: Snapshot) -> "TracePage":
        """Return the page of a trace, before the policies of this moment."""
        found = numbered(trace)
        return cls(
            trace=trace,
            findings=found,
            question=found.pieces(trace.question, found, QUESTION),
            left=left_of(trace),
            tries=tries_of(trace, found),
            passages=passages_of(trace, found),
            bars=waterfall(trace),
            noticed=sorted(_noticed(trace), key=lambda run: _WEIGHT.index(run.outcome)),
            silent=[run for run in trace.guards if run.outcome is GuardOutcome.CLEAN],
            foreseen=_foreseen(trace, found),
            standing=_standing(trace, policies),
        )

    @property
    def outcome(self) -> str:
        """What became of the request in a word, to be translated."""
        return outcome_of(self.trace)

    @property
    def story(self) -> str:
        """What became of the request in a sentence, to be translated."""
        return story_of(self.trace)

    @property
    def has_words(self) -> bool:
        """Whether the tenant's policy keeps any words."""
        return self.findings.has_words

    @property
    def is_masked(self) -> bool:
        """Whether labels stand over personal data."""
        return self.trace.text is StoredText.MASKED

    @property
    def is_verification(self) -> bool:
        """Whether somebody had an answer verified, and no model was asked."""
        return self.trace.door == VERIFY_DOOR

    @property
    def has_choices(self) -> bool:
        """Whether the model gave more than one answer at a time."""
        return any(len(one.answers) > 1 for one in self.tries)

    @property
    def usages(self) -> list[tuple[int, Usage]]:
        """What each attempt cost, by its number, where the model server said."""
        return [(one.number, one.attempt.usage) for one in self.tries if one.attempt.usage]

    @property
    def not_rejudgable(self) -> str:
        """Why the request cannot be judged by another policy, to be translated; empty if it can."""
        reason = why_not(self.trace)
        return "" if reason is None else NOT_REJUDGED[reason]

    @property
    def shadow(self) -> str:
        """What the shadow policy would have done, to be translated; empty if the same."""
        return shadow_word(self.trace)


def _noticed(trace: Trace) -> list[GuardRun]:
    return [run for run in trace.guards if run.outcome is not GuardOutcome.CLEAN]


def _standing(trace: Trace, policies: Snapshot) -> Standing:
    loaded = policies.policies.get(trace.policy.name)
    if loaded is None:
        return Standing.GONE
    return Standing.IN_FORCE if loaded.version == trace.policy.version else Standing.CHANGED


def _foreseen(trace: Trace, found: Numbered) -> list[Foreseen]:
    choices = trace.shadow.choices if trace.shadow else ()
    foreseen: list[Foreseen] = []
    for one in choices:
        known = found.question if one.attempt == 0 else found.answers.get((one.attempt, one.choice))
        seen = {_place(other.finding) for other in known or ()}
        foreseen += [
            Foreseen(Seen(len(foreseen) + place, finding), one.attempt, _place(finding) not in seen)
            for place, finding in enumerate(one.findings, start=1)
        ]
    return foreseen


def _place(finding: Finding) -> Sequence[object]:
    return finding.code, finding.part, finding.span
