"""Which claims of an answer a judge is asked about, and when it is not asked at all.

A claim is open if the guards' findings about it are only weak or only possible, or if they found
nothing and the sources still hold little of it. What the sources hold, and what a guard refutes by
comparing values, needs no opinion.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.reading import Reading
from guards.overlap import Overlap
from guards.text.citing.statements import Statement, read_statements
from guards.text.citing.support import Support
from guards.text.claims import bare_claim
from guards.text.mask import mask
from guards.text.personal import PersonalKind, find_personal
from policies.judging.judge import JudgeQuestion, OpenClaim, Window
from policies.judging.regate import is_grounding, strong_grounding
from policies.judging.rules import OpinionRules
from policies.judging.windows import nearest_windows
from policies.policy import Action
from policies.verdict import Verdict

SUPPORTED_FROM = 0.8
"""Share of a claim that a source must hold for nobody to be asked about it."""
LEAST_SCORE = 0.2
"""Best retrieval score below which the sources are no ground for an opinion."""
ENOUGH_STRONG = 2


class Skip(StrEnum):
    """Why a judge is not asked although there is one."""

    NO_ANSWER = "no_answer"
    NO_SOURCES = "no_sources"
    ANSWER_REPLACED = "answer_replaced"
    """Whatever it said, the answer would not go out."""
    TWO_STRONG_FINDINGS = "two_strong_findings"
    LOW_RETRIEVAL_SCORE = "low_retrieval_score"
    NO_OPEN_CLAIMS = "no_open_claims"


class _Slot(Protocol):
    @property
    def start(self) -> int: ...


def question_about(
    rules: OpinionRules, reading: Reading, verdict: Verdict, *, is_forced: bool = False
) -> JudgeQuestion | Skip:
    """Return what a judge is to be asked about an answer, or why it is not asked.

    Args:
        rules: How judges are asked.
        reading: The exchange, read.
        verdict: What the guards said.
        is_forced: Ask about every claim, also where it would not be worth it.
    """
    if reading.answer is None:
        return Skip.NO_ANSWER
    if not reading.sources:
        return Skip.NO_SOURCES
    if not is_forced and (skip := _not_worth_it(reading, verdict)):
        return skip
    statements = [one for one in read_statements(reading.answer.text.raw) if one.is_claim]
    most = rules.most_claims
    asked = statements[:most] if is_forced else _open(statements, reading, verdict.findings, most)
    if not asked:
        return Skip.NO_OPEN_CLAIMS
    return _masked(_question(asked, reading, rules), reading)


def _not_worth_it(reading: Reading, verdict: Verdict) -> Skip | None:
    if verdict.action is Action.REPLACE:
        return Skip.ANSWER_REPLACED
    if len(strong_grounding(verdict.findings)) >= ENOUGH_STRONG:
        return Skip.TWO_STRONG_FINDINGS
    # A source without a score may be the best one.
    if all(_is_low(source.score) for source in reading.exchange.sources):
        return Skip.LOW_RETRIEVAL_SCORE
    return None


def _is_low(score: float | None) -> bool:
    return score is not None and score < LEAST_SCORE


def _open(
    statements: Sequence[Statement], reading: Reading, findings: Iterable[Finding], most: int
) -> list[Statement]:
    """Return the first open claims, those before all others about which a guard has doubts."""
    grounding = [one for one in findings if is_grounding(one)]
    support = Support(reading)
    doubted: list[Statement] = []
    thin: list[Statement] = []
    for statement in statements:
        about = [one for one in grounding if _is_about(one, statement)]
        if any(_is_settled(one) for one in about):
            continue
        if about:
            doubted.append(statement)
        elif len(thin) < most and _is_thin(statement, support, len(reading.sources)):
            thin.append(statement)
    return [*doubted, *thin][:most]


def _is_about(finding: Finding, statement: Statement) -> bool:
    sentence = statement.sentence
    return finding.span.start < sentence.end and sentence.start < finding.span.end


def _is_settled(finding: Finding) -> bool:
    """Tell whether a finding rests on compared values, so that no opinion is needed.

    That a claim's words are nowhere may only mean that it is put in other ones.
    """
    if finding.severity is not Severity.STRONG or finding.guard == Overlap.id:
        return False
    return finding.strength in {Strength.C2, Strength.E0}


def _is_thin(statement: Statement, support: Support, sources: int) -> bool:
    """Tell whether no source holds enough of a claim."""
    sentence = statement.sentence
    carried = support.carried(statement.text, support.figures(sentence.start, sentence.end))
    return max(carried.score([place]) for place in range(sources)) < SUPPORTED_FROM


def _question(
    statements: Sequence[Statement], reading: Reading, rules: OpinionRules
) -> JudgeQuestion:
    question = reading.question.text.raw
    claims = []
    for number, statement in enumerate(statements, start=1):
        text = bare_claim(statement.text)
        windows = nearest_windows(text, question, reading.sources, rules.window_chars)
        span = Span(statement.sentence.start, statement.sentence.end)
        claims.append(OpenClaim(number, text, windows, span, _is_critical(span, reading)))
    return JudgeQuestion(question, tuple(claims))


def _is_critical(span: Span, reading: Reading) -> bool:
    """Tell whether a place of the answer states what does harm where it is wrong."""
    if reading.answer is None:
        return False
    text = reading.answer.text
    slots: Sequence[Iterable[_Slot]] = (text.quantities, text.contacts, text.routes, text.laws)
    return any(span.start <= slot.start < span.end for kind in slots for slot in kind)


def _masked(asked: JudgeQuestion, reading: Reading) -> JudgeQuestion:
    """Mask what leaves the house, also where an identifier stands without its telling words."""
    mask_all = _Mask.of([part.text.raw for part in reading.parts])
    claims = tuple(
        replace(
            claim,
            text=mask_all(claim.text),
            windows=tuple(
                Window(one.source_id, mask_all(one.title), mask_all(one.text))
                for one in claim.windows
            ),
        )
        for claim in asked.claims
    )
    return JudgeQuestion(mask_all(asked.question), claims)


@dataclass(frozen=True, slots=True)
class _Mask:
    """Masks the texts of one exchange alike."""

    known: dict[str, PersonalKind]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "_Mask":
        return cls(
            {
                text[span.start : span.end]: span.kind
                for text in texts
                for span in find_personal(text)
            }
        )

    def __call__(self, text: str) -> str:
        return mask(text, self.known).text
