"""Counts over traces, so that the overview need not read the traces.

For each trace that a store accepts it adds the counts of `Tally.of` to those of the minute and of
the hour. The number of counters is bounded: guards, actions, endpoints, classes of status, reasons,
and the names of a hundred models; never text of a tenant.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from math import ceil, sqrt
from time import time_ns
from typing import TypeVar

from policies.schema.policy import Action
from policies.verdict import GuardOutcome
from proxy.traces.trace import Delivery, Label, Trace

BOUNDS_MS = (
    *(1, 2, 3, 5, 7),
    *(step * decade for decade in (10, 100, 1_000, 10_000) for step in (1, 1.5, 2, 3, 5, 7)),
    *(100_000, 150_000, 200_000, 300_000),
)
"""Upper bounds of the buckets, in milliseconds, each within its bucket."""
BEYOND = "more"
"""Label of what is longer than the last bound."""
LABELS = (*(f"{bound:g}" for bound in BOUNDS_MS), BEYOND)


class Latency(StrEnum):
    """A time that is counted."""

    WHOLE = "whole"
    """The whole request."""
    MODEL = "model"
    """All that the model server took in one request."""
    GUARDS = "guards"
    """All that reading, guards and decision took in one request."""
    FIRST_TEXT = "first_text"
    """From the request to the first word of a stream that left."""
    JUDGE = "judge"
    """All that the judge took in one request."""


def label_of(time_ms: float) -> str:
    """Return the label of the bucket that a time falls into."""
    return LABELS[bisect_left(BOUNDS_MS, time_ms)]


@dataclass(frozen=True, slots=True)
class Histogram:
    """Histogram of durations, by bucket."""

    counts: Mapping[str, int]

    @property
    def count(self) -> int:
        """Number of durations counted."""
        return sum(self.counts.values())

    def percentile(self, share: float) -> float | None:
        """Estimate the time that this share of all times does not exceed, in milliseconds.

        The estimate lies in the bucket of the true one. Beyond the last bound it is that bound.

        Args:
            share: From 0 to 1.

        Returns:
            None if nothing was counted.
        """
        if not self.count:
            return None
        rank = max(1, ceil(share * self.count))
        below, low = 0, 0.0
        for bound, label in zip(BOUNDS_MS, LABELS, strict=False):
            here = self.counts.get(label, 0)
            if below + here >= rank:
                return low + (bound - low) * (rank - below) / here
            below, low = below + here, float(bound)
        return low


_Z = 1.959964
"""Standard deviations within which 95 % of a normal distribution lie."""


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    count: int
    total: int

    @property
    def rate(self) -> float | None:
        """The share, from 0 to 1; None of nothing."""
        return self.count / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval by Wilson: what the true share may well be."""
        return wilson(self.count, self.total)


