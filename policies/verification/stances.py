"""Comparison of the predicates of a claim with those of a source sentence.

A measure of shared words cannot tell ``환불합니다`` from ``환불하지 않습니다``.
"""

from guards.claims.reader import read_claims
from guards.evidence.opposites.acts import UNLESS
from guards.evidence.opposites.meaning import relation
from guards.evidence.opposites.statements import Statement, is_against, statements_of


def agrees_with_source(claim: str, sentence: str) -> bool | None:
    """Tell whether a source sentence affirms and denies the same things as a claim.

    Args:
        claim: The claim.
        sentence: The sentence of a source that is nearest to it.

    Returns:
        False if it says the opposite of a predicate that both have; None if the claim denies
        something of which the sentence does not speak.
    """
    source = _said(sentence)
    is_open = False
    for statement in _said(claim):
        agreements = {_agreement(statement, one) for one in source}
        if -1 in agreements and 1 not in agreements:
            return False
        denies = is_against(statement) or UNLESS in statement.turns
        is_open = is_open or (denies and agreements <= {0})
    return None if is_open else True


def _agreement(statement: Statement, source: Statement) -> int:
    """Return 1 if two statements say the same of an act, -1 if the opposite, else 0."""
    agrees, _, act = relation(statement, source)
    is_other = (UNLESS in statement.turns) != (UNLESS in source.turns)
    return 0 if act is None or is_other else agrees


def _said(text: str) -> list[Statement]:
    sentences = read_claims(text).sentences
    return [one for one in statements_of(sentences) if not one.is_named]
