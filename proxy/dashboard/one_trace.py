"""One trace: its page, its JSON, and the form that asks whether the proxy was right."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.response import Redirect

from policies.schema.store import Snapshot
from proxy.dashboard.page import AnyRequest, PageVisit
from proxy.dashboard.traces import TRACES
from proxy.errors import UnknownTrace
from proxy.feedback import (
    MOST_NOTE_CHARS,
    MOST_QUOTE_CHARS,
    BadFeedback,
    Opinion,
    label_trace,
)
from proxy.openai_api.json_body import JSON_TYPE
from proxy.services import Services
from proxy.traces.trace import PINNED, Label, Trace
from proxy.views.trace import TracePage
from proxy.views.words import LABEL_MEANINGS

MOST_FORM_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class FeedbackForm:
    """Contents of the feedback form.

    Attributes:
        label: The chosen label; empty for none.
        note: Why.
        quote: The marked words.
        choice: Number of the reply that they are in, from 0.
        near: Where in it they begin, in code points.
        pinned: Whether the trace is to be kept beyond its time.
        problem: Why it was not taken, to be translated; empty if it was.
        is_saved: It was taken just now.
    """

    label: str = ""
    note: str = ""
    quote: str = ""
    choice: int = 0
    near: int = 0
    pinned: bool = False
    problem: str = ""
    is_saved: bool = False

    @classmethod
    def of(cls, trace: Trace, *, is_saved: bool = False) -> "FeedbackForm":
        """Return the form of a trace as it is labelled."""
        feedback = trace.feedback
        if feedback is None:
            return cls(is_saved=is_saved)
        return cls(
            label=feedback.label.value,
            note=feedback.note,
            quote=trace.missed_words,
            choice=feedback.choice,
            near=feedback.span.start if feedback.span else 0,
            pinned=trace.has_label(PINNED),
            is_saved=is_saved,
        )

    @classmethod
    def sent(cls, form: Mapping[str, object]) -> "FeedbackForm":
        """Return what a browser sent."""
        said = {name: str(form.get(name, "")).replace("\r\n", "\n") for name in _TEXTS}
        return cls(
            label=said["label"],
            note=said["note"].strip(),
            quote=said["quote"].strip(),
            choice=_number(said["choice"]),
            near=_number(said["near"]),
            pinned="pinned" in form,
        )

    def opinion(self) -> Opinion:
        """Return what it says.

        Raises:
            BadFeedback: no label is chosen, or there is too much of something.
        """
        if self.label not in set(Label):
            raise BadFeedback("label", "no_label")
        if len(self.note) > MOST_NOTE_CHARS or len(self.quote) > MOST_QUOTE_CHARS:
            raise BadFeedback("note", "too_long")
        label = Label(self.label)
        quote = self.quote if label is Label.MISSED else ""
        return Opinion(label, self.note, quote, self.choice, self.near, pinned=self.pinned)


_TEXTS = ("label", "note", "quote", "choice", "near")
_WITHDRAW = "withdraw"


def _number(said: str) -> int:
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 10 else 0


@get(f"{TRACES}/{{trace_id:str}}")
async def show_trace_page(
    visit: NamedDependency[PageVisit], services: NamedDependency[Services], trace_id: FromPath[str]
) -> Response[str]:
    """Draw one trace."""
    trace = await _trace(visit, services, trace_id)
    form = FeedbackForm.of(trace, is_saved="saved" in visit.query)
    # A trace may hold thousands of findings; other requests must not wait for its page.
    return await asyncio.to_thread(_drawn, visit, trace, services.policies.snapshot, form)


@get(f"{TRACES}/{{trace_id:str}}/json")
async def download_trace(
    visit: NamedDependency[PageVisit], services: NamedDependency[Services], trace_id: FromPath[str]
) -> Response[bytes]:
    """Return one trace as a file."""
    trace = await _trace(visit, services, trace_id)
    return Response(
        trace.model_dump_json(indent=2).encode(),
        media_type=JSON_TYPE,
        headers={"content-disposition": 'attachment; filename="trace.json"'},
    )


def _drawn(visit: PageVisit, trace: Trace, policies: Snapshot, form: FeedbackForm) -> Response[str]:
    return visit.draw(
        "traces/one.html",
        status_code=400 if form.problem else 200,
        page=TracePage.of(trace, policies),
        trace=trace,
        form=form,
        labels=LABEL_MEANINGS,
        longest_note=MOST_NOTE_CHARS,
        longest_quote=MOST_QUOTE_CHARS,
    )


async def _trace(visit: PageVisit, services: Services, trace_id: str) -> Trace:
    trace = await services.traces.get(trace_id)
    if trace is None or not visit.may_read(trace.tenant):
        raise UnknownTrace(trace_id)
    return trace


@post(f"{TRACES}/{{trace_id:str}}/feedback", request_max_body_size=MOST_FORM_BYTES, status_code=303)
async def give_feedback(
    request: AnyRequest,
    visit: NamedDependency[PageVisit],
    services: NamedDependency[Services],
    trace_id: FromPath[str],
) -> Response[str] | Redirect:
    """Label a trace, and go back to its page."""
    trace = await _trace(visit, services, trace_id)
    form = await request.form()
    sent = FeedbackForm.sent(form)
    try:
        opinion = None if form.get("do") == _WITHDRAW else sent.opinion()
        await label_trace(services, trace_id, trace.tenant, opinion, by_app=False)
    except BadFeedback as bad:
        refused = replace(sent, problem=bad.said)
        policies = services.policies.snapshot
        return await asyncio.to_thread(_drawn, visit, trace, policies, refused)
    saved = visit.page_of(f"{TRACES}/{trace_id}", saved="1")
    return Redirect(f"{saved}#feedback", status_code=303)
