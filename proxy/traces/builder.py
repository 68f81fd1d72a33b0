"""Builds a trace while its request goes on: what the pipeline has learned, and when."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from functools import lru_cache, partial
from types import TracebackType

from pydantic import AwareDatetime

from guards.core.exchange import ContextState, Exchange, Source
from guards.core.finding import Finding
from policies.gating.gate import Gate
from policies.judging.judge import OpinionCounts
from policies.schema.policy import Action
from policies.verdict import GuardResult, Verdict
from policies.verification.shape import Verification, VerificationOutcome
from proxy.candidates import Candidate, Selection
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.model_request import GuardField
from proxy.openai_api.reply import Replaced, Reply
from proxy.openai_api.sources import FoundContext
from proxy.traces.trace import (
    Attempt,
    Change,
    Choice,
    Delivery,
    FoundPlace,
    GuardRun,
    PolicyUsed,
    ReplyOrigin,
    RequestDetails,
    SecondOpinion,
    Step,
    Trace,
    Usage,
    changes,
)


class _Timed:
    """A block of code that is a step; it is written down when it begins, for its place."""

    __slots__ = ("_began_ms", "_name", "_place", "_trace")

    def __init__(self, trace: "TraceBuilder", name: str) -> None:
        self._trace = trace
        self._name = name

    def __enter__(self) -> None:
        self._began_ms = self._trace.elapsed_ms
        self._place = len(self._trace.steps)
        self._trace.steps.append((self._name, self._began_ms, 0.0))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        spent_ms = self._trace.elapsed_ms - self._began_ms
        self._trace.steps[self._place] = (self._name, self._began_ms, spent_ms)


_NO_DETAILS = RequestDetails()


@dataclass(kw_only=True, slots=True)
class TraceBuilder:
    """A trace in the making: the pipeline sets its attributes, which mean what they do in `Trace`.

    Attributes:
        clock: Monotonic clock in seconds.
        steps: Name, start and duration of each, in milliseconds; one that goes on has taken none.
        guards: Make the runs, some of each verdict: while a stream lasts they would only take room.
        made_so_far: Make what stands for `made` if the request ends before all is decided: to
            compare the texts takes longer than all else about a trace.
        under_way: Notes the attempt that nobody has noted yet, which ended with an error of this
            code; None if there is none.
    """

    id: str
    tenant: str
    policy: PolicyUsed
    door: str
    started_at: AwareDatetime
    clock: Callable[[], float]
    model: str = ""
    stream: bool = False
    question: str = ""
    context: ContextState = ContextState.ABSENT
    sources: tuple[Source, ...] = ()
    found: tuple[FoundPlace, ...] = ()
    asked: RequestDetails = _NO_DETAILS
    intent: str | None = None
    route: str = ""
    route_reason: str = ""
    findings: tuple[Finding, ...] = ()
    asked_for_citations: bool = False
    constrained_by: str = ""
    attempts: list[Attempt] = field(default_factory=list)
    kept_attempt: int | None = None
    guards: list[Callable[[], Iterable[GuardRun]]] = field(default_factory=list, repr=False)
    opinions: list[SecondOpinion] = field(default_factory=list)
    action: Action | None = None
    reasons: tuple[str, ...] = ()
    confidence: float | None = None
    not_checked: tuple[str, ...] = ()
    unknown_fields: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()
    made: tuple[ReplyOrigin, ...] = ()
    made_so_far: list[Callable[[], ReplyOrigin]] = field(default_factory=list, repr=False)
    under_way: Callable[[str], None] | None = field(default=None, repr=False)
    verification: VerificationOutcome | None = None
    model_text_ms: float | None = None
    first_text_ms: float | None = None
    steps: list[tuple[str, float, float]] = field(default_factory=list, repr=False)
    _began_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._began_s = self.clock()

    @property
    def spent_s(self) -> float:
        """Seconds since the request came in."""
        return self.clock() - self._began_s

    @property
    def elapsed_ms(self) -> float:
        """The same in milliseconds."""
        return self.spent_s * 1000

    def step(self, name: str) -> AbstractContextManager[None]:
        """Time what happens inside, also when it fails."""
        return _Timed(self, name)

    def note_step(self, name: str, spent_s: float) -> None:
        """Note a step that ends now and was made of pieces with others between them."""
        spent_ms = spent_s * 1000
        self.steps.append((name, max(0.0, self.elapsed_ms - spent_ms), spent_ms))

    def note_model_text(self) -> None:
        """Note that the model says something."""
        if self.model_text_ms is None:
            self.model_text_ms = self.elapsed_ms

    def note_first_text(self) -> None:
        """Note that something of the answer leaves."""
        if self.first_text_ms is None:
            self.first_text_ms = self.elapsed_ms

    def finished(
        self,
        *,
        status: int,
        error: str | None = None,
        delivery: Delivery = Delivery.DELIVERED,
    ) -> Trace:
        """Return the trace as it stands, with how the request ended."""
        known = {name: getattr(self, name) for name in _NOTED}
        known |= {
            "duration_ms": self.elapsed_ms,
            "attempts": tuple(self.attempts),
            "guards": tuple(run for runs in self.guards for run in runs()),
            "opinions": tuple(self.opinions),
            "made": self.made or tuple(make() for make in self.made_so_far),
            "steps": tuple(
                Step(name=name, started_ms=started_ms, duration_ms=spent_ms)
                for name, started_ms, spent_ms in self.steps
            ),
        }
        return Trace(**known, status=status, error=error, delivery=delivery)


_NOTED = tuple(one.name for one in fields(TraceBuilder) if one.name in Trace.model_fields)
_COUNTS = tuple(Usage.model_fields)


def note_exchange(
    trace: TraceBuilder, exchange: Exchange, found: FoundContext, why: str, details: RequestDetails
) -> None:
    """Note what was asked, on what evidence, and what it is about."""
    trace.question = exchange.question
    trace.context = exchange.context
    trace.sources = exchange.sources
    trace.asked = details
    trace.intent = ",".join(exchange.intents) or None
    trace.route_reason = why
    trace.found = tuple(
        _place(place.format, place.field, place.message, place.sources) for place in found.found
    )


@lru_cache(maxsize=256)
def _place(form: str, field: str, message: int | None, count: int) -> FoundPlace:
    """Return a place; those of an app's requests are mostly the same ones."""
    place = field if message is None else f"{field}[{message}]"
    return FoundPlace(format=form, place=place, count=count)


