"""Days of the week on which all sources say that something is closed (``토요일 휴관``).

A day counts as closed only if it stands nowhere but where it is said to be: ``둘째 토요일은 휴관``,
``토요일 09:00~13:00`` and ``연중무휴`` leave it open.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from guards.core.reading import Text
from guards.text.features import kept_features
from guards.text.passages import sentence_places
from guards.text.polarity_modes import AFFIRMATIVE, Mode
from guards.text.polarity_sayings import Said, Saying
from guards.text.sentences import LONGEST_SENTENCE_CHARS

_OPEN = "개관"
_WEEK = "월화수목금토일"
_GROUPS = {"주말": frozenset("토일"), "평일": frozenset("월화수목금")}
# One syllable alone may be a month or a day (월 2회, 5일).
_SHORT_DAYS = rf"(?<![가-힣\d])[{_WEEK}](?:[ ]?[·,/~-][ ]?[{_WEEK}]){{1,6}}(?![가-힣])"
_DAY = rf"(?:[{_WEEK}]요일|주말|평일|(?:법정[ ]?)?공휴일|{_SHORT_DAYS})"
_DAYS = rf"{_DAY}(?:[ ]?(?:[,·/]|및|[와과]|이나|또는)[ ]?{_DAY}){{0,7}}"
_MENTIONED = re.compile(_DAY)
_CLOSES = r"휴(?:관|무|진|장|점|업|원)"
_IDLES = (
    r"쉽니다|쉰다|쉬[며고]|문을[ ]닫|(?:운영|영업|진료|개관|개장|개방|근무)"
    r"(?:하지[ ]?않|[ ]?안[ ]?[하함]|[ ]?없)"
)
_CLOSED = (
    re.compile(
        rf"(?P<days>{_DAYS})(?:에는|에|은|는|엔)?[ ]?(?:정기[ ]?|모두[ ])?"
        rf"(?P<says>{_CLOSES}(?!일)|{_IDLES})"
    ),
    re.compile(rf"(?P<says>{_CLOSES}일?)(?:[은:]|[ ]:)?[ ]{{0,2}}(?:매주[ ])?(?P<days>{_DAYS})"),
)
# Some of those days only, or not always.
_SOME = re.compile(
    r"(?:[첫둘셋넷]째|다섯째|마지막|격주|격월|매월|매달|[1-5]주|[1-5]째주?)[ ]?(?:주[ ]?)?$"
)
_SOME_BEFORE_CHARS = 8
_NEVER = re.compile(r"연중[ ]?무휴|매일|24[ ]?시간|365일|상시|휴[무관][ ]?없|쉬는[ ]날[ ]?없")
_NO_SUBJECTS = frozenset({"오전", "오후", "정오", "매주", "시간", "문"})


class _Closed(NamedTuple):
    """A place where days are said to be closed."""

    days: frozenset[str]
    start: int
    end: int
    says_start: int
    says_end: int


class ClosedDays(NamedTuple):
    """What a text says of the days of the week.

    Attributes:
        said: For each place where days are said to be closed these days, and what is said there.
        otherwise: The days of which something else is said.
        never: Whether it says that something never closes.
    """

    said: tuple[tuple[frozenset[str], Said], ...]
    otherwise: frozenset[str]
    never: bool


def closed_days(text: Text) -> ClosedDays:
    """Return what a text says of the days of the week; read once for each text."""
    return text.once(_read)


def days_claimed_open(saying: Saying) -> frozenset[str]:
    """Return the days on which a claim says that something is open."""
    if _OPEN not in saying.families or saying.mode not in AFFIRMATIVE:
        return frozenset()
    return frozenset().union(*(_named(word.names) for word in saying.words))


def is_about(saying: Saying, said: Said, context: frozenset[str]) -> bool:
    """Tell whether all that a claim names besides days and times stands where they are closed.

    Args:
        saying: The claim.
        said: What is said to be closed.
        context: The words around it.
    """
    known = context | kept_features(said.sentence).forms
    return not any(
        word.names.isdisjoint(known | _NO_SUBJECTS) and not _named(word.names)
        for word in saying.words
    )


def _read(text: Text) -> ClosedDays:
    places = list(_places(text.raw))
    inside = [(one.start, one.end) for one in places]
    otherwise: set[str] = set()
    at = 0
    for day in _MENTIONED.finditer(text.raw):
        while at < len(inside) and inside[at][1] <= day.start():
            at += 1
        if at == len(inside) or day.start() < inside[at][0]:
            otherwise |= _days(day[0])
    rows = sentence_places(text, [one.says_start for one in places])
    return ClosedDays(
        tuple(
            (one.days, _said(text, one, row))
            for one, row in zip(places, rows, strict=True)
            if len(text.sentences[row].text) <= LONGEST_SENTENCE_CHARS
        ),
        frozenset(otherwise),
        _NEVER.search(text.raw) is not None,
    )


def _places(raw: str) -> Iterator[_Closed]:
    """Yield where days are said to be closed, in order, none twice."""
    found = sorted(
        (match for pattern in _CLOSED for match in pattern.finditer(raw)),
        key=lambda match: match.start(),
    )
    end = 0
    for match in found:
        start = match.start("days")
        before = raw[max(0, start - _SOME_BEFORE_CHARS) : start]
        if match.start() >= end and not _SOME.search(before):
            end = match.end()
            yield _Closed(_days(match["days"]), *match.span(), *match.span("says"))


def _said(text: Text, closed: _Closed, row: int) -> Said:
    sentence = text.sentences[row]
    start, end = closed.says_start - sentence.start, closed.says_end - sentence.start
    saying = Saying(frozenset({_OPEN}), Mode.NOT, start, end)
    return Said(saying, sentence.text, text.sentences[row - 1].text if row else "")


def _days(written: str) -> frozenset[str]:
    return frozenset().union(*(_day(one[0]) for one in _MENTIONED.finditer(written)))


def _day(word: str) -> frozenset[str]:
    if word in _GROUPS:
        return _GROUPS[word]
    if word.endswith("공휴일"):
        return frozenset()
    return frozenset(word.removesuffix("요일")) & frozenset(_WEEK)


def _named(names: frozenset[str]) -> frozenset[str]:
    days = (_day(name) for name in names if name in _GROUPS or name[1:] == "요일")
    return frozenset().union(*days)


def all_closed(texts: Sequence[Text]) -> frozenset[str]:
    """Return the days that some texts say to be closed, and of which none says anything else."""
    read = [closed_days(text) for text in texts]
    if any(one.never for one in read):
        return frozenset()
    closed = frozenset().union(*(days for one in read for days, _ in one.said))
    return closed - frozenset().union(*(one.otherwise for one in read))
