"""How far each source supports a claim, with its figures: the same words with others are none."""

from typing import NamedTuple

from guards.core.finding import Evidence
from guards.core.lazy import lazy
from guards.core.reading import Part, Text, source_text
from guards.text.claimed_quantities import claimed_quantities
from guards.text.claims import bare_claim
from guards.text.features import features
from guards.text.held import Wanted
from guards.text.known_quantities import KnownQuantities
from guards.text.overlap_score import Passage, best_in, shares_in
from guards.text.sentences import Sentence
from guards.text.slots.quantity import Quantity
from guards.text.statements import statements


class Claim(NamedTuple):
    """A claim of an answer and the figures that it commits itself to."""

    sentence: Sentence
    figures: tuple[Quantity, ...]


class SupportingSource:
    """A source as claims are held against it.

    Attributes:
        heading: Its title and file; empty if it has neither.
        whole: Heading and text.
    """

    def __init__(self, part: Part) -> None:
        self._part = part
        self._title = part.source.title if part.source else ""
        self._passage = Passage(self._title, part.text.held_index)
        self.heading = f"{self._title} {part.source.file if part.source else ''}".strip()
        self.whole = f"{self.heading}\n{part.text.raw}"

    def support(self, claim: Claim) -> float:
        """Return the share of a claim that the source holds; 0 if it lacks one of its figures."""
        if not all(self._figures.has(figure) for figure in claim.figures):
            return 0.0
        return best_in(bare_claim(claim.sentence.text), self._passage)

    def evidence(self, claim: Claim) -> tuple[Evidence, ...]:
        """Return the source's sentence nearest to a claim."""
        sentences = self._part.text.sentences
        if self._part.source is None or not sentences:
            return ()
        held = shares_in(Wanted(features(claim.sentence.text)), self._part.text.held_index)
        nearest = max(held, key=held.__getitem__, default=0)
        return (Evidence(self._part.source.id, sentences[nearest].text),)

    @lazy
    def _figures(self) -> KnownQuantities:
        titles = [source_text(self._title)] if self._title else []
        return KnownQuantities([self._part.text, *titles])


def claims_with_figures(answer: Text) -> list[Claim]:
    """Return the claims of an answer, in order."""
    figures = claimed_quantities(answer)
    return [
        Claim(
            sentence,
            tuple(each for each in figures if sentence.start <= each.start < sentence.end),
        )
        for sentence in statements(answer.raw)
    ]


def best_source(claim: Claim, sources: list[SupportingSource]) -> tuple[SupportingSource, float]:
    """Return the source that supports a claim most, and how far; there must be one."""
    return max(
        ((source, source.support(claim)) for source in sources), key=lambda supported: supported[1]
    )
