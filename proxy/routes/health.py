"""`/healthz`, `/readyz` and `/metrics`, for those who run the service."""

import asyncio

from litestar import Response, get
from litestar.di import NamedDependency
from prometheus_client import CONTENT_TYPE_LATEST

from proxy.openai_api.json_body import JSON_TYPE, JsonObject
from proxy.openai_api.sse import json_bytes
from proxy.services import Services
from proxy.traces.store import TraceStoreAway

STORE_ANSWERS_WITHIN_S = 1.0
"""Below the usual timeout of readiness probes (three seconds), for a store that does not answer."""


@get("/healthz", sync_to_thread=False)
def healthz() -> Response[bytes]:
    """Tell that the process answers."""
    return _json({"status": "ok"})


@get("/readyz")
async def readyz(services: NamedDependency[Services]) -> Response[bytes]:
    """Tell that requests can be served, and what is not as it should be.

    Not any more once the service was told to end: it may still serve for a while, but whoever
    spreads requests should send it no new ones.

    Broken policies on disk, a store that is away and a judge that is left alone do not make the
    service unready: the last good policies are in force, traces wait, and what a judge did not look
    at is reported as such. Limits whose Redis is away are counted by each process for itself.
    """
    policies = services.policies
    error = policies.last_error
    is_stopping = services.shutdown.is_requested
    return _json(
        {
            "status": "stopping" if is_stopping else "ready",
            "worker": {"number": services.place.number, "of": services.place.count},
            "policies": {
                "loaded_at": policies.snapshot.loaded_at.isoformat(),
                "tenants": len(policies.snapshot.tenants),
                "stale": error is not None,
                "errors": [str(problem) for problem in error.problems] if error else [],
            },
            "limits": {"store": services.limiter.state},
            "judges": {name: state.value for name, state in services.judges.states().items()},
            "traces": {
                "store": await _store_state(services),
                "outbox_state": services.recorder.outbox_state,
                **services.recorder.counters(),
            },
        },
        503 if is_stopping else 200,
    )


@get("/metrics", sync_to_thread=False)
def metrics(services: NamedDependency[Services]) -> Response[bytes]:
    """Return metrics in Prometheus's text format."""
    # As a header: to a media type of text the framework would add a second charset.
    return Response(services.metrics.as_text(), headers={"content-type": CONTENT_TYPE_LATEST})


async def _store_state(services: Services) -> str:
    try:
        async with asyncio.timeout(STORE_ANSWERS_WITHIN_S):
            await services.traces.ping()
    except TraceStoreAway as away:
        return f"away: {away.cause}"
    except TimeoutError as error:
        return f"away: {type(error).__name__}"
    return services.recorder.state  # one that answers may be full, or take nothing


def _json(body: JsonObject, status: int = 200) -> Response[bytes]:
    return Response(json_bytes(body), media_type=JSON_TYPE, status_code=status)
