"""`/dashboard`: what the proxy does, at a glance, and `/dashboard/live`, what changes of it."""

from litestar import Response, get
from litestar.di import NamedDependency

from proxy.dashboard.addresses import ROOT
from proxy.dashboard.desk import AnyRequest, Desk, is_https
from proxy.dashboard.overview.spans import SPANS, Span, span_named
from proxy.dashboard.overview.state import State
from proxy.dashboard.overview.traffic import Traffic
from proxy.dashboard.traces.reasons import reason_word
from proxy.services import Services
from proxy.traces.query import Query

LIVE = f"{ROOT}/live"
_EMPTY = "1"


@get(ROOT)
async def show_overview(
    request: AnyRequest,
    desk: NamedDependency[Desk],
    services: NamedDependency[Services],
) -> Response[str]:
    """Draw the overview."""
    span = span_named(desk.query.get("span"))
    traffic = await _traffic(span, desk, services)
    empty = None if traffic.requests else _EMPTY
    return desk.draw(
        "overview/page.html",
        traffic=traffic,
        state=State.of(services, desk),
        now=services.now(),
        span=span,
        reason_word=reason_word,
        spans=SPANS,
        live_address=desk.page_of(LIVE, span=span.name, empty=empty),
        has_traces=await services.traces.count(Query(tenant=desk.tenant)) > 0,
        base_url=base_url(request, services),
    )


@get(LIVE)
async def show_live(
    desk: NamedDependency[Desk], services: NamedDependency[Services]
) -> Response[str]:
    """Draw what changes of the overview, for a page that is open."""
    span = span_named(desk.query.get("span"))
    traffic = await _traffic(span, desk, services)
    reply = desk.draw(
        "overview/live.html",
        traffic=traffic,
        state=State.of(services, desk),
        now=services.now(),
        span=span,
        reason_word=reason_word,
    )
    if traffic.requests and desk.query.get("empty") == _EMPTY:
        # The page that asks had nothing to show and lacks the places for what there is now.
        reply.headers["hx-refresh"] = "true"
    return reply


async def _traffic(span: Span, desk: Desk, services: Services) -> Traffic:
    now = services.now()
    buckets = await services.traces.tallies(desk.tenant, span.since(now), now, span.per)
    return Traffic(span, buckets)


def base_url(request: AnyRequest, services: Services) -> str:
    """Return what apps set as `OPENAI_BASE_URL`."""
    scheme = "https" if is_https(request, services) else "http"
    return f"{scheme}://{request.headers.get('host', '')}/v1"
