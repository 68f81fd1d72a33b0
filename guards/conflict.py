"""Sources that contradict one another, where the answer takes one side without a word.

Finds: two source sentences that say the same with different figures (also telephone numbers, subway
    lines, exits), and an answer that gives one of the figures only. If one of the two is certainly
    the older edition (개정 전, 2021년판, 시행일), giving its figure is outdated.
Misses: contradictions told in different words or without figures; two different tables, headings
    or documents on different subjects, whose figures are taken to be about different things; bounds
    (이상, 이하, 초과, 미만), unless they come from two editions of one text.
Score: 1.0 for an outdated figure; 0.9 where nobody can tell which source is right; 0.7 for the
    newer figure whose edition the answer does not name.
Source: own rules; kinds of conflict after the CONFLICTS benchmark (arXiv 2506.08500).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Evidence, Finding, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Reading, Text
from guards.text.claims import bare_claim, claims
from guards.text.editions import Edition, edition_of
from guards.text.conflict_values import Figure, figures_of
from guards.text.overlap_score import containment, features
from guards.text.particles import final_consonant
from guards.text.scripts import prose_only
from guards.text.sentences import Sentence
from guards.text.slots.citation_mark import MarkKind, read_marks
from guards.text.slots.quantity import Quantity
from guards.text.conflict_statements import Statement, statements_of

_SAME_SUBJECT = 0.6
_ANY_FIGURE = "0"  # figures do not count when two sentences are compared
# A key that turns up so often is a form, and what its figures are about stands elsewhere.
_MOST_WITH_ONE_KEY = 12
_WORDS_WITHOUT_TITLE = 2
_WORDS_IN_ONE_DOCUMENT = 3
_SAYS_SO = re.compile(
    r"(?:자료|문서|출처|규정|안내)(?:마다|에 따라|별로)[^.\n]{0,20}(?:다르|다릅|달라)|서로 다르|서로 다릅|상이|엇갈|"
    r"일치하지 않|종전|(?:개정|변경) ?[전후](?![가-힣])|개정된|개정판|개정안|변경된|현행|최신"
)
_WORD = re.compile(r"[가-힣A-Za-z0-9]{2,}")


class ConflictSettings(GuardSettings):
    """Options of the guard."""

    newest_says_so: bool = Field(
        True,
        description="Also report an answer that gives the figure of the newer edition without "
        "saying that another edition has another one.",
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """A statement and the source that makes it."""

    source_id: str
    edition: Edition
    statement: Statement

    @property
    def subject(self) -> frozenset[str]:
        return self.edition.subject | self.statement.heading


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a contradiction as the answer may take it, and the other."""

    told: _Told
    figure: Figure
    other: _Told
    other_figure: Figure

    @property
    def is_older(self) -> bool:
        return self.other.edition.is_newer_than(self.told.edition)

    @property
    def is_newer(self) -> bool:
        return self.told.edition.is_newer_than(self.other.edition)


