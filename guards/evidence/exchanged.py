"""Offices and names that stand in an answer's clause where the source has another one.

인사팀장 for 시설팀장, 대학원장 for 교무처장. Such a noun is wrong where the nearest clause of a
source has the other one, and no clause that has the noun is about as near.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise, product
from operator import attrgetter
from typing import NamedTuple

from guards.claims.layout import Level
from guards.claims.reader import Claim, Modality
from guards.core.keeping import lazy
from guards.core.reading import SourceSet
from guards.evidence.index import OWN, Context, SourceClaim, SourceIndex, about, key_of
from guards.evidence.novelty import Vocabulary
from guards.evidence.opposites.acts import turns_of
from guards.evidence.thresholds import EXCHANGED
from guards.korean.morphemes import morphemes
from guards.korean.words import Word, simple_nouns, stands_in
from guards.lexicons.loading import section_words, sections, words
from guards.text.known_names import may_be_same
from guards.text.normal import dense

_MOST_LIKE = 16
_LONGEST_UNIT = 3
_SHORTEST_NAME = 3
_ASIDE = re.compile(r"[(（][^()（）]*[)）]")
_AND_OR = re.compile(r"\s?(?:과|와|나|이나|이든|든|또는|혹은|및|·|,|/)\s?")
_MARK = re.compile(r"\[[^\[\]]*\]")
_SIGNS = re.compile(r"[^\w]|\d")
_EITHER = re.compile(r"(?:거나|든지|든)/EC$")
_CLASSES = {
    "subject": "이 가 께서 은 는",
    "object": "을 를",
    "goal": "에 에게 께 한테 으로 로 에게로",
}
_CLASS = {form: name for name, forms in _CLASSES.items() for form in forms.split()}
_NAMING_LABELS = frozenset({Level.ROW, Level.COLUMN, Level.LABEL})
_DESCRIBES = frozenset({"", "의"})
_DENIES = frozenset({Modality.FORBIDDEN, Modality.DENIED})


class Exchange(NamedTuple):
    """A noun of an answer where a source has another one.

    Attributes:
        noun: The answer's.
        meant: The source's.
        source: The claim of the source.
    """

    noun: Word
    meant: Word
    source: SourceClaim


def exchanges(
    claim: Claim, sentence: Sequence[Claim], sources: SourceSet, vocabulary: Vocabulary
) -> Iterator[Exchange]:
    """Yield the offices and names of a clause that stand where a source has another one.

    Args:
        claim: The clause of the answer.
        sentence: The clauses of its sentence.
        sources: The sources.
        vocabulary: What sources and question name.
    """
    index = sources.once(SourceIndex)
    standing = _Standing(claim, index)
    judged = [
        word
        for word in claim.clause.words
        if _may_be_named(word)
        and (word.is_name or _is_entity(word))
        and not _is_within(_MARK, word, claim)
        and not vocabulary.is_asked(word)
        and not standing.has(word)
        and not standing.is_listed(word)
    ]
    if not judged or _is_part_of_a_denial(claim, sentence):
        return
    clause = _Clause(claim, sentence, index)
    for noun in judged:
        found = clause.exchange(noun, vocabulary)
        if found is not None:
            yield found


def _is_part_of_a_denial(claim: Claim, sentence: Sequence[Claim]) -> bool:
    """Tell whether a clause only names a case of what is denied (냉장이거나 …면 안 된다)."""
    behind = sentence[claim.position + 1 :]
    return (
        claim.clause.modality not in _DENIES
        and any(one.clause.modality in _DENIES for one in behind)
        and (claim.clause.is_condition or _EITHER.search(claim.clause.trail) is not None)
    )


def new_names(claim: Claim, vocabulary: Vocabulary) -> Iterator[Word]:
    """Yield the entities and proper names in Hangul that the sources do not hold in any form."""
    if claim.clause.modality in _DENIES:
        return
    for word in claim.clause.words:
        if word.is_verb or word.is_light or word.text.isascii() or not vocabulary.is_new(word):
            continue
        is_name = _is_joined_name(word.text) or _is_named_entity(word)
        if is_name and not _is_within(_MARK, word, claim) and vocabulary.unknown(claim, (word,)):
            yield word


@lru_cache(maxsize=4_096)
def _is_joined_name(noun: str) -> bool:
    """Tell whether a noun is a proper one with another behind it (한국소비자원, 아라플러스).

    The dictionary has many a common noun among its proper ones (와이파이), but not in this form.
    """
    read = morphemes(noun)
    return len(read) > 1 and read[0].tag == "NNP" and len(noun) >= _SHORTEST_NAME


def _is_named_entity(noun: Word) -> bool:
    """Tell whether a noun is a body or an office that its words name: 총무팀, no 담당팀장.

    A kind of body names none (초등학교), nor does a noun that only ends like one (조건부, 최고점).
    """
    generic = section_words("name_heads", "generic names")
    if not noun.text.endswith(_heads()["office"]):
        generic |= section_words("name_heads", "organisations")
        if [one.tag for one in morphemes(noun.text)] == ["NNG"]:
            return False
    return _is_entity(noun) and not (
        noun.text in generic
        or noun.text.endswith(tuple(section_words("name_heads", "documents", "papers")))
        or any(
            one in section_words("name_heads", "pointing", "describing") for one in noun.features
        )
    )


class _Standing:
    """The clauses of the sources in which the words of a clause of the answer stand."""

    def __init__(self, claim: Claim, index: SourceIndex) -> None:
        self._claim = claim
        self._words = [word for word in claim.clause.words if not word.is_light]
        self._index = index

    @lazy
    def _places(self) -> list[frozenset[int]]:
        """The clauses that have each of the words."""
        return [self._index.places_of(word, EXCHANGED.held) for word in self._words]

    def has(self, noun: Word) -> bool:
        """Tell whether a source has a noun of the clause together with most of its words."""
        own = not noun.is_light
        least = EXCHANGED.stands_with * (len(self._words) - own)
        places = self._index.places_of(noun, EXCHANGED.held)
        near = places.intersection(self._index.places(noun.features[-1]))
        return any(
            sum([place in having for having in self._places]) - own >= least for place in near
        )

    def is_listed(self, noun: Word) -> bool:
        """Tell whether a source lists a noun with the one beside which the clause has it."""
        beside = [
            other
            for other in self._words
            if other is not noun and _are_side_by_side(self._claim, noun, other)
        ]
        return bool(beside) and any(
            _are_listed(self._index.claims[place].claim, noun, other)
            for place in self._index.places_of(noun, EXCHANGED.held)
            for other in beside
        )


def _are_listed(claim: Claim, *listed: Word) -> bool:
    """Tell whether a clause has two words of another one as members of a list."""
    one, other = (
        [word for word in claim.clause.words if word.features[-1] == member.features[-1]]
        for member in listed
    )
    return any(_are_side_by_side(claim, *pair) for pair in product(one, other))


def _are_side_by_side(claim: Claim, one: Word, other: Word) -> bool:
    """Tell whether two words of a clause are members of a list (진단서나 입원확인서)."""
    first, second = sorted((one, other), key=attrgetter("start"))
    offset = claim.clause.start
    return _AND_OR.fullmatch(claim.text, first.end - offset, second.start - offset) is not None


def _speaks_of(context: Context, word: Word) -> bool:
    """Tell whether a clause has a word, itself or in what it stands under."""
    if context.get(word.features[-1], 0.0) >= EXCHANGED.held:
        return True
    return all(context.get(one, 0.0) >= EXCHANGED.held for one in simple_nouns(word))


class _Clause:
    """A clause of an answer and what is needed to look its nouns up."""

    def __init__(self, claim: Claim, sentence: Sequence[Claim], index: SourceIndex) -> None:
        self.words = claim.clause.words
        self.claim = claim
        self._index = index
        bag = about(claim, sentence, (), "")
        bag.add(self.words, OWN)
        self._about = bag.weights
        self._near = [one for _, one in index.nearest(bag.weights, _MOST_LIKE)]
        given = (part for part in sentence[: claim.position] if part.clause.is_condition)
        self._turns = {turn for part in given for turn in turns_of(part.clause.trail)}
        self._figures = {key_of(one.measure) for one in claim.clause.figures}
        self.said = {word.features[-1] for one in sentence for word in one.clause.words}
        self.said |= {word.features[-1] for _, found in claim.labels for word in found}

    def exchange(self, noun: Word, vocabulary: Vocabulary) -> Exchange | None:
        """Return what the nearest clause of a source has instead of a noun."""
        asking = self._index.asking(
            {key: weight for key, weight in self._about.items() if key not in noun.features}
        )
        weights = self._index.claim_weights
        weighed = [(asking.likeness(one.context, weights[one.place]), one) for one in self._near]
        weighed.sort(key=lambda one: -one[0])
        text = dense(noun.text)
        with_noun = 0.0
        found: tuple[float, Exchange] | None = None
        for likeness, one in weighed:
            if likeness < EXCHANGED.same_clause:
                break
            if _has(one, noun, text, self._index):
                with_noun = likeness
                break
            if found is None:
                other = self._other(noun, one, likeness, vocabulary)
                found = other and (likeness, other)
        if found is None or with_noun >= EXCHANGED.fits_less * found[0]:
            return None
        return found[1]

    def _other(
        self, noun: Word, one: SourceClaim, likeness: float, vocabulary: Vocabulary
    ) -> Exchange | None:
        """Return the noun of a source's clause that stands for another than a noun of this."""
        if not self._says_the_same(noun, one):
            return None
        best: tuple[int, Exchange] | None = None
        for other, fit in self._at_its_place(noun, one, vocabulary):
            if not self._is_another(noun, other, vocabulary) or vocabulary.is_asked(other):
                continue
            if self._is_of_another(noun, other, one):
                continue
            # 회사에서는 직원이 신청합니다: where something is done says nothing of who does it.
            if noun.particle.startswith("에서") != other.particle.startswith("에서"):
                continue
            if fit and (best is None or fit > best[0]):
                best = fit, Exchange(noun, other, one)
        return best and best[1]

    def _is_another(self, noun: Word, other: Word, vocabulary: Vocabulary) -> bool:
        """Tell whether two nouns name different bodies, offices, people or things."""
        if noun.is_light or other.is_light or _is_general(noun):
            return False
        if _is_within(_ASIDE, noun, self.claim) or _may_mean(noun, other, vocabulary):
            return False
        if _is_entity(noun) and _is_entity(other, may_be_bare=True):
            return True
        if not (noun.is_name and other.is_name) or noun.text in _heads()["named"]:
            return False
        return not self._is_cut(noun) and bool(vocabulary.unknown(self.claim, (noun,)))

    def _is_of_another(self, noun: Word, other: Word, one: SourceClaim) -> bool:
        """Tell whether what a noun describes is described otherwise in the source.

        입장료 무료, 대여는 회원: 유료 회원 does not stand for 무료. 위임자의 신분증, 대리인의
        신분증: 본인 신분증 may stand for either.
        """
        words = one.claim.clause.words
        if noun.particle not in _DESCRIBES:
            return False
        _, behind = _beside(noun, self.words)
        if other not in words:
            return any(not behind.isdisjoint(word.features) for word in words)
        described_by = {
            before.features[-1]
            for part in one.sentence
            for before, head in pairwise(part.clause.words)
            if not behind.isdisjoint(head.features)
        }
        return len(described_by) > 1

    def _is_cut(self, noun: Word) -> bool:
        """Tell whether a noun is the end of a word, of which the beginning was misread."""
        at = noun.start - self.claim.clause.start
        return at > 0 and "가" <= self.claim.text[at - 1] <= "힣"

    def _says_the_same(self, noun: Word, one: SourceClaim) -> bool:
        """Tell whether a source's clause has the other words, the figures and the polarity."""
        if (self.claim.clause.modality in _DENIES) != (one.claim.clause.modality in _DENIES):
            return False
        others = [word for word in self.words if word is not noun and not word.is_light]
        held = sum(stands_in(word, one.context) for word in others)
        if not others or held < EXCHANGED.shared * len(others):
            return False
        if self._turns - {turn for part in one.sentence for turn in turns_of(part.clause.trail)}:
            return False
        figures = {key_of(each.measure) for part in one.sentence for each in part.clause.figures}
        return self._figures <= figures

    def _is_added(self, noun: Word, other: Word, vocabulary: Vocabulary) -> bool:
        """Tell whether a noun that no source has is put beside the source's: 본인 또는 가족."""
        if vocabulary.has_whole(noun.text):
            return False
        beside = [one for one in self.words if one.features[-1] == other.features[-1]]
        return any(_are_side_by_side(self.claim, noun, one) for one in beside)

    def _at_its_place(
        self, noun: Word, one: SourceClaim, vocabulary: Vocabulary
    ) -> Iterator[tuple[Word, int]]:
        """Yield the nouns of a source's clause, with how many signs tell the same place."""
        before, behind = _beside(noun, self.words)
        kind = _CLASS.get(noun.particle, noun.particle)
        for other in one.claim.clause.words:
            if not _may_be_named(other):
                continue
            if other.features[-1] in self.said and not self._is_added(noun, other, vocabulary):
                continue
            its_before, its_behind = _beside(other, one.claim.clause.words)
            is_same_particle = _CLASS.get(other.particle, other.particle) == kind
            yield (
                other,
                (
                    is_same_particle
                    + (not before.isdisjoint(its_before))
                    + (not behind.isdisjoint(its_behind))
                ),
            )
        for level, found in one.claim.labels:
            for other in found if level in _NAMING_LABELS else ():
                if _may_be_named(other) and other.features[-1] not in self.said:
                    yield other, int(kind in {"", "subject"})


