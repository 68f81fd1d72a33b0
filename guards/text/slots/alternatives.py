"""Patterns for lists of words."""

import re
from collections import defaultdict
from collections.abc import Iterable


def alternatives(names: Iterable[str]) -> str:
    """Return a pattern for some words, longest first; each first character is tried but once."""
    by_first: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names, key=len, reverse=True):
        by_first[name[0]].append(re.escape(name[1:]))
    return "|".join(
        re.escape(first) + (f"(?:{'|'.join(rests)})" if any(rests) else "")
        for first, rests in by_first.items()
    )
