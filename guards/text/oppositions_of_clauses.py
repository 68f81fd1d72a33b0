"""Where a clause of a claim says the opposite of what a clause of a source says.

Unlike `guards.text.oppositions`, which lays two sentences side by side, this looks up what all the
sources say of one predicate, whatever its wording, and takes the clause that is about the same
words. A claim's word that the sources know but this clause has not makes it another subject.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from guards.core.lazy import lazy
from guards.core.reading import SourceSet, Text
from guards.text.closed_days import all_closed, closed_days, days_claimed_open, is_about
from guards.text.features import kept_features
from guards.text.oppositions import are_opposed
from guards.text.polarity_sayings import Said, Saying
from guards.text.polarity_words import Word

_MOST_LOOKED_AT = 400
_LEAST_SHARE = 0.6
_LEAST_SHARE_BACK = 0.6
_LEAST_NAME_CHARS = 3

Context = Callable[[], frozenset[str]]


@dataclass(frozen=True)
class Told:
    """Something that a source says.

    Attributes:
        source_id: Id of the source.
        said: What it says, and where.
        title: The title of the source.
    """

    source_id: str
    said: Said
    title: str

    @property
    def predicate(self) -> str:
        """The predicate as it stands in the sentence."""
        return self.said.sentence[self.said.saying.start : self.said.saying.end]

    @lazy
    def context(self) -> frozenset[str]:
        """The words around the sentence: those of the title and the sentence before."""
        return kept_features(self.title).forms | kept_features(self.said.before).forms


@dataclass(frozen=True, slots=True)
class Opposed:
    """What says the opposite of a saying, and the share of the saying's words that it holds."""

    told: Told
    share: float


class SourceSayings:
    """What the sources of a request say, by predicate and word.

    Args:
        sources: The sources.
    """

    def __init__(self, sources: SourceSet) -> None:
        self._sources = [(part.source, part.text) for part in sources.parts if part.source]
        self._known = [text.once(_forms) for _, text in self._sources]
        self._told = [
            Told(source.id, said, source.title)
            for source, text in self._sources
            for said in text.said
        ]
        self._by_family: dict[str, list[int]] = defaultdict(list)
        for place, told in enumerate(self._told):
            for family in told.said.saying.families:
                self._by_family[family].append(place)
        self._first_by_name: dict[str, dict[str, list[int]]] = {}

    def opposed(self, saying: Saying, context: Context) -> Opposed | None:
        """Return what says the opposite of a saying, unless something else says the same.

        Args:
            saying: What a claim says.
            context: Returns the words around it; seldom asked.
        """
        best: Opposed | None = None
        agreed = 0.0
        for told in self._on(saying):
            other = told.said.saying
            share = _share(saying, other)
            if not are_opposed(saying.mode, other.mode):
                agreed = max(agreed, share if _is_for(other, saying) else 0.0)
            elif share < _LEAST_SHARE or (best and share <= best.share):
                continue
            elif self._is_alike(saying, told, context):
                best = Opposed(told, share)
        if best and best.share > agreed:
            return best
        return self._closed(saying)

    def _closed(self, saying: Saying) -> Opposed | None:
        """Return what says that a day is closed on which a claim says that something is open."""
        days = days_claimed_open(saying)
        if not days or not days <= all_closed([text for _, text in self._sources]):
            return None
        for source, text in self._sources:
            for closed, said in closed_days(text).said:
                told = Told(source.id, said, source.title)
                if days & closed and is_about(saying, said, told.context):
                    return Opposed(told, 1.0)
        return None

    def _on(self, saying: Saying) -> Iterator[Told]:
        """Yield what is said of the same predicate, in order; of the commonest the first."""
        places: set[int] = set()
        for family in saying.families & self._by_family.keys():
            standing = self._by_family[family]
            if len(standing) <= _MOST_LOOKED_AT:
                places.update(standing)
            else:
                by_name = self._first_with_names(family)
                places.update(*(by_name.get(name, ()) for name in saying.names))
        return map(self._told.__getitem__, sorted(places))

    def _first_with_names(self, family: str) -> dict[str, list[int]]:
        """Return the first places of a predicate with each word that stands beside it."""
        if family not in self._first_by_name:
            found: dict[str, list[int]] = defaultdict(list)
            for place in self._by_family[family]:
                for name in self._told[place].said.saying.names:
                    if len(found[name]) < _MOST_LOOKED_AT:
                        found[name].append(place)
            self._first_by_name[family] = dict(found)
        return self._first_by_name[family]

    def _is_known(self, word: Word) -> bool:
        return not all(map(word.names.isdisjoint, self._known))

    def _is_alike(self, saying: Saying, told: Told, context: Context) -> bool:
        """Tell whether something is said of the same subject under the same condition."""
        other = told.said.saying
        if saying.turns != other.turns or not saying.figures <= other.figures:
            return False
        missing = [word for word in saying.words if not _holds(other, word)]
        if any(word.is_condition for word in missing):
            return False
        elsewhere = [word for word in missing if self._is_known(word)]
        if any(word.names.isdisjoint(told.context) for word in elsewhere):
            return False
        return _is_told_back(other, saying, context)


def _forms(text: Text) -> frozenset[str]:
    """Return the words of a text in all their forms."""
    return frozenset().union(*(kept_features(one.text).forms for one in text.sentences))


def _share(saying: Saying, other: Saying) -> float:
    """Return the share of a saying's words, but for the predicate's, that another one holds."""
    predicate = saying.families & other.families
    words = [word for word in saying.words if word.names.isdisjoint(predicate)]
    if not words:
        # 진료의뢰서가 필요하다: where nothing else is told, what it is about is the predicate.
        return float(any(len(name) >= _LEAST_NAME_CHARS for name in predicate))
    return sum(_holds(other, word) for word in words) / len(words)


def _holds(saying: Saying, word: Word) -> bool:
    """Tell whether a saying has a word, or a kind of it (등본, 주민등록등본; but not 비회원)."""
    return not (
        saying.names.isdisjoint(word.names)
        and saying.names.isdisjoint(word.heads)
        and saying.heads.isdisjoint(word.names)
    )


def _is_for(saying: Saying, other: Saying) -> bool:
    """Tell whether what only holds for some (월요일만) holds for those of another saying."""
    return all(_holds(other, word) for word in saying.words if word.is_only)


def _is_told_back(saying: Saying, claimed: Saying, context: Context) -> bool:
    """Tell whether a claim tells the conditions of a saying and most of its other words."""
    missing = [
        word
        for word in saying.words
        if not _holds(claimed, word) and context().isdisjoint(word.names | word.heads)
    ]
    if any(word.is_condition or word.is_only for word in missing):
        return False
    needed = sum(not word.is_listed for word in saying.words)
    lost = sum(not word.is_listed for word in missing)
    return lost <= needed * (1 - _LEAST_SHARE_BACK)
