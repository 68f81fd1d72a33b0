"""What the sources say in figures where they speak of what a sentence of the answer is about."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from guards.core.reading import Asked, Part, Reading, SourceSet, Text, source_text
from guards.text.likeness import words_of
from guards.text.overlap_score import containment
from guards.text.sentence_index import SentenceIndex
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension

_MOST_FIGURES = 4
_SAME_SUBJECT = 0.3
_MOST_COMPARED = 8
_ANY_FIGURE = "0"  # figures do not count when two sentences are compared
# Two ways to say the same kind of thing: a wrong unit is still an answer to the same question.
_KINDRED = (
    frozenset({Dimension.DAYS, Dimension.MONTHS, Dimension.SECONDS}),
    frozenset({Dimension.DATE, Dimension.MONTH_DAY, Dimension.YEAR_MONTH, Dimension.YEAR}),
    frozenset({Dimension.CLOCK, Dimension.CLOCK_12}),
    frozenset({Dimension.PERCENT, Dimension.PERCENT_POINT}),
    frozenset({Dimension.WON, "USD", "EUR", "JPY", "CNY"}),
)


@dataclass(frozen=True, slots=True)
class ClosestFigures:
    """The figures of one source sentence.

    Attributes:
        source_id: Id of the source.
        sentence: The sentence, verbatim.
        figures: Its figures of the kind that was looked for, with their comparators' words.
    """

    source_id: str
    sentence: str
    figures: tuple[str, ...]


def source_texts(reading: Reading | Asked) -> list[Text]:
    """Return the texts of an exchange's sources with their titles."""
    return [*reading.told.once(texts_and_titles)]


def texts_and_titles(told: SourceSet) -> Sequence[Text]:
    """Return the texts of sources, then their titles."""
    titles = [part.source.title for part in told.parts if part.source and part.source.title]
    return [part.text for part in told.parts] + [source_text(title) for title in titles]


class FigureFinder:
    """The source sentences with figures, by the kinds of their figures; made once for them."""

    def __init__(self, told: SourceSet) -> None:
        self._parts = told.parts
        self._by_kin: dict[frozenset[str], _Kin] = {}

    def closest(self, quantity: Quantity, sentence: str) -> ClosestFigures | None:
        """Return the figures of that kind in the source sentence nearest to `sentence`.

        None if no sentence on the same subject has a figure of that kind.
        """
        names = _kin(quantity)
        if names not in self._by_kin:
            self._by_kin[names] = _Kin(self._parts, names)
        return self._by_kin[names].closest(sentence.replace(quantity.text, _ANY_FIGURE))


class _Kin:
    """The source sentences with figures of some dimensions."""

    def __init__(self, parts: Sequence[Part], dimensions: frozenset[str]) -> None:
        self._figures = {
            (part.source.id if part.source else "", sentence): figures
            for part in parts
            for sentence, figures in _figures_by_sentence(part.text, dimensions).items()
        }
        self._index = SentenceIndex((name, name[1]) for name in self._figures)

    def closest(self, subject: str) -> ClosestFigures | None:
        best: ClosestFigures | None = None
        best_score = _SAME_SUBJECT
        for source_id, sentence in self._index.nearest(words_of(subject))[:_MOST_COMPARED]:
            score = containment(subject, sentence)
            if score > best_score:
                figures = self._figures[source_id, sentence]
                best = ClosestFigures(source_id, sentence, figures[:_MOST_FIGURES])
                best_score = score
        return best


def _kin(quantity: Quantity) -> frozenset[str]:
    dimension = quantity.measure.dimension
    families = (family for family in _KINDRED if dimension in family)
    return next(families, frozenset({dimension}))


def _figures_by_sentence(text: Text, dimensions: frozenset[str]) -> dict[str, tuple[str, ...]]:
    figures: dict[str, dict[str, None]] = defaultdict(dict)
    sentences = iter(text.sentences)
    sentence = next(sentences, None)
    for quantity in text.quantities:
        while sentence is not None and sentence.end <= quantity.start:
            sentence = next(sentences, None)
        if sentence is None:
            break
        if quantity.measure.dimension in dimensions:
            figures[sentence.text][quantity.shown] = None
    return {sentence: tuple(shown) for sentence, shown in figures.items()}
