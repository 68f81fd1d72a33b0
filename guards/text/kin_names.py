"""The names of sources by their heads, to find those that stand where a claim's own would."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from guards.core.finding import Evidence
from guards.core.reading import Asked, Text
from guards.evidence.passages import SourcePassages

_SAME_SUBJECT = 0.5


class Kin(NamedTuple):
    """Names of one head in one sentence of a source, and the sentence."""

    names: tuple[str, ...]
    evidence: tuple[Evidence, ...]


class KinNames:
    """The names of a request's sources, by head and sentence."""

    def __init__(self, asked: Asked) -> None:
        self._passages = asked.told.once(SourcePassages)
        known = zip(asked.sources, asked.exchange.sources, strict=True)
        self._texts = [(source.id, part.text) for part, source in known]
        self._found: dict[tuple[str, str], Kin | None] = {}

    def near(self, head: str, sentence: str) -> Kin | None:
        """Return the names of a head in the source sentence nearest to a claim, if one is near."""
        key = (head, sentence)
        if key not in self._found:
            self._found[key] = self._near(head, sentence)
        return self._found[key]

    def _near(self, head: str, sentence: str) -> Kin | None:
        best, best_score = None, _SAME_SUBJECT
        for place, share in sorted(self._passages.shares(sentence).items()):
            source_id, text = self._texts[place.source]
            names = text.once(_by_head).get(head, {}).get(place.at)
            if names and share > best_score:
                quote = Evidence(source_id, text.sentences[place.at].text)
                best, best_score = Kin(tuple(names), (quote,)), share
        return best


def _by_head(text: Text) -> Mapping[str, Mapping[int, list[str]]]:
    """Return the names of a text that have a head, by head and sentence."""
    starts = [sentence.start for sentence in text.sentences]
    found: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name in text.names:
        place = bisect_right(starts, name.start) - 1
        if name.head and place >= 0 and name.start < text.sentences[place].end:
            found[name.head][place].append(name.text)
    return found
