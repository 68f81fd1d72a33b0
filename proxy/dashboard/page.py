"""Pages: their viewer, their language, and their rendering from templates.

English is written in the code, Korean in the `.po` files of `locale/ko/LC_MESSAGES`, one for each
page; they are read when the proxy starts, and nothing is compiled beforehand. The labels of guards
and of their codes have both languages beside the guard.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import cache
from gettext import NullTranslations
from io import BytesIO
from pathlib import Path
from urllib.parse import urlencode

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import MediaType, Request, Response
from litestar.datastructures import Cookie, State
from markupsafe import Markup, escape

from policies.codes import all_codes, guard_labels
from proxy.dashboard.access import ROOT, STATIC
from proxy.services import Services, Viewer
from proxy.views import msgid, words
from proxy.views.trace import badge_of, outcome_of, shadow_word, story_of

MESSAGES = Path(__file__).parent / "locale" / "ko" / "LC_MESSAGES"


class Language(StrEnum):
    """A language that the dashboard speaks."""

    KOREAN = "ko"
    ENGLISH = "en"


def chosen_language(asked: str | None, kept: str | None, accepted: str) -> Language:
    """Return the language of a page; Korean when in doubt."""
    for said in (asked, kept):
        if said in tuple(Language):
            return Language(said)
    for said in _by_weight(accepted):
        if said in tuple(Language):
            return Language(said)
    return Language.KOREAN


def catalogs() -> Iterator[Catalog]:
    """Read the Korean texts, one catalog for each file."""
    for path in sorted(MESSAGES.glob("*.po")):
        with path.open("rb") as file:
            yield read_po(file, locale=Language.KOREAN.value, abort_invalid=True)


@cache
def translations(language: Language) -> NullTranslations:
    """Return what translates the marked texts into a language."""
    if language is Language.ENGLISH:
        return NullTranslations()
    whole = Catalog(locale=language.value)
    for catalog in catalogs():
        for message in catalog:
            if message.id:
                whole[message.id] = message
    for label in (*guard_labels().values(), *(code.label for code in all_codes().values())):
        whole.add(label.en, label.ko)
    compiled = BytesIO()
    write_mo(compiled, whole)
    compiled.seek(0)
    return Translations(compiled)


def _by_weight(accepted: str) -> list[str]:
    """Return the languages of an ``Accept-Language`` header, the most wanted first."""
    weighted = []
    for part in accepted.split(","):
        name, _, weight = part.strip().partition(";")
        try:
            wanted = float(weight.strip().removeprefix("q=")) if weight else 1.0
        except ValueError:
            continue
        weighted.append((wanted, name.strip().lower().partition("-")[0]))
    return [name for _, name in sorted(weighted, key=lambda one: -one[0])]


FOLDER = Path(__file__).parent / "static"
_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}
_VERSION_CHARS = 12


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent."""

    content: bytes
    media_type: str


class Assets:
    """The static files of the pages by their paths in their folder."""

    def __init__(self) -> None:
        self._files = {
            path.relative_to(FOLDER).as_posix(): Asset(path.read_bytes(), _TYPES[path.suffix])
            for path in sorted(FOLDER.rglob("*"))
            if path.is_file()
        }
        digest = hashlib.sha256()
        for name, asset in self._files.items():
            digest.update(name.encode() + b"\0" + asset.content)
        self.version = digest.hexdigest()[:_VERSION_CHARS]

    def get(self, name: str) -> Asset | None:
        """Return a file; None if there is none of this name."""
        return self._files.get(name)

    def address(self, name: str) -> str:
        """Return the path of a file for a page.

        Raises:
            KeyError: there is none of this name.
        """
        self._files[name]
        return f"{STATIC}/{self.version}/{name}"


NOTHING = "–"


def number(value: float | None) -> str:
    """Return a count with commas: 12,345."""
    return NOTHING if value is None else f"{value:,.0f}"


def percent(share: float | None) -> str:
    """Return a share from 0 to 1 in percent: 12.3%; never 0% or 100% for what is not quite."""
    if share is None:
        return NOTHING
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 <= share < 1:
        return ">99.9%"
    return f"{share * 100:.1f}".removesuffix(".0") + "%"


