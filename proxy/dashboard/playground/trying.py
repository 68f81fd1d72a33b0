"""Tries what the form asks for, on the road that an app's request takes."""

from dataclasses import dataclass

from policies.verification.options import Options
from policies.verification.shape import Verification
from proxy.dashboard.desk import AnyRequest
from proxy.dashboard.playground.bodies import chat_body, verify_body
from proxy.dashboard.playground.form import Filled, Way
from proxy.dashboard.playground.problems import NOBODYS_KEY, CannotTry, problem_of
from proxy.job import Job
from proxy.model_job import ModelJob
from proxy.openai_api.chat import ChatDoor
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import json_bytes
from proxy.rejudging.recorded import exchange_of
from proxy.server.asgi_reply import HttpReply
from proxy.services import Services
from proxy.tenants import Tenant
from proxy.traces.trace import Delivery, Trace
from proxy.verify_job import VerifyJob
from proxy.verifying import verified

_CHAT = ChatDoor()
_MENDED_BY_POLICY = Options(correction="trim")


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a try.

    Attributes:
        way: What was wanted.
        trace: Its trace.
        body: What an app would have got, JSON.
        verification: The report on the answer; None if none was wanted or there was no answer.
    """

    way: Way
    trace: Trace
    body: bytes
    verification: Verification | None


async def tried(
    request: AnyRequest, services: Services, tenant: Tenant, filled: Filled
) -> Tried | None:
    """Try it; None if whoever wanted it has left.

    Raises:
        CannotTry: it cannot be tried, or failed.
    """
    if filled.way is Way.CHECK:
        return await _checked(request, services, tenant, filled)
    return await _asked(request, services, tenant, filled)


async def _asked(
    request: AnyRequest, services: Services, tenant: Tenant, filled: Filled
) -> Tried | None:
    if tenant.upstream.pass_caller_key:
        raise CannotTry(NOBODYS_KEY)
    job = ModelJob(_CHAT, services, tenant, {}, None)
    reply = await _done(request, job, chat_body(filled, tenant.policy))
    if reply is None or job.ended is None:
        return None
    report = await _report(services, tenant, job.ended) if filled.verify else None
    return Tried(Way.ASK, job.ended, reply.body, report)


async def _checked(
    request: AnyRequest, services: Services, tenant: Tenant, filled: Filled
) -> Tried | None:
    job = VerifyJob(services, tenant, {}, None)
    reply = await _done(request, job, verify_body(filled))
    if reply is None or job.ended is None:
        return None
    report = Verification.model_validate_json(reply.body)
    return Tried(Way.CHECK, job.ended, reply.body, report)


async def _done(request: AnyRequest, job: Job, body: JsonObject) -> HttpReply | None:
    """Return the reply to a request; None if whoever wanted it has left."""
    reply = await job.run(json_bytes(body), request.receive)
    if job.ended is None or job.ended.delivery is Delivery.CLIENT_GONE:
        return None
    if job.ended.error is not None:
        raise CannotTry(problem_of(reply, job.ended.error, job.id))
    return reply


async def _report(services: Services, tenant: Tenant, trace: Trace) -> Verification | None:
    """Verify the model's first answer, whatever became of it; None if there was none."""
    choices = trace.attempts[0].choices if trace.attempts else ()
    if trace.asked is None or not choices or choices[0].tool_turn:
        return None
    exchange = exchange_of(trace, trace.asked, tenant.loaded.intents)
    done = await verified(
        services,
        tenant,
        exchange.answered(choices[0].text),
        _MENDED_BY_POLICY,
        spent_s=trace.duration_ms / 1000,
        request_id=trace.id,
    )
    return done.report
