"""Finds for a sentence of the answer the sentences of the sources that speak of the same."""

import re
from typing import NamedTuple

from guards.core.reading import Part, Reading
from guards.text.held_claims import HeldClaims
from guards.text.sentences import LONGEST_SENTENCE_CHARS

_NEARLY_AS_GOOD = 0.1
_MOST_ALIGNED = 24
_EXCEPTION = re.compile(r"^(?:다만|단)[\s,]")


class Aligned(NamedTuple):
    """A source sentence that speaks of what a claim speaks of.

    Attributes:
        part: Its source.
        place: Which sentence of it.
        share: Share of the claim that the sentence holds, from 0 to 1.
    """

    part: Part
    place: int
    share: float

    @property
    def source_id(self) -> str:
        """Id of its source."""
        return self.part.source.id if self.part.source else ""

    @property
    def sentence(self) -> str:
        """The sentence, verbatim."""
        return self.part.text.sentences[self.place].text

    @property
    def exception(self) -> str:
        """The sentence after it that takes something out of it (다만, …); empty if none."""
        following = self.part.text.sentences[self.place + 1 : self.place + 2]
        is_one = (
            following
            and len(following[0].text) <= LONGEST_SENTENCE_CHARS
            and _EXCEPTION.match(following[0].text)
        )
        return following[0].text if is_one else ""


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
    claims = reading.asked.once(HeldClaims)
    closest = claims.of(claim).closest(least, _NEARLY_AS_GOOD, claims.endless, _MOST_ALIGNED)
    return [Aligned(reading.sources[source], place, share) for share, (source, place) in closest]
