"""Puts Hangul in the place of Han words that stand in a Korean sentence."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from guards.text.particle_choice import agreeing, particle_at
from guards.text.writing.han_words import HeardWords, is_reading
from guards.text.writing.scripts import Run, Script

_CHARS_AROUND = 20
# 비용/費用, 비용·費用, 비용 費用: the word is there already.
_SAID_BEFORE = re.compile(r"([가-힣]{2,12})(?: ?[/／·ㆍ・] ?| )\Z")

# 費用(비용), 費用/비용; where yet another follows, that one is told by the word before it.
_SAID_AGAIN = r" ?[(（]{0}[)）]| ?[/／] ?{0}(?! ?[/／·ㆍ・ ] ?[一-鿿])"


class InHangul(NamedTuple):
    """What stands in the place of some runs.

    Attributes:
        start: Where the place begins: before a word that the first run only says again.
        end: Where it ends (half-open): behind a particle that has to change its form (``手续를`` is
            ``수속을``) or a gloss that says the same again (``費用(비용)``).
        hangul: What stands there instead.
    """

    start: int
    end: int
    hangul: str


def in_hangul(text: str, runs: Sequence[Run], heard: HeardWords) -> InHangul | None:
    """Return runs without Hangul between them in Hangul; None if one of them cannot be read."""
    pieces: list[str] = []
    start = end = runs[0].start
    if said := _said_before(text, runs[0]):
        start -= len(said[0])
    for run in runs:
        word = said[1] if said and run is runs[0] else _read(text, run, heard)
        if not word:
            return None
        pieces += [text[end : run.start], word]
        end = run.end
    if again := re.compile(_SAID_AGAIN.format(word)).match(text, end):
        end = again.end()
    particle = particle_at(text, end)
    fitting = agreeing(particle, word)
    if fitting != particle:
        pieces.append(fitting)
        end += len(particle)
    return InHangul(start, end, "".join(pieces))


def _said_before(text: str, run: Run) -> re.Match[str] | None:
    """Return the word right before a run that is its reading, and what stands between them."""
    before = text[max(0, run.start - _CHARS_AROUND) : run.start]
    said = _SAID_BEFORE.search(before)
    size = len(run.text)
    is_same = run.script is Script.HAN and said is not None
    return said if said and is_same and is_reading(said[1][-size:], run.text) else None


def _read(text: str, run: Run, heard: HeardWords) -> str:
    if run.script is not Script.HAN:
        return ""
    before = text[max(0, run.start - _CHARS_AROUND) : run.start]
    return heard.read(run.text, before, text[run.end : run.end + _CHARS_AROUND])
