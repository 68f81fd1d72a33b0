"""What a quote is worth: whether it stands in a text, and what it says of a claim."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from guards.lexicons.opposites import SIDES
from guards.text.features import features
from guards.text.normal import normalise
from guards.text.polarity import Role, stances
from guards.text.polarity_modes import AFFIRMATIVE, Mode
from guards.text.polarity_sayings import sayings
from guards.text.sentences import split_sentences

_NOT_COMPARED = re.compile(r"[\s*_`\"'|]+")
_HANGUL = re.compile(r"[가-힣]")
# Of neither sign: 예약하지 않아도 된다 and 예약 없이 이용할 수 있다 say the same.
_EITHER = frozenset({Mode.NEED_NOT, Mode.MAY_REFRAIN})


def compared(text: str) -> str:
    """Return a text as quotes are looked for: without spaces, quotes, emphasis, full stop."""
    return _bare(text).strip(".…")


def is_beside_the_point(quote: str, claim: str) -> bool:
    """Tell whether a quote in Korean has no word of a claim."""
    if not (_HANGUL.search(quote) and _HANGUL.search(claim)):
        return False
    return bool(features(claim).forms) and not _shared(quote, claim)


def speaks_against(quote: str, text: str, claim: str) -> bool:
    """Tell whether what was quoted affirms where a claim denies, or the other way round.

    It is the whole sentences that count: a quote may stop short of what they deny. Of several, it
    is the one nearest to the claim.

    Args:
        quote: A piece of the text.
        text: What it was taken from.
        claim: The claim.
    """
    quoted = max(_sentences_of(quote, text), key=lambda one: _shared(one, claim), default="")
    said, claimed = _signed(quoted), _signed(claim)
    # What is said of the same thing tells most; only without it what the sentences say as a whole.
    same = [one.sign is other.sign for one in said for other in claimed if one.names & other.names]
    if same:
        return not any(same)
    signs, others = _plain_signs(said), _plain_signs(claimed)
    return bool(signs and others) and signs.isdisjoint(others)


def _sentences_of(quote: str, text: str) -> Iterator[str]:
    """Yield the sentences of a text that a quote touches."""
    sentences = [one.text for one in split_sentences(text)]
    begin = "".join(map(_bare, sentences)).find(wanted := compared(quote))
    position = 0
    for sentence in sentences:
        end = position + len(_bare(sentence))
        if position < begin + len(wanted) and begin < end:
            yield sentence
        position = end


def _bare(text: str) -> str:
    return _NOT_COMPARED.sub("", normalise(text).text).casefold()


def _shared(one: str, other: str) -> int:
    """Return how many words two texts share."""
    first, second = features(one), features(other)
    return len(first.forms & second.forms) + len(first.pairs & second.pairs)


class _Signed(NamedTuple):
    """What one clause says: of what, by all its names, and whether it affirms it."""

    names: frozenset[str]
    sign: bool


def _signed(sentence: str) -> list[_Signed]:
    """Return what the clauses of a sentence say; nothing where a condition is denied as well.

    Who may not do without something (예약하지 않으면 이용할 수 없다) needs it.
    """
    if any(one.role is Role.CONDITION and one.mode not in AFFIRMATIVE for one in stances(sentence)):
        return []
    return [
        _Signed(saying.families, saying.mode in AFFIRMATIVE)
        for saying in sayings(sentence)
        if saying.mode not in _EITHER
    ]


def _plain_signs(said: Iterable[_Signed]) -> frozenset[bool]:
    """Return the signs of clauses, without predicates that could deny by themselves (거절하다)."""
    return frozenset(one.sign for one in said if one.names.isdisjoint(SIDES))
