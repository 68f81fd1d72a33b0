"""What a page's handler works with: who looks, in which language, and how to draw a page."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from litestar import MediaType, Request, Response
from litestar.datastructures import Cookie, State

from proxy.dashboard.addresses import ROOT
from proxy.dashboard.drawing import Drawing
from proxy.dashboard.languages import Language, chosen_language, translations
from proxy.readers import Viewer
from proxy.services import Services

AnyRequest = Request[object, object, State]

LANGUAGE_COOKIE = "guard_proxy_language"
_KEEP_LANGUAGE = timedelta(days=365)


def is_https(request: AnyRequest, services: Services) -> bool:
    """Tell whether a visitor's browser reaches the dashboard over HTTPS, as far as we can know."""
    return services.settings.dashboard_https or request.url.scheme == "https"


@dataclass(frozen=True)
class Desk:
    """One request of the dashboard.

    Attributes:
        viewer: Who looks; None on pages that need nobody, such as the login.
        tenant: The tenant that is looked at: a tenant its own, the admin what the address asks
            for; None for all.
        language: The language of the page.
        query: What the address asks for, each name once.
        path: The address without that.
        is_fragment: htmx asks for a part of a page that is open already.
    """

    viewer: Viewer | None
    tenant: str | None
    language: Language
    query: Mapping[str, str]
    path: str
    is_fragment: bool
    drawing: Drawing

    @classmethod
    def of(cls, request: AnyRequest, drawing: Drawing, viewer: Viewer | None) -> "Desk":
        """Return the desk of a request."""
        query = {name: request.query_params[name] for name in request.query_params}
        asked = query.get("tenant") or None
        return cls(
            viewer=viewer,
            tenant=asked if viewer is None or viewer.is_admin else viewer.tenant,
            language=chosen_language(
                query.get("lang"),
                request.cookies.get(LANGUAGE_COOKIE),
                request.headers.get("accept-language", ""),
            ),
            query=query,
            path=request.url.path,
            is_fragment="hx-request" in request.headers,
            drawing=drawing,
        )

    @property
    def is_admin(self) -> bool:
        """Whether every tenant may be looked at."""
        return self.viewer is not None and self.viewer.is_admin

    def may_read(self, tenant: str) -> bool:
        """Tell whether a tenant's traces may be shown."""
        return self.viewer is not None and self.viewer.may_read(tenant)

    def gettext(self, message: str) -> str:
        """Return a marked text in the language of the page."""
        return translations(self.language).gettext(message)

    def stands_at(self, path: str) -> bool:
        """Tell whether this page is the one at a path of the navigation, or stands below it."""
        below = path != ROOT and self.path.startswith(f"{path}/")
        return self.path == path or below

    def here(self, **changes: str | None) -> str:
        """Return the address of this page with some of its query changed; None takes one out."""
        query = {**self.query, **changes}
        wanted = {name: value for name, value in query.items() if value}
        return f"{self.path}?{urlencode(wanted)}" if wanted else self.path

    def page_of(self, path: str, **query: str | None) -> str:
        """Return the address of another page, for the tenant that is looked at here."""
        tenant = self.tenant if self.is_admin else None
        wanted = {name: value for name, value in {"tenant": tenant, **query}.items() if value}
        return f"{path}?{urlencode(wanted)}" if wanted else path

    def draw(self, template: str, *, status_code: int = 200, **parts: object) -> Response[str]:
        """Return a page, or a part of one, made from a template.

        Args:
            template: Its path in `templates`.
            status_code: HTTP status of the reply.
            parts: What the template shows, by names.
        """
        text = self.drawing.draw(template, self.language, {"desk": self, **parts})
        return Response(
            text,
            status_code=status_code,
            media_type=MediaType.HTML,
            cookies=self._language_cookies(),
        )

    def _language_cookies(self) -> list[Cookie]:
        """Keep the language that the address asks for."""
        if self.query.get("lang") != self.language:
            return []
        return [
            Cookie(
                LANGUAGE_COOKIE,
                path=ROOT,
                value=self.language.value,
                max_age=int(_KEEP_LANGUAGE.total_seconds()),
                httponly=True,
                samesite="strict",
            )
        ]
