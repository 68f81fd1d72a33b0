"""Reads the word lists of this folder: text files with one entry a line."""

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def lines(name: str) -> tuple[str, ...]:
    """Return the entries of ``<name>.txt``, without its comments and blank lines."""
    text = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    entries = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(entry for entry in entries if entry)


@cache
def groups(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the entries of ``<name>.txt``, each split at its white space."""
    return tuple(tuple(line.split()) for line in lines(name))
