"""Lets nobody but our own pages change anything.

A browser says of each request which site made it. Whatever is not known to come from this very site
is refused, whatever cookies it brings; that takes no token, no secret and nothing to remember.
"""

from urllib.parse import urlsplit

from litestar import Request
from litestar.datastructures import Headers, State
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Scope, Send

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class ForeignOrigin(Exception):
    """A request that would change something was not made by one of our own pages."""


class OwnOriginOnly(ASGIMiddleware):
    """Refuses unsafe requests of other sites.

    Raises:
        ForeignOrigin: such a request came.
    """

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Look at where a request comes from, and let it pass."""
        request = Request[object, object, State](scope)
        if request.method not in _SAFE and not comes_from_here(request.headers):
            raise ForeignOrigin
        await next_app(scope, receive, send)


def comes_from_here(headers: Headers) -> bool:
    """Tell whether a request's headers say that a page of this site made it."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    # Over plain HTTP browsers say only the origin. Whether it was https is known to whoever
    # ends TLS in front of the proxy, so that the host alone is compared.
    host = headers.get("host")
    try:
        return bool(host) and urlsplit(headers.get("origin", "")).netloc == host
    except ValueError:
        return False
