"""`/dashboard/traces`: which requests there were, what comes in, and one of them whole."""

import asyncio

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.exceptions import ValidationException
from litestar.params import FromPath

from guards.core.registry import all_guards
from policies.judging.judge import JUDGE
from policies.schema.store import Snapshot
from proxy.dashboard.addresses import ROOT
from proxy.dashboard.desk import AnyRequest, Desk
from proxy.dashboard.languages import msgid
from proxy.dashboard.overview.spans import SPANS
from proxy.dashboard.pages.overview import base_url
from proxy.dashboard.traces import terms
from proxy.dashboard.traces.codes import CODE_WORDS, code_word
from proxy.dashboard.traces.filters import BadFilter, Filters, asked_in, cursor_in
from proxy.dashboard.traces.page import TracePage
from proxy.dashboard.traces.reasons import reason_word
from proxy.dashboard.traces.rows import Row
from proxy.dashboard.traces.searching import NEWEST, Found, news, search
from proxy.errors import UnknownTrace
from proxy.openai_api.doors import DOORS
from proxy.openai_api.json_body import JSON_TYPE
from proxy.services import Services
from proxy.traces.query import BadCursor, Query
from proxy.traces.store import TraceStoreAway
from proxy.traces.trace import Trace
from proxy.verify_job import VerifyJob

TRACES = f"{ROOT}/traces"
LIVE = f"{TRACES}/live"
ON_A_PAGE = 50
NEW_AT_ONCE = 50
ALL_DOORS = (*(door.name for door in DOORS), VerifyJob.door)
NOTHING_FOUND = Found([], None)
_NO_SUCH_PAGE = msgid("This page of the list is not there any more.")


@get(TRACES)
async def show_traces(
    request: AnyRequest, desk: NamedDependency[Desk], services: NamedDependency[Services]
) -> Response[str]:
    """Draw the list."""
    is_live = desk.query.get("live") == "1"
    # Taken first: what comes in meanwhile is then told of twice rather than never.
    cursor = await services.traces.newest() if is_live else NEWEST
    filters, found, problem = await _found(desk, services)
    return desk.draw(
        "traces/list.html",
        status_code=400 if problem else 200,
        filters=filters,
        rows=[Row(trace, filters.text) for trace in found.traces],
        found=found,
        problem=problem,
        is_live=is_live,
        is_away=False,
        cursor=cursor,
        live_address=desk.page_of(LIVE, **filters.asked),
        is_empty=not found.traces and await _is_empty(desk, services),
        base_url=base_url(request, services),
        tenants=sorted(services.policies.snapshot.tenants) if desk.is_admin else (),
        spans=SPANS,
        titles={span.name: span.title for span in SPANS},
        guards=(*all_guards(), JUDGE),
        codes=CODE_WORDS,
        code_word=code_word,
        terms=terms,
        doors=ALL_DOORS,
    )


@get(LIVE)
async def show_new_traces(
    desk: NamedDependency[Desk], services: NamedDependency[Services]
) -> Response[str]:
    """Draw the lines of what came in since the page last asked."""
    after = cursor_in(desk.query, "after") or NEWEST
    try:
        filters = Filters.of(desk.query, services.now())
        fresh = await news(services.traces, filters.query(desk.tenant, NEW_AT_ONCE, after=after))
    except (BadFilter, BadCursor) as bad:
        raise ValidationException from bad
    except TraceStoreAway:
        # The page says so in its own words, and asks again.
        return desk.draw("traces/news.html", rows=[], cursor=after, is_away=True, has_gap=False)
    return desk.draw(
        "traces/news.html",
        rows=[Row(trace, filters.text) for trace in fresh.traces],
        cursor=fresh.cursor,
        is_away=False,
        has_gap=fresh.has_gap,
        code_word=code_word,
    )


@get(f"{TRACES}/{{trace_id:str}}")
async def show_trace_page(
    desk: NamedDependency[Desk], services: NamedDependency[Services], trace_id: FromPath[str]
) -> Response[str]:
    """Draw one trace."""
    trace = await _trace(desk, services, trace_id)
    # A trace may hold thousands of findings; other requests must not wait for its page.
    return await asyncio.to_thread(_drawn, desk, trace, services.policies.snapshot)


@get(f"{TRACES}/{{trace_id:str}}/json")
async def download_trace(
    desk: NamedDependency[Desk], services: NamedDependency[Services], trace_id: FromPath[str]
) -> Response[bytes]:
    """Return one trace as a file."""
    trace = await _trace(desk, services, trace_id)
    return Response(
        trace.model_dump_json(indent=2).encode(),
        media_type=JSON_TYPE,
        headers={"content-disposition": 'attachment; filename="trace.json"'},
    )


def _drawn(desk: Desk, trace: Trace, policies: Snapshot) -> Response[str]:
    return desk.draw(
        "traces/one.html",
        page=TracePage.of(trace, policies),
        trace=trace,
        code_word=code_word,
        reason_word=reason_word,
        terms=terms,
    )


async def _trace(desk: Desk, services: Services, trace_id: str) -> Trace:
    trace = await services.traces.get(trace_id)
    if trace is None or not desk.may_read(trace.tenant):
        raise UnknownTrace(trace_id)
    return trace


async def _found(desk: Desk, services: Services) -> tuple[Filters, Found, str]:
    """Return what the address asks for, what there is of it, or why that cannot be."""
    filters = Filters(asked_in(desk.query))
    try:
        filters = Filters.of(desk.query, services.now())
        query = filters.query(desk.tenant, ON_A_PAGE)
        return filters, await search(services.traces, query, services.clock), ""
    except BadFilter as bad:
        return filters, NOTHING_FOUND, bad.said
    except BadCursor:
        return filters, NOTHING_FOUND, _NO_SUCH_PAGE


async def _is_empty(desk: Desk, services: Services) -> bool:
    """Tell whether there is no trace at all."""
    return await services.traces.count(Query(tenant=desk.tenant)) == 0
