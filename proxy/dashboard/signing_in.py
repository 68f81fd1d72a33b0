"""Lets only those who are signed in to a page."""

from litestar import Request
from litestar.datastructures import Cookie, State
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Scope, Send

from proxy.dashboard.addresses import ROOT
from proxy.dashboard.backstage import backstage
from proxy.dashboard.sessions import LASTS

SESSION_COOKIE = "guard_proxy_session"


class NotSignedIn(Exception):
    """A page was asked for by nobody who is signed in."""


class SignedInOnly(ASGIMiddleware):
    """Finds out who asks for a page, and puts the `Viewer` into the connection's state.

    Raises:
        NotSignedIn: nobody who is signed in asks.
        SessionsAway: it cannot be told who asks.
    """

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Look up the session, and let the request pass."""
        token = session_token(Request(scope))
        viewer = await backstage(scope).sessions.viewer(token) if token else None
        if viewer is None:
            raise NotSignedIn
        scope["state"]["viewer"] = viewer
        await next_app(scope, receive, send)


def session_token(request: Request[object, object, State]) -> str | None:
    """Return the token that a request brings."""
    return request.cookies.get(SESSION_COOKIE)


def session_cookie(token: str, *, https: bool) -> Cookie:
    """Return the cookie of a new session."""
    return _cookie(token, int(LASTS.total_seconds()), https=https)


def ended_cookie(*, https: bool) -> Cookie:
    """Return the cookie that makes a browser forget its session."""
    return _cookie("", 0, https=https)


def _cookie(value: str, max_age: int, *, https: bool) -> Cookie:
    return Cookie(
        SESSION_COOKIE,
        path=ROOT,
        value=value,
        max_age=max_age,
        secure=https,
        httponly=True,
        samesite="strict",
    )
