"""A request as it was decided, beside what another policy would have made of it.

Only that little goes on, so that any number of traces can be gone through.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from guards.core.finding import Finding
from policies.schema.sections import StoredText
from policies.verdict import GuardOutcome
from proxy.rejudging.process import judge_again
from proxy.rejudging.recorded import found, holds_labels
from proxy.traces.differing import does_otherwise, says_otherwise
from proxy.traces.trace import GuardRun, NotRejudged, PolicyUsed, Rejudged, Trace, Unknown

LONGEST_EXCERPT_CHARS = 200


class By(StrEnum):
    """Who has a finding, or a reason in it."""

    BEFORE = "before"
    """Only the policy that judged at first."""
    AFTER = "after"
    """Only the other one."""
    BOTH = "both"
    """Both, and they make something else of it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The finding that makes the difference between two policies.

    Attributes:
        code: Its code.
        observed: What stands there.
        expected: What the sources say instead.
        by: Who has it.
    """

    code: str
    observed: str
    expected: tuple[str, ...]
    by: By


@dataclass(frozen=True, slots=True)
class Change:
    """What another policy changes in a request.

    Attributes:
        question: The beginning of the question.
        reasons_before: Codes of the findings that led to what was done.
        reasons_after: Codes of those that would have led to something else.
        seen: The first finding that makes the difference; None if nothing was found.
        only_words: The same would have been done, and other words would have left.
    """

    question: str
    reasons_before: tuple[str, ...]
    reasons_after: tuple[str, ...]
    seen: Seen | None
    only_words: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """A request as it was decided, beside what another policy would have made of it.

    Attributes:
        id: The request's id.
        tenant: Its tenant.
        policy: The policy that judged it.
        before: What was done, as `Trace.action_name`.
        after: What would have been done, as `Rejudged.action_name`; says nothing if `not_run`.
        unknown: Why nobody knows what would have left; None if it is known.
        not_run: Why it was not judged again; None if it was.
        failure: Type of the error that judging it again ended in; empty if in none.
        acted_before: Guards that acted.
        acted_after: Guards that would have.
        holds_labels: Labels stand in the place of its personal identifiers.
        change: What is changed; None if nothing is for sure.
    """

    id: str
    tenant: str
    policy: PolicyUsed
    before: str
    after: str = ""
    unknown: Unknown | None = None
    not_run: NotRejudged | None = None
    failure: str = ""
    acted_before: frozenset[str] = frozenset()
    acted_after: frozenset[str] = frozenset()
    holds_labels: bool = False
    change: Change | None = None


def compare_all(policy: bytes, traces: Sequence[Trace]) -> list[Compared]:
    """Judge requests again and compare; runs in a process.

    Args:
        policy: The other policy, packed.
        traces: The requests.
    """
    return [_compare(policy, trace) for trace in traces]


def _compare(policy: bytes, trace: Trace) -> Compared:
    try:
        return compared(trace, judge_again(policy, trace))
    except Exception as error:  # noqa: BLE001 - one odd trace must not end the whole run
        return Compared(
            id=trace.id,
            tenant=trace.tenant,
            policy=trace.policy,
            before=trace.action_name,
            not_run=NotRejudged.FAILED,
            failure=type(error).__name__,
        )


def compared(trace: Trace, tried: Rejudged) -> Compared:
    """Compare what was decided about a request with what another policy would have made of it."""
    return Compared(
        id=trace.id,
        tenant=trace.tenant,
        policy=trace.policy,
        before=trace.action_name,
        after=tried.action_name,
        unknown=tried.unknown,
        not_run=tried.not_run,
        acted_before=_acted(trace.guards),
        acted_after=_acted(tried.guards),
        holds_labels=trace.text is StoredText.MASKED and holds_labels(trace),
        change=_change(trace, tried),
    )


def _acted(runs: Iterable[GuardRun]) -> frozenset[str]:
    return frozenset(run.guard for run in runs if run.outcome is GuardOutcome.ACTED)


def _change(trace: Trace, tried: Rejudged) -> Change | None:
    otherwise = does_otherwise(trace, tried)
    if not otherwise and not says_otherwise(trace, tried):
        return None
    return Change(
        question=trace.question[:LONGEST_EXCERPT_CHARS],
        reasons_before=trace.reasons,
        reasons_after=tried.reasons,
        seen=_seen(trace, tried),
        only_words=not otherwise,
    )


_Placed = tuple[int, int, Finding]


def _seen(trace: Trace, tried: Rejudged) -> Seen | None:
    """Return the first finding that makes the difference: first of all one of another reason."""
    before = [(number, choice.index if choice else 0, one) for number, choice, one in found(trace)]
    after = [(one.attempt, one.choice, each) for one in tried.choices for each in one.findings]
    new_reasons = set(tried.reasons) - set(trace.reasons)
    old_reasons = set(trace.reasons) - set(tried.reasons)
    for candidates, by in (
        ((one for one in after if one[2].code in new_reasons), By.AFTER),
        ((one for one in before if one[2].code in old_reasons), By.BEFORE),
        (_only_in(after, before), By.AFTER),
        (_only_in(before, after), By.BEFORE),
        ((one for one in after if one[2].code in tried.reasons), By.BOTH),
    ):
        for *_, finding in candidates:
            return Seen(
                code=finding.code,
                observed=finding.observed[:LONGEST_EXCERPT_CHARS],
                expected=tuple(said[:LONGEST_EXCERPT_CHARS] for said in finding.expected),
                by=by,
            )
    return None


def _only_in(some: Sequence[_Placed], others: Sequence[_Placed]) -> Iterator[_Placed]:
    known = {_place(one) for one in others}
    return (one for one in some if _place(one) not in known)


def _place(placed: _Placed) -> tuple[object, ...]:
    attempt, choice, finding = placed
    return (attempt, choice, finding.part, finding.span, finding.code)
