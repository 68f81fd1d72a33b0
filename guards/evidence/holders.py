"""Check that a value of the sources belongs to the thing that an answer gives it for.

A value belongs to its holder: a row of a table, a person, a branch, an edition. Two claims have one
holder if the source has every noun that the answer's claim is about, and the answer or the question
names every noun that tells the source's claim from those beside it: its row, its topic, its
condition. What is not certain counts as another holder.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from guards.claims.layout import Level
from guards.claims.question import asked_words, is_generic
from guards.claims.reader import Claim, label_words
from guards.claims.reader import Reading as Claims
from guards.core.finding import Evidence, Finding
from guards.core.reading import Reading
from guards.evidence.answers import answer_claims, answer_figures, user_figures
from guards.evidence.binding import SourceFigures
from guards.evidence.figures import Figure
from guards.evidence.index import Context, SourceClaim, SourceIndex, key_of
from guards.evidence.siblings import Siblings, place_of
from guards.evidence.thresholds import BINDING
from guards.korean.words import Word, stands_in

_NOMINAL = frozenset({"", "은", "는", "의"})
_TELLING = frozenset({Level.ROW, Level.LABEL, Level.PARENT})
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# Whom a sentence is for: no holder of what it says.
_WHOM = re.compile(r"(?:자|원|주|인|분|고객|학생|사람|누구나)$")
_ENOUGH = 2
# Two of these in one clause are mostly the ends of a span.
_POINTS = frozenset({"date", "clock", "month", "year"})


def has_same_holder(finding: Finding, reading: Reading) -> bool:
    """Tell whether the values that a finding expects are certainly those of the answer's thing.

    Args:
        finding: About a place in the answer.
        reading: The exchange.
    """
    said = _AnswerClaims(finding, reading)
    # What stands in a condition tells which case is meant; another case has another value.
    if not (said.claims and finding.expected) or any(
        one.clause.is_condition for one in said.claims
    ):
        return False
    return all(
        any(said.is_of(one, value) for one in _holding(value, finding.evidence, reading))
        for value in finding.expected
    )


def _holding(value: str, evidence: Iterable[Evidence], reading: Reading) -> Iterator[SourceClaim]:
    """Yield the claims of a finding's evidence in whose sentence a value stands."""
    index = reading.source_set.once(SourceIndex)
    # 1층 does not stand in 지하 1층, nor 500원 in 1,500원.
    stands = re.compile(rf"(?<![\d,.])(?<!지하){re.escape(_dense(value))}")
    for quoted in evidence:
        quote = _dense(quoted.quote)
        for one in index.claims:
            if one.source_id == quoted.source_id:
                text = _dense(index.text_of(one))
                if stands.search(text) and (text in quote or quote in text):
                    yield one


def _dense(text: str) -> str:
    return re.sub(r"[\s*`]+", "", text)


class _AnswerClaims:
    """The claims of an answer that a finding is about, with all that says what they are about."""

    def __init__(self, finding: Finding, reading: Reading) -> None:
        answer = reading.once(answer_claims)
        place = finding.span.start, finding.span.end
        self._reading = reading
        self.claims = [
            one
            for one in answer.claims
            if _overlap(answer.page.raw_span(one.start, one.end), place)
        ]
        self._figures = [
            one
            for one in reading.once(answer_figures)
            if _overlap(answer.page.raw_span(one.start, one.end), place)
        ]
        around = [word for claim in self.claims for word in _words_around(claim, place, answer)]
        sentences = [answer.sentences[at] for at in {one.sentence for one in self.claims}]
        words = [word for one in sentences for claim in one for word in claim.clause.words]
        words += [word for one in sentences for _, label in one[0].labels for word in label]
        question = reading.question.text.raw
        focus = asked_words(question)
        own = [word for word in around if _is_telling(word)]
        self._subject = [*own, *filter(_is_telling, _needed(focus, own, question))]
        self._named = frozenset(feature for one in (*words, *focus) for feature in one.features)
        self._keys = frozenset(key_of(one.measure) for one in reading.request.once(user_figures))
        self._text = " ".join((question, *(claim.text for one in sentences for claim in one)))

    def is_of(self, claim: SourceClaim, value: str) -> bool:
        """Tell whether a claim of a source that has a value is about the same thing."""
        if not (self._is_in_place(claim) and all(map(self._names, _telling_words(claim)))):
            return False
        sources = self._reading.source_set.once(SourceFigures)
        held = [
            one
            for one in sources.figures
            if any(one.claim is part for part in claim.sentence)
            and _dense(one.quantity.text) in _dense(value)
        ]
        right = [one for one in held if one.claim is claim.claim]
        if held and not right:
            return False  # another clause of the sentence gives it
        if not (right and self._figures):
            return self._is_covered_by(claim.context)
        return any(
            self._is_covered_by(one.context)
            and self._names_column(one, sources.figures)
            and not _is_one_end(one, sources.figures)
            and any(self._stands_alike(one, other) for other in self._figures)
            for one in right
        )

    def _is_covered_by(self, context: Context) -> bool:
        near = {feature for feature, weight in context.items() if weight >= BINDING.beside}
        return all(stands_in(word, near) for word in self._subject)

    def _names(self, word: Word) -> bool:
        return not _is_telling(word) or stands_in(word, self._named)

    def _is_in_place(self, claim: SourceClaim) -> bool:
        """Tell whether neither title nor headings are those of a sibling or of another year."""
        reading = self._reading
        source = reading.sources[claim.source].source
        above = [source.title if source else "", *(one.text for one in claim.claim.block.labels)]
        there = set(_YEAR.findall(" ".join((*above, *(one.text for one in claim.sentence)))))
        years = set(_YEAR.findall(self._text))
        if years and there and years.isdisjoint(there):
            return False
        siblings = reading.source_set.once(Siblings)
        foreign = siblings.foreign(self._text, reading.question.text.raw, reading.exchange.echo)
        return place_of(claim.claim, claim.source) not in foreign

    def _stands_alike(self, right: Figure, own: Figure) -> bool:
        """Tell whether two figures stand beside the same other figures."""
        sides = [{one for one in figure.context if one[0] == "@"} for figure in (right, own)]
        return (
            (not all(sides) or not sides[0].isdisjoint(sides[1]))
            and _beside(right) <= own.context.keys() | self._keys
            and _beside(own) <= right.context.keys() | {key_of(right.measure)}
        )

    def _names_column(self, right: Figure, figures: Sequence[Figure]) -> bool:
        """Tell whether the column of a cell is named, or the only one of its kind in its row."""
        block = right.claim.block
        is_alone = not any(
            one.source == right.source
            and one.group == right.group
            and one.claim.block.table == block.table > 0
            and one.claim.block.line == block.line
            and one.claim.block.column not in {0, block.column}
            for one in figures
        )
        columns = (label.text for label in block.labels if label.level is Level.COLUMN)
        return is_alone or all(map(self._names, (w for text in columns for w in label_words(text))))


