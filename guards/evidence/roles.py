"""Nouns in the same role of an answer's clause and of the source's: who, whom, where, of what.

A role is a class of particle before a word that answer and source share: ``인사팀에 … 제출`` and
``부서장에게 … 제출``, ``학과장 승인`` and ``위원회의 승인``. What stands there instead of the
source's noun is a wrong name if it is no other word for it.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from guards.claims.reader import Claim
from guards.core.reading import SourceSet
from guards.evidence.index import OWN, SourceClaim, SourceIndex, about
from guards.evidence.novelty import Vocabulary
from guards.evidence.thresholds import ALIGNED_FROM, NEAR_BEST
from guards.korean.words import Word
from guards.lexicons.loading import sections, words
from guards.text.known_names import may_be_same
from guards.text.normal import dense

_BRACKETS = re.compile(r"[(（][^()（）]*[)）]")
_MOST_LIKE = 12
_MOST_BEHIND = 12
_LONGEST_UNIT = 3
_SIGNS = re.compile(r"[^\w]|\d")
_CLASSES = {
    "subject": "이 가 께서 은 는",
    "object": "을 를",
    "goal": "에 에게 께 한테 으로 로 에게로",
    "place": "에서",
    "whose": "의",
}
_CLASS = {form: name for name, forms in _CLASSES.items() for form in forms.split()}
_MOST_CANDIDATES = 400


class Contrast(NamedTuple):
    """A noun of an answer in the role of another one of a source.

    Attributes:
        noun: The answer's.
        meant: The source's.
        source: The claim of the source.
        is_entity: Whether both are entities: bodies, offices, persons by their office, systems,
            places, papers, products.
    """

    noun: Word
    meant: Word
    source: SourceClaim
    is_entity: bool


class Role(NamedTuple):
    """A noun, its class of particle, and the words behind it that it belongs to."""

    noun: Word
    kind: str
    heads: frozenset[str]


def roles(claim: Claim) -> Iterator[Role]:
    """Yield the roles of the nouns of a clause; what stands in brackets is an aside."""
    begin = claim.clause.start
    asides = [match.span() for match in _BRACKETS.finditer(claim.text)]
    starts = [start for start, _ in asides]

    def is_aside(place: int) -> bool:
        at = bisect_left(starts, place) - 1
        return at >= 0 and place < asides[at][1]

    found = [word for word in claim.clause.words if not is_aside(word.start - begin)]
    for at, word in enumerate(found):
        if not _may_be_named(word):
            continue
        behind = [one for one in found[at + 1 : at + 1 + _MOST_BEHIND] if not one.is_light]
        if not behind:
            continue
        kind = _CLASS.get(word.particle, "" if word.particle else "whose")
        if kind == "whose":
            heads = frozenset(found[at + 1].features) if found[at + 1] is behind[0] else frozenset()
        else:
            heads = frozenset(feature for one in behind for feature in one.features)
        if kind and heads:
            yield Role(word, kind, heads)


def contrasts(
    claim: Claim, sentence: Sequence[Claim], sources: SourceSet, vocabulary: Vocabulary
) -> Iterator[Contrast]:
    """Yield the nouns of a clause that stand in the place of others of the sources.

    Args:
        claim: The clause of the answer.
        sentence: The clauses of its sentence.
        sources: The sources.
        vocabulary: What sources and question name.
    """
    index, bindings = sources.once(SourceIndex), sources.once(Bindings)
    own = [
        role
        for role in roles(claim)
        if not (vocabulary.is_asked(role.noun) or _is_general(role.noun) or bindings.holds(role))
    ]
    if not own:
        return
    said = _said(sentence)
    near = _aligned(claim, sentence, index, {role.noun for role in own})
    for role in own:
        for one in near:
            meant = _in_role(role, one)
            if meant is None or meant.features[-1] in said or _may_mean(role.noun, meant):
                continue
            is_entity = _is_entity(role.noun) and _is_entity(meant, may_be_bare=True)
            is_entity = is_entity or (_is_foreign_name(role.noun) and _is_foreign_name(meant))
            if is_entity or _is_unknown(role.noun, vocabulary):
                yield Contrast(role.noun, meant, one, is_entity)
                break


def _said(sentence: Sequence[Claim]) -> frozenset[str]:
    own = (word for claim in sentence for word in claim.clause.words)
    labels = (word for _, found in sentence[0].labels for word in found)
    return frozenset(feature for one in (*own, *labels) for feature in one.features)


def _aligned(
    claim: Claim, sentence: Sequence[Claim], index: SourceIndex, besides: Collection[Word]
) -> list[SourceClaim]:
    """Return the source claims that say what a clause says besides some nouns, likest first."""
    bag = about(claim, sentence, (), "")
    bag.add((word for word in claim.clause.words if word not in besides), OWN)
    found = index.nearest(bag.weights, _MOST_LIKE)
    if not found or found[0][0] < ALIGNED_FROM:
        return []
    least = max(ALIGNED_FROM, found[0][0] * NEAR_BEST)
    return [one for likeness, one in found if likeness >= least]


def _in_role(role: Role, one: SourceClaim) -> Word | None:
    """Return the only noun of a source claim in the role of an answer's noun."""
    found = [
        other.noun
        for other in roles(one.claim)
        if other.kind == role.kind and not other.heads.isdisjoint(role.heads)
    ]
    return found[0] if len(found) == 1 else None


