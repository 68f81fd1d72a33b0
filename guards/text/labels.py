"""The words that name something, in the forms in which they are compared."""

from functools import lru_cache

from guards.text.tokens import subjects

_WORDS_KEPT = 16_384

Span = tuple[int, int]
Form = frozenset[str]
"""A word's surface and stem: two words are one if they share either."""
Label = tuple[Form, ...]


def label_of(text: str) -> Label:
    """Return the content words of a text, each in its forms."""
    return tuple([_form(word) for word in subjects(text)])


@lru_cache(maxsize=_WORDS_KEPT)
def _form(word: tuple[str, str]) -> Form:
    return frozenset(word)
