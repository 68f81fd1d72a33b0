"""The dashboard as a part of the web app: routes, login, static files, error pages."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from litestar import Response, Router, get, post
from litestar.config.app import AppConfig
from litestar.di import NamedDependency, Provide
from litestar.exceptions import HTTPException, NotFoundException
from litestar.params import FromPath
from litestar.plugins import InitPlugin
from litestar.response import Redirect

from proxy.dashboard.access import (
    LOGIN,
    LOGOUT,
    ROOT,
    SAFE_HEADERS,
    STATIC,
    ForeignOrigin,
    NotSignedIn,
    OwnOriginOnly,
    Sessions,
    SessionsAway,
    SignedInOnly,
    ended_cookie,
    is_ours,
    local_page,
    session_cookie,
    session_store,
    session_token,
)
from proxy.dashboard.draft_trials import DraftProcess
from proxy.dashboard.drafts import show_draft, try_draft
from proxy.dashboard.overview import show_live, show_overview
from proxy.dashboard.page import AnyRequest, Assets, PageVisit, Renderer, is_https, visit_of
from proxy.dashboard.playground import TrialSlots, show_playground, try_out
from proxy.dashboard.playground_form import TrialForm
from proxy.dashboard.policies import show_policies, show_policy
from proxy.dashboard.traces import (
    download_trace,
    give_feedback,
    show_new_traces,
    show_trace_page,
    show_traces,
)
from proxy.errors import TooManyWrongKeys, UnknownTrace
from proxy.logs import failure, logger
from proxy.services import Services, recognised
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


_FOR_GOOD = "public, max-age=31536000, immutable"


@get(f"{STATIC}/{{version:str}}/{{name:path}}", sync_to_thread=False)
def show_asset(
    assets: NamedDependency[Assets], version: FromPath[str], name: FromPath[str]
) -> Response[bytes]:
    """Return a file; for good only if it is the one that the address means."""
    asset = assets.get(name.removeprefix("/"))
    if asset is None:
        raise NotFoundException
    # During an upgrade an older or newer page may ask for what this process has in its own version.
    keep = _FOR_GOOD if version == assets.version else "no-store"
    return Response(asset.content, media_type=asset.media_type, headers={"cache-control": keep})


MOST_FORM_BYTES = 8 * 2**10
_WRONG = msgid("This key is not known here. Please check that it was copied whole.")
_TOO_OFTEN = msgid("Too many wrong keys. Please try again in a minute.")


@get(LOGIN)
async def show_login(visit: NamedDependency[PageVisit]) -> Response[str]:
    """Ask for a key."""
    return _form(visit, local_page(visit.query.get("next", "")))


@post(LOGIN, request_max_body_size=MOST_FORM_BYTES)
async def sign_in(
    request: AnyRequest,
    visit: NamedDependency[PageVisit],
    services: NamedDependency[Services],
    sessions: NamedDependency[Sessions],
) -> Response[str] | Redirect:
    """Open a session for a user whose key may read traces."""
    form = await request.form()
    key, wanted = str(form.get("key", "")).strip(), local_page(str(form.get("next", "")))
    address = request.client.host if request.client else ""
    try:
        viewer = await recognised(key, address, services)
    except TooManyWrongKeys as error:
        page = _form(visit, wanted, status_code=error.status, problem=_TOO_OFTEN)
        page.headers.update(error.headers)
        return page
    token = await sessions.begin(key) if viewer else None
    if token is None:
        return _form(visit, wanted, status_code=401, problem=_WRONG)
    await _end(request, sessions)
    cookie = session_cookie(token, https=is_https(request, services))
    return Redirect(wanted, status_code=303, cookies=[cookie])


@post(LOGOUT, request_max_body_size=MOST_FORM_BYTES)
async def sign_out(
    request: AnyRequest,
    services: NamedDependency[Services],
    sessions: NamedDependency[Sessions],
) -> Redirect:
    """End the session."""
    await _end(request, sessions)
    cookie = ended_cookie(https=is_https(request, services))
    return Redirect(LOGIN, status_code=303, cookies=[cookie])


async def _end(request: AnyRequest, sessions: Sessions) -> None:
    """End the session that a request brings, if it brings one."""
    token = session_token(request)
    if token:
        await sessions.end(token)


def _form(
    visit: PageVisit, wanted: str, *, status_code: int = 200, problem: str | None = None
) -> Response[str]:
    shown = None if wanted == ROOT else wanted
    return visit.draw("login.html", status_code=status_code, wanted=shown, problem=problem)


PAGES = (
    show_overview,
    show_live,
    show_traces,
    show_new_traces,
    show_trace_page,
    download_trace,
    give_feedback,
    show_playground,
    try_out,
    show_policies,
    show_policy,
    show_draft,
    try_draft,
)
"""Pages for signed-in users only."""


class Dashboard(InitPlugin):
    """Adds all pages to the web app."""

    def __init__(self, services: Services, playground: TrialForm) -> None:
        self._services = services
        self._playground = playground

    def on_app_init(self, app_config: AppConfig) -> AppConfig:
        """Add the pages, and draw whatever goes wrong at their addresses."""
        store = session_store(self._services.settings, self._services.place)
        assets, draft_process = Assets(), DraftProcess()
        sessions = Sessions(store, self._services)
        others = app_config.exception_handlers
        others[HTTPException] = drawn_here_or_by(others[HTTPException])
        app_config.stores = {"dashboard": store}  # closed with the app
        app_config.on_shutdown.append(draft_process.close)
        app_config.state["dashboard_renderer"] = Renderer(assets)
        app_config.state["dashboard_sessions"] = sessions
        app_config.route_handlers.append(
            _router(
                assets=assets,
                sessions=sessions,
                slots=TrialSlots(),
                first_form=self._playground,
                draft_process=draft_process,
            )
        )
        return app_config


def _router(**shared: object) -> Router:
    """Return all routes; handlers take what they share, and their `visit`, by name."""
    pages = Router("/", route_handlers=PAGES, middleware=[SignedInOnly()])
    return Router(
        "/",
        route_handlers=[show_asset, show_login, sign_in, sign_out, pages],
        middleware=[OwnOriginOnly()],
        dependencies={
            "visit": Provide(visit_of, sync_to_thread=False),
            **{name: _always(one) for name, one in shared.items()},
        },
        exception_handlers=dict(HANDLERS),
        response_headers=dict(SAFE_HEADERS),
    )


def _always(value: object) -> Provide:
    def provide() -> object:
        return value

    return Provide(provide, sync_to_thread=False)
