"""Times of day: ``19:30``, ``오후 7시 30분``, ``다섯 시 반``, ``밤 12시``, ``9~11시``, ``정오``.

A time without 오전/오후 and not in twenty-four-hour style (``5시``) may be in either half of the
day; it is kept apart (`Dimension.CLOCK_12`) and compared without regard to the half.
"""

import re
from fractions import Fraction

from guards.text.slots.numerals import native_value
from guards.text.slots.units import Dimension, Measure
from guards.text.slots.windows import Sought, beginning

_HALF = r"(?:(?P<half>오전|오후|새벽|아침|낮|점심|저녁|밤|(?<![A-Za-z])[AaPp]\.?[Mm]\.?)[ ]?)?"
_HALF_BEGINS = "오새아낮점저밤AaPp"
_HOUR = r"[01]?\d|2[0-4]"
_NATIVE_HOUR = r"한|두|세|네|다섯|여섯|일곱|여덟|아홉|열한|열두|열"
# What may follow a time of day without making it another word (반대, 한시조직).
_TAIL = r"(?=[^가-힣]|$|[에부까쯤경정이입로으은는의])"
_MINUTES = rf"(?:[ ]?(?:(?P<minute>[0-5]?\d)[ ]?분(?![의기])|(?P<thirty>반){_TAIL}))?"
CLOCKS = (
    Sought(
        re.compile(
            rf"{_HALF}(?<![A-Za-z\d:.])(?P<hour>{_HOUR}):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])"
            r"(?:[ ]?(?P<suffix>[AaPp]\.?[Mm]))?"
        ),
        re.compile(r"\d:\d"),
        beginning(rf"{_HALF_BEGINS}\d"),
    ),
    Sought(
        re.compile(
            rf"{_HALF}(?<![A-Za-z\d.,])(?P<hour>{_HOUR})(?:[ ]?[~-][ ]?(?P<until>{_HOUR}))?"
            rf"[ ]?시(?!간){_MINUTES}"
        ),
        re.compile(r"\d[ ]?시(?!간)"),
        beginning(rf"{_HALF_BEGINS}\d"),
    ),
)
# Read everywhere, not only near digits. 보관해 두시는 is the verb 두다.
WORD_CLOCKS = (
    Sought(
        re.compile(
            rf"{_HALF}(?<![가-힣])(?!두시[는기])"
            rf"(?P<native>{_NATIVE_HOUR})[ ]?시{_MINUTES}{_TAIL}"
        ),
        re.compile(rf"(?:{_NATIVE_HOUR})[ ]?시"),
        beginning(f"{_HALF_BEGINS}한두세네다여일아열"),
    ),
    Sought(re.compile(rf"(?<![가-힣])(?P<name>정오|자정){_TAIL}"), re.compile("정오|자정")),
)
_NAMED = {"정오": 720, "자정": 0}
_MORNING = frozenset({"오전", "새벽", "아침", "am"})
_DAY_MINUTES, _HALF_MINUTES = 1440, 720
_LAST_NIGHT_HOUR = 5


def read_clock(match: re.Match[str]) -> Measure:
    """Return minutes since midnight; modulo twelve hours where the half of the day is open."""
    parts = match.groupdict()
    if parts.get("name"):
        return Measure(Dimension.CLOCK, (Fraction(_NAMED[match["name"]]),))
    half = (parts.get("half") or parts.get("suffix") or "").lower().replace(".", "")
    minute = 30 if parts.get("thirty") else int(parts.get("minute") or 0)
    hours = [parts["hour"]] if parts.get("hour") else [str(native_value(match["native"]))]
    if parts.get("until"):
        hours.append(parts["until"])
    if _is_open(hours[0], half, match[0]):
        values = tuple(Fraction((int(hour) * 60 + minute) % _HALF_MINUTES) for hour in hours)
        return Measure(Dimension.CLOCK_12, values)
    return Measure(Dimension.CLOCK, tuple(_minutes(int(hour), minute, half) for hour in hours))


def _is_open(hour: str, half: str, text: str) -> bool:
    is_padded = len(hour) == 2 and (":" in text or hour.startswith("0"))
    return not half and int(hour) <= 12 and not is_padded


def _minutes(hour: int, minute: int, half: str) -> Fraction:
    is_night = half == "밤" and (hour == 12 or hour <= _LAST_NIGHT_HOUR)
    if half in _MORNING or is_night:
        hour %= 12
    elif half and hour < 12 and not (half in {"낮", "점심"} and hour >= 10):
        hour += 12
    return Fraction((hour * 60 + minute) % _DAY_MINUTES)
