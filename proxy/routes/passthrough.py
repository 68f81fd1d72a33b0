"""Endpoints that carry no model answer, handed through: `/v1/models` and `/v1/embeddings`."""

from urllib.parse import quote

from litestar import Request, Response, get, post
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.params import FromPath

from proxy.errors import BadRequest, UnknownModel
from proxy.openai_api.json_body import JSON_TYPE, JsonObject, read_object
from proxy.openai_api.sse import json_bytes
from proxy.services import Services
from proxy.tenants import Tenant
from proxy.upstream import RawReply, ServerCall


@get("/models")
async def list_models(
    request: Request[object, object, State], services: NamedDependency[Services]
) -> Response[bytes]:
    """Return the tenant's own list of models if it has one, else the model server's."""
    names = _tenant(request).upstream.models
    if names:
        return Response(
            json_bytes({"object": "list", "data": [_model(name) for name in names]}),
            media_type=JSON_TYPE,
        )
    return await _pass(request, services, "models", b"")


@get("/models/{model:path}")
async def show_model(
    request: Request[object, object, State],
    services: NamedDependency[Services],
    model: FromPath[str],
) -> Response[bytes]:
    """Return one model."""
    name = model.removeprefix("/")
    names = _tenant(request).upstream.models
    if not names and not {".", ".."} & set(name.split("/")):
        return await _pass(request, services, f"models/{quote(name)}", b"")
    if name not in names:
        raise UnknownModel(name)
    return Response(json_bytes(_model(name)), media_type=JSON_TYPE)


@post("/embeddings", status_code=200)
async def embeddings(
    request: Request[object, object, State], services: NamedDependency[Services]
) -> Response[bytes]:
    """Hand a request for embeddings through, with the model server's name for the model."""
    raw = await request.body()
    names = _tenant(request).upstream.models
    if names:
        raw = _renamed(raw, names)
    return await _pass(request, services, "embeddings", raw)


def _renamed(raw: bytes, names: dict[str, str]) -> bytes:
    try:
        body = read_object(raw)
    except ValueError as error:
        raise BadRequest(f"The body is not a JSON object: {error}.") from None
    model = body.get("model")
    if not isinstance(model, str):
        raise BadRequest("Invalid value for 'model': a string is required.", "model")
    if model not in names:
        raise UnknownModel(model)
    return raw if names[model] == model else json_bytes(body | {"model": names[model]})


async def _pass(
    request: Request[object, object, State], services: Services, path: str, body: bytes
) -> Response[bytes]:
    tenant = _tenant(request)
    upstream = tenant.upstream
    query = request.url.query
    reply = await services.servers.ask(
        ServerCall(
            method=request.method,
            url=f"{upstream.base_url}/{path}" + (f"?{query}" if query else ""),
            body=body,
            headers=dict(request.headers),
            key=request.state.caller_key if upstream.pass_caller_key else tenant.server_key,
            key_is_ours=not upstream.pass_caller_key,
            timeouts=upstream.timeouts,
        )
    )
    return _response(reply)


def _response(reply: RawReply) -> Response[bytes]:
    return Response(
        reply.body,
        status_code=reply.status,
        media_type=reply.content_type or JSON_TYPE,
        headers=dict(reply.headers),
    )


def _tenant(request: Request[object, object, State]) -> Tenant:
    tenant: Tenant = request.state.tenant
    return tenant


def _model(name: str) -> JsonObject:
    return {"id": name, "object": "model", "created": 0, "owned_by": "guard-proxy"}
