"""`/dashboard/playground`: ask a model or check an answer, and see what the guards say."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from litestar import Response, get, post
from litestar.datastructures import FormMultiDict
from litestar.di import NamedDependency
from litestar.exceptions import InternalServerException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge

from proxy.dashboard.addresses import ROOT
from proxy.dashboard.backstage import Backstage
from proxy.dashboard.desk import AnyRequest, Desk
from proxy.dashboard.playground.examples import EXAMPLES
from proxy.dashboard.playground.form import Filled, filled_in, from_trace
from proxy.dashboard.playground.outcome import Outcome
from proxy.dashboard.playground.problems import (
    NO_TENANT,
    NOT_KEPT,
    TOO_LARGE,
    CannotTry,
    Problem,
)
from proxy.dashboard.playground.stands import BANDS, CAPS, CITATIONS
from proxy.dashboard.playground.trying import tried
from proxy.dashboard.traces.codes import code_word
from proxy.errors import UnknownTrace
from proxy.services import Services
from proxy.tenants import Tenant
from proxy.traces.query import Query
from proxy.traces.store import TraceStoreAway

PLAYGROUND = f"{ROOT}/playground"
MOST_FORM_BYTES = 2 * 2**20


@dataclass(frozen=True, slots=True)
class Seat:
    """Whom the playground can be tried for.

    Attributes:
        tenants: The names to choose from.
        tenant: The one that is chosen; None if it does not exist.
    """

    tenants: Sequence[str]
    tenant: Tenant | None

    @classmethod
    def of(cls, desk: Desk, services: Services, wanted: str) -> "Seat":
        """Return the seat of a visitor: a tenant has its own, whatever it asks for."""
        book = services.tenants.book
        names = sorted(filter(desk.may_read, book.snapshot.tenants))
        usual = names[0] if names else ""
        chosen = (wanted or desk.tenant or usual) if desk.is_admin else usual
        return cls(names, book.named(chosen))


@get(PLAYGROUND)
async def show_playground(
    desk: NamedDependency[Desk], services: NamedDependency[Services]
) -> Response[str]:
    """Draw the form: empty, with an example, or with what a trace holds."""
    filled, problem = await _first_filled(desk, services)
    seat = Seat.of(desk, services, filled.tenant)
    if not filled.model:
        filled = replace(filled, model=await _usual_model(services, seat.tenant))
    return _page(desk, seat, filled, problem=problem)


@post(PLAYGROUND, request_max_body_size=MOST_FORM_BYTES, status_code=200)
async def try_out(
    request: AnyRequest,
    desk: NamedDependency[Desk],
    services: NamedDependency[Services],
    shared: NamedDependency[Backstage],
) -> Response[str]:
    """Ask the model or check the answer, and draw what came of it."""
    try:
        form = await request.form()
    except RequestEntityTooLarge:
        return _page(desk, Seat.of(desk, services, ""), Filled(), problem=TOO_LARGE)
    except InternalServerException:  # what the framework makes of a client that hung up
        form = FormMultiDict()
    filled = filled_in(form)
    seat = Seat.of(desk, services, filled.tenant)
    if seat.tenant is None:
        return _page(desk, seat, filled, problem=NO_TENANT)
    try:
        async with shared.room.place(services, seat.tenant):
            done = await tried(request, services, seat.tenant, filled)
    except CannotTry as error:
        return _page(desk, seat, filled, problem=error.problem)
    if done is None:
        return _page(desk, seat, filled)
    # A long answer has a long report; other requests must not wait until it is drawn.
    return await asyncio.to_thread(_page, desk, seat, filled, outcome=Outcome(done))


async def _first_filled(desk: Desk, services: Services) -> tuple[Filled, Problem | None]:
    example = EXAMPLES.get(desk.query.get("example", ""))
    if example is not None:
        return example.filled, None
    trace_id = desk.query.get("trace")
    if not trace_id:
        return Filled(), None
    trace = await services.traces.get(trace_id)
    if trace is None or not desk.may_read(trace.tenant):
        raise UnknownTrace(trace_id)
    filled = from_trace(trace)
    return (filled, None) if filled else (Filled(tenant=trace.tenant), NOT_KEPT)


async def _usual_model(services: Services, tenant: Tenant | None) -> str:
    """Return the model that apps of a tenant ask for; empty if nobody knows."""
    if tenant is None:
        return ""
    if tenant.upstream.models:
        return next(iter(tenant.upstream.models))
    try:
        newest = await services.traces.page(Query(tenant=tenant.name))
    except TraceStoreAway:
        return ""  # the form does without
    return next((trace.model for trace in newest.traces if trace.model), "")


def _page(
    desk: Desk,
    seat: Seat,
    filled: Filled,
    *,
    outcome: Outcome | None = None,
    problem: Problem | None = None,
) -> Response[str]:
    template = "playground/result.html" if desk.is_fragment else "playground/page.html"
    return desk.draw(
        template,
        seat=seat,
        filled=filled,
        outcome=outcome,
        problem=problem,
        examples=EXAMPLES,
        code_word=code_word,
        bands=BANDS,
        caps=CAPS,
        citation_stands=CITATIONS,
    )
