"""The word lists of this folder: text files, one entry a line, ``#`` before what explains them."""

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def lines(name: str) -> tuple[str, ...]:
    """Return the entries of ``<name>.txt``, in order."""
    text = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    entries = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(entry for entry in entries if entry)


@cache
def words(name: str) -> frozenset[str]:
    """Return the words of ``<name>.txt``, several of which may stand on a line."""
    return frozenset(word for line in lines(name) for word in line.split())


@cache
def groups(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the lines of ``<name>.txt``, each as its words."""
    return tuple(tuple(line.split()) for line in lines(name))


@cache
def sections(name: str) -> dict[str, tuple[str, ...]]:
    """Return the entries of ``<name>.txt`` below each heading ``[heading]``."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in lines(name):
        if line.startswith("[") and line.endswith("]"):
            heading = line[1:-1]
        else:
            found.setdefault(heading, []).append(line)
    return {key: tuple(entries) for key, entries in found.items()}


@cache
def section_words(name: str, *headings: str) -> frozenset[str]:
    """Return the words below some headings of ``<name>.txt``, several of which may share a line."""
    entries = (line for heading in headings for line in sections(name)[heading])
    return frozenset(word for line in entries for word in line.split())