def request_details(
    exchange: Exchange,
    guard_field: GuardField | None,
    *,
    intent: str | None,
    structured: bool = False,
) -> RequestDetails:
    """Return what else judging a request again takes.

    Args:
        guard_field: What the app told the proxy.
        intent: What the caller said that the question is about.
    """
    return RequestDetails(
        echo=exchange.echo,
        previous_answer=exchange.previous_answer,
        told_intent=intent or None,
        last_error_reason=exchange.last_error_reason,
        offers_tools=exchange.may_fetch,
        structured=structured,
        guards=tuple(guard_field.guards) if guard_field else (),
        hold=guard_field.hold if guard_field else False,
    )


def note_verdict(trace: TraceBuilder, verdict: Verdict, *, attempt: int, choice: int) -> None:
    """Note every guard's run over the question (attempt 0) or over one answer."""
    trace.guards.append(partial(guard_runs, verdict, attempt=attempt, choice=choice))
    trace.opinions += [
        _opinion(result, result.counts, attempt, choice)
        for result in verdict.results
        if result.counts is not None
    ]
    if attempt == 0:
        trace.findings = findings_of(verdict)


def _opinion(
    result: GuardResult, counts: OpinionCounts, attempt: int, choice: int
) -> SecondOpinion:
    return SecondOpinion(
        claims=counts.claims,
        supported=counts.supported,
        objected=counts.objected,
        cleared=counts.cleared,
        confirmed=counts.confirmed,
        prompt_tokens=counts.tokens.prompt if counts.tokens else 0,
        completion_tokens=counts.tokens.completion if counts.tokens else 0,
        attempt=attempt,
        choice=choice,
        duration_ms=result.duration_ms,
    )


def guard_runs(verdict: Verdict, *, attempt: int, choice: int) -> list[GuardRun]:
    """Return every guard's run over the question (attempt 0) or over one answer."""
    return [
        GuardRun(
            guard=result.guard,
            mode=result.mode,
            stage=verdict.stage,
            outcome=result.outcome,
            action=result.action,
            reason=result.reason,
            cleared=tuple(finding.code for finding in result.cleared),
            duration_ms=result.duration_ms,
            attempt=attempt,
            choice=choice,
        )
        for result in verdict.results
    ]


