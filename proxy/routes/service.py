"""The service's own endpoints: health, metrics, traces and `/openapi.json`.

`GET /traces` and `GET /traces/{id}` show every tenant's traces to the admin, its own to a tenant.
"""

import asyncio
from datetime import datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Final, cast

from litestar import Request, Response, get
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import JsonValue
from pydantic.json_schema import models_json_schema
from ruamel.yaml import YAML

from policies.verification.shape import Verification
from policies.verification.verifying import verify
from proxy.errors import BadRequest, TraceStoreUnavailable, UnknownKey, UnknownTrace
from proxy.feedback import FeedbackReply, FeedbackRequest
from proxy.guardrail import GuardrailReply, GuardrailRequest
from proxy.openai_api.json_body import JSON_TYPE, JsonObject
from proxy.openai_api.sse import json_bytes
from proxy.services import Services, recognised
from proxy.tenants import bearer_key
from proxy.traces.query import BadCursor, Query, UnknownMoment, moment
from proxy.traces.store import TraceStoreAway
from proxy.traces.trace import ACTION_NAMES, LABEL_FILTERS
from proxy.verify import VerifyRequest

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


MOST_TRACES = 500
MOST_TEXT_CHARS = 200
ACTION = f"^({'|'.join(ACTION_NAMES)})$"
LABEL = f"^({'|'.join(LABEL_FILTERS)})$"
CURSOR = r"^\d{1,18}(-\d{1,18})?$"
NEEDED: Final = {
    "action": f"one of {', '.join(ACTION_NAMES)} is needed",
    "label": f"one of {', '.join(LABEL_FILTERS)} is needed",
    "text": f"at most {MOST_TEXT_CHARS} characters are taken",
    "before": "the `cursor` of a page is needed",
    "limit": f"a whole number from 1 to {MOST_TRACES} is needed",
}
"""Expected values of parameters, for error messages."""


@get("/traces")
async def list_traces(
    request: Request[object, object, State],
    services: NamedDependency[Services],
    tenant: FromQuery[str | None] = None,
    action: Annotated[str | None, QueryParameter(pattern=ACTION)] = None,
    guard: FromQuery[str | None] = None,
    code: FromQuery[str | None] = None,
    text: Annotated[str | None, QueryParameter(max_length=MOST_TEXT_CHARS)] = None,
    since: FromQuery[str | None] = None,
    until: FromQuery[str | None] = None,
    door: FromQuery[str | None] = None,
    label: Annotated[str | None, QueryParameter(pattern=LABEL)] = None,
    before: Annotated[str | None, QueryParameter(pattern=CURSOR)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MOST_TRACES)] = 50,
) -> Response[bytes]:
    """Return traces, newest first; `cursor` is the next page's `before`.

    A page may hold fewer than asked for, or none, and still have a cursor.
    """
    own = await _reader(request, services)
    query = Query(
        tenant=own or tenant,
        action=action,
        guard=guard,
        code=code,
        text=text,
        since=_time("since", since, services),
        until=_time("until", until, services),
        door=door,
        label=label,
        before=before,
        limit=limit,
    )
    try:
        page = await services.traces.page(query)
    except TraceStoreAway as away:
        raise TraceStoreUnavailable from away
    except BadCursor as bad:
        raise BadRequest(f"Invalid value for 'before': {bad}.", "before") from None
    traces: list[JsonValue] = [trace.model_dump(mode="json") for trace in page.traces]
    return Response(
        json_bytes({"object": "list", "data": traces, "cursor": page.cursor}),
        media_type=JSON_TYPE,
    )


@get("/traces/{trace_id:str}")
async def show_trace(
    request: Request[object, object, State],
    services: NamedDependency[Services],
    trace_id: FromPath[str],
) -> Response[bytes]:
    """Return one trace."""
    own = await _reader(request, services)
    try:
        trace = await services.traces.get(trace_id)
    except TraceStoreAway as away:
        raise TraceStoreUnavailable from away
    if trace is None or (own is not None and trace.tenant != own):
        raise UnknownTrace(trace_id)
    return Response(trace.model_dump_json().encode(), media_type=JSON_TYPE)


def _time(name: str, said: str | None, services: Services) -> datetime | None:
    if said is None:
        return None
    try:
        # The plus of a zone that nobody escaped has become a space on the way.
        return moment(said.strip().replace(" ", "+"), services.now())
    except UnknownMoment as unknown:
        raise BadRequest(f"Invalid value for '{name}': {unknown}.", name) from None


async def _reader(request: Request[object, object, State], services: Services) -> str | None:
    """Return the tenant whose traces the caller may read; None for the admin, who may read all."""
    key = bearer_key(request.headers.get("authorization", "").encode("latin-1"))
    address = request.client.host if request.client else ""
    viewer = await recognised(key, address, services) if key else None
    if viewer is None:
        raise UnknownKey(missing=key is None)
    return viewer.tenant


@get("/openapi.json", sync_to_thread=False)
def openapi_document() -> Response[bytes]:
    """Return the description."""
    return Response(_written(), media_type=JSON_TYPE)


@cache
def _written() -> bytes:
    return json_bytes(document())


def document() -> JsonObject:
    """Return the OpenAPI document: `openapi.yaml`, with what the code knows put in."""
    _, definitions = models_json_schema(
        [
            (VerifyRequest, "validation"),
            (Verification, "serialization"),
            (FeedbackRequest, "validation"),
            (FeedbackReply, "serialization"),
            (GuardrailRequest, "validation"),
            (GuardrailReply, "serialization"),
        ],
        ref_template="#/components/schemas/{model}",
    )
    found = YAML(typ="safe", pure=True).load(Path(__file__).with_name("openapi.yaml"))
    found["info"]["version"] = version("guard-proxy")
    found["components"]["schemas"] = definitions["$defs"] | found["components"]["schemas"]
    verifying = found["paths"]["/v1/verify"]["post"]
    asked = verifying["requestBody"]["content"][JSON_TYPE]["examples"]["sources"]["value"]
    answered = verifying["responses"]["200"]["content"][JSON_TYPE]["examples"]["mended"]
    answered["value"] = verify(**asked).model_dump(mode="json")
    return cast("JsonObject", found)
