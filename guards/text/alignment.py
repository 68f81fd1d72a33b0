"""Finds for a sentence of the answer the sentences of the sources that speak of the same."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from operator import itemgetter

from guards.core.reading import Part, Reading
from guards.text.features import features
from guards.text.held import Wanted
from guards.text.overlap_score import shares_in
from guards.text.sentences import Sentence

_NEARLY_AS_GOOD = 0.1
_MOST_ALIGNED = 24
LONGEST_SENTENCE_CHARS = 2000
"""Longer than any sentence: what never ends is none, and comparing it would take too long."""
_EXCEPTION = re.compile(r"^(?:다만|단)[\s,]")


@dataclass(frozen=True, slots=True)
class Aligned:
    """A source sentence that speaks of what a claim speaks of.

    Attributes:
        source_id: Id of its source.
        sentence: The sentence, verbatim.
        exception: The sentence after it that takes something out of it (다만, …); empty if none.
        share: Share of the claim that the sentence holds, from 0 to 1.
    """

    source_id: str
    sentence: str
    exception: str
    share: float


def alignments(claim: str, reading: Reading, least: float) -> list[Aligned]:
    """Return the sentence that holds most of a claim and those nearly as good, best first.

    Args:
        claim: The claim's own words.
        reading: The exchange.
        least: Least share of the claim that such a sentence holds.

    Returns:
        Nothing for a claim of no words or of more than 2,000 characters; source sentences that long
        are left out.
    """
    if len(claim) > LONGEST_SENTENCE_CHARS:
        return []
    wanted = Wanted(features(claim))
    held = [
        (part, place, share)
        for part in reading.sources
        for place, share in shares_in(wanted, part.text.held_index).items()
        if share >= least and len(part.text.sentences[place].text) <= LONGEST_SENTENCE_CHARS
    ]
    closest = nlargest(_MOST_ALIGNED, held, key=itemgetter(-1))
    return [_aligned(*one) for one in closest if one[-1] >= closest[0][-1] - _NEARLY_AS_GOOD]


def _aligned(part: Part, place: int, share: float) -> Aligned:
    sentences = part.text.sentences
    exception = _exception_after(sentences, place)
    return Aligned(part.source.id if part.source else "", sentences[place].text, exception, share)


def _exception_after(sentences: Sequence[Sentence], at: int) -> str:
    following = sentences[at + 1].text if at + 1 < len(sentences) else ""
    is_one = len(following) <= LONGEST_SENTENCE_CHARS and _EXCEPTION.match(following)
    return following if is_one else ""
