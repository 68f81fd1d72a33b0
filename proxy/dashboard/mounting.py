"""The dashboard as a part of the web app."""

from litestar import Router
from litestar.config.app import AppConfig
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.plugins import InitPlugin

from proxy.dashboard.assets import Assets
from proxy.dashboard.backstage import Backstage, backstage
from proxy.dashboard.desk import AnyRequest, Desk
from proxy.dashboard.drawing import Drawing
from proxy.dashboard.failures import HANDLERS, drawn_here_or_by
from proxy.dashboard.origin import OwnOriginOnly
from proxy.dashboard.pages.login import show_login, sign_in, sign_out
from proxy.dashboard.pages.overview import show_live, show_overview
from proxy.dashboard.pages.playground import show_playground, try_out
from proxy.dashboard.pages.policies import show_policies, show_policy
from proxy.dashboard.pages.policies_draft import show_draft, try_draft
from proxy.dashboard.pages.static import show_asset
from proxy.dashboard.pages.traces import (
    download_trace,
    show_new_traces,
    show_trace_page,
    show_traces,
)
from proxy.dashboard.playground.room import Room
from proxy.dashboard.policies.workshop import Workshop
from proxy.dashboard.replies import SAFE_HEADERS
from proxy.dashboard.sessions import Sessions, session_store
from proxy.dashboard.signing_in import SignedInOnly
from proxy.services import Services

PAGES = (
    show_overview,
    show_live,
    show_traces,
    show_new_traces,
    show_trace_page,
    download_trace,
    show_playground,
    try_out,
    show_policies,
    show_policy,
    show_draft,
    try_draft,
)
"""What only those who are signed in may see."""


class Dashboard(InitPlugin):
    """Adds all pages to the web app.

    Args:
        services: What the handlers work with.
    """

    def __init__(self, services: Services) -> None:
        self._services = services

    def on_app_init(self, app_config: AppConfig) -> AppConfig:
        """Add the pages, and draw whatever goes wrong at their addresses."""
        store = session_store(self._services.settings, self._services.place)
        assets = Assets()
        shared = Backstage(
            assets=assets,
            drawing=Drawing(assets),
            sessions=Sessions(store, self._services),
            room=Room(),
            workshop=Workshop(),
        )
        others = app_config.exception_handlers
        others[HTTPException] = drawn_here_or_by(others[HTTPException])
        app_config.stores = {"dashboard": store}  # closed with the app
        app_config.on_shutdown.append(shared.workshop.close)
        app_config.state["dashboard"] = shared
        app_config.route_handlers.append(_router())
        return app_config


def _router() -> Router:
    pages = Router("/", route_handlers=PAGES, middleware=[SignedInOnly()])
    return Router(
        "/",
        route_handlers=[show_asset, show_login, sign_in, sign_out, pages],
        middleware=[OwnOriginOnly()],
        dependencies={
            "desk": Provide(_desk, sync_to_thread=False),
            "shared": Provide(_shared, sync_to_thread=False),
        },
        exception_handlers=dict(HANDLERS),
        response_headers=dict(SAFE_HEADERS),
    )


def _desk(request: AnyRequest) -> Desk:
    return Desk.of(request, _shared(request).drawing, request.scope["state"].get("viewer"))


def _shared(request: AnyRequest) -> Backstage:
    return backstage(request.scope)
