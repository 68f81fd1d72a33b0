"""Where a claim says the opposite of a source sentence on the same subject.

Two kinds: what is said of the same predicate (`guards.text.polarity`), and a word in the place of
its opposite, between the same neighbours (`guards.lexicons.opposites`). Two in one sentence may
cancel each other (``10명 미만은 할 수 없다``, ``10명 이상은 할 수 있다``), and so do a word's
opposite and a negation (``포함되지 않는다``, ``제외된다``).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from guards.lexicons.opposites import SIDES
from guards.text.lemmas import lemma
from guards.text.polarity import Role, Stance, may_deny, stances
from guards.text.polarity_modes import AFFIRMATIVE, are_opposed
from guards.text.polarity_words import turns_of
from guards.text.tokens import word_stem

_ONLY = re.compile(r"(?<![지다야\d미])만(?=[\s이을의은])")
_TOKEN = re.compile(r"(?:첫|두|세|네)\s?번째[가-힣]*|[가-힣]+|[A-Za-z]+|\d[\d,.]*[가-힣]*")
_NEGATING_PREFIXES = frozenset("비미불무부")
_LEAST_NEGATED_CHARS = 3
_BOTH_SIDES = 2
_LEAST_COMPOUND_CHARS = 4
_SENTENCES_KEPT = 256
_GISTS_KEPT = 2048
_WORDS_KEPT = 16_384


class _Word(NamedTuple):
    """A word as it is compared.

    Attributes:
        names: Its forms.
        head: The first noun of a long compound (확산 of 확산방안); else empty.
        allies: The words on the same side of an opposition.
        opponents: Their opposites.
        negated: What its forms negate by a prefix (회원 of 비회원).
        against: Both.
    """

    names: frozenset[str]
    head: str
    allies: frozenset[str]
    opponents: frozenset[str]
    negated: frozenset[str]
    against: frozenset[str]


class _Token(NamedTuple):
    """A word in its place, and whether it is negated."""

    word: _Word
    start: int
    end: int
    is_negated: bool


class _Reading(NamedTuple):
    """A sentence as it is compared.

    Attributes:
        text: The sentence.
        stances: What it says of its predicates.
        tokens: Its words, in order.
        names: The forms of all of them.
    """

    text: str
    stances: tuple[Stance, ...]
    tokens: tuple[_Token, ...]
    names: frozenset[str]


class _Gist(NamedTuple):
    """What of a sentence tells at once that most others do not oppose it.

    Attributes:
        denies: It speaks against a predicate.
        words: The forms of its words, and the heads of compounds.
    """

    denies: bool
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Opposition:
    """A place where a claim says the opposite of a sentence.

    Attributes:
        start: Where it begins in the claim.
        end: Where it ends in the claim.
        expected: What the sentence says instead; empty where the claim speaks of those that the
            sentence does not speak of (비회원), which is none by itself.
        is_word: A word stands in the place of its opposite.
    """

    start: int
    end: int
    expected: str
    is_word: bool = False


def oppositions(claim: str, sentence: str) -> list[Opposition]:
    """Return where a claim says the opposite of a sentence; one for each place."""
    if not _may_oppose(claim, _kept_gist(sentence)):
        return []
    claimed, told = _read(claim), _kept_reading(sentence)
    found = sorted(
        (*_of_stances(claimed, told), *_of_words(claimed, told)), key=lambda one: one.start
    )
    apart: list[Opposition] = []
    for one in found:
        is_same = apart and (one.start < apart[-1].end or one.expected == apart[-1].expected)
        if not is_same:
            apart.append(one)
    return apart


def tells(sentence: str, word: str) -> bool:
    """Tell whether a sentence has the first word of a text, in any of its forms."""
    first = _TOKEN.search(word)
    names = _word(first[0]).names if first else frozenset()
    return any(not names.isdisjoint(_word(match[0]).names) for match in _TOKEN.finditer(sentence))


def _may_oppose(claim: str, told: _Gist) -> bool:
    """Tell at once whether a claim may say the opposite of a sentence."""
    if told.denies or may_deny(claim):
        return True
    against = [word.against for word in map(_word, _TOKEN.findall(claim)) if word.against]
    return not all(map(told.words.isdisjoint, against))


def _gist(sentence: str) -> _Gist:
    words = [_word(written) for written in _TOKEN.findall(sentence)]
    denies = may_deny(sentence) and any(
        stance.mode not in AFFIRMATIVE for stance in stances(sentence)
    )
    return _Gist(
        denies, frozenset().union((word.head for word in words), *(word.names for word in words))
    )


# Only for sentences of sources: they come back all day.
_kept_gist = lru_cache(maxsize=_GISTS_KEPT)(_gist)


def _read(text: str) -> _Reading:
    told = stances(text)
    negated = {
        place
        for stance in told
        if stance.mode not in AFFIRMATIVE
        for place in range(stance.start, stance.end)
    }
    tokens = tuple(
        _Token(_word(match[0]), *match.span(), match.start() in negated)
        for match in _TOKEN.finditer(text)
    )
    names = frozenset().union(*(token.word.names for token in tokens))
    return _Reading(text, told, tokens, names)


# For those of them that a claim may oppose.
_kept_reading = lru_cache(maxsize=_SENTENCES_KEPT)(_read)


@lru_cache(maxsize=_WORDS_KEPT)
def _word(written: str) -> _Word:
    joined = "".join(written.split())
    names = frozenset({joined, word_stem(joined), lemma(joined)})
    stem = min(names, key=lambda name: (len(name), name))
    head = stem[:2] if len(stem) >= _LEAST_COMPOUND_CHARS else ""
    known = [SIDES[name] for name in (*names, head) if name in SIDES]
    opponents = frozenset[str]().union(*(against for _, against in known))
    negated = frozenset(
        name[1:]
        for name in names
        if len(name) >= _LEAST_NEGATED_CHARS and name[0] in _NEGATING_PREFIXES
    )
    allies = frozenset[str]().union(*(own for own, _ in known))
    return _Word(names, head, allies, opponents, negated, opponents | negated)


def _of_stances(claimed: _Reading, told: _Reading) -> list[Opposition]:
    found: list[Opposition] = []
    for stance in claimed.stances:
        same = [one for one in told.stances if (one.key, one.role) == (stance.key, stance.role)]
        if _is_opposed(stance, same) and not any(
            _agrees(other, same) for other in claimed.stances if other.key == stance.key
        ):
            expected = told.text[same[0].start : same[0].end]
            found.append(Opposition(stance.start, stance.end, expected))
    return found if found and _turns(claimed) == _turns(told) else []


def _is_opposed(stance: Stance, others: Sequence[Stance]) -> bool:
    return bool(others) and all(are_opposed(stance.mode, one.mode) for one in others)


def _agrees(stance: Stance, others: Sequence[Stance]) -> bool:
    return not any(are_opposed(stance.mode, one.mode) for one in others)


def _turns(reading: _Reading) -> frozenset[str]:
    """Tell which turns a sentence takes outside of what it says in the end."""
    main = [stance for stance in reading.stances if stance.role is Role.MAIN]
    pieces = list(reading.text)
    for stance in main:
        pieces[stance.start : stance.end] = " " * (stance.end - stance.start)
    rest = "".join(pieces)
    return turns_of(rest) | ({"only"} if _ONLY.search(rest) else frozenset())


def _of_words(claimed: _Reading, told: _Reading) -> Iterator[Opposition]:
    for at, token in enumerate(claimed.tokens):
        place = _place_of_opposite(claimed.tokens, at, told)
        if place is not None and _is_told_both_ways(token, claimed.stances):
            continue
        if place is not None:
            expected = told.text[told.tokens[place].start : told.tokens[place].end]
            yield Opposition(token.start, token.end, expected, is_word=True)
        elif _is_negated_noun(token.word, told.names):
            yield Opposition(token.start, token.end, "")


def _is_told_both_ways(token: _Token, told: Sequence[Stance]) -> bool:
    """Tell whether a sentence gives a rule with what follows from it.

    ``이용 불가: 성인만 이용할 수 있습니다`` says both of the same predicate.
    """
    own = [one for one in told if one.start <= token.start < one.end]
    return any(
        one.key == other.key and are_opposed(one.mode, other.mode) for one in own for other in told
    )


def _place_of_opposite(claimed: Sequence[_Token], at: int, told: _Reading) -> int | None:
    """Return where a sentence has the opposite of a claim's word, beside the same words."""
    word = claimed[at].word
    if not word.opponents:
        return None
    has_own = not (told.names.isdisjoint(word.allies) and told.names.isdisjoint(word.names))
    wanted = _BOTH_SIDES if has_own else 1
    for place, token in enumerate(told.tokens):
        other = token.word
        is_opposite = not other.names.isdisjoint(word.opponents) or other.head in word.opponents
        is_alike = is_opposite and token.is_negated == claimed[at].is_negated
        if is_alike and _shared_neighbours(claimed, at, told.tokens, place) >= wanted:
            return place
    return None


def _shared_neighbours(one: Sequence[_Token], at: int, other: Sequence[_Token], place: int) -> int:
    before, after = _beside(one, at)
    told_before, told_after = _beside(other, place)
    shared = (not before.isdisjoint(told_before)) + (not after.isdisjoint(told_after))
    # 소재가 식상하다, 신선한 소재: predicate and attribute stand on different sides of their noun.
    crossed = not before.isdisjoint(told_after) or not after.isdisjoint(told_before)
    return max(shared, int(crossed))


def _beside(tokens: Sequence[_Token], at: int) -> tuple[frozenset[str], frozenset[str]]:
    before = tokens[at - 1].word.names if at else frozenset()
    after = tokens[at + 1].word.names if at + 1 < len(tokens) else frozenset()
    return before, after


def _is_negated_noun(word: _Word, names: frozenset[str]) -> bool:
    """Tell whether a claim has 비회원 where the sentence only has 회원."""
    return word.names.isdisjoint(names) and not word.negated.isdisjoint(names)
