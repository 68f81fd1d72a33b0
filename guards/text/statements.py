"""The claims of an answer, those behind a yes too (``네, 사우나가 있습니다``)."""

import re

from guards.text.claims import claims
from guards.text.sentences import Sentence

_YES = re.compile(r"^[ \t]*(?:네|예)[,.!]?[ \t]+(?=\S)", re.MULTILINE)


def statements(answer: str) -> tuple[Sentence, ...]:
    """Return the claims of an answer, in order, with their spans in the answer."""
    return claims(_YES.sub(lambda yes: " " * len(yes[0]), answer))
