"""Looks identifiers up in texts, whatever the notation: dashes, spaces, brackets, country codes."""

import re
from collections.abc import Iterable
from functools import cached_property

from guards.text.normal import normalise
from guards.text.personal_kinds import PUBLISHED, PersonalKind, PersonalSpan

_BETWEEN = re.compile(r"[^\w@]+")
_ABROAD = re.compile(r"\A(?:82)?0?(?=[1-9])")
_LINE = re.compile(r"\A(?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4])(?=\d{7,8}\Z)")


class Shown:
    """The identifiers that some texts show.

    An area code may be missing in them: offices give their numbers without.

    Args:
        texts: The texts.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(texts)

    @cached_property
    def _all(self) -> str:
        # A mark that no identifier has keeps the end of one text apart from the next one's start.
        return "|".join(map(_dense, self._texts))

    def holds(self, kind: PersonalKind, value: str) -> bool:
        """Tell whether one of the texts shows an identifier."""
        sought = _dense(value)
        if kind is PersonalKind.PHONE:
            sought = _LINE.sub("", _ABROAD.sub("", sought))
        return sought in self._all


def unpublished(text: str, spans: Iterable[PersonalSpan], sources: Shown) -> list[PersonalSpan]:
    """Return those identifiers of a text that are no contacts which the sources publish."""
    return [
        span
        for span in spans
        if span.kind not in PUBLISHED or not sources.holds(span.kind, text[span.start : span.end])
    ]


def _dense(text: str) -> str:
    return _BETWEEN.sub("", normalise(text).text).lower()
