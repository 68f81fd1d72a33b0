"""Looks identifiers up in texts, whatever the notation: dashes, spaces, brackets, country codes."""

import re
from collections.abc import Iterable

from guards.core.lazy import lazy
from guards.text.personal_data.dense import dense, subscriber
from guards.text.personal_data.kinds import PUBLISHED, PersonalKind, PersonalSpan
from guards.text.personal_data.personal import find_personal

_LINE = re.compile(r"\A(?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4])(?=\d{7,8}\Z)")


class Shown:
    """The identifiers that some texts show.

    An area code may be missing in them: offices give their numbers without.

    Args:
        texts: The texts.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(texts)

    @lazy
    def _all(self) -> str:
        # A mark that no identifier has keeps the end of one text apart from the next one's start.
        return "|".join(map(dense, self._texts))

    @lazy
    def _persons(self) -> frozenset[str]:
        return frozenset(
            dense(text[span.start : span.end])
            for text in self._texts
            for span in find_personal(text, business_numbers=True)
        )

    def holds(self, kind: PersonalKind, value: str) -> bool:
        """Tell whether one of the texts shows an identifier."""
        sought = subscriber(kind, value)
        if kind is PersonalKind.PHONE:
            sought = _LINE.sub("", sought)
        return sought in self._all

    def publish(self, kind: PersonalKind, value: str) -> bool:
        """Tell whether the texts show an identifier as what is nobody's own.

        That is a contact of an office, or what only looks like an identifier: where the texts have
        it, a label calls it the number of a thing.
        """
        if not self.holds(kind, value):
            return False
        return kind in PUBLISHED or dense(value) not in self._persons


def unpublished(text: str, spans: Iterable[PersonalSpan], sources: Shown) -> list[PersonalSpan]:
    """Return those identifiers of a text that the sources do not publish."""
    return [span for span in spans if not sources.publish(span.kind, text[span.start : span.end])]
