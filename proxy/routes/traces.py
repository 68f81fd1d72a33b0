"""`GET /traces` and `GET /traces/{id}`: every tenant's for the admin, its own for a tenant."""

import secrets
from typing import Annotated

from litestar import Request, Response, get
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter
from pydantic import JsonValue

from proxy.auth import bearer_key
from proxy.errors import BadRequest, TraceStoreUnavailable, UnknownKey, UnknownTrace
from proxy.openai_api.json_body import JSON_TYPE
from proxy.openai_api.sse import json_bytes
from proxy.services import Services
from proxy.traces.store import BadCursor, Query, TraceStoreAway
from proxy.traces.trace import ACTION_NAMES

MOST_TRACES = 500
ACTION = f"^({'|'.join(ACTION_NAMES)})$"
CURSOR = r"^\d{1,18}(-\d{1,18})?$"


@get("/traces")
async def list_traces(
    request: Request[object, object, State],
    services: NamedDependency[Services],
    tenant: FromQuery[str | None] = None,
    action: Annotated[str | None, QueryParameter(pattern=ACTION)] = None,
    guard: FromQuery[str | None] = None,
    before: Annotated[str | None, QueryParameter(pattern=CURSOR)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MOST_TRACES)] = 50,
) -> Response[bytes]:
    """Return traces, newest first; `cursor` is the next page's `before`."""
    own = _reader(request, services)
    query = Query(tenant=own or tenant, action=action, guard=guard, before=before, limit=limit)
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
    own = _reader(request, services)
    try:
        trace = await services.traces.get(trace_id)
    except TraceStoreAway as away:
        raise TraceStoreUnavailable from away
    if trace is None or (own is not None and trace.tenant != own):
        raise UnknownTrace(trace_id)
    return Response(trace.model_dump_json().encode(), media_type=JSON_TYPE)


def _reader(request: Request[object, object, State], services: Services) -> str | None:
    """Return the tenant whose traces the caller may read; None for the admin, who may read all."""
    key = bearer_key(request.headers.get("authorization", "").encode("latin-1"))
    token = services.settings.admin_token
    if key is None:
        raise UnknownKey(missing=True)
    if token and secrets.compare_digest(key.encode(), token.get_secret_value().encode()):
        return None
    tenant = services.tenants.book.by_key(key)
    if tenant is None:
        raise UnknownKey(missing=False)
    return tenant.name
