"""Bounds told from their other side: ``4시간 이상이면 지급`` for ``4시간 미만은 지급하지 않음``.

The other side of a bound says the same only with the opposite verb, or where the source has a rule
for all the rest (``그 밖은``).
"""

import re

from guards.core.reading import Reading, Text
from guards.text.slots.quantity import Comparator, Quantity

_OPPOSITE = {
    Comparator.AT_LEAST: Comparator.LESS_THAN,
    Comparator.LESS_THAN: Comparator.AT_LEAST,
    Comparator.AT_MOST: Comparator.MORE_THAN,
    Comparator.MORE_THAN: Comparator.AT_MOST,
}
_CLAUSE = re.compile(r"[^.,;()\n]{0,60}")
_NEGATED = re.compile(r"않|못[하한할합]|없|아니|불가|제외|금지|(?<![가-힣])안[ ]")
_THE_REST = re.compile(r"[ ]*[^.\n]{0,40}(?:그[ ]?[밖외]|나머지|이외)")


def tells_other_side(quantity: Quantity, answer: Text, reading: Reading) -> bool:
    """Tell whether a source bounds the opposite side by the same value, and means the same."""
    if quantity.comparator not in _OPPOSITE:
        return False
    said = _is_negated(answer, quantity)
    return any(
        known.measure == quantity.measure
        and known.comparator == _OPPOSITE[quantity.comparator]
        and (
            _is_negated(part.text, known) != said
            or _THE_REST.match(part.text.raw, known.end) is not None
        )
        for part in reading.sources
        for known in part.text.quantities
    )


def _is_negated(text: Text, quantity: Quantity) -> bool:
    clause = _CLAUSE.match(text.raw, quantity.end)
    return clause is not None and _NEGATED.search(clause[0]) is not None
