"""A figure that may follow from others, with the operands and words around it."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from fractions import Fraction

from guards.text.operands import Operand
from guards.text.rates import is_rate
from guards.text.reckoning_words import PER_AFTER, PER_ONE
from guards.text.slots.units import Dimension

_CONTEXT_CHARS, _CLAUSE_CHARS = 80, 16


@dataclass(frozen=True)
class Step:
    """A figure that may follow, and what stands around it.

    Attributes:
        wanted: The figure.
        said: Its sentence.
        context: That with what stands close before it.
        before: The sentence before it.
        after: The sentence behind it.
        beside: The operands of its sentence.
        near: The operands close to it.
        asked: Those of the question.
        told: Those of the sources that are said of the same.
        changes: The amounts that the sources put on top or take off.
        reckoned: Where those stand that were reckoned themselves.
        following: The next sentence and its operands.
    """

    wanted: Operand
    said: str
    context: str
    before: str
    after: str
    beside: Sequence[Operand]
    near: Sequence[Operand]
    asked: Sequence[Operand]
    told: Sequence[Operand]
    changes: Set[Fraction]
    reckoned: Set[int]
    following: tuple[str, Sequence[Operand]]

    def alike(self, operands: Sequence[Operand]) -> list[Operand]:
        """Return those that measure the same."""
        return [one for one in operands if one.dimension == self.wanted.dimension]

    @property
    def shown_and_asked(self) -> list[Operand]:
        """The operands close to it and those of the question."""
        return [*self.near, *self.asked]

    @property
    def is_price(self) -> bool:
        """Whether it is an amount of money."""
        return self.wanted.dimension == Dimension.WON

    def says(self, words: re.Pattern[str]) -> bool:
        """Tell whether its sentence holds some words."""
        return words.search(self.said) is not None

    @property
    def before_and_beside(self) -> list[Operand]:
        """The operands before it and in its sentence."""
        return [one for one in self.near if one.start < self.wanted.start or one in self.beside]

    @property
    def is_rate(self) -> bool:
        """Whether it is so much per one of something."""
        return is_rate(self.before, self.after)

    @property
    def is_per_one(self) -> bool:
        """Whether it cannot be for several, because it is for one or stands in an equation."""
        return PER_ONE.search(self.before) is not None or PER_AFTER.match(self.after) is not None

    @property
    def around(self) -> str:
        """Where it may say that it reckons: its sentence, for counts the words next to it."""
        if self.is_price:
            return self.context[-_CONTEXT_CHARS - len(self.said) :]
        return self.before[-_CLAUSE_CHARS:] + self.after[:_CLAUSE_CHARS]
