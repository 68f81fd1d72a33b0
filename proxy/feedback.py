"""`POST /v1/feedback`: labels on requests, also for the dashboard."""

from dataclasses import dataclass
from typing import Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from guards.core.finding import Span
from policies.schema.sections import StoredText, Tracing
from policies.verification.shape import problem
from proxy.errors import BadRequest, FeedbackPinned, TraceStoreUnavailable, UnknownTrace
from proxy.logs import logger
from proxy.openai_api.model_request import read_body, validated
from proxy.services import Services
from proxy.traces.masking import masked_text, stored_note
from proxy.traces.query import Query
from proxy.traces.store import TraceStoreAway
from proxy.traces.trace import PINNED, Feedback, Label, Trace
from proxy.views.findings import place_of
from proxy.views.words import FEEDBACK_PROBLEMS

log = logger(__name__)

MOST_NOTE_CHARS = 1_000
MOST_QUOTE_CHARS = 2_000
MOST_PINNED = 1_000
"""Of one tenant: what is pinned is never forgotten by itself."""


class BadFeedback(ValueError):
    """A feedback that the request does not allow.

    Attributes:
        field: The part of it that is wrong.
    """

    def __init__(self, field: str, problem: str) -> None:
        self.field = field
        self.said = FEEDBACK_PROBLEMS[problem]
        super().__init__(self.said)


@dataclass(frozen=True, slots=True)
class Opinion:
    """A person's label of a request.

    Attributes:
        choice: Number of the reply that has them, from 0.
        near: Where in it they were marked, in code points, should they stand there more than once.
        pinned: Whether to keep the trace; None to leave that as it is.
    """

    label: Label
    note: str = ""
    quote: str = ""
    choice: int = 0
    near: int = 0
    pinned: bool | None = None


async def label_trace(
    services: Services, trace_id: str, tenant: str, opinion: Opinion | None, *, by_app: bool
) -> Trace:
    """Label a trace, or withdraw its label.

    Args:
        opinion: The label; None withdraws it, and unpins the trace.
        by_app: An app gives it, which may not touch what was pinned on the dashboard.

    Raises:
        UnknownTrace: there is no such trace of the tenant's.
        BadFeedback: the request does not allow it.
        FeedbackPinned: see `by_app`.
        TraceStoreAway: the store cannot be used.
    """
    store = services.traces
    loaded = services.policies.snapshot.tenants.get(tenant)
    tracing = loaded.policy.tracing if loaded else Tracing()
    is_full = opinion is not None and opinion.pinned and await _pins(services, tenant)

    def decide(trace: Trace) -> Feedback | None:
        if trace.tenant != tenant:
            raise UnknownTrace(trace_id)
        if by_app and trace.has_label(PINNED):
            raise FeedbackPinned(trace_id)
        if opinion is None:
            return None
        if is_full and not trace.has_label(PINNED):
            raise BadFeedback("pinned", "too_many_pinned")
        return _feedback(trace, opinion, services)

    labelled = await store.label(trace_id, decide, tracing)
    if labelled is None:
        raise UnknownTrace(trace_id)
    label = labelled.feedback.label.value if labelled.feedback else None
    log.info("feedback.given", request_id=trace_id, tenant=tenant, label=label, by_app=by_app)
    return labelled


async def _pins(services: Services, tenant: str) -> bool:
    """Tell whether a tenant has as many pinned traces as it may have."""
    return await services.traces.count(Query(tenant=tenant, label=PINNED)) >= MOST_PINNED


def _feedback(trace: Trace, opinion: Opinion, services: Services) -> Feedback:
    before = trace.feedback
    pinned = opinion.pinned if opinion.pinned is not None else trace.has_label(PINNED)
    given = Feedback(
        label=opinion.label,
        note=stored_note(opinion.note.strip(), trace.text),
        choice=opinion.choice if opinion.quote else 0,
        span=_place(trace, opinion) if opinion.quote else None,
        pinned=pinned,
        at=services.now(),
    )
    if before and given == before.model_copy(update={"at": given.at}):
        return before
    return given


