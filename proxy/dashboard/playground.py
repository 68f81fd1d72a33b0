"""`/dashboard/playground`: ask a model or check an answer, and see what the guards say."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from uuid import uuid4

from litestar import Response, get, post
from litestar.datastructures import FormMultiDict
from litestar.di import NamedDependency
from litestar.exceptions import InternalServerException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge

from policies.verification.shape import Options, Verification
from proxy.dashboard.access import ROOT
from proxy.dashboard.page import AnyRequest, PageVisit
from proxy.dashboard.playground_form import (
    EXAMPLES,
    NO_ROOM,
    NO_TENANT,
    NOBODYS_KEY,
    NOT_KEPT,
    TOO_LARGE,
    CannotTry,
    Problem,
    TrialForm,
    Way,
    chat_body,
    filled_in,
    from_trace,
    limit_reached,
    problem_of,
    verify_body,
)
from proxy.dashboard.playground_result import BANDS, CAPS, CITATIONS, Outcome, log_of
from proxy.errors import TooManyRequests, UnknownTrace
from proxy.jobs import Job, ModelJob
from proxy.limits.limiter import Visit
from proxy.openai_api.chat import ChatEndpoint
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import json_bytes
from proxy.replay.judging import exchange_of
from proxy.server.asgi_reply import HttpReply
from proxy.services import Services
from proxy.tenants import Tenant
from proxy.traces.query import Query
from proxy.traces.store import TraceStoreAway
from proxy.traces.trace import Delivery, Trace
from proxy.verify import VerifyJob, verified
from proxy.views.words import VERIFICATIONS

MOST_AT_ONCE = 4


class TrialSlots:
    """Lets in a few tries at once, each of which counts as a request of its tenant besides."""

    def __init__(self) -> None:
        self._inside = 0

    @asynccontextmanager
    async def place(self, services: Services, tenant: Tenant) -> AsyncGenerator[None, None]:
        """Hold a place while something is tried.

        Raises:
            CannotTry: there is none, or the tenant has reached a limit of its policy.
        """
        if self._inside >= MOST_AT_ONCE:
            raise CannotTry(NO_ROOM)
        self._inside += 1
        visit = Visit(uuid4().hex, tenant.name, tenant.policy.limits)
        try:
            if visit.limits.are_set:
                try:
                    await services.admit(visit)
                except TooManyRequests as error:
                    raise CannotTry(limit_reached(error)) from error
            yield
        finally:
            self._inside -= 1
            await services.limiter.leave(visit)


_CHAT = ChatEndpoint()
_MENDED_BY_POLICY = Options(correction="trim")


async def tried(
    request: AnyRequest, services: Services, tenant: Tenant, filled: TrialForm
) -> Outcome | None:
    """Try it; None if the client has disconnected.

    Raises:
        CannotTry: it cannot be tried, or failed.
    """
    if filled.way is Way.CHECK:
        return await _checked(request, services, tenant, filled)
    return await _asked(request, services, tenant, filled)


async def _asked(
    request: AnyRequest, services: Services, tenant: Tenant, filled: TrialForm
) -> Outcome | None:
    if tenant.upstream.pass_caller_key:
        raise CannotTry(NOBODYS_KEY)
    job = ModelJob(_CHAT, services, tenant, {}, None)
    reply = await _done(request, job, chat_body(filled, tenant.policy))
    if reply is None or job.ended is None:
        return None
    report = None
    if filled.verify:
        report = await _report(services, tenant, job.ended, filled.model)
    return Outcome(Way.ASK, job.ended, reply.body, report)


async def _checked(
    request: AnyRequest, services: Services, tenant: Tenant, filled: TrialForm
) -> Outcome | None:
    job = VerifyJob(services, tenant, {}, None)
    reply = await _done(request, job, verify_body(filled))
    if reply is None or job.ended is None:
        return None
    report = Verification.model_validate_json(reply.body)
    return Outcome(Way.CHECK, job.ended, reply.body, report)


async def _done(request: AnyRequest, job: Job, body: JsonObject) -> HttpReply | None:
    """Return the reply to a request; None if the client has disconnected."""
    reply = await job.run(json_bytes(body), request.receive)
    if job.ended is None or job.ended.delivery is Delivery.CLIENT_GONE:
        return None
    if job.ended.error is not None:
        raise CannotTry(problem_of(reply, job.ended.error, job.id))
    return reply


async def _report(
    services: Services, tenant: Tenant, trace: Trace, model: str
) -> Verification | None:
    """Verify the model's first answer, whatever became of it; None if there was none."""
    choices = trace.attempts[0].choices if trace.attempts else ()
    if not choices or choices[0].tool_turn:
        return None
    exchange = exchange_of(trace, trace.asked, tenant.loaded.intents)
    done = await verified(
        services,
        tenant,
        exchange.answered(choices[0].text),
        _MENDED_BY_POLICY,
        spent_s=trace.duration_ms / 1000,
        request_id=trace.id,
        model=model,
    )
    return done.report


