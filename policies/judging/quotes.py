"""What a quote is worth: whether it stands in a text, and what it says of a claim."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from guards.claims.modality import Modality
from guards.claims.reader import read_claims
from guards.evidence.opposites.acts import UNLESS, has_sides
from guards.evidence.opposites.statements import statements_of
from guards.evidence.passages import units_of
from guards.text.normal import normalise
from guards.text.sentences import split_sentences

_NOT_COMPARED = re.compile(r"[\s*_`\"'|]+")
_HANGUL = re.compile(r"[가-힣]")


def compared(text: str) -> str:
    """Return a text as quotes are looked for: without spaces, quotes, emphasis, full stop."""
    return _bare(text).strip(".…")


def is_beside_the_point(quote: str, claim: str) -> bool:
    """Tell whether a quote in Korean has no word of a claim."""
    if not (_HANGUL.search(quote) and _HANGUL.search(claim)):
        return False
    return bool(units_of(claim)) and not _shared(quote, claim)


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
    first, second = ({unit.feature for unit in units_of(text)} for text in (one, other))
    return len(first & second)


class _Signed(NamedTuple):
    """What one clause says: its acts, and whether it affirms them."""

    names: frozenset[str]
    sign: bool
    has_sides: bool


def _signed(sentence: str) -> list[_Signed]:
    """Return what the clauses of a sentence say; nothing where a condition is denied as well.

    Who may not do without something (예약하지 않으면 이용할 수 없다) needs it.
    """
    said = list(statements_of(read_claims(sentence).sentences))
    if any(UNLESS in one.turns and one.conditions for one in said):
        return []
    return [
        _Signed(frozenset({one.acts[0].name}), one.acts[0].side > 0, has_sides(one.acts[0].name))
        for one in said
        if one.acts and not one.is_named and one.modality is not Modality.NOT_REQUIRED
    ]


def _plain_signs(said: Iterable[_Signed]) -> frozenset[bool]:
    """Return the signs of clauses, without predicates that could deny by themselves (거절하다)."""
    return frozenset(one.sign for one in said if not one.has_sides)