def duration(ms: float | None) -> str:
    """Return a time given in milliseconds: 0.4 ms, 85 ms, 1.25 s, 2 min 5 s."""
    if ms is None:
        return NOTHING
    if ms < 9.95:
        return f"{ms:.1f} ms"
    if ms < 999.5:
        return f"{ms:.0f} ms"
    if ms < 59_995:
        return f"{ms / 1000:.2f} s"
    minutes, seconds = divmod(round(ms / 1000), 60)
    return f"{minutes} min {seconds} s"


TEMPLATES = Path(__file__).parent / "templates"
NAVIGATION = (
    ("/dashboard", msgid("Overview")),
    ("/dashboard/traces", msgid("Traces")),
    ("/dashboard/playground", msgid("Playground")),
    ("/dashboard/policies", msgid("Policies")),
)


class Renderer:
    """The templates, ready for both languages."""

    def __init__(self, assets: Assets) -> None:
        self._environments = {language: _environment(language, assets) for language in Language}

    def environment(self, language: Language) -> Environment:
        """Return the templates of a language."""
        return self._environments[language]

    def draw(self, template: str, language: Language, parts: Mapping[str, object]) -> str:
        """Return what a template makes of its parts."""
        return self.environment(language).get_template(template).render(parts)


def _environment(language: Language, assets: Assets) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    _speak(environment, translations(language))
    environment.filters.update(number=number, percent=percent, duration=duration)
    environment.globals.update(
        asset=assets.address,
        navigation=NAVIGATION,
        languages=tuple(Language),
        actions=tuple(words.ACTION_WORDS),
        words=words,
        action_word=words.action_word,
        code_word=words.code_word,
        guard_word=words.guard_word,
        label_word=words.label_word,
        reason_word=words.reason_word,
        outcome_of=outcome_of,
        badge_of=badge_of,
        shadow_word=shadow_word,
        story_of=story_of,
    )
    return environment


def _speak(environment: Environment, known: NullTranslations) -> None:
    """Let templates translate, also what may be no text of ours, such as an unknown code.

    Jinja's own functions take every text for HTML and for a format.
    """

    def gettext(text: str, **values: object) -> Markup:
        said = escape(known.gettext(text))
        return said % values if values else said

    def ngettext(one: str, several: str, num: int, **values: object) -> Markup:
        return escape(known.ngettext(one, several, num)) % {"num": num, **values}

    environment.install_gettext_callables(gettext, ngettext)  # type: ignore[attr-defined]


AnyRequest = Request[object, object, State]

LANGUAGE_COOKIE = "guard_proxy_language"
_KEEP_LANGUAGE = timedelta(days=365)


def is_https(request: AnyRequest, services: Services) -> bool:
    """Tell whether a visitor's browser reaches the dashboard over HTTPS, as far as we can know."""
    return services.settings.dashboard_https or request.url.scheme == "https"


@dataclass(frozen=True)
class PageVisit:
    """One request of the dashboard.

    Attributes:
        viewer: Who looks; None on pages that need nobody, such as the login.
        tenant: The tenant that is looked at: a tenant its own, the admin what the address asks
            for; None for all.
        query: What the address asks for, each name once.
        is_fragment: htmx asks for a part of a page that is open already.
    """

    viewer: Viewer | None
    tenant: str | None
    language: Language
    query: Mapping[str, str]
    path: str
    is_fragment: bool
    renderer: Renderer

    @classmethod
    def of(cls, request: AnyRequest, renderer: Renderer, viewer: Viewer | None) -> "PageVisit":
        """Return the visit of a request."""
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
            renderer=renderer,
        )

    @property
    def is_admin(self) -> bool:
        """True if every tenant may be looked at."""
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
        """Return a page, or a part of one, made from a template."""
        text = self.renderer.draw(template, self.language, {"visit": self, **parts})
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


def visit_of(request: AnyRequest) -> PageVisit:
    """Return the visit of a request, whether somebody is signed in or not."""
    viewer = request.scope.get("state", {}).get("viewer")
    return PageVisit.of(request, request.app.state.dashboard_renderer, viewer)
