"""Figures bound to what they are about, and their values in whatever notation."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from guards.claims.reader import Claim, label_words
from guards.core.keeping import lazy
from guards.evidence.index import (
    CLAUSE_BEFORE,
    CLAUSE_BEHIND,
    CONDITION_BEFORE,
    FIGURE,
    SENTENCE_BEFORE,
    TITLE,
    Bag,
    Context,
    key_of,
)
from guards.korean.words import Word
from guards.text.slots.dates import parts_of
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension, Measure

NEAR, BEHIND, SHARED, BESIDE, ROLE = 1.0, 0.6, 0.5, 0.3, 0.5
_END = 10**9
_MOST_IN_A_SENTENCE, _MOST_WORDS = 40, 200
_TOPIC = frozenset({"은", "는", "이", "가"})

_GROUPS: dict[str, str] = {
    Dimension.DAYS: "period",
    Dimension.MONTHS: "period",
    Dimension.CLOCK: "clock",
    Dimension.CLOCK_12: "clock",
    Dimension.DATE: "date",
    Dimension.MONTH_DAY: "date",
    Dimension.YEAR_MONTH: "date",
    Dimension.MONTH: "month",
    Dimension.YEAR: "year",
    "포인트": "점",
}
_HALF_DAY = 720
_MEASURES_KEPT = 4096
_NUMBER = re.compile(r"\d[\d,.]*(?: ?[십백천만억조]+)*(?=(?:개월|[^\d.:/~월])*$)")


@dataclass(eq=False)
class Figure:
    """A quantity and what it is about.

    Attributes:
        quantity: The quantity; its places count from the beginning of its sentence.
        claim: The claim that it stands in.
        start: Where it begins in the plain text.
        end: Where it ends.
        source: Number of its source; -1 for answers and questions.
        sentence: The claims of its sentence; none if it is about nothing.
        before: The claims of the sentence before in the same block.
        title: The heading of its source; empty for answers.
        beside: The claims of the sentences around it in the same block, if they tell, too.
    """

    quantity: Quantity
    claim: Claim
    start: int
    end: int
    source: int = -1
    sentence: Sequence[Claim] = ()
    before: Sequence[Claim] = ()
    title: str = ""
    beside: Sequence[Claim] = ()

    @lazy
    def context(self) -> Context:
        """What it is about, weighed: most figures of sources are never compared so closely."""
        return _context_of(self) if self.sentence else {}

    @lazy
    def measure(self) -> Measure:
        """Its value and dimension."""
        return self.quantity.measure

    @lazy
    def ends(self) -> tuple[tuple[Fraction, float], ...]:
        """Its values, each also as a float: with those it is quick to see what cannot be."""
        return tuple((value, float(value)) for value in self.measure.values)

    @lazy
    def place(self) -> tuple[int, int]:
        """Number of its source and where it begins there."""
        return self.source, self.start

    @lazy
    def group(self) -> str:
        """Group of figures that it can be compared with."""
        return group_of(self.measure)


def group_of(measure: Measure) -> str:
    """Return the name of the dimensions that a measure can be compared with."""
    return _GROUPS.get(measure.dimension, measure.dimension)


def figures_of(
    sentence: Sequence[Claim],
    before: Sequence[Claim],
    title: str,
    source: int,
    beside: Sequence[Claim] = (),
) -> Iterator[Figure]:
    """Yield the figures of a sentence with what each is about."""
    for claim in sentence:
        for quantity in claim.clause.figures:
            start, end = claim.offset + quantity.start, claim.offset + quantity.end
            yield Figure(quantity, claim, start, end, source, sentence, before, title, beside)


def _context_of(figure: Figure) -> Context:
    """Return what a figure is about.

    Words that stand beside a comparable figure of the same sentence belong to that one: in `S 20%,
    A 15%` the A is no part of what 20% is about. What stands before them is shared: in `출장비는
    평일 18,000원, 주말 22,000원` both are 출장비.
    """
    claim, sentence = figure.claim, figure.sentence
    bag = Bag()
    # A bare list of figures, or a text without an end, says nothing of any of them.
    is_bare = sum(len(one.clause.figures) for one in sentence) > _MOST_IN_A_SENTENCE
    if is_bare or len(claim.clause.words) > _MOST_WORDS:
        bag.add_labels(claim)
        return bag.weights
    _add_around(bag, claim, figure.group, sentence, figure.before)
    if figure.title:
        bag.add(label_words(figure.title), TITLE)
    for other in figure.beside:
        bag.add(_shared(other, figure.group), BESIDE)
    _add_own(bag, claim, figure.quantity)
    _add_role(bag, claim, figure.quantity)
    return bag.weights


def _add_around(
    bag: Bag, claim: Claim, group: str, sentence: Sequence[Claim], before: Sequence[Claim]
) -> None:
    """Add the labels of a figure and what the clauses around it share with it."""
    bag.add_labels(claim)
    has_topic = any(word.particle in _TOPIC for word in claim.clause.words)
    if not has_topic:
        for other in before:
            bag.add(_shared(other, group), SENTENCE_BEFORE)
    for other in sentence:
        if other is claim:
            continue
        is_sibling = any(group_of(one.measure) == group for one in other.clause.figures)
        if is_sibling:
            if other.position < claim.position and not has_topic:
                bag.add(_shared(other, group), SHARED)
            continue
        if other.position > claim.position:
            bag.add(other.clause.words, CLAUSE_BEHIND)
        elif other.clause.is_condition or other.clause.is_concession:
            bag.add(other.clause.words, CONDITION_BEFORE)
            for one in other.clause.figures:
                bag.add_feature(key_of(one.measure), FIGURE)
        else:
            bag.add(other.clause.words, CLAUSE_BEFORE)


def _shared(claim: Claim, group: str) -> tuple[Word, ...]:
    """Return the words of a clause that are not only about its own figure: all but its label."""
    comparable = [one for one in claim.clause.figures if group_of(one.measure) == group]
    words = claim.clause.words
    if not comparable:
        return words
    leading = [word for word in words if word.end <= comparable[0].start and not word.is_light]
    return tuple(leading[:-1])


def _add_own(bag: Bag, claim: Claim, quantity: Quantity) -> None:
    """Add the words of a figure's own clause, up to the comparable figures before and behind it."""
    figures = claim.clause.figures
    group = group_of(quantity.measure)
    words = claim.clause.words
    apart = [one for one in figures if _is_apart(quantity, one, words)]
    before = [one for one in apart if one.start < quantity.start]
    behind = [one for one in apart if one.start > quantity.start]
    shared_until = before[0].start if before else -1
    since = before[-1].end if before else -1
    until = behind[0].start if behind else _END
    leading = [word for word in words if word.end <= shared_until and not word.is_light]
    bag.add(leading[:-1], SHARED)
    own_until = until if until == _END else _own_end(claim, quantity, until)
    bracket = _shared_bracket(claim, quantity, until)
    aside = _bracket_behind(claim, quantity) if before else _END
    for word in words:
        if word.start >= quantity.start and word.end <= quantity.end:
            continue
        if since <= word.start < quantity.start:
            bag.add((word,), SHARED if word.start < bracket else NEAR)
        elif quantity.start <= word.start < own_until:
            weight = NEAR if until == _END else BEHIND
            bag.add((word,), SHARED if word.start >= aside else weight)
    for other in figures:
        if other.start == quantity.start:
            continue  # the same, perhaps read in another unit
        if group_of(other.measure) != group and since <= other.start < until:
            bag.add_feature(key_of(other.measure), FIGURE)


