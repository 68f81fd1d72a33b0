"""Where a claim says the opposite of a source sentence on the same subject.

Two kinds: what is said of the same predicate (`guards.text.polarity`), and a word in the place of
its opposite, between the same neighbours (`guards.lexicons.opposites`). Two oppositions in one
sentence may cancel each other (``10명 미만은 할 수 없다``, ``10명 이상은 할 수 있다``), so it is for the
caller to count them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from guards.lexicons.opposites import OPPOSITES
from guards.text.lemmas import lemma
from guards.text.polarity import Mode, Stance, stances
from guards.text.tokens import word_stem

_AFFIRMATIVE = frozenset({Mode.DOES, Mode.MUST, Mode.CAN, Mode.HAS})
# Not of two signs, or of one sign only in name: 거부할 수 있다, 거부하지 않을 수 있다.
_COMPATIBLE = frozenset({frozenset({Mode.CAN, Mode.MAY_REFRAIN})})
_APART = frozenset(
    {
        frozenset({Mode.NEED_NOT, Mode.MUST_NOT}),
        frozenset({Mode.NEED_NOT, Mode.CANNOT}),
        frozenset({Mode.MAY_REFRAIN, Mode.MUST_NOT}),
        frozenset({Mode.MAY_REFRAIN, Mode.CANNOT}),
    }
)
# With these a rule is told from its other side: 한 후가 아니면 할 수 없다 = 한 후에만 할 수 있다.
_ONLY = re.compile(
    r"(?<![지다야\d])만(?=[\s이을의은])|한하[여는]|한정|외에는|제외하고|아니면|않으면|없으면|없이는|아닌\s한|전에는|밖에"
)
_TOKEN = re.compile(r"(?:첫|두|세|네)\s?번째[가-힣]*|[가-힣]+|[A-Za-z]+|\d[\d,.]*")
_NEGATING_PREFIXES = frozenset("비미불무부")


class _Token(NamedTuple):
    """A word and the forms under which it is compared."""

    names: frozenset[str]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Opposition:
    """A place where a claim says the opposite of a sentence.

    Attributes:
        start: Where it begins in the claim.
        end: Where it ends in the claim.
        expected: What the sentence says instead.
        in_lexicon: A word stands in the place of its opposite.
    """

    start: int
    end: int
    expected: str
    in_lexicon: bool = False


def oppositions(claim: str, sentence: str) -> list[Opposition]:
    """Return where a claim says the opposite of a sentence; one for each place."""
    found = sorted(
        (*_of_stances(claim, sentence), *_of_words(claim, sentence)), key=lambda one: one.start
    )
    apart: list[Opposition] = []
    for one in found:
        is_same = apart and (one.start < apart[-1].end or one.expected == apart[-1].expected)
        if not is_same:
            apart.append(one)
    return apart


def tells(sentence: str, word: str) -> bool:
    """Tell whether a sentence has a word or predicate, in any of its forms."""
    names = _tokens(word)[0].names if word else frozenset()
    return any(not token.names.isdisjoint(names) for token in _tokens(sentence))


def _of_stances(claim: str, sentence: str) -> Iterator[Opposition]:
    if bool(_ONLY.search(claim)) != bool(_ONLY.search(sentence)):
        return
    told = stances(sentence)
    for stance in stances(claim):
        same = [one for one in told if one.key == stance.key and one.role is stance.role]
        if same and all(_conflict(stance, one) for one in same):
            expected = sentence[same[0].start : same[0].end]
            yield Opposition(stance.start, stance.end, expected)


def _conflict(one: Stance, other: Stance) -> bool:
    modes = frozenset({one.mode, other.mode})
    if modes in _COMPATIBLE:
        return False
    return modes in _APART or (one.mode in _AFFIRMATIVE) != (other.mode in _AFFIRMATIVE)


def _of_words(claim: str, sentence: str) -> Iterator[Opposition]:
    claimed, told = _tokens(claim), _tokens(sentence)
    names = frozenset().union(*(token.names for token in told))
    for at, token in enumerate(claimed):
        opposing = _opposing(token)
        for place in _places(opposing, told) if opposing else ():
            shared = _shared_neighbours(claimed, at, told, place)
            if shared == 2 or (shared and token.names.isdisjoint(names)):  # noqa: PLR2004 - both
                expected = sentence[told[place].start : told[place].end]
                yield Opposition(token.start, token.end, expected, in_lexicon=True)
                break
        if _is_negated_noun(token, names):
            yield Opposition(token.start, token.end, "")


def _places(opposing: frozenset[str], told: Sequence[_Token]) -> Iterator[int]:
    return (
        place
        for place, token in enumerate(told)
        if not token.names.isdisjoint(opposing) or _head(token) in opposing
    )


def _opposing(token: _Token) -> frozenset[str]:
    named = (OPPOSITES.get(name, frozenset()) for name in (*token.names, _head(token)))
    return frozenset().union(*named)


def _head(token: _Token) -> str:
    """Return the first noun of a long compound (확산 of 확산방안)."""
    stem = min(token.names, key=len)
    return stem[:2] if len(stem) > 3 else ""  # noqa: PLR2004 - two nouns of two syllables


def _shared_neighbours(one: Sequence[_Token], at: int, other: Sequence[_Token], place: int) -> int:
    before, after = _beside(one, at)
    told_before, told_after = _beside(other, place)
    shared = (not before.isdisjoint(told_before)) + (not after.isdisjoint(told_after))
    # 소재가 식상하다, 신선한 소재: predicate and attribute stand on different sides of their noun.
    crossed = not before.isdisjoint(told_after) or not after.isdisjoint(told_before)
    return max(shared, int(crossed))


def _beside(tokens: Sequence[_Token], at: int) -> tuple[frozenset[str], frozenset[str]]:
    before = tokens[at - 1].names if at else frozenset()
    after = tokens[at + 1].names if at + 1 < len(tokens) else frozenset()
    return before, after


def _is_negated_noun(token: _Token, names: frozenset[str]) -> bool:
    """Tell whether a claim has 비회원 where the sentence only has 회원."""
    return token.names.isdisjoint(names) and any(
        name[0] in _NEGATING_PREFIXES and name[1:] in names
        for name in token.names
        if len(name) > 2  # noqa: PLR2004 - a noun of two syllables behind the prefix
    )


def _tokens(text: str) -> list[_Token]:
    return [_Token(_names(match[0]), *match.span()) for match in _TOKEN.finditer(text)]


def _names(word: str) -> frozenset[str]:
    joined = "".join(word.split())
    return frozenset({joined, word_stem(joined), lemma(joined)})
