"""Results that the words beside them call for, where no operands give them.

`60,000원이 추가되어`, `의 10%인`, `보다 ... 저렴`, `3명이면` say by which operation a figure
comes from others, and name one of its operands. If no other figure of the exchange goes with that
one, the result is wrong, whatever another calculation could give.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from guards.claims.reader import Reading
from guards.evidence.calculations.points import CLOCKS, LENGTHS, POINTS, between, moved
from guards.evidence.calculations.reckoning import (
    Target,
    counts_of,
    is_count,
    kind_of,
    says,
    target,
)
from guards.evidence.figures import Figure, same_value
from guards.text.slots.units import Dimension, Measure

_MONEY = frozenset({Dimension.WON, "USD", "EUR", "JPY", "CNY", "포인트"})
_NEAR_CHARS, _MOST_KNOWN, _MOST_NEAR, _SENTENCES = 26, 80, 24, 3
# A condition or a limit is no result.
_NO_RESULT = re.compile(
    r"[ ]?(?:이?라?면|이?라고 하면|이상|이하|초과(?![하해])|미만|이내|한도|어치|짜리"
    r"|대의?(?![가-힣])|에서|의[ ]|에[ ]|을 (?:넘|초과)|부터|까지(?:는|만)? (?:무료|면제))"
)
_TURNS = re.compile(
    r"[ ]?(전|후|뒤|(?:걸|지나|소요)[가-힣]{1,4})(?:인|이면|이므로|이니|이라서?|,|:)?[ ]?"
    r"(?:오전|오후)?[ ]?"
)
_SHARE = re.compile(
    r"(?<![\d.~%–-])(?P<percent>\d{1,3}(?:\.\d+)?)[ ]?(?:%(?!p|포인트)|퍼센트(?!포인트))"
    r"|(?<![\d./])(?P<top>[1-9])/(?P<bottom>[2-9]|10)(?![\d/]|[ ]?[,~(])"
    r"|(?P<below>\d{1,3})분의[ ]?(?P<above>\d{1,2})|(?P<half>절반|반값|반액)"
)
_NO_SHARE = re.compile(r"[ ]?(?:이상|이하|초과|미만|이내|한도|까지|,|·|와|과|또는)")
_OF = re.compile(r"의[ ]?(?=\d)")
_IN_BRACKETS = re.compile(r"[ ]?\((\d{1,2}(?:\.\d+)?)[ ]?%\)")
# What stands before it has nothing to do with the share any more.
_ANEW = re.compile(r"총|합계|모두|합쳐|\),|더하|더해|[.;]")
_ADDS = re.compile(
    r"(?:을|를|이|가|도|까지|씩)?[ ]?(?:더하|더해|합치|합쳐|합하|추가되|추가돼|추가하|추가해|보태)"
)
_TAKES = re.compile(
    r"(?:을|를|이|가|도|씩)?[ ]?(?:빼|뺀|빠지|빠져|공제하|공제한|차감하|차감한|제하)"
)
# The two amounts before it are not the ones that are compared.
_OTHERWISE = re.compile(r"보다|이니|므로|라면|하면|으면")
_MORE = re.compile(r"(?:을|를|이|가|만큼)?[ ]?(?:더|덜)[ ](?!뒤|후|지나|있)|[ ]?차이[가나는입로]")
_END = re.compile(r"[\n,;]")
_LISTED = re.compile(
    r"(?:,|과|와|이고|이며|·)[^.\n]{0,60}\d[\d,]*[가-힣 ]{1,8}(?:이|가|을|를|씩)?[ ]?"
    r"(?:더[ ]|덜[ ]|추가|저렴|비싸|비쌉|차이)"
)
_LINKS = re.compile(
    r"[ ]?(?:이면|면|이라면|라면|이므로|이니|이라|기준|[을를][ ][^\d,.\n]{1,14}면(?![가-힣]))"
)
_PORTION = re.compile(r"[ ]?(?:분(?![가-힣]*[의만])|치)")
_EACH = re.compile(r"(?:마다|당)[ ]?$")
_IN_ALL = re.compile(r"(?:모두|총|합계|합쳐|전부)[ ]?(?:하면|해서)?[ ]?$")
_RATE = re.compile(
    r"(?:(?P<word>[가-힣A-Za-z]{1,4}?)당"
    r"|(?:1|한)[ ]?(?P<one>인|명|개|장|대|회|건|권|병|잔|점|곳|마리|박스|kg)"
    r"|(?<![가-힣])(?P<time>하루|1일|매일|월|매월|매달|한 달|시급|1시간|1박))"
    r"(?P<rest>[^\d,.\n]{0,10})$"
)
_SUPPOSED = re.compile(r"[^\d\n.,]{0,14}(?:이?라면|이면|경우|때)(?:는|,)?[ ][^\d\n.]{0,14}")
_UNTIL = re.compile(r"[ ]?까지(?:는|면|이면|니까|라서|이므로|니)?,?[ ][^\d]{0,6}\d")
_DAYS_BEFORE = re.compile(r"[^\d]{1,20}\d{1,3}[ ]?일[ ]?[전후뒤]")
# Breaks are taken off the time between.
_BREAK = re.compile(r"점심|휴게|쉬는|제외|빼고")
_MONTHLY = re.compile(r"(?:(?<![가-힣])월|매월|매달|한 달)[ ]?(?:에[ ]?)?$")
_YEARLY = re.compile(r"(?:연간|1년이?면|1년에|한 해에?)[ ]?$")
_EXTENDS = re.compile(r"[ ]?(?:의 |이내의 |이내에서 |범위|까지)[^\d.\n]{0,8}(?:연장|늘|추가|더)")
_AT_MOST = re.compile(r"(?:최대|최장|총|모두|합쳐|합하면)[ ]?$")
_MOST_ITEMS = 6
_TIMES_OF = {
    "하루": "일", "1일": "일", "매일": "일", "월": "개월", "매월": "개월", "매달": "개월",
    "한 달": "개월", "시급": "시간", "1시간": "시간", "1박": "박",
}  # fmt: skip
# What is paid from some amount on, or on top of another one, is no plain multiple.
_TIERS = re.compile(r"추가|초과|이후|째|넘|무료|기본|최초|할증|할인|감면|면제")
_TOP = re.compile(r"추가|기본|최초|이후|째")
_PEOPLE = frozenset({"인", "명", "분"})


class Result(NamedTuple):
    """A figure judged by an operation that the words beside it name.

    Attributes:
        is_right: Whether any operands give it.
        right: What its operands give; None where they are not the only ones possible.
        operands: The figures that it should follow from, where they are known.
    """

    is_right: bool
    right: Fraction | None = None
    operands: tuple[Figure, ...] = ()


_RIGHT, _WRONG = Result(is_right=True), Result(is_right=False)


class _Place(NamedTuple):
    """A figure and what its sentence has before it.

    Attributes:
        wanted: The figure as what is to be explained.
        before: The figures of its sentence that stand before it.
        last: The last of its kind among them.
        since: Where that one ends, or the sentence begins.
        text: What stands between there and the figure.
        known: The values of its kind that the exchange has besides.
    """

    wanted: Target
    before: tuple[Figure, ...]
    last: Figure | None
    since: int
    text: str
    known: tuple[Fraction, ...]


class Implied:
    """Finds results that are wrong by the words beside them.

    Args:
        answer: The answer.
        figures: Its figures, in order.
        user: The figures of the user's turns.
        sources: The figures of the sources.
    """

    def __init__(
        self,
        answer: Reading,
        figures: Sequence[Figure],
        user: Sequence[Figure],
        sources: Sequence[Figure],
    ) -> None:
        self._plain = answer.page.plain
        self._answer = answer
        self._figures = figures
        self._user = user
        self._sources = sources

    def judged(self, figure: Figure) -> Result | None:
        """Return whether a figure is right by the words beside it; None if they do not tell."""
        kind = kind_of(figure.measure)
        if kind in POINTS:
            return self._beside_length(figure)
        if len(figure.measure.values) != 1 or not (kind in _MONEY or kind in LENGTHS):
            return None
        if figure.quantity.comparing_word not in {"", "최대", "까지"} or _NO_RESULT.match(
            self._plain, figure.end
        ):
            return None
        place = self._place(figure, kind)
        exact = (
            self._share,
            self._gap,
            self._on_top_or_off,
            self._multiple,
            self._yearly,
            self._extended,
            self._between,
        )
        found = [one for rule in exact if (one := rule(figure, place)) is not None]
        # Where one of several operations gives it, it is right.
        if found:
            return _RIGHT if any(one.is_right for one in found) else found[0]
        return self._of_supposed(figure, place) or self._total(figure, place)

    def _beside_length(self, figure: Figure) -> Result | None:
        """Judge a point of time by the length beside it: `종료 40분 전인 20:10`."""
        before = [one for one in self._figures if one.start < figure.start]
        if not before or before[-1].measure.dimension not in LENGTHS:
            return None
        length = before[-1]
        turn = _TURNS.fullmatch(self._plain, length.end, figure.start)
        if turn is None or len(length.measure.values) != 1:
            return None
        sign = -1 if turn[1] == "전" else 1
        some = (*self._figures, *self._user, *self._sources)
        points = dict.fromkeys(
            Measure(one.measure.dimension, (value,))
            for one in some
            if one.measure.dimension in POINTS and one is not figure
            for value in one.measure.values
        )
        for point in points:
            options = moved(point, length.measure, sign, inclusive=True)
            if any(same_value(figure.measure, option) for option in options):
                return None
        return Result(False, None, (length,)) if points else None

    def _place(self, figure: Figure, kind: str) -> _Place:
        sentence = self._answer.sentences[figure.claim.sentence]
        before = tuple(
            one for one in self._figures if sentence[0].start <= one.start < figure.start
        )
        last = next((one for one in reversed(before) if kind_of(one.measure) == kind), None)
        since = last.end if last else sentence[0].start
        text = self._plain[sentence[0].start : sentence[-1].end]
        wanted = target(figure, figure.measure.values[0], text)
        known = tuple(self._known(figure, kind))[:_MOST_KNOWN]
        return _Place(wanted, before, last, since, self._plain[since : figure.start], known)

    def _known(self, figure: Figure, kind: str) -> Iterable[Fraction]:
        """Return the values of a kind that the answer, the user or the sources name."""
        some = (*self._figures, *self._user, *self._sources)
        kinds = {kind, Dimension.BARE}
        return dict.fromkeys(
            value
            for one in some
            if kind_of(one.measure) in kinds and not (one.source < 0 and one.start == figure.start)
            for value in one.measure.values
        )

    def _share(self, figure: Figure, place: _Place) -> Result | None:
        """Judge a share of an amount: `12만 원의 70%는 9만 원`, `일반(45%): 480,000원`."""
        share = self._share_before(figure, place)
        if share is None:
            return None
        options = (share, 1 - share, 1 + share)
        bases = (*place.known, *self._results(figure, place))
        if any(place.wanted.is_(value * option) for value in bases for option in options):
            return _RIGHT
        last = place.last
        if last is None or not _OF.match(self._plain, last.end):
            return _WRONG
        return Result(False, last.measure.values[0] * share, (last,))

    def _share_before(self, figure: Figure, place: _Place) -> Fraction | None:
        """Return the share that stands right before a figure, or behind it in brackets."""
        behind = _IN_BRACKETS.match(self._plain, figure.end)
        if behind:
            return Fraction(behind[1]) / 100
        line = self._plain.rfind("\n", 0, figure.start) + 1
        since = max(place.since if place.last else line, figure.start - _NEAR_CHARS)
        found = [
            (match.end(), share)
            for match in _SHARE.finditer(self._plain, since, figure.start)
            if not _NO_SHARE.match(self._plain, match.end()) and 0 < (share := _value(match)) < 1
        ]
        if not found or _ANEW.search(self._plain, found[-1][0], figure.start):
            return None
        return found[-1][1]

    def _results(self, figure: Figure, place: _Place) -> Iterator[Fraction]:
        """Yield what one step from the values at hand gives: multiples, sums and differences."""
        kind = place.wanted.kind
        near = [one for one in (*self._figures, *self._user) if one.start != figure.start]
        counts = sorted(_numbers(near, kind))[:_MOST_NEAR]
        yield from (value * n for value in place.known for n in counts)
        values = [one.measure.values[0] for one in near if kind_of(one.measure) == kind]
        for at, one in enumerate(values[:_MOST_NEAR]):
            for other in values[at + 1 : _MOST_NEAR]:
                yield one + other
                yield abs(one - other)

    def _gap(self, figure: Figure, place: _Place) -> Result | None:
        """Judge by how much something is more or less: `A 3만 원, B 5만 원으로 3만 원 저렴`."""
        after = next(
            (one.start for one in self._figures if one.start >= figure.end), len(self._plain)
        )
        behind = self._plain[figure.end : min(after, figure.end + _NEAR_CHARS // 2)]
        # What stands behind a comma is about something else: A는 3만 원, B는 많아야 2만 원.
        behind = _END.split(behind, maxsplit=1)[0]
        if place.wanted.kind in LENGTHS and not _MORE.match(behind):
            return None
        if behind.startswith(("으로", "로")) or _IN_ALL.search(place.text):
            return None
        if not says("gap", behind):
            # 일반은 2만 원, 나머지는 3만 원씩 더 듭니다: the last of a list says it of all.
            rest = self._plain[figure.end :].split("\n")[0].split(". ")[0]
            is_listed = _LISTED.match(rest) is not None and self._is_gap(figure, place)
            return _RIGHT if is_listed else None
        if self._is_gap(figure, place):
            return _RIGHT
        same = [one for one in place.before if kind_of(one.measure) == place.wanted.kind]
        values = [value for one in same for value in one.measure.values]
        if len(same) != 2 or len(values) != 2 or _OTHERWISE.search(place.text):
            return _WRONG
        right = abs(same[0].measure.values[0] - same[1].measure.values[0])
        return Result(False, right, tuple(same)) if right else _WRONG

    def _is_gap(self, figure: Figure, place: _Place) -> bool:
        """Tell whether two values are so far apart, or so many of each: 6개월 두 번보다 절약."""
        known = place.known
        if any(place.wanted.is_(abs(one - other)) for one in known for other in known):
            return True
        near = [one for one in (*self._figures, *self._user) if one.start != figure.start]
        counts = [n for n in sorted(_numbers(near, place.wanted.kind)) if n > 1][:_MOST_NEAR]
        return any(
            place.wanted.is_(abs(one * n - other)) or place.wanted.is_(abs(one - other) * n)
            for n in counts
            for one in known
            for other in known
            if one != other
        )

    def _on_top_or_off(self, figure: Figure, place: _Place) -> Result | None:
        """Judge what an amount is added to or taken off: `여기에 5,000원을 더하면 31,000원`."""
        last = place.last
        if last is None:
            return None
        is_added = _ADDS.match(self._plain, last.end) is not None
        if not is_added and not _TAKES.match(self._plain, last.end):
            return None
        own = last.measure.values[0] if is_added else -last.measure.values[0]
        numbers = {Fraction(1), *_numbers(place.before, place.wanted.kind)}
        if self._plain.startswith("씩", last.end):
            before = (one for one in self._figures if one.start < figure.start)
            numbers = set(
                sorted(_numbers((*before, *self._user), place.wanted.kind) - {1})[:_MOST_NEAR]
            )
        several = {Fraction(1), *_numbers((*place.before, *self._user), place.wanted.kind)}
        bases = [value * n for value in place.known for n in sorted(several)[:_MOST_NEAR]]
        if any(place.wanted.is_(value + own * n) for value in bases for n in numbers):
            return _RIGHT
        return Result(False, None, (last,))

    def _of_supposed(self, figure: Figure, place: _Place) -> Result | None:
        """Judge what follows from an amount supposed: `5%까지이므로 3억 원이면 1,800만 원`."""
        last = place.last
        if last is None or place.wanted.kind not in _MONEY:
            return None
        if not _SUPPOSED.fullmatch(place.text) or len(last.measure.values) != 1:
            return None
        shares = {_value(one) for one in _SHARE.finditer(self._plain, 0, figure.start)} - {0}
        if not shares:
            return None
        own = last.measure.values[0]
        bases = (own, *(own - one for one in place.known), *(own + one for one in place.known))
        near = (*self._figures, *self._user, *self._sources)
        factors = {factor for one in shares for factor in (one, 1 - one, 1 + one)}
        factors |= {one.measure.values[0] / 100 for one in near if _is_percent(one)}
        factors |= _numbers(near, place.wanted.kind)
        parts = [own * factor for factor in factors]
        options = (
            *bases,
            *(base * factor for base in bases for factor in factors),
            *(part + one for part in parts for one in place.known),
            *(part - one for part in parts for one in place.known),
        )
        if any(place.wanted.is_(abs(option)) for option in options):
            return _RIGHT
        return Result(False, None, (last,))

    def _total(self, figure: Figure, place: _Place) -> Result | None:
        """Judge the total of the amounts that its sentence names, each as often as it says."""
        kind = place.wanted.kind
        amounts = [one for one in place.before if kind_of(one.measure) == kind][-_MOST_ITEMS:]
        if len(amounts) < 2 or kind not in _MONEY or not _IN_ALL.search(place.text):
            return None
        numbers = {Fraction(0), Fraction(1), *_numbers((*place.before, *self._user), kind)}
        numbers = set(sorted(numbers)[:_MOST_ITEMS])
        last = amounts[-1].measure.values[0]
        others = [one for one in (*self._figures, *self._user) if kind_of(one.measure) == kind]
        sums = {Fraction(0), *(last + one.measure.values[0] for one in others)}
        if any(place.wanted.is_(one) for one in sums):
            return _RIGHT
        # 회선마다 3,300원씩: for how many, the sentence need not say.
        if any(self._is_for_each(one) for one in amounts):
            return None
        sums = {Fraction(0)}
        for one in amounts:
            sums = {value + one.measure.values[0] * n for value in sums for n in numbers}
        if any(place.wanted.is_(one) for one in sums):
            return _RIGHT
        return Result(False, None, tuple(amounts))

    def _is_for_each(self, figure: Figure) -> bool:
        before = self._plain[max(0, figure.start - _NEAR_CHARS // 2) : figure.start]
        return self._plain.startswith("씩", figure.end) or _EACH.search(before) is not None

    def _extended(self, figure: Figure, place: _Place) -> Result | None:
        """Judge a period made longer: `3년 이내, 2년 범위에서 연장 → 최대 6년`."""
        lengths = [one for one in place.before if kind_of(one.measure) == place.wanted.kind]
        if place.wanted.kind not in LENGTHS or len(lengths) < 2:
            return None
        if not _EXTENDS.match(self._plain, lengths[-1].end) or not _AT_MOST.search(place.text):
            return None
        own = [one.measure.values[0] for one in lengths]
        if any(place.wanted.is_(one + own[-1]) for one in own[:-1]):
            return _RIGHT
        return Result(False, own[-2] + own[-1], tuple(lengths[-2:]))

    def _yearly(self, figure: Figure, place: _Place) -> Result | None:
        """Judge what an amount for a month comes to in a year: `월 18만 원이면 연간 216만 원`."""
        last = place.last
        if last is None or not _YEARLY.search(place.text):
            return None
        if not _MONTHLY.search(self._plain, max(0, last.start - 8), last.start):
            return None
        year = last.measure.values[0] * 12
        if any(
            place.wanted.is_(abs(year + sign * one)) for sign in (1, -1, 0) for one in place.known
        ):
            return _RIGHT
        return Result(False, year, (last,))

    def _between(self, figure: Figure, place: _Place) -> Result | None:
        """Judge the time from one point to another: `밤 10시부터 아침 7시까지는 9시간`."""
        points = [one for one in place.before if one.measure.dimension in POINTS][-2:]
        if place.wanted.kind not in LENGTHS or len(points) < 2 or _BREAK.search(place.wanted.text):
            return None
        is_clock = points[1].measure.dimension in CLOCKS
        link = _UNTIL if is_clock else _DAYS_BEFORE
        if not link.match(self._plain[points[1].end : figure.end + 3]):
            return None
        lengths = between(points[0].measure, points[1].measure, inclusive=True)
        if not lengths:
            return None
        same = [one for one in lengths if one.dimension == place.wanted.kind]
        if any(place.wanted.is_(one.values[0]) for one in same) or not same:
            return _RIGHT if same else None
        return Result(False, same[0].values[0] if len(same) == 1 else None, tuple(points))

    def _multiple(self, figure: Figure, place: _Place) -> Result | None:
        """Judge a multiple of a rate: `1인당 5만 원씩 2명이면 12만 원`."""
        since = max(0, figure.start - _NEAR_CHARS)
        if place.wanted.kind not in _MONEY or _RATE.search(self._plain, since, figure.start):
            return None
        counts = [one for one in place.before if is_count(one, place.wanted.kind)]
        portions = [
            one for one in counts if one.end >= place.since and _PORTION.match(self._plain, one.end)
        ]
        linked = portions or [
            one for one in counts if one.end >= place.since and _LINKS.match(self._plain, one.end)
        ]
        if not linked and not _IN_ALL.search(place.text):
            return None
        rates = self._rates(figure, place)
        pairs = [
            (rate, count)
            for rate, unit in rates
            for count in (linked or counts)
            if self._is_counted_in(count, unit) and max(counts_of(count), default=Fraction(1)) != 1
        ]
        if not pairs or (not portions and self._has_tiers(pairs[0][0], figure)):
            return None
        others = {Fraction(1), *_numbers((*counts, *self._user), place.wanted.kind)}
        products = {n * other for _, count in pairs for n in counts_of(count) for other in others}
        if any(place.wanted.is_(value * n) for value in place.known for n in products):
            return _RIGHT
        return Result(False, None, pairs[0])

    def _has_tiers(self, rate: Figure, figure: Figure) -> bool:
        """Tell whether a rate holds for a part only of what a figure is for."""
        before = max(0, rate.start - _NEAR_CHARS // 2)
        return bool(
            _TOP.search(self._plain, before, rate.start)
            or _TIERS.search(self._plain, rate.end, figure.start)
        )

    def _rates(self, figure: Figure, place: _Place) -> list[tuple[Figure, str]]:
        """Return the amounts before a figure that are for one of something, each with the unit."""
        found = []
        for one in self._figures:
            if one.start >= figure.start:
                break
            if kind_of(one.measure) != place.wanted.kind:
                continue
            if figure.claim.sentence - one.claim.sentence > _SENTENCES:
                continue
            match = _RATE.search(self._plain, max(0, one.start - _NEAR_CHARS), one.start)
            if match:
                unit = match["word"] or match["one"] or _TIMES_OF[match["time"]]
                found.append((one, unit))
        return found

    def _is_counted_in(self, count: Figure, unit: str) -> bool:
        """Tell whether a count is one of a unit: 7박스 for 박스당."""
        if unit in _PEOPLE:
            return count.measure.dimension == Dimension.PEOPLE
        text = count.quantity.text
        return text.endswith(unit) or self._plain.startswith(unit, count.end)


def _is_percent(figure: Figure) -> bool:
    return figure.measure.dimension == Dimension.PERCENT and len(figure.measure.values) == 1


def _value(match: re.Match[str]) -> Fraction:
    """Return the value of a share; 0 where it is none."""
    if match["percent"]:
        return Fraction(match["percent"]) / 100
    top, bottom = match["top"] or match["above"] or 1, match["bottom"] or match["below"] or 2
    return Fraction(int(top), int(bottom)) if int(bottom) else Fraction(0)


def _numbers(figures: Iterable[Figure], kind: str) -> set[Fraction]:
    """Return the numbers by which figures may multiply an amount of a kind."""
    return {number for one in figures if is_count(one, kind) for number in counts_of(one)}
