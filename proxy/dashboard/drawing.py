"""Templates -> HTML. Everything that a template shows is escaped; nothing is exempt."""

from collections.abc import Mapping
from gettext import NullTranslations
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from proxy.dashboard.assets import Assets
from proxy.dashboard.figures import duration, number, percent
from proxy.dashboard.languages import Language, msgid, translations
from proxy.dashboard.words import ACTION_WORDS, action_word, guard_word

TEMPLATES = Path(__file__).parent / "templates"
NAVIGATION = (
    ("/dashboard", msgid("Overview")),
    ("/dashboard/traces", msgid("Traces")),
    ("/dashboard/playground", msgid("Playground")),
    ("/dashboard/policies", msgid("Policies")),
)


class Drawing:
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
        action_word=action_word,
        guard_word=guard_word,
        actions=tuple(ACTION_WORDS),
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