def _needed(words: Sequence[Word], own: Sequence[Word], question: str) -> Iterator[Word]:
    """Yield the words of a question that say what a claim is about, besides the claim's own.

    A claim that names enough by itself needs those only that stand in one phrase with its words.
    """
    names_enough = len({word.features[-1] for word in own}) >= _ENOUGH
    said = {feature for word in own for feature in word.features}
    phrase: list[Word] = []
    # A question without words has none behind any, either.
    for word, behind in zip(words, [*words[1:], None], strict=False):
        phrase.append(word)
        if (
            behind is None
            or word.is_verb
            or word.particle not in {"", "의"}
            or (
                re.search(r"[^\s\d]", question[word.end : behind.start].removeprefix(word.particle))
            )
        ):
            if not names_enough or any(not said.isdisjoint(one.features) for one in phrase):
                yield from phrase
            phrase = []


def _is_one_end(right: Figure, figures: Sequence[Figure]) -> bool:
    """Tell whether another figure of the claim is about the same, as the other end of a span."""
    return any(
        one.claim is right.claim
        and one.group == right.group
        and one.measure != right.measure
        and (right.group in _POINTS or _near_words(one) == _near_words(right))
        for one in figures
    )


def _near_words(figure: Figure) -> set[str]:
    return {
        feature
        for feature, weight in figure.context.items()
        if feature[0] not in "=@" and weight >= BINDING.near
    }


def _words_around(claim: Claim, place: tuple[int, int], answer: Claims) -> Iterator[Word]:
    """Yield the words of a claim besides those at a place, unless it takes up all of the claim."""
    start, end = answer.page.raw_span(claim.start, claim.end)
    is_whole = place[0] <= start and end <= place[1]
    for word in claim.clause.words:
        at = answer.page.raw_span(claim.offset + word.start, claim.offset + word.end)
        if (is_whole or not _overlap(at, place)) and not _is_in_figure(word, claim):
            yield word
    for level, words in claim.labels:
        if level in _TELLING:
            yield from words


def _is_telling(word: Word) -> bool:
    is_noun = not word.is_verb and any(map(str.isalnum, word.text))
    return is_noun and not (word.is_light or is_generic(word))


def _telling_words(one: SourceClaim) -> Iterator[Word]:
    """Yield the words that tell a claim of a source from those beside it."""
    for level, words in one.claim.labels:
        if level in _TELLING:
            yield from words
    for claim in one.sentence[: one.claim.position + 1]:
        around = [word for word in claim.clause.words if not _is_in_figure(word, claim)]
        yield from around if claim.clause.is_condition else _topic(around)


def _topic(words: Sequence[Word]) -> Iterator[Word]:
    """Yield the topic of a clause and the nouns right before it."""
    last = next((at for at, word in enumerate(words) if word.particle in {"은", "는"}), -1)
    if last >= 0 and _WHOM.search(words[last].text):
        return
    yield from (
        word for word in words[: last + 1] if word.particle in _NOMINAL and len(word.text) > 1
    )


def _beside(figure: Figure) -> set[str]:
    """Return the other figures that stand right beside a figure, as features."""
    return {
        feature
        for feature, weight in figure.context.items()
        if feature[0] == "=" and weight >= BINDING.near
    }


def _is_in_figure(word: Word, claim: Claim) -> bool:
    return any(one.start <= word.start < one.end for one in claim.clause.figures)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]
