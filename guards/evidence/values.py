"""Values that can be compared by what they mean: quantities, telephone numbers, lines, exits.

Everyday wording (한 번, 1인당, 두 가지) and lone digits are words, not values; 11가지 and a rating
of 4.1 are values.
"""

import re
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple, Protocol, TypeVar

from guards.claims.reader import Claim, Reading
from guards.core.reading import Text
from guards.evidence.figures import same_value
from guards.text.slots.contact import Contact, ContactKind, find_phones
from guards.text.slots.dates import parts_of
from guards.text.slots.quantity import Quantity
from guards.text.slots.route import RouteKind, RouteSlot
from guards.text.slots.units import Dimension, Measure

_KINDS: dict[str, str] = {
    Dimension.YEAR_MONTH: Dimension.DATE,
    Dimension.MONTH_DAY: Dimension.DATE,
    Dimension.YEAR: Dimension.DATE,
    Dimension.MONTH: Dimension.DATE,
    Dimension.CLOCK_12: Dimension.CLOCK,
}
_ROUTES = frozenset({RouteKind.LINE, RouteKind.EXIT})
_TWO_DIGITS = 10
_RATED = re.compile(r"\s*(?:$|[|/(]|입니다|이다|이에요|이고|이며)", re.MULTILINE)
_THRESHOLDS = frozenset({"이상", "이하", "초과", "미만"})


class Placed(Protocol):
    """Something with a place in a text."""

    @property
    def start(self) -> int:
        """Start of the value."""


PlacedT = TypeVar("PlacedT", bound=Placed)


class Value(NamedTuple):
    """A value in a text.

    Attributes:
        slot: What was read.
        kind: Only values of one kind can be compared.
    """

    slot: Quantity | Contact | RouteSlot
    kind: str

    @property
    def start(self) -> int:
        """Start in the raw text."""
        return self.slot.start

    @property
    def end(self) -> int:
        """End in the raw text."""
        return self.slot.end

    @property
    def text(self) -> str:
        """The value as it stands."""
        return self.slot.text

    @property
    def shown(self) -> str:
        """The value as a reader would quote it."""
        return self.slot.shown if isinstance(self.slot, Quantity) else self.slot.text

    @property
    def comparing_word(self) -> str:
        """The word behind it that makes a bound of it; empty if there is none."""
        return self.slot.comparing_word if isinstance(self.slot, Quantity) else ""

    @property
    def is_threshold(self) -> bool:
        """True if it only bounds something (이상, 이하, 초과, 미만)."""
        return self.comparing_word in _THRESHOLDS

    def is_like(self, other: "Value") -> bool:
        """Tell whether two values are of one kind and may mean the same, as far as they say."""
        one, two = self.slot, other.slot
        if self.kind != other.kind:
            return False
        if isinstance(one, Contact) and isinstance(two, Contact):
            return one.is_in(two) or two.is_in(one)
        if isinstance(one, RouteSlot) and isinstance(two, RouteSlot):
            return one.value == two.value
        return isinstance(one, Quantity) and isinstance(two, Quantity) and _agree(one, two)

    def is_among(self, others: Sequence["Value"]) -> bool:
        """Tell whether another value may mean the same."""
        return any(self.is_like(one) for one in others)


def kind_of(measure: Measure) -> str:
    """Return the kind of a quantity: dates are one, however much of them is told."""
    return _KINDS.get(measure.dimension, measure.dimension)


def values_of(text: Text) -> list[Value]:
    """Return the values of a text, in order."""
    found = [
        Value(quantity, kind_of(quantity.measure))
        for quantity in text.quantities
        if not (_is_wording(quantity) or _is_lone_digit(quantity.measure))
        or _is_rating(quantity, text.raw)
    ]
    found += [
        Value(contact, contact.kind)
        for contact in (text.contacts if find_phones(text.normal.text) else ())
        if contact.kind is ContactKind.PHONE and not contact.is_extension
    ]
    found += [Value(route, route.kind) for route in text.routes if route.kind in _ROUTES]
    return sorted(found, key=attrgetter("slot.start"))


def by_sentence(
    reading: Reading, placed: Sequence[PlacedT]
) -> Iterator[tuple[tuple[Claim, ...], list[PlacedT]]]:
    """Yield the sentences of a text in which something stands, each with it.

    Args:
        reading: The text, read.
        placed: What has a place in the raw text, in order.
    """
    at = 0
    for sentence in reading.sentences:
        start, end = reading.page.raw_span(sentence[0].start, sentence[-1].end)
        while at < len(placed) and placed[at].start < start:
            at += 1
        first = at
        while at < len(placed) and placed[at].start < end:
            at += 1
        if at > first:
            yield sentence, list(placed[first:at])


def _is_wording(quantity: Quantity) -> bool:
    if not quantity.measure.everyday:
        return False
    return not (quantity.text[0].isdigit() and quantity.measure.values[0] > 1)


def _is_lone_digit(measure: Measure) -> bool:
    return measure.dimension == Dimension.BARE and measure.values[0] < _TWO_DIGITS


def _is_rating(quantity: Quantity, raw: str) -> bool:
    """Tell whether a number ends a cell or a statement (평점: 4.1), unlike that of a section."""
    is_decimal = quantity.measure.values[0] % 1 != 0
    return is_decimal and _RATED.match(raw, quantity.end) is not None


def _agree(one: Quantity, two: Quantity) -> bool:
    if one.approximate or two.approximate:
        return True
    if one.comparator and two.comparator and one.comparator is not two.comparator:
        return True  # 3일 이상 and 5일 이하 hold at the same time
    if kind_of(one.measure) == Dimension.DATE:
        # Two dates may be the same day if they agree as far as each of them goes.
        parts, others = (
            {part.dimension: part for part in (date, *parts_of(date))}
            for date in (one.measure, two.measure)
        )
        return all(parts[dimension] == others[dimension] for dimension in parts.keys() & others)
    return same_value(one.measure, two.measure) or same_value(two.measure, one.measure)
