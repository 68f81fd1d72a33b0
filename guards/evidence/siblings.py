"""Sources that speak of the same things for another branch, product, law or edition.

What a title or heading names (강남점, 데일리플러스 카드, 정보공개법) has a kind; two names of one
kind are siblings. Once the question, or the sentence itself, names one of them, the texts that are
only about the others are foreign to it. So is an older edition of a text, unless it is named.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from guards.claims.layout import Level
from guards.claims.reader import Claim
from guards.core.reading import Part, SourceSet
from guards.evidence.index import SourceIndex
from guards.korean.morphemes import morphemes
from guards.lexicons.loading import section_words, sections
from guards.text.editions import DOCUMENT_WORDS, Edition, edition_of
from guards.text.particles import stem

_TOKEN = re.compile(r"[A-Za-z]+(?:-?[A-Za-z0-9]+)+|[가-힣]+")
_WORD = re.compile(rf"{_TOKEN.pattern}|(?<![\d.-])\d{{1,2}}[가-힣]+")
_MODEL = re.compile(r"[A-Za-z]+(?:-[A-Za-z0-9]+|\d[A-Za-z0-9]*)+")
_ARTICLE = re.compile(r"제\s?\d+\s?[조항호]\S*")
_LONGEST_FIRST_LINE_CHARS = 160
_FIRST_LINE_CHARS = 40
_TITLES_KEPT = 1024
_LIST_OR_TABLE = re.compile(r"\s*(?:[-·•○●□■◇▣※*|]|\d{1,2}[.)]|[①-⑳가-하][.)]?\s)|.*\|")
_SHORTEST_NAME_CHARS = 2
_SAME_SUBJECT = 0.5

Kind = tuple[str, str]
"""The table that tells it, and which of its entries: ("head", "점"), ("place", "")."""
Place = tuple[int, tuple[str, ...]]
"""A source's number and the headings that a claim stands under."""


_PLACE: Kind = ("place", "")
_MODEL_KIND: Kind = ("model", "")
_TELLS_NOTHING = DOCUMENT_WORDS | section_words("name_heads", "pointing", "describing")
_TABLE = sections("siblings")
_HEADS = tuple(sorted(section_words("siblings", "heads"), key=len, reverse=True))
_GROUP_OF = {
    word: str(number) for number, line in enumerate(_TABLE["groups"]) for word in line.split()
}
_PLACES = section_words("siblings", "places")
_OLDER = re.compile("|".join(_TABLE["older"]))
_SAYS_OLDER = re.compile("|".join(_TABLE["says_older"]))


@dataclass(frozen=True, slots=True)
class Titled:
    """A piece of the sources under one title and one chain of headings.

    Attributes:
        place: Its source and headings.
        names: What it names, by kind.
        title: The title of its source.
        edition: What its source says of itself.
        is_older: Whether it is the older one of two editions, or says so itself.
    """

    place: Place
    names: dict[Kind, frozenset[str]]
    title: str
    edition: Edition | None
    is_older: bool


def place_of(claim: Claim, source: int) -> Place:
    """Return where a claim of a source stands."""
    labels = claim.block.labels
    return source, tuple(one.text for one in labels if one.level is Level.HEADING)


class Siblings:
    """The pieces of a request's sources by what their titles and headings name.

    Attributes:
        places: All pieces, in order.
    """

    def __init__(self, sources: SourceSet) -> None:
        index = sources.once(SourceIndex)
        places = dict.fromkeys(place_of(one.claim, one.source) for one in index.claims)
        older = _older(sources.parts)
        self._pieces = [
            _titled(sources.parts[place[0]], place, place[0] in older) for place in places
        ]
        self.places = tuple(places)
        self._known: dict[Kind, set[str]] = defaultdict(set)
        for piece in self._pieces:
            for kind, names in piece.names.items():
                self._known[kind] |= names
        self._known = {kind: names for kind, names in self._known.items() if len(names) > 1}

    def __bool__(self) -> bool:
        """Tell whether any piece may be foreign to a claim."""
        return bool(self._known) or any(piece.is_older for piece in self._pieces)

    def foreign(self, near: str, question: str, earlier: str) -> dict[Place, str]:
        """Return the pieces that a claim is not about, each with what should be named instead.

        Args:
            near: The sentence of the claim with its labels.
            question: What was asked.
            earlier: What was asked before; it counts where the question names nothing.
        """
        found: dict[Place, str] = {}
        said = f"{near}\n{question}"
        for kind, known in self._known.items():
            named = next(
                (names for text in (near, question, earlier) if (names := _named_in(text, known))),
                frozenset[str](),
            )
            if named:
                found |= self._foreign_of(kind, named, said, question)
        for piece in self._pieces:
            if piece.is_older and not _names_edition(piece, said):
                found.setdefault(piece.place, "")
        return found

    def _foreign_of(
        self, kind: Kind, named: frozenset[str], said: str, question: str
    ) -> dict[Place, str]:
        """Return the pieces that only name others of a kind than those named."""
        found: dict[Place, str] = {}
        titles = "\n".join(one.title for one in self._pieces if one.names.get(kind, named) & named)
        for piece in self._pieces:
            own = piece.names.get(kind)
            if not own or _may_be_one(own, named) or _named_in(said, own):
                continue
            if not _asks_about(question, piece.title, titles):
                found[piece.place] = min(named)
        return found


