"""How far the sources say what a sentence of an answer says."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from guards.claims.reader import Claim, label_words
from guards.core.reading import SourceSet
from guards.evidence.index import SourceIndex
from guards.korean.words import Word

_NEIGHBOURS = 1


@dataclass(frozen=True, slots=True)
class Passage:
    """A block of a source with the words around it.

    Attributes:
        source: Number of its source.
        block: Number of the block in its source.
        features: What it says and is about.
        claims: Numbers of its claims in the index.
    """

    source: int
    block: int
    features: frozenset[str]
    claims: tuple[int, ...]


class Passages:
    """The passages of a set of sources: each block with its labels, title and neighbours."""

    def __init__(self, told: SourceSet) -> None:
        self.index = told.once(SourceIndex)
        self.passages: list[Passage] = []
        own: dict[tuple[int, int], set[str]] = defaultdict(set)
        numbers: dict[tuple[int, int], list[int]] = defaultdict(list)
        for number, one in enumerate(self.index.claims):
            key = (one.source, one.claim.block.line)
            own[key] |= features_of_words(one.claim.clause.words)
            for _, words in one.claim.labels:
                own[key] |= features_of_words(words)
            numbers[key].append(number)
        for source, line in own:
            found = set(own[source, line])
            for near in range(line - _NEIGHBOURS, line + _NEIGHBOURS + 1):
                found |= own.get((source, near), set())
            part = told.parts[source].source
            found |= features_of_words(label_words(part.title if part else ""))
            self.passages.append(
                Passage(source, line, frozenset(found), tuple(numbers[source, line]))
            )

    def share(self, words: Sequence[Word], beside: frozenset[str]) -> tuple[float, Passage | None]:
        """Return the share of some words that the best passage holds, and that passage.

        Args:
            words: The content words of a sentence.
            beside: Features that need no source: the topic of the question.
        """
        weights: dict[str, float] = {}
        telling = [word for word in words if not word.is_light]
        for word in telling:
            weights[word.features[-1]] = max(self.index.rarity(one) for one in word.features)
        whole = sum(weights.values())
        if not whole:
            return 1.0, None
        best: tuple[float, Passage | None] = (0.0, None)
        for passage in self.passages:
            held = 0.0
            for word in telling:
                key = word.features[-1]
                if key in passage.features:
                    held += weights[key]
                elif word.features and any(one in passage.features for one in word.features):
                    held += 0.6 * weights[key]
                elif key in beside:
                    held += 0.5 * weights[key]
            if held / whole > best[0]:
                best = (held / whole, passage)
        return best


def features_of_words(words: Iterable[Word]) -> set[str]:
    """Return all features of some words."""
    return {feature for word in words for feature in word.features}


def words_of(sentence: Sequence[Claim]) -> list[Word]:
    """Return the content words of a sentence."""
    return [word for claim in sentence for word in claim.clause.words]
