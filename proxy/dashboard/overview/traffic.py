"""What happened in a span of time, as the overview tells it."""

from collections.abc import Sequence
from dataclasses import dataclass

from policies.schema.guard_rule import Action
from policies.verdict import GuardOutcome
from proxy.dashboard.languages import msgid
from proxy.dashboard.overview.spans import Bar, Span
from proxy.traces.tally import Latency, Regenerations, Shadowed, Tally, TallyBucket
from proxy.traces.trace import NOTHING_DECIDED

LATENCIES = {
    Latency.WHOLE: msgid("Whole request"),
    Latency.MODEL: msgid("Model server"),
    Latency.GUARDS: msgid("Guards"),
    Latency.FIRST_TEXT: msgid("First text of a stream"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the requests: a name, how many they are, and their share from 0 to 1."""

    name: str
    count: int
    share: float | None


@dataclass(frozen=True, slots=True)
class GuardLine:
    """In how many requests a guard came to what; the share is that of those it acted in."""

    guard: str
    acted: int
    would_act: int
    noted: int
    not_run: int
    share: float | None


@dataclass(frozen=True, slots=True)
class LatencyLine:
    """How long something took: the median and what 95 of 100 requests stay below, in ms."""

    title: str
    count: int
    p50_ms: float | None
    p95_ms: float | None


class Traffic:
    """Counts of a span.

    Attributes:
        bars: The span's bars, oldest first.
        tally: All of them together.
    """

    def __init__(self, span: Span, buckets: Sequence[TallyBucket]) -> None:
        self.bars: tuple[Bar, ...] = tuple(span.bars(buckets))
        self.tally = Tally.sum(bar.tally for bar in self.bars)

    @property
    def requests(self) -> int:
        """All requests."""
        return self.tally.requests

    @property
    def actions(self) -> tuple[Part, ...]:
        """What became of the requests, one part for each action."""
        counted = self.tally.by_action
        return tuple(self._part(action.value, counted.get(action.value, 0)) for action in Action)

    @property
    def undecided(self) -> Part:
        """Requests that ended before anything was decided."""
        return self._part(NOTHING_DECIDED, self.tally.by_action.get(NOTHING_DECIDED, 0))

    @property
    def not_checked(self) -> Part:
        """Requests in which something that was to be checked was not."""
        return self._part("not_checked", self.tally.not_checked)

    @property
    def errors(self) -> Part:
        """Requests that ended in an error."""
        return self._part("errors", self.tally.errors)

    @property
    def not_run_reasons(self) -> tuple[Part, ...]:
        """What was not checked, or why not, the most frequent first."""
        counted = self.tally.by_not_run_reason
        parts = [self._part(reason, count) for reason, count in counted.items()]
        return tuple(sorted(parts, key=lambda part: (-part.count, part.name)))

    @property
    def guards(self) -> tuple[GuardLine, ...]:
        """The guards that came to anything but nothing, those that acted most first."""
        lines = [self._line(guard, counts) for guard, counts in self.tally.by_guard.items()]
        told = [line for line in lines if line.acted + line.would_act + line.noted + line.not_run]
        return tuple(
            sorted(told, key=lambda line: (-line.acted, -line.would_act, -line.noted, line.guard))
        )

    @property
    def silent_guards(self) -> tuple[str, ...]:
        """The guards that ran and found nothing."""
        told = {line.guard for line in self.guards}
        return tuple(sorted(self.tally.by_guard.keys() - told))

    @property
    def latencies(self) -> tuple[LatencyLine, ...]:
        """How long requests took, and what in them."""
        return tuple(
            LatencyLine(title, times.count, times.percentile(0.5), times.percentile(0.95))
            for what, title in LATENCIES.items()
            for times in [self.tally.latency(what)]
        )

    @property
    def regenerations(self) -> Regenerations:
        """What came of asking the model a second time."""
        return self.tally.regenerations

    @property
    def shadow(self) -> Shadowed:
        """What shadow policies would have done."""
        return self.tally.shadow

    @property
    def shadow_share(self) -> float | None:
        """Share of the judged requests in which a shadow policy would have done something else."""
        shadow = self.shadow
        return shadow.changed / shadow.judged if shadow.judged else None

    def _part(self, name: str, count: int) -> Part:
        return Part(name, count, count / self.requests if self.requests else None)

    def _line(self, guard: str, counts: dict[str, int]) -> GuardLine:
        acted = counts.get(GuardOutcome.ACTED, 0)
        return GuardLine(
            guard=guard,
            acted=acted,
            would_act=counts.get(GuardOutcome.WOULD_ACT, 0),
            noted=counts.get(GuardOutcome.NOTED, 0),
            not_run=counts.get(GuardOutcome.NOT_RUN, 0),
            share=acted / self.requests if self.requests else None,
        )
