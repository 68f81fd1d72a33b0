"""Probability that a message is nothing but a complaint: a logistic regression over its pieces.

The weights are in ``guards/lexicons/complaint_weights.txt``, fitted by ``make fit`` on messages
by many authors. A message is taken apart into morphemes, pairs of morphemes and runs of two and
three characters: inflected forms, missing spaces and new slang share some of them with others.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from guards.complaints.swearing import Swearword
from guards.korean.morphemes import morphemes

WEIGHTS = Path(__file__).parents[1] / "lexicons" / "complaint_weights.txt"
BIAS = "bias"
COMPLAINS_FROM = "complains_from"
"""The name of the fitted likelihood from which on a message is taken for a complaint."""
_SIZES = (2, 3)
# Whether somebody ends what he types with a full stop tells nothing of what he means.
_MARKS = re.compile(r"[.,!~…]+")
_BLANKS = re.compile(r"\s+")
_LENGTH_CHARS, _LONGEST = 40, 3
_MOST_SWEARWORDS = 2


def signs(message: str, sworn: Sequence[Swearword]) -> Mapping[str, float]:
    """Return the pieces of a plainly spelled message, each with how much there is of it.

    Args:
        message: The message.
        sworn: Its swear words.
    """
    text = _MARKS.sub(" ", message.lower()).strip()
    found = dict.fromkeys(_pieces(text), 1.0)
    return found | {
        "swearwords": float(min(len(sworn), _MOST_SWEARWORDS)),
        "swears at you": float(any(word.addresses for word in sworn)),
        "calls names": float(any(word.calls for word in sworn)),
        "ends with ?": float(text.endswith("?")),
        "length": min(len(text) / _LENGTH_CHARS, _LONGEST),
    }


def _pieces(text: str) -> Iterator[str]:
    forms = ["^", *(one.form for one in morphemes(text)), "$"]
    yield from (f"m {form}" for form in forms)
    yield from (f"m {one} {other}" for one, other in pairwise(forms))
    written = f"^{_BLANKS.sub('_', text)}$"
    for size in _SIZES:
        yield from (f"c {written[at : at + size]}" for at in range(len(written) - size + 1))


def likelihood(message: str, sworn: Sequence[Swearword]) -> float:
    """Return how likely a plainly spelled message only complains, from 0 to 1."""
    weights = _fitted()
    total = weights[BIAS] + sum(
        weights.get(sign, 0.0) * value for sign, value in signs(message, sworn).items()
    )
    return 1 / (1 + math.exp(-total))


def complains_from() -> float:
    """Return the likelihood from which on a message is taken for a complaint."""
    return _fitted()[COMPLAINS_FROM]


@cache
def _fitted() -> Mapping[str, float]:
    rows = WEIGHTS.read_text("utf-8").split("\n")
    pairs = (row.split("\t", 1) for row in rows if row and not row.startswith("#"))
    return {sign: float(weight) for weight, sign in pairs}
