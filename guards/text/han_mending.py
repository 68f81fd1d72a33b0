"""Puts Hangul in the place of Han words that stand in a Korean sentence."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from guards.text.han_words import HeardWords
from guards.text.particle_choice import agreeing, particle_at
from guards.text.scripts import Run, Script

_CHARS_AROUND = 10


class InHangul(NamedTuple):
    """What stands in the place of some runs, from the first one's start.

    Attributes:
        end: Where the place ends (half-open): behind a particle that has to change its form
            (``手续를`` is ``수속을``) or a gloss that says the same again (``費用(비용)``).
        hangul: What stands there instead.
    """

    end: int
    hangul: str


def in_hangul(text: str, runs: Sequence[Run], heard: HeardWords) -> InHangul | None:
    """Return runs without Hangul between them in Hangul; None if one of them cannot be read."""
    pieces: list[str] = []
    end = runs[0].start
    for run in runs:
        before = text[max(0, run.start - _CHARS_AROUND) : run.start]
        after = text[run.end : run.end + _CHARS_AROUND]
        word = heard.read(run.text, before, after) if run.script is Script.HAN else ""
        if not word:
            return None
        pieces += [text[end : run.start], word]
        end = run.end
    if gloss := re.compile(rf" ?[(（]{word}[)）]").match(text, end):
        end = gloss.end()
    particle = particle_at(text, end)
    fitting = agreeing(particle, word)
    if fitting != particle:
        pieces.append(fitting)
        end += len(particle)
    return InHangul(end, "".join(pieces))
