"""The way in: the path of a request is read once, before anything is routed."""

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from proxy.errors import UnknownPath, with_head
from proxy.routes.model_api import ModelApi, reply_to
from proxy.server.asgi_reply import send_whole
from proxy.server.paths import model_path, normal_path, spelled_path


class Entrance:
    """Leads each request to the model API or to everything else.

    A path that can be read in two ways leads nowhere. Whatever else is got can be asked for its
    head alone; at the model API that is the policy's business.

    Args:
        model_api: Decides about everything below the root of the model API.
        app: Serves everything else.
    """

    def __init__(self, model_api: ModelApi, app: ASGIApp) -> None:
        self._model_api = model_api
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Route one request."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        path = normal_path(scope["raw_path"])
        if path is None:
            await send_whole(send, reply_to(UnknownPath(scope["raw_path"].decode("latin-1"))))
            return
        asked = model_path(path)
        if asked is not None:
            await self._model_api.serve(asked, scope, receive, send)
            return
        scope["path"] = path
        scope["raw_path"] = spelled_path(path).encode()
        if scope["method"] == "HEAD":
            # The server leaves the body out: it goes by the scope that it made itself.
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, _naming_head(send))


def _naming_head(send: Send) -> Send:
    """Return what sends a reply, with HEAD among the methods that it allows if GET is."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [
                (name, _with_head(value) if name == b"allow" else value)
                for name, value in message["headers"]
            ]
        await send(message)

    return sent


def _with_head(allowed: bytes) -> bytes:
    return ", ".join(sorted(with_head(allowed.decode().split(", ")))).encode()
