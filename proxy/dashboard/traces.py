"""`/dashboard/traces`: the list of traces, the live list, and the page of one trace."""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import ValidationException
from litestar.params import FromPath
from litestar.response import Redirect

from policies.codes import all_codes, guard_labels
from policies.schema.policy import Action
from policies.schema.store import Snapshot
from proxy.dashboard.access import ROOT
from proxy.dashboard.overview import SPANS, base_url
from proxy.dashboard.page import AnyRequest, PageVisit
from proxy.errors import UnknownTrace
from proxy.feedback import (
    MOST_NOTE_CHARS,
    MOST_QUOTE_CHARS,
    BadFeedback,
    Opinion,
    label_trace,
)
from proxy.guardrail import GuardrailJob
from proxy.openai_api.endpoints import ENDPOINTS
from proxy.openai_api.json_body import JSON_TYPE
from proxy.services import Services
from proxy.traces.query import BadCursor, Query, UnknownMoment, moment
from proxy.traces.store import TraceStore, TraceStoreAway
from proxy.traces.trace import ACTION_NAMES, ANY_LABEL, LABEL_FILTERS, PINNED, Label, Trace
from proxy.verify import VerifyJob
from proxy.views import msgid
from proxy.views.trace import TracePage
from proxy.views.words import LABEL_MEANINGS

FIELDS = ("text", "action", "guard", "code", "door", "label", "span", "since", "until")
"""Query parameters of the list, besides the tenant."""
LONGEST_TEXT_CHARS = 200
"""Every word is looked for in every text, so that many words take long."""
_PLACE = r"(?:\d{1,18}(?:-\d{1,18})?)?"
_CURSOR = re.compile(rf"{_PLACE}(?:\.{_PLACE}){{0,63}}")
"""A place, or one for each part of a store that is spread over servers."""
_LONG_TEXT = msgid("The words to look for are too long.")
_BAD_ACTION = msgid("This address names an unknown action.")
_BAD_LABEL = msgid("This address names an unknown label.")
_BAD_SPAN = msgid("This address names an unknown time range.")
_BAD_TIME = msgid("This address names a time that cannot be read.")


class BadFilter(ValueError):
    """An address asks for what cannot be; `said` is what to tell, to be translated."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters given in the query of an address.

    Attributes:
        asked: The fields that it names, as they are.
        since: The moment from which on; None if it names none.
        until: The moment up to which; None if it names none.
        begin: Where a span of time up to now begins; None if it names none.
        before: Cursor of an older page; None for the newest.
    """

    asked: Mapping[str, str]
    since: datetime | None = None
    until: datetime | None = None
    begin: datetime | None = None
    before: str | None = None

    @classmethod
    def of(cls, query: Mapping[str, str], now: datetime) -> "Filters":
        """Read the query of an address.

        Raises:
            BadFilter: it asks for what cannot be.
        """
        asked = asked_in(query)
        if len(asked.get("text", "")) > LONGEST_TEXT_CHARS:
            raise BadFilter(_LONG_TEXT)
        if asked.get("action", ACTION_NAMES[0]) not in ACTION_NAMES:
            raise BadFilter(_BAD_ACTION)
        if asked.get("label", ANY_LABEL) not in LABEL_FILTERS:
            raise BadFilter(_BAD_LABEL)
        return cls(
            asked=asked,
            since=_moment(asked.get("since"), now),
            until=_moment(asked.get("until"), now),
            begin=_begin(asked.get("span"), now),
            before=cursor_in(query, "before"),
        )

    @property
    def text(self) -> str:
        """The words that are looked for."""
        return self.asked.get("text", "")

    def query(self, tenant: str | None, limit: int, *, after: str | None = None) -> Query:
        """Return what to ask a store for."""
        return Query(
            tenant=tenant,
            action=self.asked.get("action"),
            guard=self.asked.get("guard"),
            code=self.asked.get("code"),
            text=self.text or None,
            since=self.since or (None if self.until else self.begin),
            until=self.until,
            door=self.asked.get("door"),
            label=self.asked.get("label"),
            before=None if after is not None else self.before,
            after=after,
            limit=limit,
        )


