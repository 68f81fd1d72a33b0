"""Requests that are passed through to the model server, where the policy allows it."""

import asyncio
from collections.abc import AsyncIterator, Set
from functools import partial
from typing import Final

import httpx
from litestar.types import Receive, Send

from policies.schema.passing import open_methods, read_rule
from proxy.errors import (
    BadRequest,
    GuardProxyError,
    InternalError,
    UnknownModel,
    UnknownPath,
    UpstreamError,
    WrongMethod,
)
from proxy.http_client import HttpRequest
from proxy.jobs import CLIENT_GONE_STATUS
from proxy.logs import facts_of, logger
from proxy.offload import read_offloaded
from proxy.openai_api.json_body import JSON_TYPE, JsonObject
from proxy.openai_api.model_request import read_body
from proxy.openai_api.sse import json_bytes
from proxy.routes.request import (
    ApiRequest,
    ClientDisconnected,
    Route,
    Upload,
    only_in_json,
    refuse_length,
    refuse_model_in_query,
    refuse_other_content,
)
from proxy.server.asgi_reply import HttpReply, send_whole
from proxy.server.request_head import ends_guarded, spelled_path
from proxy.telemetry.counting import PASSED_THROUGH, count_passed
from proxy.upstream.client import OpenReply
from proxy.upstream.request import (
    RawHeaders,
    RetryBudget,
    Terms,
    joined_headers,
    parsed_url,
    sent_headers,
)

# What this hop sets itself where it has read a body, and leaves alone where it has not.
_SENT_WITH_A_BODY = frozenset({"content-encoding", "accept-encoding"})
_REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE"})
_NOT_MODIFIED = 304
_RETURNED_WITH_A_BODY = frozenset({"content-encoding", "content-length", "content-type"})


def _only(headers: RawHeaders, kept: Set[str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower(), value) for name, value in headers if name.lower().decode() in kept]


log = logger(__name__)

_FORMS = ("multipart/", "application/x-www-form-urlencoded")
# Bodies that name no model, whoever sends them.
_WITHOUT_MODEL = (read_rule("/files/**"), read_rule("/uploads/**"))


async def _pass_through(request: ApiRequest, receive: Receive, send: Send) -> None:
    """Hand a request through if the tenant's policy opens its path; else refuse it.

    Neither body is held: both travel in pieces, each as soon as it is there.
    """
    status = InternalError.status
    facts = facts_of(request.scope)
    facts.action = PASSED_THROUGH
    try:
        status = await Passage(request, receive, send).run()
    except GuardProxyError as error:
        status = error.status
        facts.error = error.code or error.type
        raise
    except ClientDisconnected:
        status = facts.status = CLIENT_GONE_STATUS
    finally:
        count_passed(request.services.metrics, request.tenant.name, status)


PASS_THROUGH: Final = Route(PASSED_THROUGH, _pass_through)


