"""What was found of figures that an answer gives again and again."""

from typing import NamedTuple

from guards.core.finding import Finding, Span
from guards.text.slots.quantity import Quantity
from guards.text.source_figures import SourceFigures

_SAID = slice(Quantity._fields.index("measure"), None)
"""What of a quantity is the same wherever it stands."""


class _Kept(NamedTuple):
    quantity: Quantity
    found: Finding


class FoundBefore:
    """Findings on figures of an answer, for the same figures elsewhere in it.

    Args:
        sources: The figures of the answer held against the sources.
    """

    def __init__(self, sources: SourceFigures) -> None:
        self._sources = sources
        self._kept: dict[tuple[str, str, str], _Kept] = {}

    def keep(self, quantity: Quantity, found: Finding) -> None:
        """Keep a finding if it holds wherever in such a sentence the figure is said again.

        What stands around the figure counts where it has a side, or where the sources speak of what
        the sentence does.
        """
        if quantity.comparator is None and not self._sources.may_imply(quantity):
            self._kept[self._name_of(quantity)] = _Kept(quantity, found)

    def of(self, quantity: Quantity) -> Finding | None:
        """Return what was found of the same figure in the same words, at this one's place."""
        kept = self._kept.get(self._name_of(quantity)) if self._kept else None
        if kept is None or kept.quantity[_SAID] != quantity[_SAID]:
            return None
        # `replace` takes five times as long.
        found = kept.found
        return Finding(
            guard=found.guard,
            code=found.code,
            part=found.part,
            span=Span(quantity.start, quantity.end),
            observed=found.observed,
            severity=found.severity,
            strength=found.strength,
            expected=found.expected,
            evidence=found.evidence,
            score=found.score,
        )

    def _name_of(self, quantity: Quantity) -> tuple[str, str, str]:
        return self._sources.sentence(quantity).text, quantity.text, quantity.comparing_word
