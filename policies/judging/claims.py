"""Which claims of an answer a judge is asked about, and when it is not asked at all.

A claim is open if the guards' findings about it are only weak or only possible, or if they found
nothing and the comparison with the sources still leaves it in doubt. What the sources clearly hold,
and what a guard refutes by comparing values, needs no opinion.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Protocol

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.reading import Reading
from guards.evidence.doubt import Doubts, limits
from guards.overlap import Overlap
from guards.text.citing.statements import Statement, read_statements
from guards.text.claims import bare_claim
from guards.text.personal_data.mask import Masking, identifiers_in
from policies.edits import Edit
from policies.judging.judge import JudgeQuestion, OpenClaim
from policies.judging.regate import is_grounding, strong_grounding
from policies.judging.windows import ShownSource, nearest_windows
from policies.schema.guard_rule import Action
from policies.schema.sections import OpinionRules
from policies.verdict import Verdict

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
    wanted = _open(statements, reading, verdict)
    if is_forced:
        wanted += [one for one in statements if one not in wanted]
    if not wanted:
        return Skip.NO_OPEN_CLAIMS
    return _question(wanted[: rules.most_claims], len(wanted), reading, rules)


def _not_worth_it(reading: Reading, verdict: Verdict) -> Skip | None:
    if verdict.action is Action.REPLACE:
        return Skip.ANSWER_REPLACED
    # Where they are mended or taken out, there is still what stays.
    if _is_refuted(verdict) and not verdict.edits:
        return Skip.TWO_STRONG_FINDINGS
    # A source without a score may be the best one.
    if all(_is_low(source.score) for source in reading.exchange.sources):
        return Skip.LOW_RETRIEVAL_SCORE
    return None


def _is_refuted(verdict: Verdict) -> bool:
    return len(strong_grounding(verdict.findings)) >= ENOUGH_STRONG


def _is_low(score: float | None) -> bool:
    return score is not None and score < LEAST_SCORE


def _open(statements: Sequence[Statement], reading: Reading, verdict: Verdict) -> list[Statement]:
    """Return the open claims, those before all others about which a guard has doubts."""
    grounding = [one for one in verdict.findings if is_grounding(one)]
    # Claims that go anyway need no opinion, unless one could tip the verdict over.
    edits = verdict.edits if _is_refuted(verdict) else ()
    doubts = reading.once(Doubts)
    noted: list[Statement] = []
    doubtful: list[Statement] = []
    for statement in statements:
        about = [one for one in grounding if _touches(one.span, statement)]
        settled = any(_is_settled(one) for one in about)
        if settled or any(_takes_out(edit, statement) for edit in edits):
            continue
        if about:
            noted.append(statement)
        elif _is_doubtful(statement, doubts):
            doubtful.append(statement)
    return [*noted, *doubtful]


def _touches(span: Span, statement: Statement) -> bool:
    sentence = statement.sentence
    return span.start < sentence.end and sentence.start < span.end


def _takes_out(edit: Edit, statement: Statement) -> bool:
    sentence = statement.sentence
    return edit.span.start <= sentence.start and sentence.end <= edit.span.end and not edit.text


def _is_settled(finding: Finding) -> bool:
    """Tell whether a finding rests on compared values, so that no opinion is needed.

    That a claim's words are nowhere may only mean that it is put in other ones.
    """
    if finding.severity is not Severity.STRONG or finding.guard == Overlap.id:
        return False
    return finding.strength in {Strength.C2, Strength.E0}


def _is_doubtful(statement: Statement, doubts: Doubts) -> bool:
    """Tell whether the comparison with the sources leaves a claim in doubt."""
    doubt = doubts.of(Span(statement.sentence.start, statement.sentence.end))
    return doubt is not None and doubt >= limits().asked_from


def _question(
    statements: Sequence[Statement], wanted: int, reading: Reading, rules: OpinionRules
) -> JudgeQuestion:
    """Return a question about some claims, with all that leaves the house masked."""
    masking = Masking(identifiers_in(part.text.raw for part in reading.parts))
    sources = [ShownSource.of(part, masking) for part in reading.sources]
    question = reading.question.text.raw
    claims = []
    for number, statement in enumerate(statements, start=1):
        text = bare_claim(statement.text)
        windows = nearest_windows(text, reading, sources, rules.window_chars)
        span = Span(statement.sentence.start, statement.sentence.end)
        critical = _is_critical(span, reading)
        claims.append(OpenClaim(number, masking.of(text).text, windows, span, critical))
    return JudgeQuestion(masking.of(question).text, tuple(claims), wanted - len(claims))


def _is_critical(span: Span, reading: Reading) -> bool:
    """Tell whether a place of the answer states what does harm where it is wrong."""
    if reading.answer is None:
        return False
    text = reading.answer.text
    slots: Sequence[Iterable[_Slot]] = (text.quantities, text.contacts, text.routes, text.laws)
    return any(span.start <= slot.start < span.end for kind in slots for slot in kind)
