"""How a figure is framed: which side of its value is meant, and where it leans on an event.

``15일 이상`` and ``15일을 넘는`` cover one side of fifteen days, ``15일 전까지`` points before an
event, ``접수 후 15일 이내`` behind it, ``15일이 지난 뒤`` past the end of it. A date or a time of
day may begin something (``…부터``, ``시작일은``) or end it (``…까지``, ``마감일은``).
"""

import re
from enum import Enum
from typing import NamedTuple

from guards.core.reading import Text
from guards.text.slots.quantity import Comparator, Quantity
from guards.text.slots.units import PERIODS, Dimension

POINTS = frozenset({Dimension.CLOCK, Dimension.CLOCK_12, Dimension.DATE, Dimension.MONTH_DAY})
_BEFORE_CHARS, _AFTER_CHARS = 24, 30


class Lean(Enum):
    """Where a period lies from the event that it leans on."""

    BEFORE = "before"
    WITHIN_AFTER = "within_after"
    PAST = "past"


class Edge(Enum):
    """Which end of something a date or a time of day is."""

    START = "start"
    END = "end"


class Frame(NamedTuple):
    """How a figure is framed; None where the text does not say.

    Attributes:
        side: Which side of its value is meant, in a word or in a verb.
        lean: Where a period lies from its event.
        edge: Which end of something a point of time is.
        per: For one of what an amount is meant (1kg당).
    """

    side: Comparator | None = None
    lean: Lean | None = None
    edge: Edge | None = None
    per: str | None = None


_MARKS = r"[*_)\s]{0,3}"
_OBJECT = rf"{_MARKS}(?:[을를이가에]|보다)?{_MARKS}"
_VERB_SIDES = (
    (
        re.compile(
            rf"{_OBJECT}(?:넘기?(?:지[는도]?[ ]?(?:않|못|아니)|을[ ]수[는도]?[ ]없)"
            r"|초과(?:하(?:지[는도]?[ ]?(?:않|못|아니)|여서는)|할[ ]수[는도]?[ ]없)"
            r"|한도|한해|한하|한정|범위)"
        ),
        Comparator.AT_MOST,
    ),
    (re.compile(rf"{_OBJECT}(?:넘|초과|웃도|상회|더[ ]|많)"), Comparator.MORE_THAN),
    (
        re.compile(
            rf"{_OBJECT}(?:못[ ]?미치|미치지|미달|모자라|안[ ]?[되된됐]|되지[ ]않|밑도|하회|적)"
        ),
        Comparator.LESS_THAN,
    ),
    (
        re.compile(
            rf"{_OBJECT}(?:달하|도달|이르|채우|채워|이어야"
            r"|[은는][ ](?:[가-힣]{1,6}[ ])?[가-힣]{0,6}(?:어야|아야|해야|여야|돼야|필요))"
        ),
        Comparator.AT_LEAST,
    ),
)
_LEAN_BEFORE = re.compile(rf"{_MARKS}(?:전(?!체|부|액|원|용|화|기|환|후)|앞서|앞두|이전)")
_LEAN_PAST = re.compile(
    rf"{_MARKS}(?:[이을]\s?)?(?:지(?:나(?!지[ ]?않|기[ ]?(?:이?전|까지))|난(?!\s?날로?부터)|났)"
    r"|경과(?!\s?하지[ ]?않)|넘긴|후|뒤|이후)"
)
_LEAN_WITHIN = re.compile(rf"{_MARKS}(?:이내|안(?!내)|내(?![가-힣]|용|역)|내에|까지)")
_EVENT_BEFORE = re.compile(
    r"(?:(?:후|뒤|다음|이후)(?:[에,]|부터)?|[날일]로?부터)[ ]?(?:최대|최소|늦어도)?[ *_]{0,3}$"
)
_STARTS_BEFORE = re.compile(
    r"(?:시작|개시|개장|개점|개강|개관|착수|오픈)[ ]?(?:일|일자|일시|날짜|시각|시간|날)?"
    r"[은는이가]?[ :]{0,2}[*_]{0,2}$"
)
_ENDS_BEFORE = re.compile(
    r"(?:마감|종료|만료|폐장|폐점|종강|폐관|기한)[ ]?(?:일|일자|일시|날짜|시각|시간|날)?"
    r"[은는이가]?[ :]{0,2}[*_]{0,2}$"
)
_STARTS_AFTER = re.compile(
    rf"{_MARKS}(?:부터|~[ ]?\d"
    r"|에[ ]?(?:시작|개시|개장|개점|개강|개관|오픈|열|문을[ ]?[엽열연]))"
)
_ENDS_AFTER = re.compile(
    rf"{_MARKS}(?:까지(?!는)|에[ ]?(?:마감|종료|끝|폐장|폐점|종강|만료|닫|문을[ ]?닫))"
)
_PER = re.compile(
    r"(?<![\d,.])(?:1[ ]?)?"
    r"(?P<unit>[km]?g|[km]?m|개|명|인|회|번|건|박|대|장|매|시간|분|일|월|달|년)당"
    r"[ ]?(?:미화|각각|추가로)?[ ]?[*_]{0,2}$"
)
_SAME_UNITS = {"인": "명", "번": "회", "건": "회", "매": "장", "달": "월"}
_CLAUSE = re.compile(r"[^.,;()\n]{0,60}")
_NEGATED = re.compile(r"않|못[하한할합]|없|아니|불가|제외|금지|(?<![가-힣])안[ ]")


def kept_frame_of(quantity: Quantity, source: Text) -> Frame:
    """Return the same for a figure of a source, whose frames are read once for each text."""
    known = source.once(_frames)
    if quantity.start not in known:
        known[quantity.start] = frame_of(quantity, source)
    return known[quantity.start]


def _frames(_: Text) -> dict[int, Frame]:
    return {}


def frame_of(quantity: Quantity, text: Text) -> Frame:
    """Return how a figure of a text is framed."""
    kind = quantity.measure.dimension
    before = text.raw[max(0, quantity.start - _BEFORE_CHARS) : quantity.start].split("\n")[-1]
    after = text.raw[quantity.end : quantity.end + _AFTER_CHARS].split("\n")[0]
    if kind in POINTS:
        return Frame(edge=_edge(before, after))
    lean = _lean(before, after) if kind in PERIODS else None
    side = quantity.comparator or _side_in_verb(after)
    return Frame(side, lean, per=_per(before))


def _per(before: str) -> str | None:
    match = _PER.search(before) if "당" in before else None
    return _SAME_UNITS.get(match["unit"], match["unit"]) if match else None


def _side_in_verb(after: str) -> Comparator | None:
    return next((side for verb, side in _VERB_SIDES if verb.match(after)), None)


def _lean(before: str, after: str) -> Lean | None:
    if _LEAN_BEFORE.match(after):
        return Lean.BEFORE
    if _LEAN_PAST.match(after):
        return Lean.PAST
    if _LEAN_WITHIN.match(after) and _EVENT_BEFORE.search(before):
        return Lean.WITHIN_AFTER
    return None


def _edge(before: str, after: str) -> Edge | None:
    if _STARTS_AFTER.match(after) or _STARTS_BEFORE.search(before):
        return Edge.START
    if _ENDS_AFTER.match(after) or _ENDS_BEFORE.search(before) or before.rstrip().endswith("~"):
        return Edge.END
    return None


def is_negated(raw: str, quantity: Quantity) -> bool:
    """Tell whether the clause that goes on behind a figure of a text is negated."""
    clause = _CLAUSE.match(raw, quantity.end)
    return clause is not None and _NEGATED.search(clause[0]) is not None
