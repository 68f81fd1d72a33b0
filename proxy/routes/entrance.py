"""The way in: the path of a request is read once, before anything is routed."""

from collections.abc import Iterable, Mapping

from litestar.enums import ScopeType
from litestar.handlers import HTTPRouteHandler
from litestar.response.base import ASGIResponse
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from proxy.errors import UnknownPath
from proxy.openai_api.json_body import JSON_TYPE
from proxy.paths import model_path, normal_path, spelled_path

ROOT = "/v1"
"""Where the model API begins, whatever a request calls it."""


class Entrance:
    """Leads each request to one of our own doors, or to the root of the model API.

    Behind that root stands the pass-through, which decides about everything that is no door of
    ours. A path that can be read in two ways leads nowhere. What was asked for stands in the
    connection's state: ``model_path``, and as ``own_methods`` those of our own door at that path.
    """

    def __init__(self, app: ASGIApp, own: Iterable[HTTPRouteHandler]) -> None:
        self._app = app
        self._own: Mapping[str, frozenset[str]] = {
            path: frozenset(handler.http_methods) for handler in own for path in handler.paths
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Route one request."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        path = normal_path(scope["raw_path"])
        if path is None:
            refused = UnknownPath(scope["raw_path"].decode("latin-1"))
            reply = ASGIResponse(
                body=refused.as_body(), status_code=refused.status, media_type=JSON_TYPE
            )
            await reply(scope, receive, send)
            return
        self._lead(scope, path)
        await self._app(scope, receive, send)

    def _lead(self, scope: HTTPScope, path: str) -> None:
        asked = model_path(path)
        if asked is not None:
            own_methods = self._own.get(asked.below, frozenset())
            scope.setdefault("state", {}).update(model_path=asked, own_methods=own_methods)
            path = ROOT + asked.below if scope["method"] in own_methods else ROOT
        scope["path"] = path
        scope["raw_path"] = spelled_path(path).encode()