class Passage:
    """One request on its way through."""

    def __init__(self, request: ApiRequest, receive: Receive, send: Send) -> None:
        self._tenant = request.tenant
        self._path = request.path
        self._own_methods = request.own_methods
        self._caller_key = request.caller_key
        self._scope = request.scope
        self._send = send
        self._services = request.services
        self._limit_bytes = request.services.settings.max_body_bytes
        self._upload = Upload(receive, self._limit_bytes)
        self._begun = False
        self._ended = False

    async def run(self) -> int:
        """Serve the request and return the status that it was given.

        Raises:
            GuardProxyError: it cannot be served.
            ClientLeft: the client disconnected.
        """
        method = self._scope["method"]
        allowed = self._allowed()
        if not allowed:
            raise UnknownPath(self._path.whole)
        if method == "OPTIONS":
            allow = {"allow": ", ".join(sorted(allowed | {"OPTIONS"}))}
            reply = HttpReply(204, allow, "", b"")
        elif method not in allowed:
            raise WrongMethod(method, self._path.whole, allowed | {"OPTIONS"})
        elif self._lists_models:
            listed = json_bytes(_models(self._names, self._path.segments[1:]))
            reply = HttpReply(200, {}, JSON_TYPE, listed)
        else:
            return await self._relayed(await self._request())
        await send_whole(self._send, reply)
        return reply.status

    @property
    def _names(self) -> dict[str, str]:
        return self._tenant.upstream.models

    @property
    def _lists_models(self) -> bool:
        """True if the request is about the tenant's own list of models."""
        return bool(self._names) and self._path.segments[0] == "models"

    def _allowed(self) -> frozenset[str]:
        """Return the methods that are served at the path."""
        if self._own_methods:
            return self._own_methods
        if ends_guarded(self._path.below):
            return frozenset()
        opened = open_methods(self._tenant.policy.passthrough, self._path.segments)
        return opened & {"GET", "HEAD"} if self._lists_models else opened

    async def _request(self) -> HttpRequest:
        """Return the request that the model server gets: the caller's, in its very bytes."""
        tenant, query = self._tenant, self._scope["query_string"]
        body = await self._body()
        headers = tuple(self._scope["headers"])
        given = joined_headers(headers)
        kept = sent_headers(given, key_is_ours=tenant.key_is_ours).keys() | _SENT_WITH_A_BODY
        is_streamed = not isinstance(body, bytes)
        sent = _only(headers, kept | {"content-length"} if is_streamed else kept)
        if "accept-encoding" not in given:
            sent.append((b"accept-encoding", b"identity"))
        key = tenant.key_for(self._caller_key)
        if key is not None:
            sent.append((b"authorization", f"Bearer {key}".encode()))
        base = parsed_url(tenant.upstream.base_url)
        target = spelled_path(self._path.below).encode()
        request = httpx.Request(
            self._scope["method"],
            base,
            headers=sent,
            content=body or None,
            extensions={
                # An address that is parsed and written again may come out different.
                "target": base.raw_path.rstrip(b"/") + target + (b"?" + query if query else b""),
                "timeout": {"connect": tenant.upstream.timeouts.connect_s},
            },
        )
        return HttpRequest.of(request)

    def _terms(self) -> Terms:
        tenant = self._tenant
        return Terms(
            tenant=tenant.name,
            base_url=tenant.upstream.base_url,
            key=tenant.key_for(self._caller_key),
            key_is_ours=tenant.key_is_ours,
            timeouts=tenant.upstream.timeouts,
            # A request that is lost is not sent again if it could then be carried out twice.
            retry_budget=RetryBudget(is_available=self._scope["method"] in _REPEATABLE),
            path_is_ours=False,
        )

    async def _body(self) -> bytes | AsyncIterator[bytes]:
        refuse_length(self._scope["headers"], self._limit_bytes)
        if self._names:
            refuse_model_in_query(self._scope["query_string"])
            if not any(rule.fits(self._path.segments) for rule in _WITHOUT_MODEL):
                self._refuse_form()
                whole = await self._upload.whole()
                if whole:
                    refuse_other_content(self._scope["headers"], as_said=True)
                return await read_offloaded(len(whole), partial(_renamed, whole, self._names))
        first = await self._upload.piece()
        return first if self._upload.ended else self._upload.rest(first)

    def _refuse_form(self) -> None:
        # All of them are forwarded, and it is unknown which one the model server uses.
        named = (value for name, value in self._scope["headers"] if name == b"content-type")
        if any(value.decode("latin-1").strip().lower().startswith(_FORMS) for value in named):
            raise only_in_json()

    async def _relayed(self, request: HttpRequest) -> int:
        """Hand through for as long as the client is there."""
        passing = asyncio.create_task(self._hand_through(request))
        leaving = asyncio.create_task(self._upload.hang_up())
        try:
            await asyncio.wait({passing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not (passing.done() or self._ended):
                raise ClientDisconnected
            return await passing
        finally:
            passing.cancel()
            leaving.cancel()
            await asyncio.gather(passing, leaving, return_exceptions=True)

    async def _hand_through(self, request: HttpRequest) -> int:
        try:
            async with self._services.servers.exchange(request, self._terms()) as reply:
                self._upload.let_go()  # some answer before they have read everything
                await self._return(reply)
                return reply.status
        except UpstreamError as error:
            if not self._begun:
                raise
            # Without its end the client sees that the reply is cut.
            log.warning("passthrough.cut", tenant=self._tenant.name, error=error.code)
            return error.status

    async def _return(self, reply: OpenReply) -> None:
        """Send the reply as the model server encoded it, each piece as soon as it is there."""
        kept = reply.headers.keys() | _RETURNED_WITH_A_BODY
        if reply.status == _NOT_MODIFIED:
            kept -= {"content-length"}  # of the body that there would be, and none follows
        headers = _only(reply.raw_headers, kept)
        self._begun = True
        await self._send(
            {"type": "http.response.start", "status": reply.status, "headers": headers}
        )
        async for piece in reply.encoded():
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})
        self._ended = True
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def _renamed(raw: bytes, names: dict[str, str]) -> bytes:
    """Return a JSON body with the model server's name for its model."""
    if not raw:
        return raw
    body = read_body(raw)
    if any(name != "model" and name.casefold() == "model" for name in body):
        raise only_in_json()
    model = body.get("model")
    if not isinstance(model, str):
        raise BadRequest("Invalid value for 'model': a string is required.", "model")
    if model not in names:
        raise UnknownModel(model)
    return raw if names[model] == model else json_bytes(body | {"model": names[model]})


def _models(names: dict[str, str], segments: tuple[str, ...]) -> JsonObject:
    """Return a tenant's list of models, or the one that is named."""
    if not segments:
        return {"object": "list", "data": [_model(name) for name in names]}
    name = "/".join(segments)
    if name not in names:
        raise UnknownModel(name)
    return _model(name)


def _model(name: str) -> JsonObject:
    return {"id": name, "object": "model", "created": 0, "owned_by": "guard-proxy"}
