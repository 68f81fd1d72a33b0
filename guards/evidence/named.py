"""The names of the sources by their heads, to find those that stand where a claim's own would."""

from collections import defaultdict
from typing import NamedTuple

from guards.core.finding import Evidence
from guards.core.reading import SourceSet
from guards.evidence.index import OWN, Bag, SourceIndex
from guards.evidence.opposites.meaning import covered
from guards.evidence.values import by_sentence
from guards.korean.morphemes import morphemes
from guards.korean.words import content_words
from guards.text.names import Name
from guards.text.sentences import LONGEST_SENTENCE_CHARS

_SAME_SUBJECT = 0.5
_MOST_LIKE = 12


class Near(NamedTuple):
    """Names of one head in one sentence of a source, and the sentence."""

    names: tuple[str, ...]
    evidence: Evidence


class NamesByHead:
    """The names of some sources, by head and sentence."""

    def __init__(self, sources: SourceSet) -> None:
        self._index = sources.once(SourceIndex)
        self._names: dict[tuple[str, int, int], list[str]] = defaultdict(list)
        for number, (part, read) in enumerate(
            zip(sources.parts, self._index.readings, strict=True)
        ):
            for sentence, names in by_sentence(read, part.text.names):
                for name in names:
                    self._names[name.head, number, sentence[0].sentence].append(name.text)

    def near(self, name: Name, sentence: str) -> Near | None:
        """Return the names of a head in the source sentence nearest to a claim, if one is near.

        Args:
            name: A name of the claim.
            sentence: The claim.
        """
        if len(sentence) > LONGEST_SENTENCE_CHARS:
            return None
        words = content_words(morphemes(sentence.replace(name.text, " ")))
        telling = [word for word in words if not word.is_light]
        bag = Bag()
        bag.add(telling, OWN)
        best, best_share = None, _SAME_SUBJECT
        for _, one in self._index.nearest(bag.weights, _MOST_LIKE):
            names = self._names.get((name.head, one.source, one.claim.sentence))
            share = sum(covered(word, one.context) for word in telling) / len(telling)
            if names and share > best_share:
                quote = Evidence(one.source_id, self._index.text_of(one))
                best, best_share = Near(tuple(dict.fromkeys(names)), quote), share
        return best
