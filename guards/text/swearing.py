"""Finds swear words that are used, not mentioned, and tells whom their form is meant for."""

import re
from dataclasses import dataclass

from guards.lexicons import profanity
from guards.text.displeasure import is_filler
from guards.text.hangul import letters_only, typed_on_latin_keys

_SWEARING = re.compile(f"{profanity.PROFANITY}|(?P<order>{profanity.ORDERS})")
_ORDER = re.compile(profanity.ORDERS)
_HARMLESS = re.compile(profanity.HARMLESS)
_MENTIONED = re.compile(profanity.MENTIONED)
_SEPARATOR = re.compile(r"[^가-힣ㄱ-ㅎ]")
_SYLLABLE = re.compile(r"[가-힣]")
_CLAUSE_END = re.compile(r"[.?!,;~…\n]|지\s?(?:말고|마)\s")
_SECOND_PERSON_END = re.compile(r"[아야냐니]$")
# Behind a consonant 아 only calls; 야 may also tell of somebody (그 사람 병신이야).
_CALL = re.compile(r"[놈년들신넘럼롬련]아$")
_LATIN_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]{4,12}(?![A-Za-z])")


@dataclass(frozen=True, slots=True)
class Swearword:
    """A swear word.

    Attributes:
        start: Where it begins in the text.
        end: Behind its last character.
        addresses: Whether its form may address somebody.
        calls: Whether its form can do nothing else.
    """

    start: int
    end: int
    addresses: bool
    calls: bool


def swearwords(text: str) -> list[Swearword]:
    """Return the swear words of a text whose syllables are joined, in their order."""
    text = _HARMLESS.sub(lambda found: " " * len(found[0]), text)
    used = [
        _swearword(*found.span(), found[0])
        for found in _SWEARING.finditer(text)
        if _is_used(text, found)
    ]
    for latin in _LATIN_WORD.finditer(text):
        typed = typed_on_latin_keys(latin[0])
        if _SWEARING.fullmatch(typed):
            used.append(_swearword(*latin.span(), typed))
    return sorted(used, key=lambda word: word.start)


def _swearword(start: int, end: int, word: str) -> Swearword:
    return Swearword(
        start,
        end,
        addresses=bool(_SECOND_PERSON_END.search(word) or _ORDER.match(word)),
        calls=bool(_CALL.search(word)),
    )


def _is_used(text: str, found: re.Match[str]) -> bool:
    start, end = found.span()
    if _MENTIONED.match(text, end) or _joins_two_words(text, start, end):
        return False
    return found["order"] is None or _opens_clause(text, start)


def _joins_two_words(text: str, start: int, end: int) -> bool:
    """Tell whether a broken-up match is one word's end and the next one's beginning."""
    if not _SEPARATOR.search(text, start, end):
        return False
    return bool(_SYLLABLE.search(text[max(0, start - 1) : start] + text[end : end + 1]))


def _opens_clause(text: str, position: int) -> bool:
    before = _CLAUSE_END.split(text[:position])[-1]
    return is_filler(letters_only(before, 0, len(before)).text)
