"""Error pages of the dashboard."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from litestar import Response
from litestar.exceptions import HTTPException, NotFoundException
from litestar.response import Redirect

from proxy.dashboard.access import (
    LOGIN,
    SAFE_HEADERS,
    ForeignOrigin,
    NotSignedIn,
    SessionsAway,
    is_ours,
    local_page,
)
from proxy.dashboard.page import AnyRequest, visit_of
from proxy.errors import UnknownTrace
from proxy.logs import failure, logger
from proxy.traces.store import TraceStoreAway
from proxy.views import msgid

log = logger(__name__)

# What went wrong, and what can be done about it.
_NOT_FOUND = (
    msgid("This page does not exist"),
    msgid("The address may be mistyped, or what it led to is no longer kept."),
)
_REFUSED = (
    msgid("This request cannot be served"),
    msgid("Go back and try again. If it happens again, contact the operator of the service."),
)
_FOREIGN = (
    msgid("This request did not come from the dashboard"),
    msgid("Open the dashboard and try again there."),
)
_AWAY = (
    msgid("The store cannot be reached right now"),
    msgid(
        "Requests are served and guarded all the same; their traces wait and are stored as soon "
        "as the store is back. Try again in a moment."
    ),
)
_BROKEN = (
    msgid("Something went wrong here"),
    msgid("The service's log has the details under this number."),
)

Failed = Callable[[AnyRequest, Exception], Response[Any]]


def http_error(request: AnyRequest, error: Exception) -> Response[str]:
    """Draw one of the web framework's own errors."""
    if isinstance(error, NotFoundException):
        return _page(request, 404, _NOT_FOUND)
    if isinstance(error, HTTPException) and error.status_code < 500:
        return _page(request, error.status_code, _REFUSED)
    return _broken(request, error)


def drawn_here_or_by(other: Failed) -> Failed:
    """Return what draws errors at the dashboard's addresses and leaves the rest to another."""

    def handler(request: AnyRequest, error: Exception) -> Response[Any]:
        draw = http_error if is_ours(request.url.path) else other
        return draw(request, error)

    return handler


def _to_login(request: AnyRequest, _: Exception) -> Response[str]:
    visit = visit_of(request)
    if visit.is_fragment:
        opened = local_page(request.headers.get("hx-current-url", ""))
        headers = {"hx-redirect": visit.page_of(LOGIN, next=opened)}
        return Response("", status_code=401, headers={**SAFE_HEADERS, **headers})
    if request.headers.get("sec-fetch-site") == "cross-site":
        # A strict cookie does not come along with a link on another site; from here it does.
        page = visit.draw("again.html", address=visit.here())
        page.headers.update(SAFE_HEADERS)
        return page
    wanted = visit.here() if request.method == "GET" else None
    login = visit.page_of(LOGIN, next=wanted)
    return Redirect(login, status_code=303, headers=dict(SAFE_HEADERS))


def _away(request: AnyRequest, error: Exception) -> Response[str]:
    log.warning("dashboard.store_away", said=str(error))
    page = _page(request, 503, _AWAY)
    page.headers["retry-after"] = "5"
    return page


def _broken(request: AnyRequest, error: Exception) -> Response[str]:
    number = uuid4().hex
    log.error("dashboard.failed", request_id=number, **failure(error))
    return _page(request, 500, _BROKEN, number)


def _page(
    request: AnyRequest, status: int, said: tuple[str, str], number: str = ""
) -> Response[str]:
    title, advice = said
    page = visit_of(request).draw(
        "failure.html",
        status_code=status,
        title=title,
        advice=advice,
        number=number,
        status=status,
    )
    page.headers.update(SAFE_HEADERS)
    return page


HANDLERS: Mapping[int | type[Exception], Failed] = {
    NotSignedIn: _to_login,
    ForeignOrigin: lambda request, _: _page(request, 403, _FOREIGN),
    TraceStoreAway: _away,
    SessionsAway: _away,
    UnknownTrace: lambda request, _: _page(request, 404, _NOT_FOUND),
    HTTPException: http_error,
    Exception: _broken,
}
"""Handlers of exceptions in pages, by class."""
