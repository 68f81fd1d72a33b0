"""On which side of its value a figure stands in its sentence, and for how long it counts.

Two sentences that say the same of a value's two sides contradict each other, unless one of them
denies what the other one says: ``16시 이전 가능`` and ``16시 이후 불가`` are the same.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from guards.claims.reader import Claim, Modality
from guards.evidence.calculations.points import LENGTHS
from guards.evidence.figures import Figure
from guards.evidence.opposites.acts import UNLESS, turns_of
from guards.evidence.sets import Values, comparator_in, is_free, values_of
from guards.lexicons.loading import sections
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension, Measure

_DENIES = frozenset({Modality.FORBIDDEN, Modality.DENIED, Modality.NOT_REQUIRED})
_DENYING_LABEL = re.compile(r"제외|불가|금지|제한|안 되는|위반|과태료|벌금|단속")
_EARLIER = re.compile(r"[ ]?(?:전(?![가-힣])|전(?:에|까지|부터)|이전)")
_LATER = re.compile(r"[ ]?(?:후|뒤)(?![가-힣])|[ ]?(?:후|뒤|이후)(?:에|까지|부터)|[ ]?이후")
_SINCE = re.compile(r"(?:부터|로부터|후|뒤|이후)[ ]?$")
_SINCE_CHARS, _BASE_CHARS = 6, 12
_OPEN_DAYS = re.compile(r"(?:영업|근무)일")
_BEHIND_BASE = r"[ ]?(?:최대|최소|한도|총|약|각|단)?[ ]{0,2}"
_EXACT = re.compile(r"(?:을|를)?[ ]?(?:이상|이하|초과|미만)")
_WORD = re.compile(
    r"(?:을|를|이|가)?[ ]?(?:이상|이하|초과|미만|이내|안에|내에|(?:이?전|이?후|뒤)?(?:까지|부터)"
    r"|이전|이후|전|후|뒤|(?:넘|지나)[가-힣])"
)


# 1g당 100원, 팀당 10만 원: a rate for another unit, or for another number of it, is another figure.
_RATE = re.compile(
    r"(?:(?<![\d,.])(?P<number>\d{1,3}) ?)?"
    r"(?P<unit>(?<=\d)분|(?<![가-힣])(?:박|회|인|명|팀|대|개|건|통|병|그램|미터)|(?<![A-Za-z])[A-Za-z]{1,3}|㎏|㎞|㎡)"
    rf" ?(?:당|마다){_BEHIND_BASE}$"
)
_RATE_SIGN = "per "
_SAME_UNITS = {"명": "인", "㎏": "kg", "㎞": "km", "그램": "g", "미터": "m"}


class Side(NamedTuple):
    """On which side of its value a figure stands, and what is said about that side.

    Attributes:
        values: The values that it covers.
        is_exact: Whether its word says that the value itself belongs to it, or does not.
        is_later: Whether a length of time runs from something, or up to it; None if neither.
        is_denied: Whether what is said about it is denied or forbidden, or costs nothing.
        said: The features of all words that say it.
        last: Those of the predicate; the same where there is none.
        results: The other figures of the clauses that say it.
    """

    values: Values
    is_exact: bool
    is_later: bool | None
    is_denied: bool
    said: frozenset[str]
    last: frozenset[str]
    results: frozenset[Measure]

    @property
    def is_low(self) -> bool | None:
        """True if values above are meant, false if values below, None if neither."""
        if (self.values.low is None) == (self.values.high is None):
            return None
        return self.values.high is None

    @property
    def is_one(self) -> bool:
        """True if either side is meant."""
        return self.is_low is not None or self.is_later is not None

    def is_as(self, other: "Side") -> bool:
        """Tell whether two figures of the same value stand on the same side of it."""
        return self.values == other.values and self.is_later in {None, other.is_later}


def is_on_a_side(figure: Figure) -> bool:
    """Tell whether the side of a figure is one of the two: the same as `Side.is_one`, quickly."""
    quantity = _in_clause(figure)
    values = quantity.measure.values
    is_bounded = len(set(values)) == 1 and comparator_in(quantity, figure.claim.text) is not None
    return is_bounded or _is_later(figure, quantity.start, quantity.end) is not None


def _in_clause(figure: Figure) -> Quantity:
    """Return the quantity of a figure with its place in the text of its clause."""
    quantity, back = figure.quantity, figure.claim.clause.start
    if not back:
        return quantity
    return quantity._replace(start=quantity.start - back, end=quantity.end - back)


def side_of(figure: Figure) -> Side:
    """Return on which side of its value a figure stands."""
    claim = figure.claim
    quantity = _in_clause(figure)
    clauses = _told_of(figure)
    end = figure.quantity.start + len(words_of(figure))
    own = [word for word in claim.clause.words if word.start >= end]
    rest = [word for one in clauses[1:] for word in one.clause.words]
    behind = [word for word in (*own, *rest) if not word.is_light]
    # 입실은 14시부터: without a predicate the topic tells what is said.
    before = [word for word in claim.clause.words if word.end <= figure.quantity.start]
    said = frozenset(feature for word in behind or before for feature in word.features)
    return Side(
        values_of(quantity, claim.text),
        _EXACT.match(claim.text, quantity.end) is not None,
        _is_later(figure, quantity.start, quantity.end),
        _is_denied(claim, clauses),
        said,
        frozenset(behind[-1].features) if behind else said,
        frozenset(
            other.measure
            for one in clauses
            for other in one.clause.figures
            if other.measure != quantity.measure
        ),
    )


def contradicts(own: Side, source: Side) -> bool:
    """Tell whether two figures of the same value say the same of its two sides.

    Whether the value itself belongs to a side tells them apart only where both say so.
    """
    if own.is_exact and source.is_exact and own.is_low == source.is_low:
        return own.values != source.values
    if own.is_denied != source.is_denied:
        return False
    # 1년 이상이면 30%, 1년 미만이면 20만 원: each side has a result of its own.
    if own.results and source.results and own.results.isdisjoint(source.results):
        return False
    if (own.said or source.said) and own.last.isdisjoint(source.said):
        return False
    if own.is_later is not None and source.is_later is not None and own.is_later != source.is_later:
        return True
    return own.is_low is not None and source.is_low is not None and own.is_low != source.is_low


def base_of(figure: Figure) -> str:
    """Return for which time or trip a figure counts; empty if that is not said beside it."""
    claim = figure.claim
    start = figure.quantity.start - claim.clause.start
    before = claim.text[max(0, start - _BASE_CHARS) : start]
    named = next((name for name, words in _bases() if words.search(before)), "")
    rate = None if named else _RATE.search(before)
    if rate is None:
        return named
    unit = rate["unit"].lower()
    return f"{_RATE_SIGN}{rate['number'] or 1} {_SAME_UNITS.get(unit, unit)}"


def is_comparable(base: str, other: str) -> bool:
    """Tell whether two bases answer the same question: how long, or how many of what."""
    return bool(base and other) and base.startswith(_RATE_SIGN) == other.startswith(_RATE_SIGN)


def with_base(figure: Figure) -> str:
    """Return a figure with the word before it that tells for which time or trip it counts."""
    claim = figure.claim
    start, end = (at - claim.clause.start for at in (figure.quantity.start, figure.quantity.end))
    begin = max(0, start - _BASE_CHARS)
    patterns = [*(words for _, words in _bases()), _RATE]
    found = (words.search(claim.text[begin:start]) for words in patterns)
    return claim.text[next((begin + one.start() for one in found if one), start) : end]


def counts_open_days(figure: Figure) -> bool:
    """Tell whether days are those on which an office is open: 5영업일."""
    return figure.measure.dimension == Dimension.DAYS and tells_open_days(figure.quantity.text)


def tells_open_days(text: str) -> bool:
    """Tell whether a text speaks of the days on which an office is open."""
    return _OPEN_DAYS.search(text) is not None


@cache
def _bases() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (name, re.compile(rf"(?<![가-힣\d])(?:{'|'.join(entries)}){_BEHIND_BASE}$"))
        for name, entries in sections("bases").items()
    )


def words_of(figure: Figure) -> str:
    """Return a figure with the word behind it that tells its side."""
    claim = figure.claim
    start, end = (
        place - claim.clause.start for place in (figure.quantity.start, figure.quantity.end)
    )
    word = _WORD.match(claim.text, end)
    return claim.text[start : word.end() if word else end]


def _is_later(figure: Figure, start: int, end: int) -> bool | None:
    if figure.measure.dimension not in LENGTHS:
        return None
    text = figure.claim.text
    if _EARLIER.match(text, end):
        return False
    is_later = _LATER.match(text, end) or _SINCE.search(text[max(0, start - _SINCE_CHARS) : start])
    return True if is_later else None


def _told_of(figure: Figure) -> Sequence[Claim]:
    """Return the clauses that say something of a figure: its own, and what a condition leads to."""
    found = [figure.claim]
    for one in figure.sentence[figure.claim.position + 1 :]:
        if not (found[-1].clause.is_condition or found[-1].clause.is_concession):
            break
        found.append(one)
    return found


def _is_denied(claim: Claim, clauses: Sequence[Claim]) -> bool:
    text = " ".join(one.text for one in clauses)
    labels = sum(_DENYING_LABEL.search(one.text) is not None for one in claim.block.labels)
    # 12개월 안에 쓰지 않으면: what follows is about the other side.
    unless = sum(UNLESS in turns_of(one.clause.trail) for one in clauses[:-1])
    marks = (clauses[-1].clause.modality in _DENIES) + is_free(text) + labels + unless
    return marks % 2 == 1