def _may_mean(noun: Word, other: Word) -> bool:
    """Tell whether a noun may be another word for the source's."""
    own, its = set(noun.features), set(other.features)
    if may_be_same(dense(noun.text), dense(other.text)):
        return not _narrows(noun, other)
    is_part = own <= its or its <= own
    return is_part and not _narrows(noun, other)


def _narrows(noun: Word, other: Word) -> bool:
    """Tell whether a noun is the other one with a name before it: 인사팀장 for 팀장."""
    return noun.text.endswith(other.text) and len(noun.text) - len(other.text) > 1


class Bindings:
    """Which clauses of the sources have which words, their own or those of their labels."""

    def __init__(self, sources: SourceSet) -> None:
        self._places: defaultdict[str, set[int]] = defaultdict(set)
        for at, one in enumerate(sources.once(SourceIndex).claims):
            labels = (word for _, found in one.claim.labels for word in found)
            for word in (*one.claim.clause.words, *labels):
                for feature in word.features:
                    self._places[feature].add(at)

    def holds(self, role: Role) -> bool:
        """Tell whether a clause has a noun together with what it belongs to."""
        places = self._places.get(role.noun.features[-1])
        return places is not None and any(
            not places.isdisjoint(self._places.get(head, ())) for head in role.heads
        )


def _may_be_named(word: Word) -> bool:
    return not word.is_verb and not word.is_light and len(_SIGNS.sub("", word.text)) > 1


def _is_general(word: Word) -> bool:
    return word.text in words("general_words") or word.text in _heads()["general"]


def _is_entity(word: Word, *, may_be_bare: bool = False) -> bool:
    """Tell whether a noun is somebody's office, or a name before the head of an entity."""
    table = _heads()
    if word.text.endswith(table["office"]):
        return True
    if word.text.endswith(table["named"]) and (may_be_bare or word.text not in table["named"]):
        return True
    return any(
        word.text.endswith(one + head) and one + head in word.features
        for one in word.features
        for head in table["joined"]
    )


def _is_unknown(word: Word, vocabulary: Vocabulary) -> bool:
    """Tell whether the sources lack a noun that is not the topic and no bare office (팀장)."""
    is_topic = word.particle in {"은", "는"}
    return not (is_topic or word.text in _heads()["named"] or vocabulary.has(word.text))


def _is_foreign_name(word: Word) -> bool:
    return word.text.isascii() and word.text[:1].isupper() and len(word.text) > _LONGEST_UNIT


@cache
def _heads() -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(word for line in entries for word in line.split())
        for name, entries in sections("entity_heads").items()
    }
