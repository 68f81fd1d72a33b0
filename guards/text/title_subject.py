"""What the title of a source names as its subject (``취업규칙 - 출산휴가`` -> 출산휴가)."""

import re

from guards.lexicons.question_words import FRAME_NOUNS
from guards.text.tokens import content_words

_HEADING = re.compile(r"제\s?\d{1,4}조(?:의\s?\d{1,3})?\s?\(([^()\n]{1,60})\)")
_LAST_STEP = re.compile(r"(?:\s[-–—|>/]\s|>|::)")


def title_subject(title: str) -> tuple[frozenset[str], ...]:
    """Return the words of the heading or the last step of a title, each by surface and stem.

    Empty if the title names nothing but a kind of text (안내, 규정).
    """
    heading = _HEADING.search(title)
    named = heading[1] if heading else _LAST_STEP.split(title)[-1]
    return tuple(
        frozenset({word.text, word.stem})
        for word in content_words(named)
        if word.stem not in FRAME_NOUNS
    )
