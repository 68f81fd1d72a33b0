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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Evidence, Finding, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Asked, Reading, Text
from guards.text.asked_value import without_asking_words
from guards.text.claims import bare_claim, claims
from guards.text.conflict_values import Figure, figures_of
from guards.text.contradictions import Contradictions, Side, Told
from guards.text.overlap_score import containment
from guards.text.particles import final_consonant
from guards.text.sentences import Sentence
from guards.text.slots.citation_mark import MarkKind, read_marks
from guards.text.slots.quantity import Quantity
from guards.text.tokens import content_words

_SAME_SUBJECT = 0.6
_ANY_FIGURE = "0"  # figures do not count when two sentences are compared
_FIGURE = re.compile(f"{_ANY_FIGURE}[가-힣]*")
_SAYS_SO = re.compile(
    r"(?:자료|문서|출처|규정|안내)(?:마다|에 따라|별로)[^.\n]{0,20}(?:다르|다릅|달라)|"
    r"서로 다르|서로 다릅|상이|엇갈|일치하지 않|종전|현행|최신|"
    r"(?:개정|변경) ?[전후](?![가-힣])|개정된|개정판|개정안|변경된"
)
_WORD = re.compile(r"[가-힣A-Za-z0-9]{2,}")


class ConflictSettings(GuardSettings):
    """Options of the guard."""

    newest_says_so: bool = Field(
        True,
        description="Also report an answer that gives the figure of the newer edition without "
        "saying that another edition has another one.",
    )


class Conflict(Guard[ConflictSettings]):
    """Report figures of the answer that another source contradicts."""

    id = "conflict"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
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

    def read_ahead(self, asked: Asked) -> Iterator[None]:
        """Read where the sources contradict one another."""
        asked.told.once(Contradictions)
        yield

    def check(self, reading: Reading) -> list[Finding]:
        """Look up each figure of the answer among the contradictions of the sources."""
        if reading.answer is None:
            return []
        answered = figures_of(reading.answer.text)
        if not answered:
            return []
        known = reading.told.once(Contradictions)
        sides = [side for side in known.sides if not _names_other(side, answered)]
        if not sides:
            return []
        plain = _without_citations(reading.answer.text.raw)
        taken_by: dict[tuple[str, str], list[Side]] = {}
        findings: list[Finding] = []
        for claim, figures in _claimed(reading.answer.text, answered):
            words = _words_of(claim, figures, plain)
            words = words or without_asking_words(reading.exchange.question)
            for figure in figures:
                key = (words, figure.shown)
                if key not in taken_by:
                    held = [side for side in sides if side.figure.is_like(figure)]
                    closest = _closest(words, held, figure, known.told)
                    taken_by[key] = [side for side in closest if not _says_so(side, plain, reading)]
                finding = self._finding(figure, taken_by[key])
                findings += [finding] if finding else []
        return findings

    def _finding(self, figure: Figure, taken: Sequence[Side]) -> Finding | None:
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
        self, kind: str, figure: Figure, sides: Sequence[Side], fix: str | None, score: float
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
            # The answer may come to the other value, or say that there is one.
            provisional=True,
        )


def _claimed(answer: Text, figures: Sequence[Figure]) -> Iterator[tuple[Sentence, list[Figure]]]:
    """Yield each claim that holds figures outside code, with them."""
    prose = answer.prose
    at = 0
    for claim in claims(answer.raw):
        held: list[Figure] = []
        while at < len(figures) and figures[at].start < claim.end:
            figure = figures[at]
            if figure.start >= claim.start and prose[figure.start : figure.end] == figure.text:
                held.append(figure)
            at += 1
        if held:
            yield claim, held


def _names_other(side: Side, answered: Iterable[Figure]) -> bool:
    return any(
        side.other_figure.is_like(figure) and not side.figure.is_like(figure) for figure in answered
    )


def _without_citations(answer: str) -> str:
    """Return an answer of the same length with blanks for the names of its sources."""
    pieces: list[str] = []
    position = 0
    for mark in read_marks(answer):
        if mark.kind is MarkKind.NAMED:
            pieces += [answer[position : mark.start], " " * (mark.end - mark.start)]
            position = mark.end
    return "".join((*pieces, answer[position:]))


def _words_of(claim: Sentence, figures: Iterable[Figure], plain: str) -> str:
    """Return what a claim says apart from its figures; empty if it says nothing else."""
    pieces: list[str] = []
    position = claim.start
    for figure in figures:
        pieces.append(plain[position : figure.start])
        position = max(position, figure.end)
    pieces.append(plain[position : max(position, claim.end)])
    words = bare_claim(_ANY_FIGURE.join(pieces))
    return words if content_words(_FIGURE.sub("", words)) else ""


def _closest(words: str, sides: Sequence[Side], figure: Figure, told: Sequence[Told]) -> list[Side]:
    """Return the sides that a claim repeats, unless it repeats some other statement better."""
    if not sides:
        return []
    scores = [_likeness(words, side.told) for side in sides]
    best = max(scores)
    if best < _SAME_SUBJECT:
        return []
    sentences = {side.told.statement.sentence for side in sides}
    rivals = (
        one
        for one in told
        if one.statement.sentence not in sentences
        and any(figure.is_like(own) for own in one.statement.figures)
    )
    if any(_likeness(words, rival) > best for rival in rivals):
        return []
    return [side for side, score in zip(sides, scores, strict=True) if score == best]


def _likeness(words: str, told: Told) -> float:
    statement = told.statement
    around = " ".join((statement.above, told.edition.name, *sorted(statement.heading)))
    return containment(words, f"{bare_claim(statement.sentence)} {around}")


def _says_so(side: Side, plain: str, reading: Reading) -> bool:
    """Tell whether question or answer says that sources differ, or which edition is meant."""
    told = side.told.statement.sentence
    asked = reading.exchange.question
    if any(match[0] not in told for match in _SAYS_SO.finditer(f"{asked}\n{plain}")):
        return True
    # To name one source is no disclosure; to name the edition is.
    said = f"{asked}\n{plain}" if side.is_older or side.is_newer else asked
    return any(word in said and word not in told for word in _telling_words(side))


def _telling_words(side: Side) -> set[str]:
    """Return what the title of one source has and that of the other has not."""
    editions = (side.told.edition, side.other.edition)
    one, other = (set(_WORD.findall(edition.name)) for edition in editions)
    return one ^ other | {f"{date[0]}년" for edition in editions for date in edition.dates}


def _fix(figure: Figure, sides: Sequence[Side]) -> str | None:
    """Return the newer figure, if there is but one and what follows it still fits."""
    newer = sides[0].other_figure
    if any(not newer.is_like(side.other_figure) for side in sides):
        return None
    if _comparing_word(newer) != _comparing_word(figure):
        return None
    ends = final_consonant(newer.text[-1]), final_consonant(figure.text[-1])
    return newer.text if ends[0] == ends[1] and min(ends) >= 0 else None


def _comparing_word(figure: Figure) -> str:
    return figure.slot.comparing_word if isinstance(figure.slot, Quantity) else ""
