"""Answers to another question than the one asked.

Finds: an answer without a value of the kind asked for (얼마, 언제, 어디, 누구, 왜, 전화번호, yes or
    no), one that names only one side of a comparison (both weak), and one whose every claim comes
    from a source on another subject while a source has the very subject of the question as its
    title (strong).
Misses: a value of the right kind for something else; questions for a procedure or an explanation;
    another subject where the sources have no titles. An answer that says it cannot answer is never
    reported.
Score: 0.5 for a missing kind or side; 0.9 for another subject.
Source: own rules.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import ClassVar

from pydantic import Field

from guards.claims.standing import abstains
from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Asked, Part, Reading, SourceSet, Text
from guards.text.answer_types import KOREAN_NAMES, AnswerType, asked_types, gives, sub_questions
from guards.text.claims import bare_claim, claims
from guards.text.comparisons import compared_sides, names_side
from guards.text.overlap_score import Passage, best_in, features
from guards.text.title_subject import title_subject


class IntentSettings(GuardSettings):
    """Options of the guard."""

    told_from: float = Field(
        0.7, ge=0, le=1, description="Share of a claim from which on a source is where it is from."
    )
    untold_below: float = Field(
        0.4, ge=0, le=1, description="Share of a claim below which a source does not tell it."
    )


class Intent(Guard[IntentSettings]):
    """Report answers that pass by the question."""

    id = "intent"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = IntentSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "intent.type_missing": Code(
            "The answer has no value of the kind that the question asks for.",
            "질문이 묻는 것({expected})에 답하세요. 자료에 없으면 없다고 쓰세요.",
        ),
        "intent.side_missing": Code(
            "The answer to a comparison names only one side.",
            "질문이 비교하는 두 대상을 모두 설명하세요. 빠진 대상: {expected}",
        ),
        "intent.other_subject": Code(
            "The answer tells another source than the one that the question is about.",
            "질문과 다른 주제의 답입니다. '{expected}' 자료의 내용으로 답하세요.",
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """No answer, no question, or an answer that says it cannot answer."""
        if reading.answer is None:
            return "no_answer"
        if not reading.exchange.question.strip():
            return "no_question"
        return "abstained" if _abstains(reading) else None

    def read_ahead(self, asked: Asked) -> Iterator[None]:
        """Read what is asked for, and which sources are about it."""
        asked.once(_by_subject)
        asked.once(_asked_types)
        yield

    def check(self, reading: Reading) -> list[Finding]:
        """Compare what the question asks for with what the answer gives."""
        if reading.answer is None or not reading.answer.text.raw.strip():
            return []
        other = self._other_subject(reading)
        if other is not None:
            return [other]
        return [*_types_missing(reading), *_sides_missing(reading)]

    def _other_subject(self, reading: Reading) -> Finding | None:
        about, elsewhere = reading.asked.once(_by_subject)
        if len(about) != 1 or not elsewhere:
            return None
        [asked] = about
        told = [bare_claim(claim.text) for claim in claims(_answer(reading))]
        title = asked.source.title if asked.source else ""
        said = features(_answer(reading)).forms
        if not told or any(_named_in(title_subject(title), said)):
            return None
        for claim in told:
            if _held(claim, asked) >= self.settings.untold_below:
                return None
            if max(_held(claim, part) for part in elsewhere) < self.settings.told_from:
                return None
        return _finding(
            "other_subject",
            reading,
            title,
            Severity.STRONG,
            (Evidence(asked.source.id, title),) if asked.source else (),
        )


def _types_missing(reading: Reading) -> Iterator[Finding]:
    answer = reading.answer.text if reading.answer else Text("")
    missing: dict[AnswerType, Finding | None] = {}
    for kind in reading.asked.once(_asked_types):
        if kind not in missing:
            is_given = gives(answer, kind)
            missing[kind] = (
                None if is_given else _finding("type_missing", reading, KOREAN_NAMES[kind])
            )
        if found := missing[kind]:
            yield found


def _asked_types(asked: Asked) -> list[AnswerType]:
    """Return the kinds of answer that each part of the question asks for, in order."""
    questions = sub_questions(asked.question.text.raw)
    return [kind for question in questions for kind in sorted(asked_types(question))]


def _sides_missing(reading: Reading) -> Iterator[Finding]:
    for side in compared_sides(reading.exchange.question) or ():
        if not names_side(_answer(reading), side):
            yield _finding("side_missing", reading, side)


def _finding(
    what: str,
    reading: Reading,
    expected: str,
    severity: Severity = Severity.WEAK,
    evidence: tuple[Evidence, ...] = (),
) -> Finding:
    answer = _answer(reading)
    observed = answer.strip()
    start = answer.index(observed)
    is_strong = severity is Severity.STRONG
    return Finding(
        guard=Intent.id,
        code=f"{Intent.id}.{what}",
        part="answer",
        span=Span(start, start + len(observed)),
        observed=observed,
        severity=severity,
        strength=Strength.C2 if is_strong else Strength.E1,
        expected=(expected,),
        evidence=evidence,
        score=0.9 if is_strong else 0.5,
        # The answer may come to what was asked.
        provisional=True,
    )


def _answer(reading: Reading) -> str:
    return reading.answer.text.raw if reading.answer else ""


def _abstains(reading: Reading) -> bool:
    """Tell whether any sentence of an answer says that it cannot answer."""
    sentences = reading.answer.text.sentences if reading.answer else ()
    return any(reading.asked.remembered(abstains, one.text) for one in sentences)


def _by_subject(asked: Asked) -> tuple[list[Part], list[Part]]:
    """Return the sources that the question is about by title, and those it does not touch."""
    about: list[Part] = []
    elsewhere: list[Part] = []
    forms = features(asked.question.text.raw).forms
    for part, subject in zip(asked.sources, asked.told.once(_subjects), strict=True):
        named = _named_in(subject, forms)
        if named and all(named):
            about.append(part)
        elif named and not any(named):
            elsewhere.append(part)
    return about, elsewhere


def _subjects(told: SourceSet) -> list[tuple[frozenset[str], ...]]:
    """Return what the title of each source names."""
    return [title_subject(part.source.title if part.source else "") for part in told.parts]


def _named_in(subject: Sequence[frozenset[str]], forms: Set[str]) -> list[bool]:
    """Tell for each word of a subject whether a text of these forms names it."""
    return [not names.isdisjoint(forms) for names in subject]


def _held(claim: str, part: Part) -> float:
    return best_in(claim, Passage("", part.text.held_index))
