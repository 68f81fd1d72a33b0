"""Finds words of self-harm and of threats that are the writer's own."""

import re
from collections.abc import Iterator

from guards.lexicons import crisis
from guards.lexicons.phrases import phrases
from guards.text.hangul import letters_only

_SELF_HARM = re.compile(phrases(crisis.SELF_HARM, crisis.GROUPS))
_THREAT = re.compile(phrases(crisis.THREAT, crisis.GROUPS))
_NOT_ONES_OWN = re.compile(crisis.NOT_ONES_OWN)
_HARMLESS_BEFORE = re.compile(crisis.HARMLESS_BEFORE)
_CHARS_BEFORE = 8


def crises(message: str) -> Iterator[tuple[int, int]]:
    """Yield the places of such words in a message whose syllables are joined."""
    letters = letters_only(message, 0, len(message))
    for pattern in (_SELF_HARM, _THREAT):
        for found in pattern.finditer(letters.text):
            before = letters.text[max(0, found.start() - _CHARS_BEFORE) : found.start()]
            if not (
                _HARMLESS_BEFORE.search(before) or _NOT_ONES_OWN.match(letters.text, found.end())
            ):
                yield letters.place(*found.span())
