"""Finds for a sentence of the answer the sentences of the sources that speak of the same."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from guards.core.reading import Part, Reading
from guards.text.overlap_score import shares

_NEARLY_AS_GOOD = 0.1
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
        Nothing for a claim of more than 2,000 characters; source sentences that long are left out.
    """
    if len(claim) > LONGEST_SENTENCE_CHARS:
        return []
    found = [aligned for part in reading.sources for aligned in _in_source(claim, part, least)]
    found.sort(key=lambda aligned: -aligned.share)
    return [one for one in found if one.share >= found[0].share - _NEARLY_AS_GOOD]


def _in_source(claim: str, part: Part, least: float) -> list[Aligned]:
    source_id = part.source.id if part.source else ""
    texts = [
        sentence.text
        for sentence in part.text.sentences
        if len(sentence.text) <= LONGEST_SENTENCE_CHARS
    ]
    return [
        Aligned(source_id, text, _exception_after(texts, at), share)
        for at, (text, share) in enumerate(zip(texts, shares(claim, texts), strict=True))
        if share >= least
    ]


def _exception_after(sentences: Sequence[str], at: int) -> str:
    following = sentences[at + 1] if at + 1 < len(sentences) else ""
    return following if _EXCEPTION.match(following) else ""