PLAYGROUND = f"{ROOT}/playground"
MOST_FORM_BYTES = 2 * 2**20


@dataclass(frozen=True, slots=True)
class Seat:
    """Tenant for which the playground can be used."""

    tenants: Sequence[str]
    tenant: Tenant | None

    @classmethod
    def of(cls, visit: PageVisit, services: Services, wanted: str) -> "Seat":
        """Return the seat of a visitor: a tenant has its own, whatever it asks for."""
        book = services.tenants.book
        names = sorted(filter(visit.may_read, book.snapshot.tenants))
        usual = names[0] if names else ""
        chosen = (wanted or visit.tenant or usual) if visit.is_admin else usual
        return cls(names, book.named(chosen))


@get(PLAYGROUND)
async def show_playground(
    visit: NamedDependency[PageVisit],
    services: NamedDependency[Services],
    first_form: NamedDependency[TrialForm],
) -> Response[str]:
    """Draw the form: as it is at first, with an example, or with what a trace holds."""
    filled, problem = await _first_filled(visit, services, first_form)
    seat = Seat.of(visit, services, filled.tenant)
    if not filled.model:
        filled = replace(filled, model=await _usual_model(services, seat.tenant))
    return _page(visit, seat, filled, problem=problem)


@post(PLAYGROUND, request_max_body_size=MOST_FORM_BYTES, status_code=200)
async def try_out(
    request: AnyRequest,
    visit: NamedDependency[PageVisit],
    services: NamedDependency[Services],
    slots: NamedDependency[TrialSlots],
) -> Response[str]:
    """Ask the model or check the answer, and draw what came of it."""
    try:
        form = await request.form()
    except RequestEntityTooLarge:
        return _page(visit, Seat.of(visit, services, ""), TrialForm(), problem=TOO_LARGE)
    except InternalServerException:  # what the framework makes of a client that hung up
        form = FormMultiDict()
    filled = filled_in(form)
    seat = Seat.of(visit, services, filled.tenant)
    if seat.tenant is None:
        return _page(visit, seat, filled, problem=NO_TENANT)
    try:
        async with slots.place(services, seat.tenant):
            done = await tried(request, services, seat.tenant, filled)
    except CannotTry as error:
        return _page(visit, seat, filled, problem=error.problem)
    if done is None:
        return _page(visit, seat, filled)
    # A long answer has a long report; other requests must not wait until it is drawn.
    return await asyncio.to_thread(_page, visit, seat, filled, outcome=done)


async def _first_filled(
    visit: PageVisit, services: Services, first_form: TrialForm
) -> tuple[TrialForm, Problem | None]:
    example = EXAMPLES.get(visit.query.get("example", ""))
    if example is not None:
        return example.filled, None
    trace_id = visit.query.get("trace")
    if not trace_id:
        return first_form, None
    trace = await services.traces.get(trace_id)
    if trace is None or not visit.may_read(trace.tenant):
        raise UnknownTrace(trace_id)
    filled = from_trace(trace)
    return (filled, None) if filled else (TrialForm(tenant=trace.tenant), NOT_KEPT)


async def _usual_model(services: Services, tenant: Tenant | None) -> str:
    """Return the model that apps of a tenant ask for; empty if unknown."""
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
    visit: PageVisit,
    seat: Seat,
    filled: TrialForm,
    *,
    outcome: Outcome | None = None,
    problem: Problem | None = None,
) -> Response[str]:
    template = "playground/result.html" if visit.is_fragment else "playground/page.html"
    return visit.draw(
        template,
        seat=seat,
        filled=filled,
        outcome=outcome,
        problem=problem,
        examples=EXAMPLES,
        bands=BANDS,
        caps=CAPS,
        citation_stands=CITATIONS,
        verifications=VERIFICATIONS,
        log_of=log_of,
    )
