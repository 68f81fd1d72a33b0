"""Clauses whose words are not in the sources.

Finds: clauses that assert something with nouns that appear in no form (inflected, in a compound, as
    a synonym) in the sources, the question or the general vocabulary of explanations: two or more
    things named with such nouns, the members of an enumeration counting as one (strong), or a
    single noun of three letters or more; clauses of which no single source sentence has enough
    (weak). A noun counts only if the analyser finds it in nearly all likely readings of the clause.
Misses: inventions in the sources' own words, or with a single short new word; examples (수술이나
    항암처럼), praise in adjectives, hypothetical cases and comparisons; advice and offers;
    statements of what the answer does not know.
Score: one minus the share of the content words that the sources have.
Source: our own measure over morphemes; general words in `guards.lexicons`, thresholds fitted in
    `guards.evidence.thresholds`.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import ClassVar

from pydantic import Field

from guards.claims.reader import Claim, Clause
from guards.claims.standing import Standing, abstains, standing_of
from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage
from guards.core.reading import Reading, RequestReading
from guards.evidence.index import SourceIndex, claims_of
from guards.evidence.novelty import Measured, Vocabulary
from guards.evidence.thresholds import (
    COMPARED_WORDS,
    FEWEST_WORDS,
    INVENTED_BELOW,
    INVENTED_WORDS,
    NAMING_CHARS,
    SUPPORTED_FROM,
)
from guards.korean.words import Word
from guards.text.citing.references import citation_places, read_references

_APART = 2
_BRACKETS = re.compile(r"\(([^()]{8,120})\)")


class OverlapSettings(GuardSettings):
    """Options of the guard."""

    min_support: float = Field(
        SUPPORTED_FROM,
        ge=0,
        le=1,
        description="Least share of a clause's telling words that a source's sentence must hold.",
    )
    unsupported_below: float = Field(
        INVENTED_BELOW,
        ge=0,
        le=1,
        description="A clause is taken for invented if all sources together have a smaller share.",
    )
    unsupported_words: float = Field(
        INVENTED_WORDS,
        ge=0,
        description="... and so many of its words are not in the sources.",
    )
    unknown_word_chars: int = Field(
        NAMING_CHARS,
        ge=1,
        description="A single noun of so many letters that no source has is reported by itself.",
    )
    min_words: int = Field(
        FEWEST_WORDS,
        ge=1,
        description="Clauses with fewer telling words are too short to judge.",
    )


class Overlap(Guard[OverlapSettings]):
    """Report clauses that no source passage resembles."""

    id = "overlap"
    label = Label("Support in the sources", "근거")
    stages = frozenset({Stage.OUTPUT})
    needs_sources = True
    scope = Scope.SEGMENT
    settings_type = OverlapSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "overlap.unsupported": Code(
            label=Label("The sources do not mention this", "출처에 이런 내용이 없음"),
            meaning="The sources contain hardly anything of the claim.",
            instruction=(
                '"{observed}" 부분은 자료에 없는 내용입니다. 빼고, 자료에 있는 내용만 쓰세요.'
            ),
        ),
        "overlap.unknown_word": Code(
            label=Label("A word that no source has", "출처에 없는 말"),
            meaning="The claim names something that no source mentions in any form.",
            instruction=(
                '"{observed}"에 관한 내용은 자료에 없습니다. 빼고, 자료에 있는 내용만 쓰세요.'
            ),
        ),
        "overlap.low": Code(
            label=Label("The sources say little about this", "출처에 이런 내용이 거의 없음"),
            meaning="No passage of the sources contains enough of the claim's words.",
            instruction=(
                '"{observed}" 문장은 자료에서 근거를 찾기 어렵습니다. 자료에 있는 내용만 쓰세요.'
            ),
        ),
    }

    def read_ahead(self, request: RequestReading) -> Iterator[None]:
        """Read the claims of the sources and their words."""
        request.source_set.once(SourceIndex)
        yield
        request.once(Vocabulary)
        yield

    def check(self, reading: Reading) -> list[Finding]:
        """Measure each asserted clause; adjacent clauses are reported together."""
        answer = _Answer(reading)
        return [
            finding
            for sentence in answer.read.sentences
            for finding in self._of_sentence(sentence, answer, reading.judged_from)
        ]

    def _of_sentence(
        self, sentence: Sequence[Claim], answer: "_Answer", judged_from: int
    ) -> Iterator[Finding]:
        places = [
            (span, claim, answer.words(claim))
            for claim, span in zip(sentence, map(answer.span, sentence), strict=True)
            if span.end > judged_from
            and not _says_no_fact(claim.clause)
            and answer.asserts(claim, sentence)
        ]
        measured = [(span, claim, answer.measure(claim, words)) for span, claim, words in places]
        facts = [place for place in measured if not _names_a_case(place[1].clause)]
        last = sentence[-1]
        invented = [
            (span, together)
            for span, together in _joined(place for place in facts if self._is_novel(place[2]))
            if self._is_invented(together)
        ]
        for span, together in invented:
            yield answer.finding("overlap.unsupported", span, 1 - together.known, last)
        named = [
            answer.place(claim, word)
            for span, claim, one in facts
            if not any(found.start <= span.start < found.end for found, _ in invented)
            for word in one.unknown
            if len(word.text) >= self.settings.unknown_word_chars
        ]
        for place in named:
            yield answer.finding("overlap.unknown_word", place, 1.0, last)
        held, count = answer.held(word for _, _, words in places for word in words)
        is_thin = count >= COMPARED_WORDS and held < self.settings.min_support
        if is_thin and not invented and not named:
            span = Span(places[0][0].start, places[-1][0].end)
            yield answer.finding("overlap.low", span, 1 - held, last)

    def _is_novel(self, measured: Measured) -> bool:
        """Tell whether a clause may be part of what is invented."""
        return bool(measured.unknown) and measured.known < self.settings.unsupported_below

    def _is_invented(self, measured: Measured) -> bool:
        settings = self.settings
        return (
            measured.telling >= settings.min_words
            and measured.things >= min(settings.unsupported_words, measured.telling)
            and measured.known < settings.unsupported_below
        )


# 주당 수업 횟수가 하루 더 많습니다: what follows from figures of the sources, in words of its own.
_COMPARES = re.compile(
    r"더/MAG (?:많|적|길|짧|비싸|싸|높|낮|크|작|넓|좁|빠르|느리|저렴|유리|불리)/"
    r"|보다/JKB (?:\S+ )*(?:(?:더|덜)/MAG|(?:많|적|길|짧|비싸|싸|높|낮|크|작|넓|좁|빠르|늦)/VA"
    r"|(?:저렴|유리|불리|이득|손해)/)"
)
# 내장 장치이므로: the answer calls the user's case by a kind. 박스를 버렸거나: one case of several.
_NAMES_A_CASE = re.compile(r"이/VCP (?:므로|니|니까|라|라서|어서)/EC$|(?<!시/EP )거나/EC$")


# 유학이나 구직, 취업: the beginning of a series, which a comma cuts off.
_ENDS_IN_NOUN = re.compile(r"/(?:NNG|NNP|XSN)(?: (?:또는|및|혹은)/MAJ)?$")


def _says_no_fact(clause: Clause) -> bool:
    """Tell whether a clause is a condition, or compares what others say."""
    return clause.is_condition or _COMPARES.search(clause.trail) is not None


def _names_a_case(clause: Clause) -> bool:
    """Tell whether a clause names a case, which may be doubtful but is not invented."""
    return clause.is_concession or _NAMES_A_CASE.search(clause.trail) is not None


class _Answer:
    """An answer and what of it can be judged."""

    def __init__(self, reading: Reading) -> None:
        text = reading.answer_text
        self.read = text.once(claims_of)
        self._text = text
        self._vocabulary = reading.request.once(Vocabulary)
        self._marks = citation_places(text.raw)
        references = read_references(text.raw)
        self._end = references.start if references else len(text.raw)

    def span(self, claim: Claim) -> Span:
        """Return the place of a clause in the answer, without blanks and commas around it."""
        start, end = self.read.page.raw_span(claim.start, claim.end)
        piece = self._text.raw[start:end]
        start += len(piece) - len(piece.lstrip(" ,;\n\t"))
        return Span(start, max(start, end - len(piece) + len(piece.rstrip())))

    def asserts(self, claim: Claim, sentence: Sequence[Claim]) -> bool:
        """Tell whether a clause is prose before the references that says something."""
        start, end = self.read.page.raw_span(claim.start, claim.end)
        if start >= self._end or not self._text.prose[start:end].strip():
            return False
        return standing_of(claim, sentence) is Standing.ASSERTED

    def measure(self, claim: Claim, words: Sequence[Word]) -> Measured:
        """Return how far the sources contain the words of a clause."""
        return self._vocabulary.measure(claim, words)

    def place(self, claim: Claim, word: Word) -> Span:
        """Return the place of a word of a clause in the answer."""
        start, end = claim.offset + word.start, claim.offset + word.end
        return Span(*self.read.page.raw_span(start, end))

    def held(self, words: Iterable[Word]) -> tuple[float, int]:
        """Return the share of the content words that a source has, and their number."""
        telling = [word for word in words if not word.is_light]
        return self._vocabulary.held(telling), len(telling)

    def words(self, claim: Claim) -> Sequence[Word]:
        """Return the words of a clause, citation marks and honest remarks in brackets aside."""
        words: Sequence[Word] = claim.clause.words
        if self._marks:
            words = [word for word in words if not self._is_marked(claim, word)]
        if "(" not in claim.text:
            return words
        # … 낼 수 있어요(전환율은 자료에 없어 공사에 물어보셔야 해요): an honest remark.
        begin = claim.clause.start
        remarks = [one.span(1) for one in _BRACKETS.finditer(claim.text) if abstains(one[1])]
        return [
            word
            for word in words
            if not any(start <= word.start - begin < end for start, end in remarks)
        ]

    def _is_marked(self, claim: Claim, word: Word) -> bool:
        start = self.read.page.raw_span(claim.offset + word.start, claim.offset + word.end)[0]
        at = bisect_right(self._marks, start, key=itemgetter(0)) - 1
        return at >= 0 and start < self._marks[at][1]

    def finding(self, code: str, span: Span, score: float, claim: Claim) -> Finding:
        """Return a finding about a place of the answer, whose sentence ends with a clause."""
        observed = self._text.raw[span.start : span.end]
        # What ends without a full stop may still become the heading of what follows.
        so_far = self._text.raw[span.start : max(span.end, self.span(claim).end)]
        is_open = not so_far.rstrip("*_\"'” )").endswith((".", "!", "다", "요"))
        return Finding(
            guard=Overlap.id,
            code=code,
            part="answer",
            span=span,
            observed=observed,
            severity=Severity.WEAK if code == "overlap.low" else Severity.STRONG,
            strength=Strength.E0,
            score=round(score, 3),
            provisional=is_open and claim.block is self.read.page.blocks[-1],
        )


def _joined(found: Iterable[tuple[Span, Claim, Measured]]) -> Iterator[tuple[Span, Measured]]:
    """Yield places with what was measured; those with hardly anything between them as one."""
    joined: list[tuple[Span, Measured]] = []
    ends_in_noun = False
    for span, claim, measured in found:
        if joined and span.start - joined[-1][0].end <= _APART:
            before, so_far = joined[-1]
            together = so_far.joined(measured, in_series=ends_in_noun)
            joined[-1] = Span(before.start, span.end), together
        else:
            joined.append((span, measured))
        ends_in_noun = _ENDS_IN_NOUN.search(claim.clause.trail) is not None
    yield from joined
