"""Takes the marks of emphasis (``**금지**``) and of code off a text and keeps the way back."""

from collections.abc import Sequence

_MARKS = "*`"


def without_emphasis(text: str) -> tuple[str, Sequence[int]]:
    """Return a text without marks of emphasis, and where each of its characters stands."""
    if "*" not in text and "`" not in text:
        return text, range(len(text))
    places = [at for at, char in enumerate(text) if char not in _MARKS]
    return "".join(text[at] for at in places), places
