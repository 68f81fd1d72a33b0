"""One request's trace: what was asked, what the model said, what the guards saw, what left.

The pipeline fills a `TraceBuilder` as the request goes on; the `Trace` it ends in never changes.
What of its text is kept is decided in `proxy.traces.masking`, nowhere else.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import AwareDatetime

from guards.core.exchange import ContextState, Source
from guards.core.finding import Finding
from policies.guard_rule import Action
from policies.tracing import StoredText
from policies.verdict import GuardOutcome
from proxy.traces.parts import (
    Asked,
    Attempt,
    FoundPlace,
    GuardRun,
    Made,
    PolicyUsed,
    Rejudged,
    Shape,
    Step,
)
from proxy.traces.steps import Steps

NOTHING_DECIDED = "none"
"""What stands for the action of a request that ended before there was one."""
ACTION_NAMES = (*(action.value for action in Action), NOTHING_DECIDED)
_NOTHING_ASKED = Asked()


class Delivery(StrEnum):
    """Whether the reply reached the client."""

    DELIVERED = "delivered"
    CLIENT_GONE = "client_gone"


class Trace(Shape):
    """What happened in one request.

    Attributes:
        id: The request's id; ``x-guard-request-id`` shows it.
        text: How much of the request's words stand in here.
        started_at: When the request came in; aware.
        found: Where the sources were found.
        asked: What else was known of the request; None in traces of versions that did not keep it.
        intent: What the question is about; None if nobody said.
        route: The way that the request took, and `route_reason` why.
        findings: Findings about the question, before the model.
        asked_for_citations: Our citation prompt was added to the request.
        constrained_by: Kind of model server that was told what it may write in the second attempt;
            empty if it was not.
        attempts: At most two: the first, and the regeneration. An answer to verify is one.
        kept_attempt: Number of the attempt that the reply was made from, from 1; None if neither.
        guards: Every guard's run, in order.
        action: What became of the answers; what the guards had come to by then if the request ended
            before all was decided; None if they had come to nothing.
        reasons: Codes of the findings that led to it.
        confidence: From 0 to 1; None if nothing could be checked.
        not_checked: Guards that were wanted and did not run.
        unknown_fields: Places in request and replies that no row of the coverage tells of, each
            behind ``request`` or ``reply``; names only.
        replies: What left the proxy, a text for each choice.
        made: How each of the replies was made; fewer than those if the request ended early.
        model_text_ms: From the request to the first word of the model, in milliseconds; None if the
            answer did not come as a stream.
        first_text_ms: The same to the first word that left.
        status: HTTP status.
        error: Code of the error that the client saw; None if it saw none.
        shadow: What the policy's shadow policy would have done; None if it has none.
    """

    id: str
    tenant: str
    policy: PolicyUsed
    door: str
    model: str = ""
    stream: bool = False
    text: StoredText = StoredText.FULL
    started_at: AwareDatetime
    duration_ms: float
    question: str = ""
    context: ContextState = ContextState.ABSENT
    sources: tuple[Source, ...] = ()
    found: tuple[FoundPlace, ...] = ()
    asked: Asked | None = None
    intent: str | None = None
    route: str = ""
    route_reason: str = ""
    findings: tuple[Finding, ...] = ()
    asked_for_citations: bool = False
    constrained_by: str = ""
    attempts: tuple[Attempt, ...] = ()
    kept_attempt: int | None = None
    guards: tuple[GuardRun, ...] = ()
    action: Action | None = None
    reasons: tuple[str, ...] = ()
    confidence: float | None = None
    not_checked: tuple[str, ...] = ()
    unknown_fields: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()
    made: tuple[Made, ...] = ()
    steps: tuple[Step, ...] = ()
    model_text_ms: float | None = None
    first_text_ms: float | None = None
    status: int
    error: str | None = None
    delivery: Delivery = Delivery.DELIVERED
    shadow: Rejudged | None = None

    @property
    def guards_with_findings(self) -> tuple[str, ...]:
        """Ids of the guards that found something, in shadow too, each once, in order."""
        without = (GuardOutcome.CLEAN, GuardOutcome.NOT_RUN)
        return tuple(dict.fromkeys(run.guard for run in self.guards if run.outcome not in without))

    @property
    def chars(self) -> int:
        """How many characters it holds of what was said and of sources."""
        answers = (choice.text for attempt in self.attempts for choice in attempt.choices)
        sources = (source.text for source in self.sources)
        earlier = (self.asked.echo, self.asked.previous_answer) if self.asked else ()
        return len(self.question) + sum(map(len, (*answers, *sources, *earlier)))

    @property
    def action_name(self) -> str:
        """The action in a word, for lists, filters and counts."""
        return self.action.value if self.action else NOTHING_DECIDED

    @property
    def closings(self) -> tuple[str, ...]:
        """Names of the templates that ended what had begun to leave."""
        return tuple(made.closed_with for made in self.made if made.closed_with)

    @property
    def would(self) -> Action:
        """The strongest action that guards in shadow would have taken; PASS if none."""
        shadow = (run.action for run in self.guards if run.outcome is GuardOutcome.WOULD_ACT)
        return max(shadow, key=lambda action: action.rank, default=Action.PASS)


@dataclass(kw_only=True, slots=True)
class TraceBuilder:
    """A trace in the making: the pipeline sets its attributes, which mean what they do in `Trace`.

    Attributes:
        clock: Monotonic clock in seconds.
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
    asked: Asked = _NOTHING_ASKED
    intent: str | None = None
    route: str = ""
    route_reason: str = ""
    findings: tuple[Finding, ...] = ()
    asked_for_citations: bool = False
    constrained_by: str = ""
    attempts: list[Attempt] = field(default_factory=list)
    kept_attempt: int | None = None
    guards: list[Callable[[], Iterable[GuardRun]]] = field(default_factory=list, repr=False)
    action: Action | None = None
    reasons: tuple[str, ...] = ()
    confidence: float | None = None
    not_checked: tuple[str, ...] = ()
    unknown_fields: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()
    made: tuple[Made, ...] = ()
    made_so_far: list[Callable[[], Made]] = field(default_factory=list, repr=False)
    under_way: Callable[[str], None] | None = field(default=None, repr=False)
    model_text_ms: float | None = None
    first_text_ms: float | None = None
    _steps: Steps = field(init=False, repr=False)
    _began_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._began_s = self.clock()
        self._steps = Steps(self.clock, self._began_s)

    @property
    def spent_s(self) -> float:
        """Seconds since the request came in."""
        return self.clock() - self._began_s

    def step(self, name: str) -> AbstractContextManager[None]:
        """Time what happens inside, also when it fails."""
        return self._steps.step(name)

    def note_step(self, name: str, spent_s: float) -> None:
        """Note a step that ends now and was made of pieces with others between them."""
        self._steps.note(name, spent_s)

    def note_model_text(self) -> None:
        """Note that the model says something."""
        if self.model_text_ms is None:
            self.model_text_ms = self._elapsed_ms()

    def note_first_text(self) -> None:
        """Note that something of the answer leaves."""
        if self.first_text_ms is None:
            self.first_text_ms = self._elapsed_ms()

    def finished(
        self,
        *,
        status: int,
        error: str | None = None,
        delivery: Delivery = Delivery.DELIVERED,
    ) -> Trace:
        """Return the trace as it stands, with how the request ended."""
        return Trace(
            id=self.id,
            tenant=self.tenant,
            policy=self.policy,
            door=self.door,
            model=self.model,
            stream=self.stream,
            started_at=self.started_at,
            duration_ms=self._elapsed_ms(),
            question=self.question,
            context=self.context,
            sources=self.sources,
            found=self.found,
            asked=self.asked,
            intent=self.intent,
            route=self.route,
            route_reason=self.route_reason,
            findings=self.findings,
            asked_for_citations=self.asked_for_citations,
            constrained_by=self.constrained_by,
            attempts=tuple(self.attempts),
            kept_attempt=self.kept_attempt,
            guards=tuple(run for runs in self.guards for run in runs()),
            action=self.action,
            reasons=self.reasons,
            confidence=self.confidence,
            not_checked=self.not_checked,
            unknown_fields=self.unknown_fields,
            replies=self.replies,
            made=self.made or tuple(make() for make in self.made_so_far),
            steps=self._steps.all(),
            model_text_ms=self.model_text_ms,
            first_text_ms=self.first_text_ms,
            status=status,
            error=error,
            delivery=delivery,
        )

    def _elapsed_ms(self) -> float:
        return self.spent_s * 1000
