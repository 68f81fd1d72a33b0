"""An answer's claims and figures, read once for every guard, and the values to compare with."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from guards.claims.question import asked_words
from guards.claims.reader import Reading as Claims
from guards.claims.reader import read_claims
from guards.claims.standing import Standing, standing_of
from guards.core.finding import Evidence
from guards.core.keeping import lazy
from guards.core.reading import Reading, RequestReading, SourceSet, Text
from guards.evidence.bands import Bands
from guards.evidence.binding import Bound, Relation, SourceFigures, Talk, figures_in
from guards.evidence.calculations.arithmetic import Arithmetic
from guards.evidence.calculations.derivable import Derivable
from guards.evidence.calculations.expressions import written
from guards.evidence.calculations.points import DATES
from guards.evidence.calculations.reckoning import says
from guards.evidence.figures import Figure, same_value
from guards.evidence.index import claims_of
from guards.evidence.thresholds import BINDING
from guards.text.citing.references import citation_places, read_references
from guards.text.hedging import claimed_quantities, hedged_starts
from guards.text.slots.units import Dimension, Measure

_SHORTEST_QUOTE_CHARS = 8
_TEN_THOUSAND = 10_000
# 40키로 may be kilograms, kilometres or kilowatt hours.
_SHORT_UNITS = ("키로", "킬로")
# Which bare numbers of a user may be won: 4200 is, and 700 may be 700만.
_FEWEST_WON, _FEWEST_TEN_THOUSANDS, _MOST_BARE = 1_000, 100_000, 1_000_000_000
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?<!,)")
_MOST_FIGURES, _MOST_PAIRS = 150, 30_000
# What users tell of themselves, and what is meant by it in every later turn.
_OF_THE_USER = DATES | {Dimension.AGE, Dimension.PEOPLE, "마리", "박"}
# 30일 맞나요?, 30일이라던데요, 30일이죠?: the question asserts its figure of the sources' world.
_CONFIRMS = re.compile(
    r"맞/V|이/VCP (?:\S+/EP )?(?:죠|지요|지|라던데|라면서|라고|ㄴ가요|ㄴ가|나요|냐)\S*/E"
    r"|다던데|다면서|다고/EC"
)
_OF_A_WEEK = re.compile(
    r"(?:첫|둘|셋|넷|다섯|마지막)(?:째|번째)?[ ]?(?:주|[월화수목금토일]요일)"
    r"|(?:이번|다음|담)[ ]?주(?!문|소|차)"
)
# 4시간이면 얼마죠: what is asked for is another figure.
_ASKS = re.compile(r"얼마|며칠|몇|언제|어디|누구|무엇|뭐")
# 6개월이 아니라 9개월: the first one is what the answer says is not so.
_TAKEN_BACK = re.compile(r"[ ]?(?:이|가|은|는)?[ ]?(?:아니라|아니고|아닌|대신)")


def answer_claims(reading: Reading) -> Claims:
    """Return the claims of an answer."""
    return reading.answer.text.once(claims_of) if reading.answer else read_claims("")


def answer_figures(reading: Reading) -> tuple[Figure, ...]:
    """Return the figures of an answer, in order."""
    return tuple(figures_in(reading.once(answer_claims), "", -1))


def answer_arithmetic(reading: Reading) -> Arithmetic:
    """Return how an answer derives its figures."""
    sources = reading.source_set.once(SourceFigures)
    figures = reading.once(answer_figures)
    user = reading.request.once(user_figures)
    answer = reading.once(answer_claims)
    return Arithmetic(answer, figures, user, sources.figures, sources.likeness_to)


def user_figures(request: RequestReading) -> tuple[Figure, ...]:
    """Return the figures of the question and of the turns before."""
    return (*request.once(_question_figures), *request.once(_earlier_figures))


class Compared:
    """The figures of one answer and the values to compare them with.

    Attributes:
        text: The answer.
        parts: The sources.
        judged_from: Where in the answer that begins which has to be judged.
        answer: The answer, read.
        figures: Its figures, in order.
        sources: The figures of the sources.
    """

    def __init__(self, reading: Reading) -> None:
        # Neither the reading nor the request: they keep this, and must go when nobody needs them.
        self.text = reading.answer.text if reading.answer else None
        self.parts = reading.sources
        self._question = reading.request.once(_question_figures)
        self._earlier = reading.request.once(_earlier_figures)
        self._turns = f"{reading.question.text.raw}\n{reading.exchange.echo}"
        self._asked = reading.request.once(_asked_features)
        self._bare_numbers = reading.request.once(_bare_numbers)
        self.judged_from = reading.judged_from
        self.answer = reading.once(answer_claims)
        self.figures = reading.once(answer_figures)
        self.sources = reading.source_set.once(SourceFigures)
        self._bands = reading.source_set.once(source_bands)
        self._bound: dict[int, Bound] = {}

    @property
    def is_small(self) -> bool:
        """True if the figures are few enough to compare each with each."""
        own, sources = len(self.figures), len(self.sources.figures)
        return own <= _MOST_FIGURES and own * sources <= _MOST_PAIRS

    @lazy
    def asserted(self) -> tuple[Figure, ...]:
        """The figures that the answer commits itself to and that are still to be judged."""
        return tuple(figure for figure in self.figures if self._is_asserted(figure))

    @lazy
    def rounded(self) -> tuple[Figure, ...]:
        """The figures still to be judged that the answer says are about right."""
        found = (figure for figure in self.figures if figure.quantity.approximate)
        return tuple(figure for figure in found if self._is_stated(figure))

    def _is_asserted(self, figure: Figure) -> bool:
        return self.span(figure)[0] in self._claimed and self._is_stated(figure)

    def _is_stated(self, figure: Figure) -> bool:
        if self.span(figure)[1] <= self.judged_from or self._is_taken_back(figure):
            return False
        if figure.claim.block.is_heading and figure.measure.values == (Fraction(1),):
            return False  # 1인 단가: the head of a column
        sentence = self.answer.sentences[figure.claim.sentence]
        return standing_of(figure.claim, sentence) in {Standing.ASSERTED, Standing.LABEL}

    @lazy
    def _claimed(self) -> frozenset[int]:
        """Starts of the figures that are no hedge, no citation and no number of a list item."""
        text = self.text
        if text is None:
            return frozenset()
        references = read_references(text.raw)
        until = references.start if references else len(text.raw)
        marks = citation_places(text.raw)
        hedged = frozenset(hedged_starts(text))
        return frozenset(
            one.start
            for one in claimed_quantities(text)
            if one.start < until
            and one.start not in hedged
            and not any(start <= one.start < end for start, end in marks)
        )

    def span(self, figure: Figure) -> tuple[int, int]:
        """Return the place of a figure in the raw answer."""
        return self.answer.page.raw_span(figure.start, figure.end)

    def bound(self, figure: Figure) -> Bound:
        """Return how the sources stand to a figure of the answer."""
        if figure.start not in self._bound:
            bound = self.sources.bind(figure, self._talk)
            if bound.held is Relation.HELD and bound.same is not None:
                same = [
                    one
                    for one in self.sources.with_value(figure.measure)
                    if one.group == figure.group
                ]
                right = self._bands.right(figure, same, self._question)
                if right is not None:
                    bound = Bound(Relation.MOVED, right, bound.likeness, bound.same)
            self._bound[figure.start] = bound
        return self._bound[figure.start]

    @lazy
    def _talk(self) -> Talk:
        words = (word for claim in self.answer.claims for word in claim.clause.words)
        labels = (
            word for claim in self.answer.claims for _, label in claim.labels for word in label
        )
        said = frozenset(feature for word in (*words, *labels) for feature in word.features)
        return Talk(self._asked, said)

    def says(self, source: Figure | None) -> bool:
        """Tell whether the answer gives a figure of the sources at its place, or sets it aside."""
        return any(
            same_value(one.measure, source.measure)
            and (self._is_taken_back(one) or self._is_at_home(one, source))
            for one in self.figures
            if source is not None
        )

    def _is_at_home(self, figure: Figure, source: Figure) -> bool:
        bound = self.bound(figure)
        return bound.held is Relation.HELD and bound.same is source

    def _is_taken_back(self, figure: Figure) -> bool:
        return _TAKEN_BACK.match(self.answer.page.plain, figure.end) is not None

    @lazy
    def arithmetic(self) -> Arithmetic:
        """Calculations that explain the figures of the answer."""
        sources = self.sources
        return Arithmetic(
            self.answer, self.figures, self.asked, sources.figures, sources.likeness_to
        )

    @lazy
    def asked(self) -> tuple[Figure, ...]:
        """The figures of the user: those of the question, and of earlier turns about the same."""
        own = [figure.context for figure in self.figures]
        return (
            *self._question,
            *(
                one
                for one in self._earlier
                if one.measure.dimension in _OF_THE_USER
                or any(_share_a_word(one, context) for context in own)
            ),
        )

    @lazy
    def derivable(self) -> Derivable:
        """Values that could be calculated."""
        texts = (self.answer.page.plain, *(part.text.raw for part in self.parts))
        has_month_ends = any("말일" in text for text in texts)
        return Derivable(
            self.figures, self.asked, self.sources.figures, has_month_ends=has_month_ends
        )

    def is_of_user(self, figure: Figure) -> bool:
        """Tell whether the user gave a figure without its unit (총급여 6200인데, 아버지(63))."""
        _, values, *_ = figure.measure
        known = self._bare_numbers
        in_won = figure.measure.dimension == Dimension.WON
        return len(values) == 1 and (
            values[0] in known
            or written(figure.quantity) in known
            or (in_won and values[0] / _TEN_THOUSAND in known)
        )

    def is_of_example(self, figure: Figure) -> bool:
        """Tell whether a figure is what an example leads to: 예를 들어 20매라면 6,500원입니다."""
        sentence = self.answer.sentences[figure.claim.sentence]
        before = sentence[: figure.claim.position]
        text = self.answer.page.plain[sentence[0].start : figure.start]
        return says("example", text) and any(one.clause.is_condition for one in before)

    def is_of_earlier_turn(self, figure: Figure) -> bool:
        """Tell whether a turn before the question has a figure's value."""
        return any(same_value(figure.measure, one.measure) for one in self._earlier)

    def has_day(self, figure: Figure) -> bool:
        """Tell whether a source, its title or a turn has the day of a date in any notation.

        `10/11` and `6.1` in a title are no dates to those who read quantities; a day of a week
        (둘째 주 화요일) may be any.
        """
        month, day = divmod(int(figure.measure.values[0]) % 10_000, 100)
        written = re.compile(rf"(?<!\d)0?{month}[ ]?(?:[./-]|월)[ ]?0?{day}(?!\d)")
        titles = (part.source.title for part in self.parts if part.source)
        texts = (*(part.text.raw for part in self.parts), *titles, self._turns)
        return any(written.search(text) or _OF_A_WEEK.search(text) for text in texts)

    @lazy
    def counts_from_user(self) -> bool:
        """Whether the user names a day and no source does: all others are counted from it."""
        return any(one.measure.dimension in DATES for one in self.asked) and not any(
            one.measure.dimension in DATES for one in self.sources.figures
        )

    def is_number_of(self, figure: Figure) -> bool:
        """Tell whether a count is the number of a bus, a window or a question: 버스 53번."""
        text = figure.quantity.text
        written = re.compile(rf"(?<![\d.,]){re.escape(text)}")
        return text.endswith("번") and any(written.search(part.text.raw) for part in self.parts)

    def is_quoted(self, figure: Figure) -> bool:
        """Tell whether a source has the figure's sentence word for word."""
        sentence = self.answer.sentences[figure.claim.sentence]
        text = self.answer.page.plain[sentence[0].start : sentence[-1].end].strip(" .!")
        return len(text) >= _SHORTEST_QUOTE_CHARS and any(
            text in part.text.raw for part in self.parts
        )

    def agrees(self, figure: Figure, bound: Bound) -> bool:
        """Tell whether the answer agrees to a figure that the question asserts of the sources."""
        if bound.held is not Relation.DIFFERS or bound.likeness < BINDING.premise:
            return False
        clause = figure.claim.clause
        if clause.is_condition or clause.is_concession:
            return False
        return any(
            same_value(figure.measure, one.measure)
            and _CONFIRMS.search(one.claim.clause.trail)
            and not _ASKS.search(one.claim.text)
            and not one.claim.clause.is_condition
            for one in self._question
        )

    def quotes(self, bound: Bound) -> tuple[Evidence, ...]:
        """Return the source's sentence that the right figure stands in."""
        right = bound.right
        if right is None:
            return ()
        page = self.sources.index.readings[right.source].page
        sentence = self.sources.index.readings[right.source].sentences[right.claim.sentence]
        start, end = page.raw_span(sentence[0].start, sentence[-1].end)
        part = self.parts[right.source]
        source_id = part.source.id if part.source else ""
        return (Evidence(source_id, part.text.raw[start:end]),)