def asked_in(query: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of an address that ask for something."""
    given = {name: query.get(name, "").strip() for name in FIELDS}
    return {name: value for name, value in given.items() if value}


def cursor_in(query: Mapping[str, str], name: str) -> str | None:
    """Return the cursor of an address; None for one that no store can have given."""
    said = query.get(name, "")
    return said if said and _CURSOR.fullmatch(said) else None


def _begin(span: str | None, now: datetime) -> datetime | None:
    if span is None:
        return None
    lengths = {known.name: known.length for known in SPANS}
    if span not in lengths:
        raise BadFilter(_BAD_SPAN)
    return now - lengths[span]


def _moment(said: str | None, now: datetime) -> datetime | None:
    if said is None:
        return None
    try:
        return moment(said, now)
    except UnknownMoment as unknown:
        raise BadFilter(_BAD_TIME) from unknown


PATIENCE_S = 1.5
"""Longest search for rare traces, in seconds, before a page shows the ones found."""
NEWEST = ""
"""In the place of a cursor: everything is newer than that."""


@dataclass(frozen=True, slots=True)
class Found:
    """Traces, newest first.

    Attributes:
        traces: At most as many as were wanted.
        older: Cursor for those behind them; None if there are none.
        searched_to: How far back was looked, if it was given up before there were enough traces;
            None otherwise.
    """

    traces: list[Trace]
    older: str | None
    searched_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class News:
    """Traces that came in since a cursor, newest first.

    Attributes:
        cursor: For those that come next.
        has_gap: More came than can be shown; older ones of them were left out.
    """

    traces: list[Trace]
    cursor: str
    has_gap: bool = False


async def search(store: TraceStore, query: Query, clock: Callable[[], float]) -> Found:
    """Return what a query wants, or what was found of it in good time."""
    give_up_s = clock() + PATIENCE_S
    traces: list[Trace] = []
    older = query.before
    while True:
        page = await store.page(replace(query, before=older, limit=query.limit - len(traces)))
        traces += page.traces
        older = page.cursor
        if older is None or len(traces) >= query.limit:
            return Found(traces, older)
        if clock() >= give_up_s:
            break
    behind = await store.page(Query(tenant=query.tenant, before=older, limit=1))
    if not behind.traces:
        return Found(traces, None)
    return Found(traces, older, behind.traces[0].started_at)


async def news(store: TraceStore, query: Query) -> News:
    """Return what came in since the query's `after`; after a long time only the newest of it."""
    after = query.after or NEWEST
    page = await store.page(query)
    cursor = page.cursor or after
    if len(page.traces) < query.limit:
        return News(list(reversed(page.traces)), cursor)
    cursor = await store.newest()
    newest = await store.page(replace(query, after=None))
    return News(list(newest.traces), cursor, has_gap=True)


_LONGEST_CHARS = 240
_AROUND_CHARS = 40


@dataclass(frozen=True, slots=True)
class Snippet:
    """A word that was looked for in an answer, and what stands around it."""

    before: str
    word: str
    after: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line.

    Attributes:
        text: What was looked for; empty if nothing.
    """

    trace: Trace
    text: str = ""

    @property
    def question(self) -> str:
        """The question on one line, as much as a row holds."""
        return " ".join(self.trace.question[: 2 * _LONGEST_CHARS].split())[:_LONGEST_CHARS]

    @property
    def snippet(self) -> Snippet | None:
        """Part of an answer with a searched word; None if the question has them all."""
        words = [word for word in self.text.lower().split() if word not in self.question.lower()]
        answers = (*self.trace.replies, *self.trace.answers)
        places = ((text, text.lower().find(word), word) for word in words for text in answers)
        for text, place, word in places:
            if place >= 0:
                end = place + len(word)
                return Snippet(
                    text[max(0, place - _AROUND_CHARS) : place],
                    text[place:end],
                    text[end : end + _AROUND_CHARS],
                )
        return None

    @property
    def asked_twice(self) -> bool:
        """True if there was a second attempt that the action does not show."""
        return len(self.trace.attempts) > 1 and self.trace.action is not Action.REGENERATE

    @property
    def model_not_asked(self) -> bool:
        """True if a template was sent without a call of the model."""
        return self.trace.action is Action.REPLACE and not self.trace.attempts


TRACES = f"{ROOT}/traces"
LIVE = f"{TRACES}/live"
ON_A_PAGE = 50
NEW_AT_ONCE = 50
ALL_ENDPOINTS = (
    *(endpoint.name for endpoint in ENDPOINTS),
    VerifyJob.endpoint_name,
    GuardrailJob.endpoint_name,
)
NOTHING_FOUND = Found([], None)
_NO_SUCH_PAGE = msgid("This page of the list no longer exists.")


@get(TRACES)
async def show_traces(
    request: AnyRequest, visit: NamedDependency[PageVisit], services: NamedDependency[Services]
) -> Response[str]:
    """Draw the list."""
    is_live = visit.query.get("live") == "1"
    # Taken first: what comes in meanwhile is then told of twice rather than never.
    cursor = await services.traces.newest() if is_live else NEWEST
    filters, found, problem = await _search(visit, services)
    return visit.draw(
        "traces/list.html",
        status_code=400 if problem else 200,
        filters=filters,
        rows=[Row(trace, filters.text) for trace in found.traces],
        found=found,
        problem=problem,
        is_live=is_live,
        is_away=False,
        cursor=cursor,
        live_address=visit.page_of(LIVE, **filters.asked),
        is_empty=not found.traces and await _is_empty(visit, services),
        base_url=base_url(request, services),
        tenants=sorted(services.policies.snapshot.tenants) if visit.is_admin else (),
        spans=SPANS,
        titles={span.name: span.title for span in SPANS},
        guards=tuple(guard_labels()),
        codes={name: code.label.en for name, code in all_codes().items()},
        labels=LABEL_FILTERS,
        endpoints=ALL_ENDPOINTS,
    )


@get(LIVE)
async def show_new_traces(
    visit: NamedDependency[PageVisit], services: NamedDependency[Services]
) -> Response[str]:
    """Draw the lines of what came in since the page last asked."""
    after = cursor_in(visit.query, "after") or NEWEST
    try:
        filters = Filters.of(visit.query, services.now())
        fresh = await news(services.traces, filters.query(visit.tenant, NEW_AT_ONCE, after=after))
    except (BadFilter, BadCursor) as bad:
        raise ValidationException from bad
    except TraceStoreAway:
        # The page says so in its own words, and asks again.
        return visit.draw("traces/news.html", rows=[], cursor=after, is_away=True, has_gap=False)
    return visit.draw(
        "traces/news.html",
        rows=[Row(trace, filters.text) for trace in fresh.traces],
        cursor=fresh.cursor,
        is_away=False,
        has_gap=fresh.has_gap,
    )


async def _search(visit: PageVisit, services: Services) -> tuple[Filters, Found, str]:
    """Return what the address asks for, what there is of it, or why that cannot be."""
    filters = Filters(asked_in(visit.query))
    try:
        filters = Filters.of(visit.query, services.now())
        query = filters.query(visit.tenant, ON_A_PAGE)
        return filters, await search(services.traces, query, services.clock), ""
    except BadFilter as bad:
        return filters, NOTHING_FOUND, bad.said
    except BadCursor:
        return filters, NOTHING_FOUND, _NO_SUCH_PAGE


async def _is_empty(visit: PageVisit, services: Services) -> bool:
    """Tell whether there is no trace at all."""
    return await services.traces.count(Query(tenant=visit.tenant)) == 0


MOST_FORM_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class FeedbackForm:
    """Contents of the feedback form.

    Attributes:
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
    return await asyncio.to_thread(_trace_page, visit, trace, services.policies.snapshot, form)


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


def _trace_page(
    visit: PageVisit, trace: Trace, policies: Snapshot, form: FeedbackForm
) -> Response[str]:
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
        return await asyncio.to_thread(_trace_page, visit, trace, policies, refused)
    saved = visit.page_of(f"{TRACES}/{trace_id}", saved="1")
    return Redirect(f"{saved}#feedback", status_code=303)
