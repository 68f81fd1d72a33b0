"""Where a clause of a claim says the opposite of what a clause of a source says.

Unlike `guards.text.oppositions`, which lays two sentences side by side, this looks up what all the
sources say of one predicate, whatever its wording, and takes the clause that is about the same
words. A claim's word that the sources know but this clause has not makes it another subject.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from guards.core.lazy import lazy
from guards.core.reading import SourceSet, Text
from guards.text.closed_days import all_closed, closed_days, days_claimed_open, is_about
from guards.text.features import kept_features
from guards.text.polarity_modes import AFFIRMATIVE, are_opposed
from guards.text.polarity_sayings import Said, Saying
from guards.text.polarity_words import Word
from guards.text.postings import Postings, packed, posted
from guards.text.source_row import SourceRow

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


def opposed(sources: SourceSet, saying: Saying, context: Context) -> Opposed | None:
    """Return what sources say against a saying, unless they say the same elsewhere.

    What speaks for a predicate is opposed by what speaks against one alone. Few sentences do: the
    others are read only if one of those is in the way.

    Args:
        sources: The sources.
        saying: What a claim says.
        context: Returns the words around it; seldom asked.
    """
    if saying.mode in AFFIRMATIVE:
        against = sources.once(sayings_against)
        if not against.may_oppose(saying, context):
            return None
    return sources.once(SourceSayings).opposed(saying, context)


def _all_said(text: Text) -> Iterable[Said]:
    return text.sayings.all


def _said_against(text: Text) -> Iterable[Said]:
    return text.sayings.against


class SourceSayings:
    """What the sources of a request say, by predicate and word.

    Args:
        sources: The sources.
        said_in: Returns what of a source counts.
    """

    def __init__(
        self, sources: SourceSet, said_in: Callable[[Text], Iterable[Said]] = _all_said
    ) -> None:
        self._sources = [(part.source, part.text) for part in sources.parts if part.source]
        self._row = sources.once(SourceRow)
        self._told = [
            Told(source.id, said, source.title)
            for source, text in self._sources
            for said in said_in(text)
        ]
        self._by_family: Postings[str, int] = posted(
            enumerate(told.said.saying.families for told in self._told)
        )
        self._first_by_name: dict[str, Postings[str, int]] = {}

    def opposed(self, saying: Saying, context: Context) -> Opposed | None:
        """Return what says the opposite of a saying, unless something else says the same.

        Args:
            saying: What a claim says.
            context: Returns the words around it; seldom asked.
        """
        best = self._best(saying, context)
        if best and best.share > self._agreed(saying):
            return best
        return self._closed(saying)

    def may_oppose(self, saying: Saying, context: Context) -> bool:
        """Tell whether anything says the opposite of a saying, whatever else is said."""
        return self._best(saying, context) is not None or self._closed(saying) is not None

    def _best(self, saying: Saying, context: Context) -> Opposed | None:
        """Return what says the opposite."""
        best: Opposed | None = None
        for told in self._on(saying):
            other = told.said.saying
            # Most say the same, which their modes tell: only of the others words are read.
            if not are_opposed(saying.mode, other.mode):
                continue
            missing = _missing(saying, other)
            share = _share(saying, other, missing)
            if share < _LEAST_SHARE or (best and share <= best.share):
                continue
            if self._is_alike(saying, told, missing, context):
                best = Opposed(told, share)
        return best

    def _agreed(self, saying: Saying) -> float:
        """Return the greatest share of a saying that what says the same holds."""
        others = (told.said.saying for told in self._on(saying))
        return max(
            (
                _share(saying, other, _missing(saying, other))
                for other in others
                if not are_opposed(saying.mode, other.mode) and _is_for(other, saying)
            ),
            default=0.0,
        )

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

    def _on(self, saying: Saying) -> list[Told]:
        """Return what is said of the same predicate, in order; of the commonest the first."""
        places: set[int] = set()
        for family in saying.families & self._by_family.keys():
            standing = self._by_family[family]
            if len(standing) <= _MOST_LOOKED_AT:
                places.update(standing)
            else:
                by_name = self._first_with_names(family)
                places.update(*(by_name.get(name, ()) for name in saying.names))
        return [self._told[place] for place in sorted(places)]

    def _first_with_names(self, family: str) -> Postings[str, int]:
        """Return the first places of a predicate with each word that stands beside it."""
        if family not in self._first_by_name:
            found: dict[str, list[int]] = defaultdict(list)
            for place in self._by_family[family]:
                for name in self._told[place].said.saying.names:
                    if len(found[name]) < _MOST_LOOKED_AT:
                        found[name].append(place)
            self._first_by_name[family] = packed(found)
        return self._first_by_name[family]

    def _is_alike(
        self, saying: Saying, told: Told, missing: Sequence[Word], context: Context
    ) -> bool:
        """Tell whether something is said of the same subject under the same condition.

        Args:
            saying: What a claim says.
            told: What a source says.
            missing: The claim's words that the source's clause has not.
            context: Returns the words around the claim.
        """
        other = told.said.saying
        if saying.turns != other.turns or not saying.figures <= other.figures:
            return False
        if any(word.is_condition for word in missing):
            return False
        elsewhere = [word for word in missing if self._row.has(word.names)]
        if any(word.names.isdisjoint(told.context) for word in elsewhere):
            return False
        return _is_told_back(other, saying, context)


def sayings_against(sources: SourceSet) -> SourceSayings:
    """Return what sources say against a predicate."""
    return SourceSayings(sources, _said_against)


def _share(saying: Saying, other: Saying, missing: Sequence[Word]) -> float:
    """Return the share of a saying's words, but for the predicate's, that another one holds.

    Args:
        saying: The saying.
        other: The other one.
        missing: The words that it does not hold.
    """
    predicate = saying.families & other.families
    words = [word for word in saying.words if word.names.isdisjoint(predicate)]
    if not words:
        # 진료의뢰서가 필요하다: where nothing else is told, what it is about is the predicate.
        return float(any(len(name) >= _LEAST_NAME_CHARS for name in predicate))
    return sum(word not in missing for word in words) / len(words)


def _missing(saying: Saying, other: Saying) -> list[Word]:
    """Return the words of a saying that another one has not."""
    return [word for word in saying.words if not _holds(other, word)]


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