_PARTING = re.compile(r"[,/;()]")


def _own_end(claim: Claim, quantity: Quantity, until: int) -> int:
    """Return where the words behind a figure end that are about it and not of the next one.

    In `보조 18만 원, 자부담 2만 원` the second noun is the label of the second figure.
    """
    begin = claim.clause.start
    match = _PARTING.search(claim.text, quantity.end - begin, until - begin)
    return begin + match.start() if match else until


def _shared_bracket(claim: Claim, quantity: Quantity, until: int) -> int:
    """Return where a bracket begins that holds a figure and the next one; 0 if there is none.

    In `본인 부담(안전모 8천 원, 안전화 9천 원)` the words before it are about both.
    """
    begin = claim.clause.start
    opened = claim.text.rfind("(", 0, quantity.start - begin)
    if until == _END or opened < 0 or ")" in claim.text[opened : until - begin]:
        return 0
    return begin + opened


def _bracket_behind(claim: Claim, quantity: Quantity) -> int:
    """Return where a bracket right behind the last of several figures begins: it may be of all."""
    begin = claim.clause.start
    match = _OPENED.match(claim.text, quantity.end - begin)
    return begin + match.start() if match else _END


_OPENED = re.compile(r"\s?\(")


def _is_apart(one: Quantity, other: Quantity, words: Sequence[Word]) -> bool:
    """Tell whether two figures of a clause can be compared and words stand between them."""
    if one.start == other.start or group_of(one.measure) != group_of(other.measure):
        return False
    first, second = (one, other) if one.start < other.start else (other, one)
    return any(first.end <= word.start < second.start and not word.is_light for word in words)