def note_attempt(
    trace: TraceBuilder, reply: Reply, judged: Sequence[Candidate], upstream_ms: float
) -> None:
    """Note one request to the model server: its answers with their findings."""
    number = len(trace.attempts) + 1
    choices = tuple(
        Choice(
            text=one.text,
            index=one.answer.index,
            finish_reason=None if one.is_partial else one.answer.finish_reason,
            tool_turn=one.answer.tool_turn,
            stopped=one.is_partial,
            findings=findings_of(one.recorded) if one.recorded else (),
        )
        for one in judged
    )
    usage = _usage(reply.usage) if isinstance(reply.usage, dict) else None
    trace.attempts.append(Attempt(choices=choices, usage=usage, upstream_ms=upstream_ms))
    _note_gates(trace, number, [(one.answer.index, one.gate, one.recorded) for one in judged])


def note_unfinished(
    trace: TraceBuilder, gates: Sequence[Gate], upstream_ms: Callable[[], float], error: str | None
) -> None:
    """Note a request to the model server as far as it came before an error of this code."""
    number = len(trace.attempts) + 1
    heard = [(place, gate, gate.recorded(gate.verdict)) for place, gate in enumerate(gates)]
    choices = tuple(
        Choice(text=gate.text, index=place, findings=findings_of(verdict) if verdict else ())
        for place, gate, verdict in heard
    )
    trace.attempts.append(Attempt(choices=choices, upstream_ms=upstream_ms(), error=error))
    for place, _, verdict in heard:
        if verdict:
            note_verdict(trace, verdict, attempt=number, choice=place)
    _note_gates(trace, number, heard)


def note_verification(trace: TraceBuilder, verdict: Verdict, report: Verification) -> None:
    """Note an answer that was verified, and the result."""
    answer, corrected = report.original_answer, report.corrected_answer
    trace.verification = report.outcome
    trace.attempts.append(Attempt(choices=(Choice(text=answer, findings=findings_of(verdict)),)))
    note_verdict(trace, verdict, attempt=1, choice=0)
    trace.action = verdict.action
    trace.reasons = verdict.reasons
    trace.confidence = verdict.confidence.value if verdict.confidence else None
    trace.not_checked = verdict.not_run
    if corrected is not None:
        trace.replies = (corrected,)
        trace.made = (
            ReplyOrigin(action=verdict.action, attempt=1, changes=changes(answer, corrected)),
        )


def note_end(
    trace: TraceBuilder,
    settled: Sequence[Selection],
    action: Action,
    reasons: tuple[str, ...],
    confidence: float | None,
) -> None:
    """Note what was sent."""
    trace.action = action
    trace.reasons = reasons
    trace.confidence = confidence
    kept = [one.attempt for one in settled if not isinstance(one.outcome, Replaced)]
    trace.kept_attempt = max(kept, default=None)
    trace.replies = tuple(one.outcome.text for one in settled)
    trace.made = tuple(_reply_origin(trace, one) for one in settled)


def _note_gates(
    trace: TraceBuilder, number: int, heard: Sequence[tuple[int, Gate, Verdict | None]]
) -> None:
    """Note the decisions and the text sent so far, as the request may end early."""
    trace.under_way = None
    for _, _, verdict in heard:
        if verdict:
            so_far = trace.action or verdict.action
            trace.action = max(so_far, verdict.action, key=lambda action: action.rank)
            trace.reasons = tuple(dict.fromkeys((*trace.reasons, *verdict.reasons)))
    trace.made_so_far += [
        partial(_made_so_far, number, place, gate, verdict)
        for place, gate, verdict in heard
        if gate.done
    ]


def _made_so_far(number: int, place: int, gate: Gate, verdict: Verdict | None) -> ReplyOrigin:
    return ReplyOrigin(
        action=verdict.action if verdict else None,
        attempt=number,
        choice=place,
        changes=changes(gate.text, gate.shown),
    )


def _reply_origin(trace: TraceBuilder, settled: Selection) -> ReplyOrigin:
    outcome, attempt = settled.outcome, settled.attempt
    if isinstance(outcome, Replaced):
        return ReplyOrigin(action=settled.action, attempt=attempt, replaced_with=settled.template)
    number = outcome.answer.index
    changed: tuple[Change, ...] = ()
    if outcome.edited is not None:
        choices = trace.attempts[attempt - 1].choices
        came = next(choice.text for choice in choices if choice.index == number)
        changed = changes(came, outcome.edited.removesuffix(settled.closing))
    return ReplyOrigin(
        action=settled.action,
        attempt=attempt,
        choice=number,
        changes=changed,
        closed_with=settled.template,
    )


def findings_of(verdict: Verdict) -> tuple[Finding, ...]:
    """Return what all guards found, shadowed ones included."""
    return tuple(finding for result in verdict.results for finding in result.findings)


def _usage(usage: JsonObject) -> Usage:
    counts = {name: value for name in _COUNTS if isinstance(value := usage.get(name), int)}
    return Usage(**counts)