class Conflict(Guard[ConflictSettings]):
    """Report figures of the answer that another source contradicts."""

    id = "conflict"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.ANSWER
    settings_type = ConflictSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "conflict.undisclosed": Code(
            "The sources give different figures, and the answer names one of them only.",
            '"{observed}"와(과) 다른 값 {expected}도 자료에 있습니다. '
            "두 자료의 값이 다르면 둘 다 출처와 함께 쓰세요.",
        ),
        "conflict.outdated": Code(
            "The answer gives the figure of an older edition.",
            '"{observed}"은(는) 이전 자료의 값입니다. 최신 자료의 값 {expected}을(를) 쓰세요.',
        ),
        "conflict.edition_unsaid": Code(
            "The answer gives the newer edition's figure without saying that there is another one.",
            '"{observed}"은(는) 최신 자료의 값이고 이전 자료의 값은 {expected}입니다. '
            "어느 자료의 값인지 밝혀 쓰세요.",
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Nothing to compare, or nothing to contradict."""
        if reading.answer is None:
            return "no_answer"
        return None if reading.sources else "no_sources"

    def check(self, reading: Reading) -> list[Finding]:
        """Look up each figure of the answer among the contradictions of the sources."""
        if reading.answer is None:
            return []
        answered = figures_of(reading.answer.text)
        if not answered:
            return []
        told = _told(reading)
        sides = list(_sides(told))
        if not sides:
            return []
        findings: list[Finding] = []
        for claim, figure in _claimed(reading.answer.text, answered):
            held = [side for side in sides if _is_same(side.figure, figure)]
            taken = [side for side in held if not _names_other(side, answered)]
            if not taken:
                continue
            words = _words_of(claim, answered, reading)
            closest = _closest(words, taken, figure, told)
            taken = [side for side in closest if not _says_so(side, reading)]
            finding = self._finding(figure, taken)
            if finding is not None:
                findings.append(finding)
        return findings

    def _finding(self, figure: Figure, taken: Sequence[_Side]) -> Finding | None:
        outdated = [side for side in taken if side.is_older]
        open_sides = [side for side in taken if not (side.is_older or side.is_newer)]
        if outdated:
            return self._report("outdated", figure, outdated, _fix(figure, outdated), 1.0)
        if open_sides:
            return self._report("undisclosed", figure, open_sides, None, 0.9)
        if taken and self.settings.newest_says_so:
            return self._report("edition_unsaid", figure, taken, None, 0.7)
        return None

    def _report(
        self, kind: str, figure: Figure, sides: Sequence[_Side], fix: str | None, score: float
    ) -> Finding:
        quotes = [(side.told.source_id, side.told.statement.sentence) for side in sides[:1]]
        quotes += [(side.other.source_id, side.other.statement.sentence) for side in sides]
        return Finding(
            guard=self.id,
            code=f"{self.id}.{kind}",
            part="answer",
            span=Span(figure.start, figure.end),
            observed=figure.text,
            strength=Strength.C2 if kind == "outdated" else Strength.C1,
            expected=tuple(dict.fromkeys(side.other_figure.shown for side in sides)),
            evidence=tuple(Evidence(*quote) for quote in dict.fromkeys(quotes)),
            score=score,
            fix=fix,
        )


def _told(reading: Reading) -> list[_Told]:
    return [
        _Told(source.id, edition_of(source), statement)
        for part, source in zip(reading.sources, reading.exchange.sources, strict=True)
        for statement in statements_of(part.text)
    ]


def _sides(told: Iterable[_Told]) -> Iterator[_Side]:
    """Yield both sides of every contradiction."""
    by_key: dict[str, list[_Told]] = defaultdict(list)
    for one in told:
        by_key[one.statement.key].append(one)
    for group in by_key.values():
        if len(group) > _MOST_WITH_ONE_KEY:
            continue
        for position, one in enumerate(group):
            for other in group[:position]:
                for figure, other_figure in _contradictions(one, other):
                    yield _Side(one, figure, other, other_figure)
                    yield _Side(other, other_figure, one, figure)


def _contradictions(one: _Told, other: _Told) -> list[tuple[Figure, Figure]]:
    if not _on_one_subject(one, other):
        return []
    figures = list(zip(one.statement.figures, other.statement.figures, strict=False))
    if len(one.statement.figures) != len(other.statement.figures):
        return []
    if any(figure.kind != beside.kind for figure, beside in figures):
        return []
    different = [pair for pair in figures if not pair[0].agrees(pair[1])]
    if one.edition.is_ranked_against(other.edition):
        return different
    # Where two figures differ, the first may be what tells two rules apart (50명 이상: 3일).
    if len(different) != 1 or any(figure.is_threshold for figure in different[0]):
        return []
    return different


def _on_one_subject(one: _Told, other: _Told) -> bool:
    """Tell whether two statements with one key are about the same thing."""
    first, second = one.statement, other.statement
    leans = first.points or second.points
    words = min(first.words, second.words)
    if one.edition.name and one.edition.name == other.edition.name:
        in_place = one.source_id != other.source_id or first.section == second.section
        return in_place and not leans and words >= _WORDS_IN_ONE_DOCUMENT and (
            first.heading == second.heading
        )
    if one.subject and one.subject == other.subject:
        return True
    if one.subject and other.subject:
        return False
    return not leans and words >= _WORDS_WITHOUT_TITLE


def _claimed(answer: Text, figures: Sequence[Figure]) -> Iterator[tuple[Sentence, Figure]]:
    prose = prose_only(answer.raw)
    made = iter(claims(answer.raw))
    claim = next(made, None)
    for figure in figures:
        while claim is not None and claim.end <= figure.start:
            claim = next(made, None)
        if claim is None:
            return
        if claim.start <= figure.start and prose[figure.start : figure.end] == figure.text:
            yield claim, figure


def _is_same(one: Figure, other: Figure) -> bool:
    return one.kind == other.kind and one.agrees(other)


def _names_other(side: _Side, answered: Iterable[Figure]) -> bool:
    return any(
        _is_same(side.other_figure, figure) and not _is_same(side.figure, figure)
        for figure in answered
    )


def _words_of(claim: Sentence, figures: Iterable[Figure], reading: Reading) -> str:
    """Return what a claim says apart from its figures; the question if it says nothing else."""
    pieces: list[str] = []
    position = claim.start
    for figure in figures:
        if claim.start <= figure.start < claim.end:
            pieces.append(claim.text[position - claim.start : figure.start - claim.start])
            position = max(position, figure.end)
    pieces.append(claim.text[max(0, position - claim.start) :])
    words = bare_claim(_ANY_FIGURE.join(pieces))
    return words if features(words).stems else reading.exchange.question


def _closest(
    words: str, sides: Sequence[_Side], figure: Figure, told: Sequence[_Told]
) -> list[_Side]:
    """Return the sides that a claim repeats, unless it repeats some other statement better."""
    scores = [_likeness(words, side.told) for side in sides]
    best = max(scores)
    if best < _SAME_SUBJECT:
        return []
    sentences = {side.told.statement.sentence for side in sides}
    rivals = (
        one
        for one in told
        if one.statement.sentence not in sentences
        and any(_is_same(figure, own) for own in one.statement.figures)
    )
    if any(_likeness(words, rival) > best for rival in rivals):
        return []
    return [side for side, score in zip(sides, scores, strict=True) if score == best]


def _likeness(words: str, told: _Told) -> float:
    around = " ".join((told.edition.name, *told.statement.heading))
    return containment(words, f"{bare_claim(told.statement.sentence)} {around}")


def _says_so(side: _Side, reading: Reading) -> bool:
    """Tell whether question or answer says that sources differ, or which edition is meant."""
    answer = reading.exchange.answer or ""
    marks = [mark for mark in read_marks(answer) if mark.kind is MarkKind.NAMED]
    for mark in marks:
        answer = f"{answer[: mark.start]}{' ' * (mark.end - mark.start)}{answer[mark.end :]}"
    said = f"{reading.exchange.question}\n{answer}"
    told = side.told.statement.sentence
    if any(match[0] not in told for match in _SAYS_SO.finditer(said)):
        return True
    words = set(_WORD.findall(side.told.edition.name)) ^ set(_WORD.findall(side.other.edition.name))
    words |= {f"{date[0]}년" for one in (side.told, side.other) for date in one.edition.dates}
    return any(word in said and word not in told for word in words)


def _fix(figure: Figure, sides: Sequence[_Side]) -> str | None:
    """Return the newer figure, if there is but one and what follows it still fits."""
    newer = sides[0].other_figure
    if any(not _is_same(newer, side.other_figure) for side in sides):
        return None
    if _comparing_word(newer) != _comparing_word(figure):
        return None
    ends = final_consonant(newer.text[-1]), final_consonant(figure.text[-1])
    return newer.text if ends[0] == ends[1] and min(ends) >= 0 else None


def _comparing_word(figure: Figure) -> str:
    return figure.slot.comparing_word if isinstance(figure.slot, Quantity) else ""
