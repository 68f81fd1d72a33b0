"""Values that can be compared by what they mean: quantities, telephone numbers, lines, exits.

Everyday wording (한 번, 1인당, 두 가지) and lone digits are words, not values; 11가지 is a value.
"""

from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter

from guards.core.reading import Text
from guards.text.slots.contact import Contact, ContactKind
from guards.text.slots.dates import parts_of
from guards.text.slots.phone import find_phones
from guards.text.slots.quantity import Quantity
from guards.text.slots.route import RouteKind, RouteSlot
from guards.text.slots.units import Dimension, Measure

_DATES = frozenset(
    {
        Dimension.DATE,
        Dimension.YEAR_MONTH,
        Dimension.MONTH_DAY,
        Dimension.YEAR,
        Dimension.MONTH,
    }
)
_CLOCKS = frozenset({Dimension.CLOCK, Dimension.CLOCK_12})
_ROUTES = frozenset({RouteKind.LINE, RouteKind.EXIT})
_HALF_DAY_MINUTES = 720
_TWO_DIGITS = 10
_THRESHOLDS = frozenset({"이상", "이하", "초과", "미만"})


@dataclass(frozen=True, slots=True)
class Figure:
    """A value in a text.

    Attributes:
        slot: What was read.
        kind: Only values of one kind can be compared.
    """

    slot: Quantity | Contact | RouteSlot
    kind: str

    @property
    def start(self) -> int:
        """Where it begins in the raw text."""
        return self.slot.start

    @property
    def end(self) -> int:
        """Where it ends."""
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
    def is_threshold(self) -> bool:
        """Whether it only bounds something (이상, 이하, 초과, 미만)."""
        return isinstance(self.slot, Quantity) and self.slot.comparing_word in _THRESHOLDS

    def is_like(self, other: "Figure") -> bool:
        """Tell whether two values are of one kind and may mean the same."""
        return self.kind == other.kind and self.agrees(other)

    def agrees(self, other: "Figure") -> bool:
        """Tell whether two values of one kind may mean the same, as far as they say."""
        one, two = self.slot, other.slot
        if isinstance(one, Contact) and isinstance(two, Contact):
            return one.is_in(two) or two.is_in(one)
        if isinstance(one, RouteSlot) and isinstance(two, RouteSlot):
            return one.value == two.value
        if isinstance(one, Quantity) and isinstance(two, Quantity):
            return _quantities_agree(one, two)
        return False


def figures_of(text: Text) -> list[Figure]:
    """Return the values of a text, in order."""
    found = [
        Figure(quantity, _kind(quantity.measure))
        for quantity in text.quantities
        if not (_is_wording(quantity) or _is_lone_digit(quantity.measure))
    ]
    found += [
        Figure(contact, contact.kind)
        for contact in (text.contacts if find_phones(text.normal.text) else ())
        if contact.kind is ContactKind.PHONE and not contact.is_extension
    ]
    found += [Figure(route, route.kind) for route in text.routes if route.kind in _ROUTES]
    return sorted(found, key=attrgetter("slot.start"))


def _kind(measure: Measure) -> str:
    if measure.dimension in _DATES:
        return Dimension.DATE
    return Dimension.CLOCK if measure.dimension in _CLOCKS else measure.dimension


def _is_wording(quantity: Quantity) -> bool:
    if not quantity.measure.everyday:
        return False
    return not (quantity.text[0].isdigit() and quantity.measure.values[0] > 1)


def _is_lone_digit(measure: Measure) -> bool:
    return measure.dimension == Dimension.BARE and measure.values[0] < _TWO_DIGITS


def _quantities_agree(one: Quantity, two: Quantity) -> bool:
    if one.approximate or two.approximate:
        return True
    if one.comparator and two.comparator and one.comparator is not two.comparator:
        return True  # 3일 이상 and 5일 이하 hold at the same time
    if _kind(one.measure) == Dimension.DATE:
        return _dates_agree(one.measure, two.measure)
    values, others = _values(one.measure, two.measure), _values(two.measure, one.measure)
    return values <= others or others <= values


def _dates_agree(one: Measure, two: Measure) -> bool:
    """Tell whether two dates can be the same day, as far as each of them goes."""
    if one.dimension == two.dimension:
        return one.values == two.values
    if parts_of(one) and parts_of(two):
        shared = {part.dimension: part for part in (one, *parts_of(one))}
        return all(
            shared[part.dimension] == part
            for part in (two, *parts_of(two))
            if part.dimension in shared
        )
    whole, part = (one, two) if parts_of(one) else (two, one)
    return not parts_of(whole) or part in parts_of(whole)


def _values(measure: Measure, beside: Measure) -> frozenset[Fraction]:
    """Return values to compare; times of day modulo half a day if either leaves the half open."""
    if Dimension.CLOCK_12 in {measure.dimension, beside.dimension}:
        return frozenset(value % _HALF_DAY_MINUTES for value in measure.values)
    return frozenset(measure.values)
