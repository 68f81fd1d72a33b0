"""`/dashboard`, the overview, and `/dashboard/live`, the parts of it that change."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from litestar import Response, get
from litestar.di import NamedDependency

from policies.schema.policy import Action
from policies.verdict import GuardOutcome
from proxy.dashboard.access import ROOT
from proxy.dashboard.page import AnyRequest, PageVisit, is_https
from proxy.judge.book import BreakerState
from proxy.services import Services
from proxy.traces.query import Query
from proxy.traces.tally import (
    OTHER_MODELS,
    Bucket,
    Histogram,
    Latency,
    Share,
    Tally,
    TallyBucket,
)
from proxy.views import msgid


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time that ends now.

    Attributes:
        bar: What one bar of the chart stands for; a multiple of that.
        refresh_s: How often the page asks again: a bar that stands for hours hardly moves.
    """

    name: str
    title: str
    length: timedelta
    per: Bucket
    bar: timedelta
    refresh_s: int

    def since(self, until: datetime) -> datetime:
        """Return its begin, so that it holds a whole number of bars, the newest one not over."""
        return until - self.length + self.per.span

    def bars(self, buckets: Sequence[TallyBucket]) -> Iterator[TallyBucket]:
        """Add up the buckets of each bar; what is left over at the old end is left out."""
        size = self.bar // self.per.span
        for first in range(len(buckets) % size, len(buckets), size):
            group = buckets[first : first + size]
            yield TallyBucket(group[0].start, Tally.sum(one.tally for one in group).counts)


SPANS = (
    Span("1h", msgid("1 hour"), timedelta(hours=1), Bucket.MINUTE, timedelta(minutes=2), 5),
    Span("24h", msgid("24 hours"), timedelta(hours=24), Bucket.HOUR, timedelta(hours=1), 5),
    Span("7d", msgid("7 days"), timedelta(days=7), Bucket.HOUR, timedelta(hours=6), 30),
    Span("30d", msgid("30 days"), timedelta(days=30), Bucket.HOUR, timedelta(days=1), 30),
)
USUAL = SPANS[1]


def span_named(name: str | None) -> Span:
    """Return the span that an address asks for; the usual one if it asks for none of ours."""
    return next((span for span in SPANS if span.name == name), USUAL)


@dataclass(frozen=True, slots=True)
class State:
    """State of the service, as far as the viewer may know it.

    Attributes:
        policies_since: When the policies in force were read.
        is_stale: The newest edit of the policies is not in force, because it is broken.
        errors: What is wrong with it; for the admin only, as it may tell of other tenants.
        judges: State of each judge's breaker, by tenant; those never asked are left out.
        queue: The recorder's counters; None for a tenant, whom all tenants' do not concern.
        is_away: The trace store failed last time.
    """

    policies_since: datetime
    is_stale: bool
    errors: tuple[str, ...]
    judges: Mapping[str, BreakerState]
    queue: Mapping[str, int] | None
    is_away: bool
    tenants: tuple[str, ...]

    @classmethod
    def of(cls, services: Services, visit: PageVisit) -> "State":
        """Return the state at this moment."""
        policies = services.policies
        problems = policies.last_error.problems if policies.last_error else ()
        judges = services.judges.states()
        return cls(
            policies_since=policies.snapshot.loaded_at,
            is_stale=policies.last_error is not None,
            errors=tuple(map(str, problems)) if visit.is_admin else (),
            judges={name: now for name, now in judges.items() if visit.may_read(name)},
            queue=services.recorder.counters() if visit.is_admin else None,
            is_away=services.recorder.is_away,
            tenants=tuple(sorted(policies.snapshot.tenants)) if visit.is_admin else (),
        )


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
    """Requests by what a guard did in them; the share is that of those it acted in."""

    guard: str
    acted: int
    would_act: int
    noted: int
    not_run: int
    share: float | None


@dataclass(frozen=True, slots=True)
class LabelLine:
    """Labels of a guard's findings, counted."""

    guard: str
    precision: Share
    false_alarms: Share