_ROLE = re.compile(
    r"[ )]{0,2}(전까지|전|후|이내|내에|이상|이하|초과|미만|당|마다|간|동안|한도|부터|까지|범위|이전"
    r"|이후|뒤|안에)"
)
_ROLES = {
    "내에": "이내",
    "안에": "이내",
    "뒤": "후",
    "이후": "후",
    "동안": "간",
    "전까지": "전",
    "이전": "전",
}


def _add_role(bag: Bag, claim: Claim, quantity: Quantity) -> None:
    """Add what the word behind a figure makes of it (N일 전, N일 이내, N원당)."""
    match = _ROLE.match(claim.text, quantity.end - claim.clause.start)
    if match:
        bag.add_feature(f"@{_ROLES.get(match[1], match[1])}", ROLE)


def written_number(figure: Figure) -> str:
    """Return the number of a figure as it is written; empty for dates and times of day."""
    found = _NUMBER.match(figure.quantity.text)
    return "" if found is None else found[0].replace(",", "").replace(" ", "")


def unit_of(figure: Figure) -> str:
    """Return the unit of a figure as it is written: 주 of 12주."""
    return re.sub(r"[\d,.~\s십백천만억조]|최대|약", "", figure.quantity.text)


def same_value(one: Measure, other: Measure) -> bool:
    """Tell whether two measures are the same value, in whatever notation."""
    if one.dimension == other.dimension:
        if sorted(one.values) == sorted(other.values):
            return True
        return len(one.values) == 1 and one.values[0] in other.values
    kinds = {one.dimension, other.dimension}
    if kinds <= {Dimension.CLOCK, Dimension.CLOCK_12}:
        return {value % _HALF_DAY for value in one.values} <= {v % _HALF_DAY for v in other.values}
    if one in parts_of(other) or other in parts_of(one):
        return True
    if Dimension.BARE in kinds and one.values[0] in other.values:
        return True
    return any(
        sorted(value * factor for value in first.values) == sorted(second.values)
        for first, second in ((one, other), (other, one))
        if (factor := _CONVERSIONS.get((first.dimension, second.dimension)))
    )


@lru_cache(maxsize=_MEASURES_KEPT)
def keys_of(measure: Measure) -> frozenset[int | Fraction]:
    """Return numbers of which two measures share one if they are the same value.

    Whole ones as integers, which are found much faster than fractions.
    """
    numbers = {*measure.values, *(value for part in parts_of(measure) for value in part.values)}
    if measure.dimension in {Dimension.CLOCK, Dimension.CLOCK_12}:
        numbers |= {value % _HALF_DAY for value in measure.values}
    for (dimension, _), factor in _CONVERSIONS.items():
        if dimension == measure.dimension:
            numbers |= {value * factor for value in measure.values}
    return frozenset([one.numerator if one.denominator == 1 else one for one in numbers])


# 2일 = 48시간, 만 2세 = 24개월, 0.15 = 15 %, 1.5배 = 150 %, 100포인트 = 100점.
_CONVERSIONS: dict[tuple[str, str], int] = {
    (Dimension.DAYS, Dimension.SECONDS): 86_400,
    (Dimension.AGE, Dimension.MONTHS): 12,
    (Dimension.BARE, Dimension.PERCENT): 100,
    ("배", Dimension.PERCENT): 100,
    ("포인트", "점"): 1,
}
