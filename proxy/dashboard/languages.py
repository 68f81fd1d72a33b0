"""The dashboard's two languages: English is written in the code, Korean in the `.po` files.

The labels of guards and of their codes have both languages beside the guard.

The files of `locale/ko/LC_MESSAGES` are read as they are when the proxy starts; nothing is compiled
beforehand. Each page has its own file.
"""

from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from gettext import NullTranslations
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations

from policies.codes import all_codes, guard_labels

MESSAGES = Path(__file__).parent / "locale" / "ko" / "LC_MESSAGES"


class Language(StrEnum):
    """A language that the dashboard speaks."""

    KOREAN = "ko"
    ENGLISH = "en"


def chosen_language(asked: str | None, kept: str | None, accepted: str) -> Language:
    """Return the language of a page; Korean when in doubt.

    Args:
        asked: What the address says.
        kept: What the visitor chose before.
        accepted: The header ``Accept-Language``.
    """
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
