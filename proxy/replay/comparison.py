"""Compares the decisions on requests with those of another policy, and adds up the changes.

Only a small record of each request is kept, so that any number of traces can be gone through.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice, zip_longest

from guards.core.finding import Span
from policies.edits import Edit, left_by, original_span
from policies.schema.policy import Action
from policies.schema.sections import StoredText
from policies.verdict import GuardOutcome
from proxy.replay.judging import holds_labels
from proxy.traces.trace import (
    GuardRun,
    Label,
    NotReplayed,
    PlacedFinding,
    PolicyUsed,
    ReplayResult,
    ReplyOrigin,
    Trace,
    Unknown,
)


class Improvement(StrEnum):
    """Effect of another policy on a labelled request."""

    BETTER = "better"
    """The fault that the label names is gone."""
    WORSE = "worse"
    """A reply that was right would be so no longer."""
    SAME = "same"
    """It is as right or as wrong as before."""
    UNKNOWN = "unknown"
    """It cannot be determined without asking the model."""


def improvement(trace: Trace, tried: ReplayResult) -> Improvement | None:
    """Return the effect of another policy; None without a label, or where nothing was judged."""
    if trace.feedback is None or tried.not_run is not None:
        return None
    was_right = trace.feedback.label is Label.RIGHT
    is_right = _is_right(trace, trace.feedback.label, tried)
    if is_right is None:
        return Improvement.UNKNOWN
    if is_right is was_right:
        return Improvement.SAME
    return Improvement.BETTER if is_right else Improvement.WORSE


def _is_right(trace: Trace, label: Label, tried: ReplayResult) -> bool | None:
    """Tell whether the other policy does what the label asks for; None if unknown."""
    if label is Label.FALSE_ALARM and tried.unknown is Unknown.MODEL_NOT_ASKED:
        return True  # the question goes to the model now
    if tried.action is None:
        return None
    acts = tried.action is not Action.PASS
    match label:
        case Label.FALSE_ALARM:
            return not acts
        case Label.RIGHT:
            return acts is (trace.action is not Action.PASS)
        case Label.MISSED:
            return acts and _finds_missed(trace, tried)


def _finds_missed(trace: Trace, tried: ReplayResult) -> bool:
    """Tell whether a finding that led to the action touches the marked place, if one is marked."""
    feedback = trace.feedback
    if feedback is None or feedback.span is None or feedback.choice >= len(trace.made):
        return True
    made = trace.made[feedback.choice]
    if made.replaced_with:
        return True  # the words are those of a template, which no guard looks at
    place = place_in_attempt(made, feedback.span)
    return any(
        finding.part == "answer" and finding.code in tried.reasons and finding.span.overlaps(place)
        for one in tried.choices
        if (one.attempt, one.choice) == (made.attempt, made.choice)
        for finding in one.findings
    )


def place_in_attempt(made: ReplyOrigin, span: Span) -> Span:
    """Return where words of a reply stand in the answer that it was made from."""
    return original_span(span, left_by(Edit(one.span, one.text) for one in made.changes))


LONGEST_EXCERPT_CHARS = 200


class By(StrEnum):
    """Policies that have a finding or a reason: one of them, or both."""

    BEFORE = "before"
    """Only the policy that judged at first."""
    AFTER = "after"
    """Only the other one."""
    BOTH = "both"
    """Both, and they make something else of it."""


@dataclass(frozen=True, slots=True)
class KeyFinding:
    """The finding that makes the difference between two policies.

    Attributes:
        expected: What the sources say instead.
    """

    code: str
    observed: str
    expected: tuple[str, ...]
    by: By


@dataclass(frozen=True, slots=True)
class Change:
    """Changes by another policy in one request.

    Attributes:
        reasons_before: Codes of the findings that led to what was done.
        reasons_after: Codes of those that would have led to something else.
        seen: The first finding that makes the difference; None if nothing was found.
        only_words: The action would be the same, with another text.
    """

    question: str
    reasons_before: tuple[str, ...]
    reasons_after: tuple[str, ...]
    seen: KeyFinding | None
    only_words: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """A request as it was decided, beside what another policy would have made of it.

    Attributes:
        before: What was done, as `Trace.action_name`.
        after: What would have been done, as `ReplayResult.action_name`; says nothing if `not_run`.
        unknown: Reason why the reply under the other policy is unknown; None if it is known.
        not_run: Why it was not judged again; None if it was.
        failure: Type of the error that judging it again ended in; empty if in none.
        holds_labels: Labels stand in the place of its personal identifiers.
        change: What is changed; None if nothing is for sure.
        label: Its label; None if it has none.
        improvement: Whether that is for the better, by its label; None if it has none.
    """

    id: str
    tenant: str
    policy: PolicyUsed
    before: str
    after: str = ""
    unknown: Unknown | None = None
    not_run: NotReplayed | None = None
    failure: str = ""
    acted_before: frozenset[str] = frozenset()
    acted_after: frozenset[str] = frozenset()
    holds_labels: bool = False
    change: Change | None = None
    label: Label | None = None
    improvement: Improvement | None = None


def compared(trace: Trace, tried: ReplayResult) -> Compared:
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
        label=trace.feedback.label if trace.feedback else None,
        improvement=improvement(trace, tried),
    )


def _acted(runs: Iterable[GuardRun]) -> frozenset[str]:
    return frozenset(run.guard for run in runs if run.outcome is GuardOutcome.ACTED)


def _change(trace: Trace, tried: ReplayResult) -> Change | None:
    otherwise = tried.does_otherwise(trace)
    if not otherwise and not tried.says_otherwise(trace):
        return None
    return Change(
        question=trace.question[:LONGEST_EXCERPT_CHARS],
        reasons_before=trace.reasons,
        reasons_after=tried.reasons,
        seen=_deciding_finding(trace, tried),
        only_words=not otherwise,
    )


def _deciding_finding(trace: Trace, tried: ReplayResult) -> KeyFinding | None:
    """Return the first finding that makes the difference: first of all one of another reason."""
    before, after = trace.placed_findings, tried.placed_findings
    new_reasons = set(tried.reasons) - set(trace.reasons)
    old_reasons = set(trace.reasons) - set(tried.reasons)
    for candidates, by in (
        (_with_code(after, new_reasons), By.AFTER),
        (_with_code(before, old_reasons), By.BEFORE),
        (only_in(after, before), By.AFTER),
        (only_in(before, after), By.BEFORE),
        (_with_code(after, tried.reasons), By.BOTH),
    ):
        if candidates:
            finding = candidates[0].finding
            return KeyFinding(
                code=finding.code,
                observed=finding.observed[:LONGEST_EXCERPT_CHARS],
                expected=tuple(said[:LONGEST_EXCERPT_CHARS] for said in finding.expected),
                by=by,
            )
    return None


def _with_code(some: Iterable[PlacedFinding], codes: Collection[str]) -> list[PlacedFinding]:
    return [one for one in some if one.finding.code in codes]


def only_in(some: Iterable[PlacedFinding], others: Iterable[PlacedFinding]) -> list[PlacedFinding]:
    """Return the findings that are none of some others."""
    known = {one.key for one in others}
    return [one for one in some if one.key not in known]


@dataclass(slots=True)
class GuardTotals:
    """In how many requests a guard acted."""

    before: int = 0
    after: int = 0
    only_before: int = 0
    only_after: int = 0


@dataclass(slots=True)
class TenantTotals:
    """Totals of a tenant's requests judged again."""

    judged: int = 0
    changed: int = 0
    unknown: int = 0