def source_bands(sources: SourceSet) -> Bands:
    """Return the rows of bands of the sources."""
    return Bands(sources.once(SourceFigures))


def _question_figures(request: RequestReading) -> tuple[Figure, ...]:
    return tuple(_as_meant(request.question.text))


def _as_meant(text: Text) -> Iterator[Figure]:
    """Yield the figures of a user's turn, those that lack a unit also in won.

    예금이 700 있는데 is 700만 원, 4200원 is often typed as 4200.
    """
    for figure in figures_in(text.once(claims_of), "", -1):
        yield figure
        measure = figure.measure
        if measure.dimension != Dimension.BARE or len(measure.values) != 1:
            continue
        (value,) = measure.values
        for least, factor in ((_FEWEST_WON, 1), (_FEWEST_TEN_THOUSANDS, _TEN_THOUSAND)):
            if least <= value * factor and value < _MOST_BARE:
                won = Measure(Dimension.WON, (value * factor,))
                yield replace(figure, quantity=figure.quantity._replace(measure=won))


def _asked_features(request: RequestReading) -> frozenset[str]:
    words = asked_words(request.question.text.raw)
    return frozenset(feature for word in words for feature in word.features)


def _earlier_figures(request: RequestReading) -> tuple[Figure, ...]:
    return tuple(_as_meant(request.echo))


def _bare_numbers(request: RequestReading) -> frozenset[Fraction]:
    """Return the numbers of a question that stand without a unit."""
    text = request.question.text.raw
    typed = [
        (one.start, one.end)
        for one in request.question.text.quantities
        if one.measure.dimension != Dimension.BARE and not one.text.endswith(_SHORT_UNITS)
    ]
    return frozenset(
        Fraction(match[0].replace(",", ""))
        for match in _NUMBER.finditer(text)
        if not any(start < match.end() and match.start() < end for start, end in typed)
    )


def _share_a_word(figure: Figure, context: Mapping[str, float]) -> bool:
    """Tell whether a figure of an earlier turn is about what a figure of the answer is about."""
    return any(
        feature[0] not in "=@"
        and weight >= BINDING.near
        and context.get(feature, 0) >= BINDING.near
        for feature, weight in figure.context.items()
    )