def _asks_about(question: str, title: str, others: str) -> bool:
    """Tell whether a question has a word of a title that the other titles do not have: 2호기."""
    words = (stem(word) for word in _WORD.findall(_ARTICLE.sub(" ", title)))
    return any(
        len(word) >= _SHORTEST_NAME_CHARS
        and word in question
        and word not in others
        and word not in _TELLS_NOTHING
        for word in words
    )


def _may_be_one(some: Iterable[str], others: Collection[str]) -> bool:
    return any(one in other or other in one for one in some for other in others)


def _names_edition(piece: Titled, said: str) -> bool:
    years = {str(date[0]) for date in piece.edition.dates} if piece.edition else set()
    return _SAYS_OLDER.search(said) is not None or any(year in said for year in years)


def _older(parts: Sequence[Part]) -> set[int]:
    """Return the numbers of the sources that another one replaces, or that say so themselves."""
    editions = [edition_of(part.source) if part.source else None for part in parts]
    found = set()
    for number, (part, edition) in enumerate(zip(parts, editions, strict=True)):
        title = part.source.title if part.source else ""
        first_line = part.text.raw.lstrip().partition("\n")[0][:_LONGEST_FIRST_LINE_CHARS]
        if _LIST_OR_TABLE.match(first_line):
            first_line = ""  # An entry speaks of itself: 편의점 스티커는 판매 종료.
        says_so = _OLDER.search(f"{title}\n{first_line}") is not None
        if says_so or any(edition and other and _replaces(other, edition) for other in editions):
            found.add(number)
    return found if len(found) < len(parts) else set()


def _replaces(newer: Edition, older: Edition) -> bool:
    either = newer.subject | older.subject
    both = newer.subject & older.subject
    if not both or len(both) < _SAME_SUBJECT * len(either) or not newer.is_newer_than(older):
        return False
    return all(
        kind not in theirs or names & theirs[kind]
        for theirs in (_names(older.name),)
        for kind, names in _names(newer.name).items()
    )


def _titled(part: Part, place: Place, is_older: bool) -> Titled:
    title = part.source.title if part.source else ""
    # The first line says what a text is about where its title does not (Scope: DC-A).
    first = _names(part.text.raw.partition("\n")[0][:_FIRST_LINE_CHARS])
    names = {kind: first[kind] for kind in first if kind in {_PLACE, _MODEL_KIND}}
    names |= _names(title)
    for heading in place[1]:
        # What a heading names stands for the title's names of that kind (강서 / 도봉).
        names |= _names(heading)
    return Titled(place, names, title, edition_of(part.source) if part.source else None, is_older)


@lru_cache(maxsize=_TITLES_KEPT)
def _names(title: str) -> Mapping[Kind, frozenset[str]]:
    """Return what a title names, by kind."""
    found: dict[Kind, set[str]] = defaultdict(set)
    title = _ARTICLE.sub(" ; ", title)
    last_words = {one.end: one.parts[-1] for one in morphemes(title)}
    before = ""
    end = 0
    for match in _TOKEN.finditer(title):
        if title[end : match.start()].strip():
            before = ""
        for kind, name in _kinds(match[0], before, last_words.get(match.end(), "")):
            if len(name) >= _SHORTEST_NAME_CHARS:
                found[kind].add(name)
        before, end = match[0], match.end()
    return {kind: frozenset(names) for kind, names in found.items()}


def _kinds(token: str, before: str, last_word: str) -> Iterator[tuple[Kind, str]]:
    """Yield the names that a word of a title makes, each with its kind.

    Args:
        token: The word.
        before: The word right before it; empty if there is none.
        last_word: The last simple noun of it; 점 for 강남점, but not for 장점.
    """
    if token in _GROUP_OF:
        yield ("group", _GROUP_OF[token]), token
    if token in _PLACES:
        yield _PLACE, token
    if _MODEL.fullmatch(token):
        yield _MODEL_KIND, token
    head = next((head for head in _HEADS if token.endswith(head)), "")
    base = token[: -len(head)] if head else ""
    if base in _PLACES:
        yield _PLACE, base
    if head and not base and len(head) > 1 and before not in _TELLS_NOTHING:
        yield ("head", head), before
    elif base and (len(head) > 1 or last_word == head):
        # A base that describes tells none apart by itself: 중앙동, 체크카드.
        yield ("head", head), token if len(base) == 1 or base in _TELLS_NOTHING else base


def _named_in(text: str, names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name in names if name in text)
