"""Verifies an answer by a tenant's policy: with its judge if it has one, long texts in a thread."""

from functools import partial

from guards.core.exchange import Exchange
from policies.verification.options import Options
from policies.verification.verifying import Verified, Verifier
from proxy.inspecting import among_others
from proxy.services import Services
from proxy.tenants import Tenant


async def verified(
    services: Services,
    tenant: Tenant,
    exchange: Exchange,
    options: Options,
    *,
    spent_s: float,
    request_id: str,
) -> Verified:
    """Verify an exchange that holds an answer.

    Args:
        services: What the proxy works with.
        tenant: Whose policy judges.
        exchange: The question, the sources and the answer.
        options: How it is verified.
        spent_s: Time that the request has taken so far.
        request_id: Id of the request.

    Raises:
        UnknownGuard: the options name a guard that does not exist.
        CannotJudgeNow: the texts are very long, and cannot be judged.
    """
    judge = services.judges.of(tenant.name, tenant.policy.judge)
    with services.apart.lent(tenant, exchange) as judging:
        verifier = Verifier(judging.inspector, tenant.version)
        if judge is not None:
            return await verifier.verify_with(
                judge,
                exchange,
                options,
                time_left_s=tenant.upstream.timeouts.total_s - spent_s,
                request_id=request_id,
            )
        verify = partial(verifier.verify, exchange, options, request_id=request_id)
        return await among_others(judging.inspector, exchange, verify)
