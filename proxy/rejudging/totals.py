"""What another policy changes in many requests, added up."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, zip_longest

from proxy.rejudging.comparing import Compared
from proxy.traces.trace import NotRejudged, PolicyUsed, Unknown


@dataclass(slots=True)
class GuardTotals:
    """In how many requests a guard acted.

    Attributes:
        before: By the policy that judged them.
        after: By the other policy.
        only_before: By the first one only.
        only_after: By the other one only.
    """

    before: int = 0
    after: int = 0
    only_before: int = 0
    only_after: int = 0


@dataclass(slots=True)
class TenantTotals:
    """How many requests of a tenant were judged again, and what came of it."""

    judged: int = 0
    changed: int = 0
    unknown: int = 0


@dataclass(slots=True)
class UnknownTotals:
    """Requests of which nobody knows what would have left, and how many are changed for sure."""

    requests: int = 0
    changed: int = 0


Kind = tuple[str, str]
"""What was done, and what would have been."""


@dataclass
class Totals:
    """What another policy changes in many requests.

    Attributes:
        most_examples: How many changes are wanted as examples.
        read: Requests that were looked at.
        judged: Those of them that could be judged again.
        skipped: Those that could not be, by the reason; so also those that ended before there was
            an answer.
        actions: Those that could, by what was done and what would have been.
        unknown: Those of them of which nobody knows what would have left, by the reason.
        only_words: Those in which the same would have been done, and other words would have left.
        holding_labels: Those with labels in the place of personal identifiers.
        guards: By guard that acted, of those whose answers are known to their end.
        tenants: By tenant.
        policies: Requests by the policy that judged them.
        changes: Ids of all that are changed for sure, in their order.
        failures: Requests of which judging broke: type of the error -> the first of them.
    """

    most_examples: int = 0
    read: int = 0
    judged: int = 0
    skipped: Counter[NotRejudged | Unknown] = field(default_factory=Counter)
    actions: Counter[Kind] = field(default_factory=Counter)
    unknown: dict[Unknown, UnknownTotals] = field(default_factory=dict)
    only_words: int = 0
    holding_labels: int = 0
    guards: dict[str, GuardTotals] = field(default_factory=dict)
    tenants: dict[str, TenantTotals] = field(default_factory=dict)
    policies: Counter[PolicyUsed] = field(default_factory=Counter)
    changes: dict[Kind, list[str]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
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
        return list(islice(_present(rounds), self.most_examples))

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


def _present(rounds: Iterator[tuple[Compared | None, ...]]) -> Iterator[Compared]:
    return (one for each in rounds for one in each if one is not None)