def wilson(count: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of a share by Wilson's formula; from 0 to 1 if nothing counts."""
    if not total:
        return 0.0, 1.0
    rate, spread = count / total, _Z**2 / total
    middle = rate + spread / 2
    half = sqrt(spread * (rate * (1 - rate) + spread / 4))
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


CLIENT_GONE = "client_gone"
"""Stands for the class of a status that nobody was there to get."""
_NAME = re.compile(r"[a-z][a-z0-9_.]{0,39}")
_WEIGHTIEST_FIRST = (
    GuardOutcome.ACTED,
    GuardOutcome.WOULD_ACT,
    GuardOutcome.NOTED,
    GuardOutcome.CLEAN,
    GuardOutcome.NOT_RUN,
)


def counters_of(trace: Trace) -> Iterator[str]:
    """Yield the counters that a trace adds one to, each once."""
    yield "requests"
    yield f"action:{trace.action_name}"
    yield f"door:{_name(trace.door)}"
    yield f"status:{_status_class(trace)}"
    if trace.not_checked:
        yield "not_checked"
    yield from _guards(trace.not_checked, tuple((run.guard, run.outcome) for run in trace.guards))
    yield from _shadows(trace)
    yield from _labels(trace)
    agrees = _agrees(trace)
    if agrees is not None:
        yield f"judge:{'agrees' if agrees else 'disagrees'}"
    if len(trace.attempts) > 1:
        yield f"regeneration:{_second_attempt(trace)}"
    for what, time_ms in _times(trace):
        yield f"{what}_ms:{label_of(time_ms)}"
    if _used_model(trace):
        yield f"model:{model_names.known(trace.model)}"


def tokens_of(trace: Trace) -> Iterator[tuple[str, int]]:
    """Yield the counters of tokens that a trace adds to, and how many; of all its attempts."""
    usages = [attempt.usage for attempt in trace.attempts if attempt.usage is not None]
    prompt = sum(max(0, usage.prompt_tokens) for usage in usages)
    answer = sum(max(0, usage.completion_tokens) for usage in usages)
    if prompt or answer:
        yield "tokens:prompt", prompt
        yield "tokens:answer", answer
        yield f"model_tokens:{model_names.known(trace.model)}", prompt + answer


def _used_model(trace: Trace) -> bool:
    """Tell whether a model server answered with this model, so that its name is one."""
    return bool(trace.model) and any(
        attempt.error is None and attempt.choices for attempt in trace.attempts
    )


OTHER_MODELS = "other"
"""Stands for models beyond the most that are counted by name."""
MOST_MODELS = 100
_MODEL = re.compile(r"[\w.:/@+-]{1,64}", re.ASCII)


class ModelNames:
    """The names of models that have counters of their own: the first hundred of this process.

    Clients choose the names, so that without a bound anybody could fill the buckets.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()

    def known(self, name: str) -> str:
        """Return a name that has its counters, or the one for all others."""
        if name not in self._known:
            if len(self._known) >= MOST_MODELS or not _MODEL.fullmatch(name):
                return OTHER_MODELS
            self._known.add(name)
        return name


model_names = ModelNames()


def _status_class(trace: Trace) -> str:
    if trace.delivery is Delivery.CLIENT_GONE:
        return CLIENT_GONE
    return f"{trace.status // 100}xx"


@lru_cache(256)
def _guards(
    not_checked: Sequence[str], runs: Sequence[tuple[str, GuardOutcome]]
) -> tuple[str, ...]:
    """Return the counters of the guards; those of most requests are the same."""
    missed = {_name(name.partition(":")[0]) for name in not_checked}
    came: dict[str, set[GuardOutcome]] = {}
    for guard, outcome in runs:
        came.setdefault(_name(guard), set()).add(outcome)
    counters = []
    for guard, outcomes in came.items():
        outcome = _weightiest(outcomes, missed=guard in missed)
        # A guard that had no call to run missed nothing.
        if outcome is not GuardOutcome.NOT_RUN or guard in missed:
            counters.append(f"guard:{guard}:{outcome}")
    reasons = {_name(_reason(name)) for name in not_checked}
    return (*counters, *(f"not_run:{reason}" for reason in reasons))


def _reason(not_checked: str) -> str:
    """Return the reason of ``guard:reason:details``; what is no guard stands for itself."""
    _, _, reason = not_checked.partition(":")
    return reason.partition(":")[0] or not_checked


def _weightiest(outcomes: set[GuardOutcome], *, missed: bool) -> GuardOutcome:
    """Return the outcome that counts; clean on one answer is nothing if another was missed."""
    found = next(outcome for outcome in _WEIGHTIEST_FIRST if outcome in outcomes)
    if missed and found is GuardOutcome.CLEAN and GuardOutcome.NOT_RUN in outcomes:
        return GuardOutcome.NOT_RUN
    return found


def _shadows(trace: Trace) -> Iterator[str]:
    if trace.would is not Action.PASS:
        yield f"would:{trace.would}"
    shadow = trace.shadow
    if shadow is None:
        return
    if shadow.not_run is not None:
        yield "shadow_not_judged"
        return
    yield f"shadow:{shadow.action_name}"
    if shadow.does_otherwise(trace):
        yield "shadow_changed"


_ALARMS = frozenset({GuardOutcome.ACTED, GuardOutcome.WOULD_ACT})


def _labels(trace: Trace) -> Iterator[str]:
    """Yield what a label says of each guard that ran.

    Its alarm was right, or it was wrong, or the guard was rightly silent. A guard in shadow counts
    as if it had acted. Of one that was silent before a wrong answer nothing is said: such an error
    may be another one's to find.
    """
    if trace.feedback is None:
        return
    label = trace.feedback.label
    yield f"label:{label}"
    is_good = label is Label.FALSE_ALARM or trace.action is Action.PASS
    if label is Label.MISSED or trace.action is None:
        return
    came: dict[str, set[GuardOutcome]] = {}
    for run in trace.guards:
        came.setdefault(_name(run.guard), set()).add(run.outcome)
    for guard, outcomes in came.items():
        if outcomes & _ALARMS:
            yield f"alarm:{guard}:{'wrong' if is_good else 'right'}"
        elif is_good and GuardOutcome.NOT_RUN not in outcomes:
            yield f"alarm:{guard}:silent"


def _agrees(trace: Trace) -> bool | None:
    """Tell whether a judge said the same as a person; None if there is nothing to compare.

    A judge is not asked about a claim that a guard acts on by itself. So if an answer was rightly
    changed, its support of the other claims is no disagreement; taking the finding back is.
    """
    given = [one for one in trace.opinions if one.is_given]
    if trace.feedback is None or not given:
        return None
    label = trace.feedback.label
    objects = any(one.objected for one in given)
    if label is Label.RIGHT and trace.action not in (None, Action.PASS):
        clears = any(one.cleared for one in given)
        return objects if objects or clears else None
    return objects is (label is Label.MISSED)


def _opinions_of(trace: Trace) -> Iterator[tuple[str, int]]:
    """Yield the counters of the judge to which a trace adds more than one, and how much."""
    if not trace.opinions:
        return
    yield "judge:requests", 1
    for what in OPINION_AMOUNTS:
        if amount := sum(getattr(one, what) for one in trace.opinions):
            yield f"judge:{what}", amount


def _second_attempt(trace: Trace) -> str:
    if trace.error is not None:
        return "unfinished"
    return "helped" if trace.kept_attempt == len(trace.attempts) else "failed"


def _times(trace: Trace) -> Iterator[tuple[Latency, float]]:
    yield Latency.WHOLE, trace.duration_ms
    model_ms = sum(attempt.upstream_ms for attempt in trace.attempts)
    if model_ms:
        yield Latency.MODEL, model_ms
    guards = [step.duration_ms for step in trace.steps if step.name.startswith("inspect_")]
    if guards:
        yield Latency.GUARDS, sum(guards)
    if trace.first_text_ms is not None:
        yield Latency.FIRST_TEXT, trace.first_text_ms
    if trace.opinions:
        # The choices of an attempt are asked about at the same time.
        spent_ms: dict[int, float] = {}
        for one in trace.opinions:
            spent_ms[one.attempt] = max(spent_ms.get(one.attempt, 0.0), one.duration_ms)
        yield Latency.JUDGE, sum(spent_ms.values())


def _name(said: str) -> str:
    """Return a name that may be one of a counter's."""
    return said if _NAME.fullmatch(said) else "other"


MOST_COUNTERS = 700
"""Most counters of one bucket; about 670 are possible with the guards there are."""
EVERYBODY = ""
"""Stands for the tenant where all tenants are counted together."""
_MS = timedelta(milliseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Bucket(StrEnum):
    """The length of time that is counted together."""

    MINUTE = "minute"
    HOUR = "hour"

    @property
    def span(self) -> timedelta:
        """The length."""
        return timedelta(minutes=1) if self is Bucket.MINUTE else timedelta(hours=1)

    @property
    def kept(self) -> timedelta:
        """Longest retention of a bucket, from its start."""
        return timedelta(hours=26) if self is Bucket.MINUTE else timedelta(days=35)

    def start_ms(self, time_ms: int) -> int:
        """Return the start of the bucket of a time, both in milliseconds since 1970."""
        return time_ms - time_ms % (self.span // _MS)

    def starts(self, since: datetime, until: datetime, now: datetime) -> list[int]:
        """Return the starts of all buckets of a span of time that are kept, oldest first."""
        first = self.start_ms(ms_of(max(since, now - self.kept)))
        return list(range(first, ms_of(min(until, now + self.span)), self.span // _MS))


@dataclass(frozen=True, slots=True)
class BucketKey:
    """Whose requests of what time are counted together; times in milliseconds since 1970.

    Attributes:
        expires_ms: When the counts are forgotten at the earliest; 0 where they are only read.
    """

    tenant: str
    per: Bucket
    start_ms: int
    expires_ms: int = 0


def buckets_of(tenant: str, started_ms: int, keep_ms: int) -> tuple[BucketKey, ...]:
    """Return the buckets in which a trace is counted: its tenant's, and everybody's.

    Args:
        started_ms: When its request came in, in milliseconds since 1970.
        keep_ms: How long its tenant's traces are kept.
    """
    return tuple(
        BucketKey(whose, per, start_ms, start_ms + min(per.kept // _MS, keep_ms))
        for per in Bucket
        for start_ms in [per.start_ms(started_ms)]
        for whose in (tenant, EVERYBODY)
    )


@dataclass(frozen=True, slots=True)
class Regenerations:
    """Results of second attempts.

    Attributes:
        helped: Something of the second answer left.
        failed: Nothing of it did.
        unfinished: The request ended before that was known.
    """

    helped: int = 0
    failed: int = 0
    unfinished: int = 0

    @property
    def asked(self) -> int:
        """Number of second attempts."""
        return self.helped + self.failed + self.unfinished

    @property
    def helped_share(self) -> float | None:
        """Share of second attempts that helped, from 0 to 1; None if unknown for all."""
        return Share(self.helped, self.helped + self.failed).rate


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens, as model servers counted them."""

    prompt: int = 0
    answer: int = 0


@dataclass(frozen=True, slots=True)
class Alarms:
    """Labels of one guard's findings, counted.

    Attributes:
        right: Requests in which it rightly acted, or in shadow would have.
        wrong: Good answers in which it did.
        silent: Good answers that it looked at and left alone.
    """

    right: int = 0
    wrong: int = 0
    silent: int = 0

    @property
    def precision(self) -> Share:
        """Share of its alarms that were right."""
        return Share(self.right, self.right + self.wrong)

    @property
    def false_alarms(self) -> Share:
        """In how many of the good answers it raised an alarm."""
        return Share(self.wrong, self.wrong + self.silent)


@dataclass(frozen=True, slots=True)
class Shadowed:
    """Actions that a shadow policy would have taken.

    Attributes:
        not_judged: Requests that it was to judge and did not.
        changed: Requests to which it would have done something else.
        actions: Requests by the action that it would have taken, ``unknown`` included.
    """

    judged: int
    not_judged: int
    changed: int
    actions: Mapping[str, int]

    @property
    def changed_share(self) -> float | None:
        """Share of the judged requests that are changed, from 0 to 1; None if none was judged."""
        return Share(self.changed, self.judged).rate


@dataclass(frozen=True, slots=True)
class Opinions:
    """The use of asking judges.

    Attributes:
        requests: Requests in which one was asked.
        supported: Those that it supported with a quote.
        objected: Those that it objected to with a quote.
        cleared: Findings that it took back, or would have in shadow.
        confirmed: Findings that it agreed with.
        prompt_tokens: Tokens of all questions.
        agrees: Labelled requests of which it said the same as a person.
        disagrees: Those of which it said something else.
    """

    requests: int = 0
    claims: int = 0
    supported: int = 0
    objected: int = 0
    cleared: int = 0
    confirmed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    agrees: int = 0
    disagrees: int = 0

    @property
    def unanswered(self) -> int:
        """Claims on which no opinion counted."""
        return self.claims - self.supported - self.objected

    @property
    def agreement(self) -> Share:
        """How many of the labelled requests of which it gave an opinion it agrees about."""
        return Share(self.agrees, self.agrees + self.disagrees)


OPINION_AMOUNTS = (
    *("claims", "supported", "objected", "cleared", "confirmed"),
    *("prompt_tokens", "completion_tokens"),
)
"""Fields of a trace's opinions that are added up."""


RecordT = TypeVar("RecordT", Tokens, Regenerations, Opinions)


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of one trace or of many.

    Attributes:
        counts: By the names of the counters; those at zero may be missing.
    """

    counts: Mapping[str, int]

    @classmethod
    def of(cls, trace: Trace) -> "Tally":
        """Count one trace."""
        amounts = {**dict(tokens_of(trace)), **dict(_opinions_of(trace))}
        return cls({**dict.fromkeys(counters_of(trace), 1), **amounts})

    @classmethod
    def sum(cls, tallies: "Iterable[Tally]") -> "Tally":
        """Add up tallies."""
        total: Counter[str] = Counter()
        for tally in tallies:
            total.update(tally.counts)
        return cls(dict(total))

    def __sub__(self, other: "Tally") -> "Tally":
        """Return the counters that differ, and by how much."""
        difference = Counter(self.counts)
        difference.subtract(other.counts)
        return Tally({name: count for name, count in difference.items() if count})

    @property
    def requests(self) -> int:
        """All requests."""
        return self.counts.get("requests", 0)

    @property
    def not_checked(self) -> int:
        """Requests in which a guard that was wanted did not run."""
        return self.counts.get("not_checked", 0)

    @property
    def by_action(self) -> dict[str, int]:
        """Requests by the name of what became of them; see `Trace.action_name`."""
        return self._under("action")

    @property
    def by_status(self) -> dict[str, int]:
        """Requests by the class of their status, as in ``2xx``, or `CLIENT_GONE`."""
        return self._under("status")

    @property
    def errors(self) -> int:
        """Requests that ended in an error; not those whose client left."""
        classes = self.by_status
        return classes.get("4xx", 0) + classes.get("5xx", 0)

    @property
    def clients_gone(self) -> int:
        """Requests whose client left."""
        return self.by_status.get(CLIENT_GONE, 0)

    @property
    def by_guard(self) -> dict[str, dict[str, int]]:
        """For each guard, requests by outcome; the weightiest where it ran more than once."""
        found: dict[str, dict[str, int]] = {}
        for name, count in self._under("guard").items():
            guard, _, outcome = name.rpartition(":")
            found.setdefault(guard, {})[outcome] = count
        return found

    @property
    def by_not_run_reason(self) -> dict[str, int]:
        """Requests in which something was not checked, by the reason or by what it was."""
        return self._under("not_run")

    @property
    def tokens(self) -> "Tokens":
        """Tokens of prompts and answers, as model servers counted them."""
        return self._record(Tokens, "tokens")

    @property
    def by_model(self) -> dict[str, int]:
        """Requests by the model that answered."""
        return self._under("model")

    @property
    def tokens_by_model(self) -> dict[str, int]:
        """Tokens of prompts and answers by model."""
        return self._under("model_tokens")

    @property
    def by_label(self) -> dict[str, int]:
        """Labelled requests by their label."""
        return {name: count for name, count in self._under("label").items() if count > 0}

    @property
    def alarms(self) -> "dict[str, Alarms]":
        """Counted labels of each guard, by its id."""
        found: dict[str, dict[str, int]] = {}
        for name, count in self._under("alarm").items():
            guard, _, kind = name.rpartition(":")
            found.setdefault(guard, {})[kind] = max(0, count)
        return {guard: Alarms(**kinds) for guard, kinds in found.items() if any(kinds.values())}

    @property
    def regenerations(self) -> Regenerations:
        """Results of second attempts."""
        return self._record(Regenerations, "regeneration")

    @property
    def opinions(self) -> Opinions:
        """The use of asking judges."""
        return self._record(Opinions, "judge")

    @property
    def would(self) -> dict[str, int]:
        """Requests by the strongest action that guards in shadow would have taken, if any."""
        return self._under("would")

    @property
    def shadow(self) -> Shadowed:
        """Actions that shadow policies would have taken."""
        actions = self._under("shadow")
        return Shadowed(
            judged=sum(actions.values()),
            not_judged=self.counts.get("shadow_not_judged", 0),
            changed=self.counts.get("shadow_changed", 0),
            actions=actions,
        )

    def latency(self, what: Latency) -> Histogram:
        """Return how long something took."""
        return Histogram(self._under(f"{what}_ms"))

    def _record(self, kind: type[RecordT], group: str) -> RecordT:
        """Return the counters of a group as a record with a field for each."""
        counted = self._under(group)
        return kind(**{one.name: counted.get(one.name, 0) for one in fields(kind)})

    def _under(self, group: str) -> dict[str, int]:
        """Return the counters of a group by the rest of their names."""
        start = f"{group}:"
        return {
            name.removeprefix(start): count
            for name, count in self.counts.items()
            if name.startswith(start)
        }


@dataclass(frozen=True, slots=True)
class TallyBucket:
    """Counts of one bucket; `start` is timezone-aware, `counts` are those of a `Tally`."""

    start: datetime
    counts: Mapping[str, int]

    @property
    def tally(self) -> Tally:
        """The counts, to be read by what they mean."""
        return Tally(self.counts)


def ms_of(time: datetime) -> int:
    """Return an aware time in whole milliseconds since 1970."""
    return (time - _EPOCH) // _MS


def now_ms() -> int:
    """Return the time of day in whole milliseconds since 1970."""
    return time_ns() // 1_000_000


def from_ms(time_ms: int) -> datetime:
    """Return the aware time of milliseconds since 1970."""
    return _EPOCH + timedelta(milliseconds=time_ms)
