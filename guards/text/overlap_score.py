"""How much of a text stands in a passage: the share of its simple words, synonyms as one.

Containment, not likeness: a short claim taken from a long passage scores 1. Figures do not count:
they are compared by value elsewhere.
"""

from guards.evidence.passages import units_of


def containment(claim: str, passage: str) -> float:
    """Return the share of a claim, from 0 to 1, that a passage holds; 1 for a claim of no words."""
    wanted = units_of(claim)
    known = {unit.feature for unit in units_of(passage)}
    whole = sum(unit.weight for unit in wanted)
    held = sum(unit.weight for unit in wanted if unit.feature in known)
    return held / whole if whole else 1.0
