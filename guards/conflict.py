"""Sources that contradict one another, where the answer gives one side without saying so.

Finds: two source sentences that say the same with different figures (also telephone numbers, subway
    lines, exits), and an answer that gives only one of the figures. If one of them is certainly
    from the older edition (개정 전, 2021년판, 시행일), giving its figure is outdated.
Misses: contradictions in different words or without figures; two tables, headings or documents on
    different subjects, whose figures are assumed to be about different things; bounds (이상, 이하,
    초과, 미만), unless they come from two editions of one text.
Score: 1.0 for an outdated figure; 0.9 if it is not known which source is right; 0.7 for the newer
    figure if the answer does not name its edition.
Source: our own rules; kinds of conflict after the CONFLICTS benchmark (arXiv 2506.08500).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from guards.claims.question import asked_words
from guards.core.finding import Evidence, Finding, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage
from guards.core.reading import Reading, RequestReading, Text
from guards.evidence.contradictions import Contradictions, Side, ValueSentence
from guards.evidence.index import claims_of
from guards.evidence.values import Value, by_sentence, values_of
from guards.korean.words import Word
from guards.text.particles import final_consonant
from guards.text.slots.citation_mark import MarkKind, read_marks

_SAME_SUBJECT = 0.6
_SAYS_SO = re.compile(
    r"(?:자료|문서|출처|규정|안내)(?:마다|에 따라|별로)[^.\n]{0,20}(?:다르|다릅|달라)|"
    r"서로 다르|서로 다릅|상이|엇갈|일치하지 않|종전|현행|최신|"
    r"(?:개정|변경) ?[전후](?![가-힣])|개정된|개정판|개정안|변경된"
)
_WORD = re.compile(r"[가-힣A-Za-z0-9]{2,}")
_Span = tuple[int, int]


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
    label = Label("Conflicting sources", "자료 간 차이")
    stages = frozenset({Stage.OUTPUT})
    needs_sources = True
    scope = Scope.SEGMENT
    settings_type = ConflictSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "conflict.undisclosed": Code(
            label=Label(
                "The sources differ, and the answer does not say so", "출처끼리 다른데 밝히지 않음"
            ),
            meaning="The sources give different figures, and the answer gives only one of them.",
            message="자료마다 내용이 다른데 한쪽만 답했습니다",
            instruction=(
                '"{observed}"{observed:과} 다른 값 {expected}도 자료에 있습니다. 두 자료의 값이 '
                "다르면 둘 다 출처와 함께 쓰세요."
            ),
            without_value=(
                '"{observed}"{observed:과} 다른 값이 있는 자료도 있습니다. 어느 자료의 값인지 밝혀 '
                "쓰세요."
            ),
        ),
        "conflict.outdated": Code(
            label=Label("A figure of an older edition", "옛 판의 수치"),
            meaning="The answer gives the figure of an older edition.",
            message="자료마다 내용이 다른데 한쪽만 답했습니다",
            instruction=(
                '"{observed}"{observed:은} 이전 자료의 값입니다. 최신 자료의 값 '
                "{expected}{expected:을} 쓰세요."
            ),
            without_value=(
                '"{observed}"{observed:은} 이전 자료의 값입니다. 최신 자료의 값을 확인해 쓰세요.'
            ),
        ),
        "conflict.edition_unsaid": Code(
            label=Label(
                "Does not say that an older edition differs", "옛 판과 다르다는 점을 밝히지 않음"
            ),
            meaning=(
                "The answer gives the newer edition's figure without saying that there is another "
                "one."
            ),
            message="자료마다 내용이 다른데 한쪽만 답했습니다",
            instruction=(
                '"{observed}"{observed:은} 최신 자료의 값이고 이전 자료의 값은 {expected}입니다. '
                "어느 자료의 값인지 밝혀 쓰세요."
            ),
            without_value=(
                '"{observed}"{observed:은} 최신 자료의 값이고 이전 자료의 값은 다릅니다. 어느 '
                "자료의 값인지 밝혀 쓰세요."
            ),
        ),
    }

    def read_ahead(self, request: RequestReading) -> Iterator[None]:
        """Read where the sources contradict one another."""
        request.source_set.once(Contradictions)
        yield

    def check(self, reading: Reading) -> list[Finding]:
        """Look up each value of the answer among the contradictions of the sources."""
        answer = reading.answer_text
        answered = values_of(answer)
        if not answered:
            return []
        known = reading.source_set.once(Contradictions)
        sides = [side for side in known.sides if not _names_other(side, answered)]
        if not sides:
            return []
        marks = _names_of_sources(answer.raw)
        plain = _without(answer.raw, marks)
        findings: list[Finding] = []
        for words, values in _values_by_sentence(
            answer, answered, marks, reading.exchange.question
        ):
            for value in values:
                held = [side for side in sides if side.value.is_like(value)]
                taken = [
                    side
                    for side in _closest(words, held, value, known.sentences)
                    if not _says_so(side, plain, reading.exchange.question)
                ]
                finding = self._finding(value, taken)
                findings += [finding] if finding else []
        return findings

    def _finding(self, value: Value, taken: Sequence[Side]) -> Finding | None:
        outdated = [side for side in taken if side.is_older]
        open_sides = [side for side in taken if not (side.is_older or side.is_newer)]
        if outdated:
            return self._report("outdated", value, outdated, _fix(value, outdated), 1.0)
        if open_sides:
            return self._report("undisclosed", value, open_sides, None, 0.9)
        if taken and self.settings.newest_says_so:
            return self._report("edition_unsaid", value, taken, None, 0.7)
        return None

    def _report(
        self, kind: str, value: Value, sides: Sequence[Side], fix: str | None, score: float
    ) -> Finding:
        quotes = [(side.own.source.id, side.own.quoted) for side in sides[:1]]
        quotes += [(side.other.source.id, side.other.quoted) for side in sides]
        return Finding(
            guard=self.id,
            code=f"{self.id}.{kind}",
            part="answer",
            span=Span(value.start, value.end),
            observed=value.text,
            strength=Strength.C2 if kind == "outdated" else Strength.C1,
            expected=tuple(dict.fromkeys(side.other_value.shown for side in sides)),
            evidence=tuple(Evidence(*quote) for quote in dict.fromkeys(quotes)),
            score=score,
            fix=fix,
            # The answer may still give the other value, or say that there is one.
            provisional=True,
        )


def _names_other(side: Side, answered: Sequence[Value]) -> bool:
    return any(
        side.other_value.is_like(value) and not side.value.is_like(value) for value in answered
    )


def _without(answer: str, marks: Sequence[_Span]) -> str:
    """Return an answer of the same length with blanks for the names of its sources."""
    for start, end in marks:
        answer = f"{answer[:start]}{' ' * (end - start)}{answer[end:]}"
    return answer


def _names_of_sources(answer: str) -> list[_Span]:
    """Return where an answer names its sources."""
    marks = read_marks(answer)
    return [(mark.start, mark.end) for mark in marks if mark.kind is MarkKind.NAMED]


def _values_by_sentence(
    answer: Text, answered: Sequence[Value], marks: Sequence[_Span], question: str
) -> Iterator[tuple[Sequence[Word], list[Value]]]:
    """Yield for each sentence with values outside code what it says them of, and them.

    A sentence that says nothing else says it of what was asked.
    """
    read = answer.once(claims_of)
    for sentence, values in by_sentence(read, answered):
        skipped = [*marks, *((one.start, one.end) for one in values)]
        words = [word for _, label in sentence[0].labels for word in label]
        for claim in sentence:
            for word in claim.clause.words:
                start, end = read.page.raw_span(claim.offset + word.start, claim.offset + word.end)
                if not any(low < end and start < high for low, high in skipped):
                    words.append(word)
        telling = [word for word in words if not word.is_light]
        outside = [one for one in values if answer.prose[one.start : one.end] == one.text]
        yield telling or asked_words(question), outside


def _closest(
    words: Sequence[Word], sides: Sequence[Side], value: Value, sentences: Sequence[ValueSentence]
) -> list[Side]:
    """Return the sides that a sentence repeats, unless it repeats something else better."""
    best = max((side.own.share(words) for side in sides), default=0.0)
    if best < _SAME_SUBJECT:
        return []
    taken = {id(side.own) for side in sides}
    rivals = (one for one in sentences if id(one) not in taken and value.is_among(one.values))
    if any(rival.share(words) > best for rival in rivals):
        return []
    return [side for side in sides if side.own.share(words) == best]


def _says_so(side: Side, plain: str, question: str) -> bool:
    """Tell whether question or answer says that sources differ, or which edition is meant."""
    text = side.own.quoted
    if any(match[0] not in text for match in _SAYS_SO.finditer(f"{question}\n{plain}")):
        return True
    # To name one source is no disclosure; to name the edition is.
    said = f"{question}\n{plain}" if side.is_older or side.is_newer else question
    return any(word in said and word not in text for word in _telling_words(side))


def _telling_words(side: Side) -> set[str]:
    """Return what the title of one source has and that of the other has not."""
    editions = (side.own.edition, side.other.edition)
    one, other = (set(_WORD.findall(edition.name)) for edition in editions)
    return one ^ other | {f"{date[0]}년" for edition in editions for date in edition.dates}


def _fix(value: Value, sides: Sequence[Side]) -> str | None:
    """Return the newer value, if there is but one and what follows it still fits."""
    newer = sides[0].other_value
    if any(not newer.is_like(side.other_value) for side in sides):
        return None
    if newer.comparing_word != value.comparing_word:
        return None
    ends = final_consonant(newer.text[-1]), final_consonant(value.text[-1])
    return newer.text if ends[0] == ends[1] and min(ends) >= 0 else None
