"""Templates -> HTML. Everything that a template shows is escaped; nothing is exempt."""

from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

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
    known = translations(language)
    environment.install_gettext_translations(known, newstyle=True)  # type: ignore[attr-defined]
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
