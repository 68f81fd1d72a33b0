"""Calendar dates and times of day in Korean notations.

Calendar dates in every Korean notation, whole or in part.

``2024-03-05``, ``2024. 3. 5.``, ``'24.3.5.``, ``2024/3/5``, ``20240305``, ``2024년 3월 5일``;
``2024년 3월``, ``3월 5일``, ``3. 5.``; a second day that leans on the first (``3월 5일~20일``) is
read with its month.

Times of day: ``19:30``, ``오후 7시 30분``, ``다섯 시 반``, ``밤 12시``, ``9~11시``, ``정오``.

A time without 오전/오후 and not in twenty-four-hour style (``5시``) may be in either half of the
day; it is kept apart (`Dimension.CLOCK_12`) and compared without regard to the half.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from guards.text.slots.units import Dimension, Measure, native_value
from guards.text.slots.windows import AT_NUMBERS, Search, beginning

_MEASURES_KEPT = 4096
_POSIX_PIVOT = 69
_BIRTH_PIVOT = 25
_YEAR = r"(?P<year>(?:19|20|21)\d{2}|'\d{2}|\d{2})"
_MONTH = r"(?P<month>0?[1-9]|1[0-2])"
_DAY = r"(?P<day>0[1-9]|[12]\d|3[01]|[1-9])"
_FREE = r"(?<![\d.,/'A-Za-z-])"

_TODAY = "(?:오늘|내일|어제|그제|모레)"
# A month behind whose number the day's is lower: no share.
_LATER_THAN_DAY = (
    r"(?:(?P<month>1[0-2]|[2-9])/(?P<day>(?<=1\d/)[1-9]|(?<=9/)[1-8]|(?<=8/)[1-7]|(?<=7/)[1-6]"
    r"|(?<=6/)[1-5]|(?<=5/)[1-4]|(?<=4/)[1-3]|(?<=3/)[12]|(?<=2/)1))"
)
_ALONE = (
    r"(?![\d/%+×*A-Za-z]|[,.]\d|(?:명|개|층|점|회|쪽|권|시|분|초|년|학년|반|강|차|주|잔|장|호|씩|인실|석|칸"
    r"|만|천|억|원|이상|이하|지분|배))"
)

_MONTHS = re.compile(r"\d[ ]?월")
_YEARS = re.compile(r"\d[ ]?학?년")
_BIRTH = "년생"
_BORN = re.compile(rf"\d{_BIRTH}")
_DOTTED = re.compile(r"\d\.[ ]?\d")
_JOINED = re.compile(r"\d[-/]\d")
_SLASHED = re.compile(r"\d/\d")
_SOLID = re.compile(r"\d{8}")
_ANY = re.compile(r"\d(?:[ ]?(?:월|학?년)|\.[ ]?\d|[-/]\d|\d{7})")
# The most exact kind first.
_DATES = (
    Search(
        re.compile(rf"(?<![A-Za-z\d]){_YEAR}[ ]?년도?[ ]?{_MONTH}[ ]?월[ ]?{_DAY}[ ]?일"), _MONTHS
    ),
    Search(re.compile(rf"{_FREE}{_YEAR}\.[ ]?{_MONTH}\.[ ]?{_DAY}(?!\d|\.\d)\.?"), _DOTTED),
    Search(re.compile(rf"{_FREE}{_YEAR}(?P<joint>[-/]){_MONTH}(?P=joint){_DAY}(?![\d-])"), _JOINED),
    Search(
        re.compile(
            r"(?<![\d-])(?P<year>(?:19|20)\d{2})(?P<month>0[1-9]|1[0-2])"
            r"(?P<day>0[1-9]|[12]\d|3[01])"
            r"(?![\d-])(?!(?:원|명|건|엔|달러|유로|위안|[ ]원(?![가-힣])))"
        ),
        _SOLID,
    ),
    Search(
        re.compile(
            rf"(?<![A-Za-z\d])(?P<year>(?:19|20|21)\d{{2}}|'\d{{2}})[ ]?년도?[ ]?{_MONTH}[ ]?월"
        ),
        _MONTHS,
    ),
    Search(re.compile(rf"{_FREE}(?P<year>(?:19|20)\d{{2}})\.[ ]?{_MONTH}\.(?!\d)"), _DOTTED),
    Search(re.compile(rf"(?<![A-Za-z\d]){_MONTH}[ ]?월[ ]?{_DAY}[ ]?일"), _MONTHS),
    # The first of two days of a month: 1월 1~25일.
    Search(
        re.compile(
            rf"(?<![A-Za-z\d]){_MONTH}[ ]?월[ ]?{_DAY}(?=[ ]?[~-][ ]?\d{{1,2}}[ ]?일(?!간))"
        ),
        _MONTHS,
    ),
    Search(re.compile(rf"{_FREE}{_MONTH}\.[ ]{_DAY}\.(?!\d)"), _DOTTED),
    Search(
        re.compile(
            rf"{_FREE}{_MONTH}\.{_DAY}(?:\.(?=[ ]?(?:~[ ]?\d|\([월화수목금토일]\)|부터|까지))"
            r"|(?=\([월화수목금토일]\)))"
        ),
        _DOTTED,
    ),
    Search(re.compile(rf"{_FREE}{_MONTH}\.(?P<day>0[1-9]|[12]\d|3[01])\.(?!\d)"), _DOTTED),
    Search(
        re.compile(
            rf"{_FREE}{_MONTH}/{_DAY}(?=[ ]?~[ ]?\d{{1,2}}/\d|\([월화수목금토일]\)|부터|까지)"
        ),
        _SLASHED,
    ),
    Search(re.compile(rf"(?:(?<=~)|(?<=~[ ])){_MONTH}/{_DAY}(?![\d/])"), _SLASHED),
    # 2/3 and 1/12 are shares, 15/20층 a floor: the words beside it say that a day is meant, or its
    # numbers do.
    Search(re.compile(rf"(?:(?<={_TODAY})|(?<={_TODAY}[ (])){_MONTH}/{_DAY}{_ALONE}"), _SLASHED),
    Search(
        re.compile(
            rf"{_FREE}(?<![×*=÷+])(?<![×*=÷+의][ ])"
            rf"(?P<month>0?[2-9]|1[0-2])/(?P<day>1\d|2\d|3[01]){_ALONE}"
        ),
        _SLASHED,
    ),
    Search(re.compile(rf"{_FREE}{_LATER_THAN_DAY}{_ALONE}"), _SLASHED),
    Search(
        re.compile(rf"(?<!의[ ]){_FREE}(?P<month>[2-9]|1[0-2])/{_DAY}(?=에(?![가-힣]))"), _SLASHED
    ),
    Search(re.compile(r"(?<!\d)(?P<born>\d{2})년(?=생)"), _BORN),
    Search(
        re.compile(r"(?<![A-Za-z\d])(?P<year>(?:19|20|21)\d{2}|'\d{2})[ ]?(?:학년도|년도|년)"),
        _YEARS,
    ),
    Search(re.compile(rf"(?<![A-Za-z\d]){_MONTH}[ ]?월(?!세|드)"), _MONTHS),
)
# All of them begin with a number, or with the mark before a short year.
_YEAR_MARK = "'"
_FOLLOWS = {
    _MONTHS: frozenset("년월"), _YEARS: frozenset("년학"), _BORN: frozenset("년"),
    _DOTTED: frozenset("."), _JOINED: frozenset("-/"), _SLASHED: frozenset("/"),
}  # fmt: skip
_AT_NUMBERS = tuple(
    one._replace(
        begins=AT_NUMBERS,
        words=(_BIRTH,) if one.needed is _BORN else (),
        follows=_FOLLOWS.get(one.needed, frozenset()),
    )
    for one in _DATES
)
_NO_SOLID = tuple(one for one in _AT_NUMBERS if one.needed is not _SOLID)
_NEEDED = tuple(dict.fromkeys(one.needed for one in _DATES))
# The end of a range that leans on the date before it: "3월 5일 ~ 20일", "2024. 3. 5. ~ 20.",
# "3월 5일부터 20일까지" (but 20일간 is a period)
_WEEKDAY = r"(?:\([월화수목금토일]\))?"
SECOND_DAY = re.compile(
    rf"{_WEEKDAY}(?:[ ]?[~-]|부터(?=[ ]?\d{{1,2}}일{_WEEKDAY}(?:까지|[ ]?사이)))[ ]?"
    rf"(?:{_MONTH}\.[ ]?)?{_DAY}(?:[ ]?일|\.)(?!\d)"
)


def dates_sought(text: str) -> Sequence[Search]:
    """Return what may find a date in a text, the most exact kind first; nothing in most texts."""
    if not _ANY.search(text):
        return ()
    if _YEAR_MARK not in text:
        return _AT_NUMBERS if _SOLID.search(text) else _NO_SOLID
    needed = [one for one in _NEEDED if one.search(text)]
    return [one for one in _DATES if one.needed in needed]


def read_date(match: re.Match[str], month_before: int | None = None) -> Measure:
    """Return a date as one number by what it names: 20240305, 202403, 305, 2024 or 3."""
    parts = match.groupdict()
    if parts.get("born"):
        return Measure(Dimension.YEAR, (Fraction(_birth_year(int(match["born"]))),))
    year, month, day = (parts.get(name) for name in ("year", "month", "day"))
    month_number = int(month) if month else month_before
    if year and month_number and day:
        value, kind = full_year(year) * 10_000 + month_number * 100 + int(day), Dimension.DATE
    elif year and month_number:
        value, kind = full_year(year) * 100 + month_number, Dimension.YEAR_MONTH
    elif month_number and day:
        value, kind = month_number * 100 + int(day), Dimension.MONTH_DAY
    elif year:
        value, kind = full_year(year), Dimension.YEAR
    else:
        value, kind = month_number or 0, Dimension.MONTH
    return Measure(kind, (Fraction(value),))


def _birth_year(number: int) -> int:
    return number + (2000 if number < _BIRTH_PIVOT else 1900)


def full_year(year: str) -> int:
    """Return a year in four digits; two digits are of this century up to 69, as POSIX has it."""
    digits = year.removeprefix("'")
    number = int(digits)
    if len(digits) > len("24"):
        return number
    return number + (2000 if number < _POSIX_PIVOT else 1900)


@lru_cache(maxsize=_MEASURES_KEPT)
def parts_of(measure: Measure) -> tuple[Measure, ...]:
    """Return the less exact dates that a date implies: 2024-03-05 is also 3월 5일, 2024년, 5일."""
    value = int(measure.values[0])
    if measure.dimension == Dimension.DATE:
        year, month, day = value // 10_000, value // 100 % 100, value % 100
        return (
            Measure(Dimension.YEAR_MONTH, (Fraction(year * 100 + month),)),
            Measure(Dimension.MONTH_DAY, (Fraction(month * 100 + day),)),
            *_names(year=year, month=month, day=day),
        )
    if measure.dimension == Dimension.YEAR_MONTH:
        return _names(year=value // 100, month=value % 100)
    if measure.dimension == Dimension.MONTH_DAY:
        return _names(month=value // 100, day=value % 100)
    return ()


def _names(
    year: int | None = None, month: int | None = None, day: int | None = None
) -> tuple[Measure, ...]:
    named = ((Dimension.YEAR, year), (Dimension.MONTH, month), (Dimension.DAYS, day))
    return tuple(Measure(kind, (Fraction(part),)) for kind, part in named if part is not None)


_HALF = r"(?:(?P<half>오전|오후|새벽|아침|낮|점심|저녁|밤|(?<![A-Za-z])[AaPp]\.?[Mm]\.?)[ ]?)?"
_HALF_BEGINS = "오새아낮점저밤AaPp"
_HOUR = r"[01]?\d|2[0-4]"
_NATIVE_HOUR = r"한|두|세|네|다섯|여섯|일곱|여덟|아홉|열한|열두|열"
# What may follow a time of day without making it another word (반대, 한시조직).
_TAIL = r"(?=[^가-힣]|$|[에부까쯤경정이인입로으은는의])"
_MINUTES = rf"(?:[ ]?(?:(?P<minute>[0-5]?\d)[ ]?분(?![의기])|(?P<thirty>반){_TAIL}))?"
CLOCKS = (
    Search(
        re.compile(
            rf"{_HALF}(?<![A-Za-z\d:.])(?P<hour>{_HOUR}):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?!\d|:\d)"
            r"(?:[ ]?(?P<suffix>[AaPp]\.?[Mm]))?"
        ),
        re.compile(r"\d:\d"),
        beginning(rf"{_HALF_BEGINS}\d"),
    ),
    Search(
        re.compile(
            rf"{_HALF}(?<![A-Za-z\d.,])(?P<hour>{_HOUR})(?:[ ]?[~-][ ]?(?P<until>{_HOUR}))?"
            rf"(?:[ ](?!시[험즌술작설청민행중]))?시(?!간){_MINUTES}"
        ),
        re.compile(r"\d[ ]?시(?!간)"),
        beginning(rf"{_HALF_BEGINS}\d"),
    ),
)
# Read everywhere, not only near digits. 보관해 두시는 is the verb 두다.
WORD_CLOCKS = (
    Search(
        re.compile(
            rf"{_HALF}(?<![가-힣])(?!두시[는기])"
            rf"(?P<native>{_NATIVE_HOUR})[ ]?시{_MINUTES}{_TAIL}"
        ),
        re.compile(rf"(?:{_NATIVE_HOUR})[ ]?시"),
        beginning(f"{_HALF_BEGINS}한두세네다여일아열"),
    ),
    Search(re.compile(rf"(?<![가-힣])(?P<name>정오|자정){_TAIL}"), re.compile("정오|자정")),
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
