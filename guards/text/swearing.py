"""Finds swear words that are used, not mentioned, and tells whom their form is meant for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from guards.lexicons import profanity
from guards.text.disguise import DisguisedWords
from guards.text.hangul import letters_only, typed_on_latin_keys
from guards.text.sentence_frame import is_filler

_HARMLESS = re.compile(profanity.HARMLESS)
_MENTIONED = re.compile(profanity.MENTIONED)
_INSULTS = re.compile(profanity.INSULTS)
_GOES_OUT = re.compile(profanity.GOES_OUT)
_TO_GO = re.compile("[꺼껴ㄲ]")
_UNSPELLED = re.compile(profanity.UNSPELLED)
_SEPARATOR = re.compile(r"[^가-힣ㄱ-ㅎ]")
_SYLLABLE = re.compile(r"[가-힣]")
_CLAUSE_END = re.compile(r"[.?!,;~…\n]|지\s?(?:말고|마)\s")
_SECOND_PERSON_END = re.compile(r"[아야냐니]$")
# Behind a consonant 아 only calls; 야 may also tell of somebody (그 사람 병신이야).
_CALL = re.compile(r"[놈년들신넘럼롬련]아$")
_LATIN_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]{4,12}(?![A-Za-z])")
_LONGEST_FRONT_CHARS = 10


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


class _Match(NamedTuple):
    start: int
    end: int
    is_order: bool = False


class _Kind:
    """Swear words that need the same things around them."""

    def __init__(self, words: tuple[str, ...], before: str, behind: str) -> None:
        self._words = DisguisedWords(words)
        self._before = re.compile(f"{before}$")
        self._behind = re.compile(behind)

    def found(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the place of every such word with what belongs to it."""
        for start, end in self._words.found(text):
            before = self._before.search(text, max(0, start - _LONGEST_FRONT_CHARS), start)
            behind = self._behind.match(text, end)
            if before and behind:
                yield before.start(), behind.end()


_WHOLE_WORD = profanity.SUFFIX + profanity.WORD_END
_KINDS = (
    _Kind(profanity.ANYWHERE, profanity.INTENSIFIER, profanity.SUFFIX),
    _Kind(profanity.AT_WORD_START, profanity.WORD_START, _WHOLE_WORD),
    _Kind(profanity.CUT_DOWN, profanity.BEFORE_CUT_DOWN, profanity.BEHIND_CUT_DOWN),
    _Kind(profanity.MAD, profanity.BEFORE_MAD, profanity.BEHIND_MAD),
)
_ORDERS = _Kind(profanity.ORDERS, profanity.BEFORE_ORDER, profanity.BEHIND_ORDER)


def swearwords(text: str) -> list[Swearword]:
    """Return the swear words of a text whose syllables are joined, in their order."""
    text = _HARMLESS.sub(lambda found: " " * len(found[0]), text)
    used = [_swearword(match, text[match.start : match.end]) for match in _matches(text)]
    for latin in _LATIN_WORD.finditer(text):
        typed = typed_on_latin_keys(latin[0])
        used += (
            _swearword(_Match(*latin.span(), match.is_order), typed)
            for match in _matches(typed)
            if (match.start, match.end) == (0, len(typed))
        )
    return sorted(used, key=lambda word: word.start)


def _matches(text: str) -> Iterator[_Match]:
    """Yield what is used, each behind the one before it; of those that overlap, the longest."""
    found = [_Match(*place) for kind in _KINDS for place in kind.found(text)]
    found += (_Match(*place, is_order=True) for place in _ORDERS.found(text))
    found += (_Match(*match.span()) for match in _UNSPELLED.finditer(text))
    reached = 0
    for match in sorted(found, key=lambda match: (match.start, -match.end)):
        if match.start >= reached and _is_used(text, match):
            reached = match.end
            yield match


def _swearword(match: _Match, word: str) -> Swearword:
    return Swearword(
        match.start,
        match.end,
        addresses=match.is_order or _SECOND_PERSON_END.search(word) is not None,
        calls=_CALL.search(word) is not None,
    )


def _is_used(text: str, match: _Match) -> bool:
    if _MENTIONED.match(text, match.end) or _joins_two_words(text, match.start, match.end):
        return False
    return not match.is_order or _opens_clause(text, match)


def _joins_two_words(text: str, start: int, end: int) -> bool:
    """Tell whether a broken-up match is one word's end and the next one's beginning."""
    if not _SEPARATOR.search(text, start, end):
        return False
    return bool(_SYLLABLE.search(text[max(0, start - 1) : start] + text[end : end + 1]))


def _opens_clause(text: str, order: _Match) -> bool:
    """Tell whether nothing but sighs, names for the bot and insults stand before an order."""
    before = _CLAUSE_END.split(text[: order.start])[-1]
    if _TO_GO.search(text, order.start, order.end) and _GOES_OUT.search(before):
        return False
    before = _INSULTS.sub(" ", before)
    return is_filler(letters_only(before, 0, len(before)).text)