@dataclass(slots=True)
class UnknownTotals:
    """Requests whose reply under the other policy is unknown, and those certainly changed."""

    requests: int = 0
    changed: int = 0


Kind = tuple[str, str]
"""Pair of actions: taken, and under the other policy."""


@dataclass
class Totals:
    """Changes by another policy in many requests.

    Attributes:
        most_examples: How many changes are wanted as examples.
        read: Requests that were looked at.
        judged: Those of them that could be judged again.
        skipped: Those that could not be, by the reason; so also those that ended before there was
            an answer.
        actions: Those that could, by what was done and what would have been.
        unknown: Those whose reply under the other policy is unknown, by reason.
        only_words: Those with the same action and another text.
        holding_labels: Those with labels in the place of personal identifiers.
        policies: Requests by the policy that judged them.
        changes: Ids of all that are changed for sure, in their order.
        failures: Requests of which judging broke: type of the error -> the first of them.
        labelled: Ids of the labelled requests, by the effect on them.
    """

    most_examples: int = 0
    read: int = 0
    judged: int = 0
    skipped: Counter[NotReplayed | Unknown] = field(default_factory=Counter)
    actions: Counter[Kind] = field(default_factory=Counter)
    unknown: dict[Unknown, UnknownTotals] = field(default_factory=dict)
    only_words: int = 0
    holding_labels: int = 0
    guards: dict[str, GuardTotals] = field(default_factory=dict)
    tenants: dict[str, TenantTotals] = field(default_factory=dict)
    policies: Counter[PolicyUsed] = field(default_factory=Counter)
    changes: dict[Kind, list[str]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    labelled: dict[Improvement, list[str]] = field(default_factory=dict)
    _examples: dict[Kind, list[Compared]] = field(default_factory=dict)

    @property
    def changed(self) -> int:
        """Requests that are changed for sure."""
        return sum(map(len, self.changes.values()))

    @property
    def share(self) -> float:
        """Share of the judged requests that are changed for sure; 0 if none was judged."""
        return self.changed / self.judged if self.judged else 0.0

    @property
    def examples(self) -> list[Compared]:
        """Changes of as many kinds as there are, the first of each kind first."""
        rounds = zip_longest(*self._examples.values())
        present = (one for each in rounds for one in each if one is not None)
        return list(islice(present, self.most_examples))

    def add(self, one: Compared) -> None:
        """Count a request."""
        self.read += 1
        skipped = one.not_run or (one.unknown if one.unknown is Unknown.NO_ANSWER else None)
        if skipped is not None:
            self.skipped[skipped] += 1
            if one.failure:
                self.failures.setdefault(one.failure, one.id)
            return
        self.judged += 1
        if one.improvement is not None:
            self.labelled.setdefault(one.improvement, []).append(one.id)
        self.actions[one.before, one.after] += 1
        self.policies[one.policy] += 1
        self.holding_labels += one.holds_labels
        self._add_to_tenant(one)
        if one.unknown is not Unknown.REST_NOT_READ:  # of which guards saw a part only
            self._add_to_guards(one)
        if one.unknown is not None:
            unknown = self.unknown.setdefault(one.unknown, UnknownTotals())
            unknown.requests += 1
            unknown.changed += one.change is not None
        if one.change is not None:
            kind = one.before, one.after
            self.only_words += one.change.only_words
            self.changes.setdefault(kind, []).append(one.id)
            alike = self._examples.setdefault(kind, [])
            if len(alike) < self.most_examples:
                alike.append(one)

    def _add_to_tenant(self, one: Compared) -> None:
        tenant = self.tenants.setdefault(one.tenant, TenantTotals())
        tenant.judged += 1
        tenant.unknown += one.unknown is not None
        tenant.changed += one.change is not None

    def _add_to_guards(self, one: Compared) -> None:
        for guard in one.acted_before | one.acted_after:
            total = self.guards.setdefault(guard, GuardTotals())
            total.before += guard in one.acted_before
            total.after += guard in one.acted_after
            total.only_before += guard not in one.acted_after
            total.only_after += guard not in one.acted_before
