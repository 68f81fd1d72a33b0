"""What is no door of our own: handed through to the model server where the policy opens it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from litestar.types import Receive, Send

from policies.schema.passing import open_methods, read_rule
from proxy.errors import (
    BadRequest,
    GuardProxyError,
    InternalError,
    NotJson,
    UnknownModel,
    UnknownPath,
    UpstreamError,
    WrongMethod,
)
from proxy.job import CLIENT_GONE_STATUS
from proxy.logs import logger
from proxy.openai_api.json_body import JSON_TYPE, JsonObject, read_object
from proxy.openai_api.sse import json_bytes
from proxy.relay import PassedCall, PassedReply, relayed
from proxy.routes.asked import Asked, Endpoint
from proxy.routes.content import only_in_json, refuse_model_in_query, refuse_other_content
from proxy.routes.upload import ClientLeft, Upload, refuse_length
from proxy.server.asgi_reply import HttpReply, send_whole
from proxy.server.paths import ends_guarded, spelled_path
from proxy.telemetry.counting import PASSED_THROUGH, count_passed

log = logger(__name__)

_FORMS = ("multipart/", "application/x-www-form-urlencoded")
# Bodies that name no model, whoever sends them.
_WITHOUT_MODEL = (read_rule("/files/**"), read_rule("/uploads/**"))


async def _pass_through(asked: Asked, receive: Receive, send: Send) -> None:
    """Hand a request through if the tenant's policy opens its path; else refuse it.

    Neither body is held: both travel in pieces, each as soon as it is there.
    """
    status = InternalError.status
    try:
        status = await Passage(asked, receive, send).run()
    except GuardProxyError as error:
        status = error.status
        raise
    except ClientLeft:
        status = CLIENT_GONE_STATUS
    finally:
        count_passed(asked.services.metrics, asked.tenant.name, status)


PASS_THROUGH: Final = Endpoint(PASSED_THROUGH, _pass_through)


class Passage:
    """One request on its way through."""

    def __init__(self, asked: Asked, receive: Receive, send: Send) -> None:
        self._tenant = asked.tenant
        self._path = asked.path
        self._own_methods = asked.own_methods
        self._caller_key = asked.caller_key
        self._scope = asked.scope
        self._send = send
        self._services = asked.services
        self._limit_bytes = asked.services.settings.max_body_bytes
        self._upload = Upload(receive, self._limit_bytes)
        self._begun = False
        self._ended = False

    async def run(self) -> int:
        """Serve the request and return the status that it was given.

        Raises:
            GuardProxyError: it cannot be served.
            ClientLeft: the client hung up.
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
            return await self._relayed(await self._call())
        await send_whole(self._send, reply)
        return reply.status

    @property
    def _names(self) -> dict[str, str]:
        return self._tenant.upstream.models

    @property
    def _lists_models(self) -> bool:
        """Whether the request is about the tenant's own list of models."""
        return bool(self._names) and self._path.segments[0] == "models"

    def _allowed(self) -> frozenset[str]:
        """Return the methods that are served at the path."""
        if self._own_methods:
            return self._own_methods
        if ends_guarded(self._path.below):
            return frozenset()
        opened = open_methods(self._tenant.policy.passthrough, self._path.segments)
        return opened & {"GET", "HEAD"} if self._lists_models else opened

    async def _call(self) -> PassedCall:
        upstream = self._tenant.upstream
        query = self._scope["query_string"]
        target = spelled_path(self._path.below).encode()
        return PassedCall(
            method=self._scope["method"],
            base_url=upstream.base_url,
            target=target + b"?" + query if query else target,
            headers=tuple(self._scope["headers"]),
            body=await self._body(),
            key=self._caller_key if upstream.pass_caller_key else self._tenant.server_key,
            key_is_ours=not upstream.pass_caller_key,
            timeouts=upstream.timeouts,
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
                return _renamed(whole, self._names)
        first = await self._upload.piece()
        return first if self._upload.ended else self._upload.rest(first)

    def _refuse_form(self) -> None:
        # All of them travel, and nobody knows which one the model server goes by.
        named = (value for name, value in self._scope["headers"] if name == b"content-type")
        if any(value.decode("latin-1").strip().lower().startswith(_FORMS) for value in named):
            raise only_in_json()

    async def _relayed(self, call: PassedCall) -> int:
        """Hand through for as long as the client is there."""
        passing = asyncio.create_task(self._hand_through(call))
        leaving = asyncio.create_task(self._upload.hang_up())
        try:
            await asyncio.wait({passing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not (passing.done() or self._ended):
                raise ClientLeft
            return await passing
        finally:
            passing.cancel()
            leaving.cancel()
            await asyncio.gather(passing, leaving, return_exceptions=True)

    async def _hand_through(self, call: PassedCall) -> int:
        try:
            async with relayed(self._services.servers, call) as reply:
                self._upload.let_go()  # some answer before they have read everything
                await self._return(reply)
                return reply.status
        except UpstreamError as error:
            if not self._begun:
                raise
            # Without its end the client sees that the reply is cut.
            log.warning("passthrough.cut", tenant=self._tenant.name, error=error.code)
            return error.status

    async def _return(self, reply: PassedReply) -> None:
        self._begun = True
        await self._send(
            {
                "type": "http.response.start",
                "status": reply.status,
                "headers": [*reply.headers],
            }
        )
        async for piece in reply.pieces:
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})
        self._ended = True
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def _renamed(raw: bytes, names: dict[str, str]) -> bytes:
    """Return a JSON body with the model server's name for its model."""
    if not raw:
        return raw
    try:
        body = read_object(raw)
    except ValueError as error:
        raise NotJson(str(error)) from None
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