@dataclass(frozen=True, slots=True)
class LatencyLine:
    """Durations in ms: the median and the 95th percentile."""

    title: str
    count: int
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True)
class Trend:
    """A figure over time, for a chart and the table with the same figures.

    Attributes:
        name: Names its elements on the page.
        empty: Shown where there are none.
        unit: ``ms``, ``tokens`` or ``requests``.
        series: Headings of the columns; names of models are not translated.
        rows: Begin of each bar, and its figures; None where nothing was counted.
    """

    name: str
    title: str
    about: str
    empty: str
    unit: str
    series: tuple[str, ...]
    rows: tuple[tuple[datetime, tuple[float | None, ...]], ...]

    @property
    def is_line(self) -> bool:
        """True if it is drawn as lines; otherwise as stacked bars."""
        return self.unit == "ms"

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to draw."""
        return not any(value for _, values in self.rows for value in values)


@dataclass(frozen=True, slots=True)
class ModelLine:
    """Use of a model: requests, their share from 0 to 1, and tokens."""

    name: str
    requests: int
    share: float | None
    tokens: int


MOST_NAMED_MODELS = 4
"""In the chart; all others are one series."""
OTHER_MODELS_TITLE = msgid("Other models")


class Traffic:
    """Counts of a span."""

    def __init__(self, span: Span, buckets: Sequence[TallyBucket]) -> None:
        self.bars: tuple[TallyBucket, ...] = tuple(span.bars(buckets))
        self.tally = Tally.sum(bar.tally for bar in self.bars)

    @property
    def actions(self) -> tuple[Part, ...]:
        """Requests by action."""
        counted = self.tally.by_action
        return tuple(self._part(action.value, counted.get(action.value, 0)) for action in Action)

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
        """Checks that did not run, or the reasons, the most frequent first."""
        counted = self.tally.by_not_run_reason
        parts = [self._part(reason, count) for reason, count in counted.items()]
        return tuple(sorted(parts, key=lambda part: (-part.count, part.name)))

    @property
    def guards(self) -> tuple[GuardLine, ...]:
        """The guards that acted, found something or did not run; those that acted most first."""
        lines = [self._line(guard, counts) for guard, counts in self.tally.by_guard.items()]
        active = [line for line in lines if line.acted + line.would_act + line.noted + line.not_run]
        return tuple(
            sorted(active, key=lambda line: (-line.acted, -line.would_act, -line.noted, line.guard))
        )

    @property
    def silent_guards(self) -> tuple[str, ...]:
        """The guards that ran and found nothing."""
        listed = {line.guard for line in self.guards}
        return tuple(sorted(self.tally.by_guard.keys() - listed))

    @property
    def labelled(self) -> int:
        """Number of labelled requests."""
        return sum(self.tally.by_label.values())

    @property
    def label_lines(self) -> tuple[LabelLine, ...]:
        """The guards with labelled alarms, those with most of them first."""
        lines = [
            LabelLine(guard, alarms.precision, alarms.false_alarms)
            for guard, alarms in self.tally.alarms.items()
            if alarms.precision.total
        ]
        return tuple(sorted(lines, key=lambda line: (-line.precision.total, line.guard)))

    @property
    def unalarmed_guards(self) -> tuple[str, ...]:
        """The guards that left every labelled request alone."""
        return tuple(
            sorted(
                guard for guard, alarms in self.tally.alarms.items() if not alarms.precision.total
            )
        )

    @property
    def latencies(self) -> tuple[LatencyLine, ...]:
        """Durations of requests and of their parts."""
        return tuple(
            _latency_line(title, self.tally.latency(what)) for what, title in LATENCIES.items()
        )

    @property
    def models(self) -> tuple[ModelLine, ...]:
        """The models that answered, those of most requests first."""
        tokens = self.tally.tokens_by_model
        counted = self.tally.by_model.items()
        total = sum(count for _, count in counted)
        lines = [
            ModelLine(name, count, count / total, tokens.get(name, 0)) for name, count in counted
        ]
        return tuple(sorted(lines, key=lambda one: (-one.requests, one.name)))

    @property
    def trends(self) -> tuple[Trend, ...]:
        """Latency, tokens and models over time."""
        return (self._latency_trend(), self._token_trend(), self._model_trend())

    def _latency_trend(self) -> Trend:
        times = [(bar.start, bar.tally.latency(Latency.WHOLE)) for bar in self.bars]
        return Trend(
            name="latency",
            title=msgid("Latency"),
            about=msgid("Whole requests: half took no longer than p50, 95 of 100 than p95"),
            empty=msgid("No request has ended."),
            unit="ms",
            series=("p50", "p95"),
            rows=tuple(
                (start, (one.percentile(0.5), one.percentile(0.95))) for start, one in times
            ),
        )

    def _token_trend(self) -> Trend:
        counted = [(bar.start, bar.tally.tokens) for bar in self.bars]
        return Trend(
            name="tokens",
            title=msgid("Tokens"),
            about=msgid("As model servers counted them, second attempts included"),
            empty=msgid("No model server reported tokens."),
            unit="tokens",
            series=(msgid("Prompt"), msgid("Answer")),
            rows=tuple((start, (one.prompt, one.answer)) for start, one in counted),
        )

    def _model_trend(self) -> Trend:
        named = [one.name for one in self.models if one.name != OTHER_MODELS][:MOST_NAMED_MODELS]
        has_others = len(self.models) > len(named)

        def figures(tally: Tally) -> tuple[int, ...]:
            counted = tally.by_model
            own = [counted.get(name, 0) for name in named]
            others = (sum(counted.values()) - sum(own),) if has_others else ()
            return (*own, *others)

        return Trend(
            name="models",
            title=msgid("Models"),
            about=msgid("Requests by the model that answered"),
            empty=msgid("No model has answered."),
            unit="requests",
            series=(*named, *((OTHER_MODELS_TITLE,) if has_others else ())),
            rows=tuple((bar.start, figures(bar.tally)) for bar in self.bars),
        )

    @property
    def judge_latency(self) -> LatencyLine:
        """Time that judges took."""
        return _latency_line("", self.tally.latency(Latency.JUDGE))

    def _part(self, name: str, count: int) -> Part:
        return Part(name, count, count / self.tally.requests if self.tally.requests else None)

    def _line(self, guard: str, counts: dict[str, int]) -> GuardLine:
        acted = counts.get(GuardOutcome.ACTED, 0)
        return GuardLine(
            guard=guard,
            acted=acted,
            would_act=counts.get(GuardOutcome.WOULD_ACT, 0),
            noted=counts.get(GuardOutcome.NOTED, 0),
            not_run=counts.get(GuardOutcome.NOT_RUN, 0),
            share=acted / self.tally.requests if self.tally.requests else None,
        )


def _latency_line(title: str, times: Histogram) -> LatencyLine:
    return LatencyLine(title, times.count, times.percentile(0.5), times.percentile(0.95))


LIVE = f"{ROOT}/live"
_EMPTY = "1"


@get(ROOT)
async def show_overview(
    request: AnyRequest,
    visit: NamedDependency[PageVisit],
    services: NamedDependency[Services],
) -> Response[str]:
    """Draw the overview."""
    parts = await _parts(visit, services)
    empty = None if parts.traffic.tally.requests else _EMPTY
    return visit.draw(
        "overview/page.html",
        **vars(parts),
        spans=SPANS,
        live_address=visit.page_of(LIVE, span=parts.span.name, empty=empty),
        has_traces=await services.traces.count(Query(tenant=visit.tenant)) > 0,
        base_url=base_url(request, services),
    )


@get(LIVE)
async def show_live(
    visit: NamedDependency[PageVisit], services: NamedDependency[Services]
) -> Response[str]:
    """Draw what changes of the overview, for a page that is open."""
    parts = await _parts(visit, services)
    reply = visit.draw("overview/live.html", **vars(parts))
    if parts.traffic.tally.requests and visit.query.get("empty") == _EMPTY:
        # The page that asks had nothing to show and lacks the places for what there is now.
        reply.headers["hx-refresh"] = "true"
    return reply


@dataclass(frozen=True)
class _Parts:
    """What the templates of the overview and of what changes of it both show."""

    traffic: Traffic
    state: State
    now: datetime
    span: Span


async def _parts(visit: PageVisit, services: Services) -> _Parts:
    span, now = span_named(visit.query.get("span")), services.now()
    buckets = await services.traces.tallies(visit.tenant, span.since(now), now, span.per)
    return _Parts(Traffic(span, buckets), State.of(services, visit), now, span)


def base_url(request: AnyRequest, services: Services) -> str:
    """Return what apps set as `OPENAI_BASE_URL`."""
    scheme = "https" if is_https(request, services) else "http"
    return f"{scheme}://{request.headers.get('host', '')}/v1"
