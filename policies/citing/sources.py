"""What a list of references calls a source."""

from guards.core.exchange import Source

_OPENING_CHARS = 40


def cited_as(source: Source) -> str:
    """Return a source's file, else its title, with the page; a nameless one's opening words.

    On one line, whatever the source is called.
    """
    name = " ".join((source.file or source.title).split())
    name = name or opening_words(source, _OPENING_CHARS)
    return name if source.page is None else f"{name}, p.{source.page}"


def opening_words(source: Source, most_chars: int) -> str:
    """Return how a source's text begins, on one line and in quotes."""
    line = " ".join(source.text.split())
    return f'"{line}"' if len(line) <= most_chars else f'"{line[:most_chars].rstrip()}…"'
