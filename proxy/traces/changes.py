"""Changes in an answer, computed from the original and the text sent.

Sentences that are no longer there are found whole; in one that was mended, the words that differ.
A sentence said twice of which one is gone may be found to be the other one.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise

from guards.core.finding import Span
from guards.text.sentences import split_sentences
from policies.edits import Edit, apply
from proxy.traces.trace import Change

MOST_PIECES = 600
LONGEST_CHARS = 50_000
"""Beyond these, all that differs is one change: looking closer would take too long."""
_WORD = re.compile(r"\S+|\s+")


def changes(came: str, left: str) -> tuple[Change, ...]:
    """Return what makes the text sent of the one that came, in order."""
    if came == left:
        return ()
    if max(len(came), len(left)) > LONGEST_CHARS:
        return (_narrowed(came, 0, left),)
    before, after = _pieces(came), _pieces(left)
    if max(len(before), len(after)) > MOST_PIECES:
        return (_narrowed(came, 0, left),)
    starts = list(accumulate(map(len, before), initial=0))
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        _narrowed("".join(before[first:last]), starts[first], "".join(after[from_:to]))
        for tag, first, last, from_, to in matcher.get_opcodes()
        if tag != "equal"
    )


def applied(came: str, made: Sequence[Change]) -> str:
    """Return what was sent of an answer, by what was changed in it."""
    return apply(came, (Edit(change.span, change.text) for change in made))


def _pieces(text: str) -> list[str]:
    """Return the sentences, and the white space between them."""
    places = [place for one in split_sentences(text) for place in (one.start, one.end)]
    cuts = [0, *places, len(text)]
    return [text[start:end] for start, end in pairwise(cuts) if start < end]


def _narrowed(was: str, start: int, text: str) -> Change:
    """Return a change without the words that stay the same at its two ends."""
    before, after = _WORD.findall(was), _WORD.findall(text)
    same = _alike(before, after)
    same_end = _alike(before[same:][::-1], after[same:][::-1])
    gone, put_in = before[same : len(before) - same_end], after[same : len(after) - same_end]
    start += len("".join(before[:same]))
    return Change(span=Span(start, start + len("".join(gone))), text="".join(put_in))


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many words two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
