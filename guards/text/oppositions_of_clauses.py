"""Where a clause of a claim says the opposite of what a clause of a source says.

Unlike `guards.text.oppositions`, which lays two sentences side by side, this looks up what all the
sources say of one predicate, whatever its wording, and takes the clause that is about the same
words. A claim's word that the sources know but this clause has not makes it another subject.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from guards.core.reading import Reading, Text
from guards.text.closed_days import all_closed, closed_days, days_claimed_open, is_about
from guards.text.features import kept_features
from guards.text.oppositions import are_opposed
from guards.text.polarity_sayings import Said, Saying
from guards.text.polarity_words import Word

_MOST_LOOKED_AT = 400
_LEAST_SHARE = 0.6
_LEAST_SHARE_BACK = 0.6
_LEAST_NAME_CHARS = 3


@dataclass(frozen=True, slots=True)
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

    @property
    def context(self) -> frozenset[str]:
        """The words around the sentence: those of the title and the sentence before."""
        return kept_features(self.title).forms | kept_features(self.said.before).forms


@dataclass(frozen=True, slots=True)
class Opposed:
    """What says the opposite of a saying, and the share of the saying's words that it holds."""

    told: Told
    share: float


class SourceSayings:
    """What the sources of an exchange say, by predicate and word."""

    def __init__(self, reading: Reading) -> None:
        self._sources = [
            (part.source, part.text, part.text.once(_by_key))
            for part in reading.sources
            if part.source
        ]
        self._known = [part.text.once(_forms) for part in reading.sources]

    def opposed(self, saying: Saying, context: frozenset[str]) -> Opposed | None:
        """Return what says the opposite of a saying, unless something else says the same.

        Args:
            saying: What a claim says.
            context: The words around it.
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
        if not days or not days <= all_closed([text for _, text, _ in self._sources]):
            return None
        for source, text, _ in self._sources:
            for closed, said in closed_days(text).said:
                told = Told(source.id, said, source.title)
                if days & closed and is_about(saying, said, told.context):
                    return Opposed(told, 1.0)
        return None

    def _on(self, saying: Saying) -> Iterator[Told]:
        """Yield what is said of the same predicate with a word of a saying, in order."""
        left = dict.fromkeys(_keys(saying), _MOST_LOOKED_AT)
        for source, text, by_key in self._sources:
            places: set[int] = set()
            for key in left.keys() & by_key.keys():
                standing = by_key[key][: left[key]]
                left[key] -= len(standing)
                places.update(standing)
            for place in sorted(places):
                yield Told(source.id, text.said[place], source.title)

    def _is_known(self, word: Word) -> bool:
        return not all(map(word.names.isdisjoint, self._known))

    def _is_alike(self, saying: Saying, told: Told, context: frozenset[str]) -> bool:
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


def _by_key(text: Text) -> dict[tuple[str, str], list[int]]:
    """Return the places of what a text says, by predicate and word; of the commonest the first."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, said in enumerate(text.said):
        for key in _keys(said.saying):
            if len(found[key]) < _MOST_LOOKED_AT:
                found[key].append(place)
    return found


def _keys(saying: Saying) -> Iterator[tuple[str, str]]:
    return ((family, name) for family in saying.families for name in saying.names)


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


def _is_told_back(saying: Saying, claimed: Saying, context: frozenset[str]) -> bool:
    """Tell whether a claim tells the conditions of a saying and most of its other words."""
    missing = [
        word
        for word in saying.words
        if context.isdisjoint(word.names | word.heads) and not _holds(claimed, word)
    ]
    if any(word.is_condition or word.is_only for word in missing):
        return False
    needed = sum(not word.is_listed for word in saying.words)
    lost = sum(not word.is_listed for word in missing)
    return lost <= needed * (1 - _LEAST_SHARE_BACK)
