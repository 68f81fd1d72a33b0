"""Everything that the dashboard says stands in Korean too, and nothing else does."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from babel.messages.catalog import Message
from babel.messages.extract import extract_from_dir

from proxy.dashboard.languages import catalogs

PROXY = Path(__file__).parents[3] / "proxy"
METHODS = [("templates/**.html", "jinja2"), ("**.py", "python")]
KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "msgid": None}
PLACEHOLDER = re.compile(r"%\(\w+\)\w|%%|\{\w*\}")


def said() -> set[str]:
    """Return every text that templates and code mark for translation."""
    return {
        _singular(message)
        for folder in (PROXY / "dashboard", PROXY / "views")
        for _, _, message, _, _ in extract_from_dir(folder, METHODS, keywords=KEYWORDS)
        if message
    }


def translated() -> list[Message]:
    return [message for catalog in catalogs() for message in catalog if message.id]


def test_all_that_is_said_is_translated() -> None:
    known = {_singular(message.id) for message in translated() if all(_strings(message))}
    assert said() - known == set()


def test_nothing_else_is_translated() -> None:
    assert {_singular(message.id) for message in translated()} - said() == set()


def test_nothing_is_translated_twice() -> None:
    counted = Counter(_singular(message.id) for message in translated())
    assert [text for text, times in counted.items() if times > 1] == []


def test_nothing_is_fuzzy_or_obsolete() -> None:
    assert [message.id for message in translated() if message.fuzzy] == []
    assert [text for catalog in catalogs() for text in catalog.obsolete] == []


def test_translations_fill_in_the_same() -> None:
    differing = [
        (message.id, string)
        for message in translated()
        for string in _strings(message)
        if _filled(string) != _filled(_last(message.id))
    ]
    assert differing == []


def _filled(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


def _singular(message: str | Sequence[str]) -> str:
    return message if isinstance(message, str) else message[0]


def _last(message: str | Sequence[str]) -> str:
    """Return the plural, which names all that is filled in; a text without one stands alone."""
    return message if isinstance(message, str) else message[-1]


def _strings(message: Message) -> list[str]:
    return [message.string] if isinstance(message.string, str) else list(message.string or ())
