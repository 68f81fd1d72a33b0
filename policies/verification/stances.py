"""Whether a source sentence says of a claim's predicates what the claim says of them.

A measure of shared words cannot tell ``환불합니다`` from ``환불하지 않습니다``.
"""

from collections import defaultdict

from guards.text.polarity import stances
from guards.text.polarity_modes import AFFIRMATIVE


def told_alike(claim: str, sentence: str) -> bool | None:
    """Tell whether a source sentence speaks for and against the same things as a claim.

    Args:
        claim: The claim.
        sentence: The sentence of a source that is nearest to it.

    Returns:
        False if it says the opposite of a predicate that both have; None if the claim denies
        something of which the sentence does not speak.
    """
    claimed, told = _signs(claim), _signs(sentence)
    if any(signs.isdisjoint(told[key]) for key, signs in claimed.items() if key in told):
        return False
    is_open = any(False in signs for key, signs in claimed.items() if key not in told)
    return None if is_open else True


def _signs(sentence: str) -> dict[str, set[bool]]:
    """Return for each predicate whether it is affirmed, denied or both."""
    signs: dict[str, set[bool]] = defaultdict(set)
    for stance in stances(sentence):
        signs[stance.key].add(stance.mode in AFFIRMATIVE)
    return signs
