"""`GET /traces` and `GET /traces/{id}`: every tenant's for the admin, its own for a tenant."""

from datetime import datetime
from typing import Annotated, Final

from litestar import Request, Response, get
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter
from pydantic import JsonValue

from proxy.auth import recognised
from proxy.errors import BadRequest, TraceStoreUnavailable, UnknownKey, UnknownTrace
from proxy.openai_api.json_body import JSON_TYPE
from proxy.openai_api.sse import json_bytes
from proxy.services import Services
from proxy.tenants import bearer_key
from proxy.traces.query import BadCursor, Query, UnknownMoment, moment
from proxy.traces.store import TraceStoreAway
from proxy.traces.trace import ACTION_NAMES, LABEL_FILTERS

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