def _place(trace: Trace, opinion: Opinion) -> Span:
    """Return where the quoted words stand in a reply, whatever the white space."""
    if trace.text is StoredText.NONE:
        raise BadFeedback("quote", "no_words")
    if opinion.choice >= len(trace.replies):
        raise BadFeedback("choice", "no_reply")
    reply = trace.replies[opinion.choice]
    # The app knows the words as they were sent, and the trace may hold them masked.
    for quote in (opinion.quote, masked_text(opinion.quote)):
        place = place_of(quote, reply, opinion.near)
        if place is not None:
            return place
    raise BadFeedback("quote", "not_there")


_LabelName = Literal["right", "false_alarm", "missed"]


class FeedbackRequest(BaseModel):
    """A label for one request of the tenant's own.

    The same label given again changes nothing; another one takes its place.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    request_id: str = Field(
        pattern=r"^[!-~]{1,64}$",
        description="Id of the request, from the header `x-guard-request-id`.",
    )
    label: _LabelName | None = Field(
        description="right: the answer was rightly left alone, or rightly changed. false_alarm: a "
        "good answer was changed. missed: a wrong answer was sent. null withdraws the label."
    )
    note: str = Field(
        "",
        max_length=MOST_NOTE_CHARS,
        description="The reason; masked or dropped as `tracing.text` says.",
    )
    quote: str | None = Field(
        None,
        min_length=1,
        max_length=MOST_QUOTE_CHARS,
        description="With `missed`: the wrong words, exactly as in the answer that was sent.",
    )
    choice: int = Field(0, ge=0, le=127, description="The choice that `quote` is in, from 0.")

    @model_validator(mode="after")
    def _quotes_what_was_missed(self) -> Self:
        if self.quote is not None and self.label != "missed":
            raise ValueError("'quote' goes with the label 'missed'")
        return self

    @property
    def opinion(self) -> Opinion | None:
        """The label; None if it is withdrawn."""
        if self.label is None:
            return None
        return Opinion(Label(self.label), self.note, self.quote or "", self.choice)


class FeedbackReply(BaseModel):
    """The label as it is kept now."""

    object: Literal["feedback"] = Field("feedback", description="What this object is.")
    request_id: str = Field(description="Id of the request.")
    label: _LabelName | None = Field(description="Its label; null if it has none.")
    note: str = Field(description="The note, masked or dropped as `tracing.text` says.")
    quote: str | None = Field(description="The marked words as they are kept; null for none.")
    choice: int = Field(description="The choice that they are in.")
    pinned: bool = Field(description="Whether the trace is kept until it is unpinned.")
    at: AwareDatetime | None = Field(description="When the label was given; null if it has none.")

    @classmethod
    def of(cls, trace: Trace) -> "FeedbackReply":
        """Return what is kept of a trace's label."""
        feedback = trace.feedback
        return cls(
            object="feedback",
            request_id=trace.id,
            label=feedback.label.value if feedback else None,
            note=feedback.note if feedback else "",
            quote=trace.missed_words or None,
            choice=feedback.choice if feedback else 0,
            pinned=trace.has_label(PINNED),
            at=feedback.at if feedback else None,
        )


async def feedback_reply(raw: bytes, services: Services, tenant: str) -> FeedbackReply:
    """Label a request as an app asks.

    Raises:
        GuardProxyError: the body cannot be read, or the label cannot be given.
    """
    request = validated(read_body(raw), FeedbackRequest, problem)
    try:
        trace = await label_trace(
            services, request.request_id, tenant, request.opinion, by_app=True
        )
    except BadFeedback as bad:
        raise BadRequest(f"Invalid value for '{bad.field}': {bad.said}", bad.field) from None
    except TraceStoreAway as away:
        raise TraceStoreUnavailable from away
    return FeedbackReply.of(trace)