def _is_within(pattern: re.Pattern[str], word: Word, claim: Claim) -> bool:
    at = word.start - claim.clause.start
    return any(found.start() <= at < found.end() for found in pattern.finditer(claim.text))


def _beside(word: Word, found: Sequence[Word]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the features of the words right before and right behind a word."""
    at = found.index(word)
    before = frozenset(found[at - 1].features) if at else frozenset[str]()
    behind = frozenset(found[at + 1].features) if at + 1 < len(found) else frozenset[str]()
    return before, behind


_SPLIT = re.compile(r"(?<![가-힣])([가-힣])[·/]([가-힣])([가-힣]{1,3})(?![가-힣])")
_PROVIDER = re.compile(r"(?:업체|회사|매장|시설|센터|업장|본사|운영사)$")
_OURSELVES = re.compile(r"(?<![가-힣])(?:저희|당사|본사|우리)")


def _has(one: SourceClaim, noun: Word, text: str, index: SourceIndex) -> bool:
    """Tell whether a source speaks of a noun in a clause, or of it or its kind in its sentence."""
    if _speaks_of(one.context, noun):
        return True
    sentence = index.text_of(one)
    if text in dense(_SPLIT.sub(r"\1\3·\2\3", sentence)):  # 전·후반기 is 전반기, 후반기
        return True
    return bool(_PROVIDER.search(text) and _OURSELVES.search(sentence))


def _may_be_named(word: Word) -> bool:
    return not word.is_verb and len(_SIGNS.sub("", word.text)) > 1


def _is_general(word: Word) -> bool:
    return word.text in words("general_words") or word.text in _heads()["general"]


def _may_mean(noun: Word, other: Word, vocabulary: Vocabulary) -> bool:
    """Tell whether a noun may be another word for the source's."""
    own, its = set(noun.features), set(other.features)
    is_part = own <= its or its <= own or may_be_same(dense(noun.text), dense(other.text))
    # 인사팀장 for 팀장, unless the sources call that one so elsewhere: 인사위원회(이하 위원회).
    narrows = noun.text.endswith(other.text) and len(noun.text) - len(other.text) > 1
    return is_part and (not narrows or vocabulary.has_whole(noun.text))


def _is_entity(word: Word, *, may_be_bare: bool = False) -> bool:
    """Tell whether a noun is somebody's office, or a name before the head of an entity."""
    if _is_foreign_name(word):
        return True
    table = _heads()
    if word.text.endswith(table["office"]):
        return True
    if word.text.endswith(table["named"]) and (may_be_bare or word.text not in table["named"]):
        return True
    return word.text.endswith(table["joined"]) and any(
        word.text.endswith(one + head) and one + head in word.features
        for one in word.features
        for head in table["joined"]
    )


def _is_foreign_name(word: Word) -> bool:
    return word.text.isascii() and word.text[:1].isupper() and len(word.text) > _LONGEST_UNIT


@cache
def _heads() -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(word for line in entries for word in line.split())
        for name, entries in sections("entity_heads").items()
    }
