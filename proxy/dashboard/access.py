"""Access to pages: server-side sessions, checked at each request, and same-origin forms.

The browser has a random token in a cookie. The record under the token's hash names the tenant and
is bound, through the token, to the key that opened the session. Neither the key nor anything from
which it could be guessed is stored, and when the key is revoked (or the admin token changes) the
session ends at once. Sessions are written only at login, so that no request in progress can revive
one that has been ended.

Browsers state the origin of each request. A request that does not certainly come from this site may
change nothing, whatever cookies it has. This needs no CSRF token, no secret and no state.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import MappingProxyType
from urllib.parse import urlsplit

from litestar import Litestar, Request
from litestar.datastructures import Cookie, Headers, State
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.stores.base import Store
from litestar.stores.file import FileStore
from litestar.stores.memory import MemoryStore
from litestar.types import ASGIApp, Receive, Scope, Send
from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from policies.schema.keys import matching
from proxy.services import Services, Viewer, viewer_with
from proxy.settings import Settings
from proxy.workers import Place

ROOT = "/dashboard"
LOGIN = f"{ROOT}/login"
LOGOUT = f"{ROOT}/logout"
STATIC = f"{ROOT}/static"


def is_ours(path: str) -> bool:
    """Tell whether a path is one of the dashboard's."""
    return path == ROOT or path.startswith(f"{ROOT}/")


def local_page(address: str) -> str:
    """Return an address without its host if it is one of our pages, else the first page.

    So that a manipulated link to the login leads nowhere else.
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return ROOT
    path = parts.path
    if not is_ours(path) or path in (LOGIN, LOGOUT) or not address.isprintable() or "\\" in address:
        return ROOT
    return f"{path}?{parts.query}" if parts.query else path


POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
)
SAFE_HEADERS = MappingProxyType(
    {
        "content-security-policy": POLICY,
        "x-content-type-options": "nosniff",
        # Not `no-referrer`: it would hide the origin that tells our own forms from others'.
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "x-robots-tag": "noindex",
        "cache-control": "no-store",
    }
)
"""Default security headers of a reply."""


LASTS = timedelta(hours=12)
TOKEN_BYTES = 32
ANSWER_WITHIN_S = 2.0


class SessionsAway(Exception):
    """The store of sessions cannot be used right now; ``cause`` names the failure's type."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(f"The store of sessions cannot be used: {type(cause).__name__}.")
        self.cause = type(cause).__name__


class _StoredSession(BaseModel):
    """Stored data of a session."""

    model_config = ConfigDict(frozen=True)

    tenant: str | None
    bound_to: str
    until: AwareDatetime


def session_store(settings: Settings, place: Place) -> Store:
    """Return where sessions are kept: Redis where there is one, else what the workers share."""
    address = settings.shared_redis
    if address is None:
        return FileStore(place.sessions) if place.sessions else MemoryStore()
    from proxy.dashboard.redis_sessions import RedisSessions  # takes 9 MB, and many have no Redis

    return RedisSessions(address)


class Sessions:
    """Opens, reads and ends sessions. Every method may raise `SessionsAway`."""

    def __init__(self, store: Store, services: Services) -> None:
        self._store = store
        self._services = services

    async def begin(self, key: str) -> str | None:
        """Open a session with a key; returns the session's token, None if the key is invalid."""
        viewer = viewer_with(key, self._services)
        if viewer is None:
            return None
        good = self._good(viewer.tenant)
        opener = key if viewer.is_admin else matching(key, good)
        if opener is None:
            return None
        token = secrets.token_urlsafe(TOKEN_BYTES)
        kept = _StoredSession(
            tenant=viewer.tenant,
            bound_to=_binding(token, opener),
            until=self._services.now() + LASTS,
        )
        with _usable():
            await self._store.set(_place(token), kept.model_dump_json(), expires_in=LASTS)
        return token

    async def viewer(self, token: str) -> Viewer | None:
        """Return the viewer of a token's session; None if it has ended or never existed."""
        with _usable():
            record = await self._store.get(_place(token))
        if record is None:
            return None
        try:
            kept = _StoredSession.model_validate_json(record)
        except ValidationError:
            return None
        if kept.until <= self._services.now() or not self._is_good(kept, token):
            return None
        return Viewer(kept.tenant)

    async def end(self, token: str) -> None:
        """End a session; nothing happens if there is none."""
        with _usable():
            await self._store.delete(_place(token))

    def _is_good(self, kept: _StoredSession, token: str) -> bool:
        """Tell whether the key that opened a session would open it now."""
        return any(
            hmac.compare_digest(kept.bound_to, _binding(token, known))
            for known in self._good(kept.tenant)
        )

    def _good(self, tenant: str | None) -> Iterable[str]:
        """Return what opens sessions: the hashes of a tenant's keys, or the admin token."""
        if tenant is not None:
            loaded = self._services.policies.snapshot.tenants.get(tenant)
            return loaded.policy.keys if loaded else ()
        admin_token = self._services.settings.admin_token
        return (admin_token.get_secret_value(),) if admin_token else ()


def _place(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _binding(token: str, opener: str) -> str:
    return hmac.new(token.encode(), opener.encode(), hashlib.sha256).hexdigest()


@contextmanager
def _usable() -> Iterator[None]:
    try:
        yield
    except OSError as error:  # of a file
        raise SessionsAway(error) from error


SESSION_COOKIE = "guard_proxy_session"


class NotSignedIn(Exception):
    """A page was requested without a session."""


class SignedInOnly(ASGIMiddleware):
    """Puts the `Viewer` of a request's session into the connection's state.

    Raises:
        NotSignedIn: the request has no valid session.
        SessionsAway: the store of sessions cannot be used.
    """

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Look up the session, and let the request pass."""
        token = session_token(Request(scope))
        viewer = await _sessions(scope).viewer(token) if token else None
        if viewer is None:
            raise NotSignedIn
        scope["state"]["viewer"] = viewer
        await next_app(scope, receive, send)


def _sessions(scope: Scope) -> Sessions:
    found: Sessions = Litestar.from_scope(scope).state.dashboard_sessions
    return found


def session_token(request: Request[object, object, State]) -> str | None:
    """Return the session token of a request."""
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
        """Check the origin of a request, and pass it on."""
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
