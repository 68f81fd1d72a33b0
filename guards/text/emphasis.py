"""Takes the marks of emphasis (``**금지**``) and of code off a text and keeps the way back."""

_MARKS = frozenset("*`")


def without_emphasis(text: str) -> tuple[str, list[int]]:
    """Return a text without marks of emphasis, and where each of its characters stands."""
    places = [at for at, char in enumerate(text) if char not in _MARKS]
    return "".join(text[at] for at in places), places
