"""Whether words that stand in the place of others are a name.

Only asked of words that were put into a sentence of a source, where far less evidence will do than
in free text.
"""

import re

from guards.core.reading import Text
from guards.evidence.swapped import Swap
from guards.lexicons.name_heads import (
    BUSINESS_HEADS,
    DESCRIBING_WORDS,
    GENERIC_NAMES,
    ORGANISATION_HEADS,
)
from guards.lexicons.ordinary_latin import ORDINARY_LATIN
from guards.lexicons.places import PLACES
from guards.text.names.name import dense
from guards.text.names.person import TITLES
from guards.text.naming.known_names import KnownNames, is_short_for
from guards.text.naming.near_name import nearly_same
from guards.text.particles import stem
from guards.text.writing.transcription import may_transcribe

_CAPITALS = re.compile(r"[A-Z][A-Za-z0-9&]+")
_HEADED = re.compile(
    rf"[가-힣A-Za-z]{{2,}}\s?(?:{'|'.join(sorted(ORGANISATION_HEADS | BUSINESS_HEADS, key=len))})"
)
_TITLE = re.compile(rf"(?:전|{TITLES})(?:은|는|이|가|을|를|의|에게|도|와|과)?")
_SHORT_NAME = re.compile(r"[가-힣]{2,5}")
_AROUND_PLACE = frozenset(("", "시", "도", "지역", "시내", "시각", "발", "행", "산", "인", "주민"))


def replaces_a_name(swap: Swap, known: KnownNames) -> bool:
    """Tell whether what was put into a source's sentence is another name than the source's.

    A name that stands elsewhere must take the place of a name; one that stands nowhere may take
    the place of anything. A fuller, shorter or better spelt form of the same name is none.

    Args:
        swap: The place that differs.
        known: Everything that sources and question hold.
    """
    new, old = dense(swap.new), dense(swap.old)
    if not new or may_be_same(new, old) or _is_generic(swap.new) or _is_generic(swap.old):
        return False
    if _stems(swap.new) & _stems(swap.old):
        return False
    took_a_name = _is_name_like(swap.old, swap.after)
    if known.holds(new):
        return took_a_name and _is_name_like(swap.new, swap.after)
    return took_a_name or _is_name_like(swap.new, swap.after)


def may_be_same(new: str, old: str) -> bool:
    """Tell whether a name is another one shortened, written out, misspelt or transcribed."""
    return (
        new in old
        or old in new
        or is_short_for(new, old)
        or nearly_same(new, old)
        or may_transcribe(new, old)
        or may_transcribe(old, new)
    )


def _is_generic(words: str) -> bool:
    """Tell whether words name nobody in particular: 회사, 담당 부서."""
    return all(word in GENERIC_NAMES or word in DESCRIBING_WORDS for word in words.split())


def _stems(words: str) -> set[str]:
    return {stem(word) for word in words.split()}


def _is_name_like(words: str, after: str) -> bool:
    """Tell whether words are a place, an organisation, a Latin name, or someone with a title."""
    parts = words.split()
    if not parts:
        return False
    return (
        any(_is_place(part) for part in parts)
        or any(word.casefold() not in ORDINARY_LATIN for word in _CAPITALS.findall(words))
        or _HEADED.fullmatch(words) is not None
        or any(name.start == 0 and name.end == len(words) for name in Text(words).names)
        or (_TITLE.fullmatch(after) is not None and _SHORT_NAME.fullmatch(parts[-1]) is not None)
    )


def _is_place(word: str) -> bool:
    return any(word[:size] in PLACES and word[size:] in _AROUND_PLACE for size in range(2, 9))
