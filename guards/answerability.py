"""Questions that must not be answered, because the request carries no evidence for an answer.

Finds: no context at all, a context that is empty, sources whose best retrieval score is too low,
    sources that are about something else than the question, and a name, number or year in the
    question that no source knows while they know others of its kind (another branch, plan, grade,
    edition); a mere note where a noun tells the kinds apart (육아휴직 beside 질병휴직), as it may
    also describe a known one: 교내장학금 is any of those that a school gives.
Misses: sources on the subject that lack the very fact asked for. A question in everyday words for
    which `guards/lexicons/everyday_words.txt` does not know the sources' words is reported if it
    has several of them.
Score: 1.0 where evidence is missing; how far the best score lies below the gate, from 0.5 at the
    gate to 1.0 at nothing; 0.95 for an unknown name; what is not covered of the question.
Source: our own rules. Coverage: see `guards.evidence.coverage`.
"""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from pydantic import Field

from guards.claims.standing import abstains
from guards.core.exchange import ContextState, Exchange
from guards.core.finding import Finding, Severity, Span
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Reading, RequestReading
from guards.evidence.coverage import question_coverage
from guards.evidence.topic import asks_for_rules, names_subject
from guards.evidence.unknown_names import UnknownName, unknown_name

_CERTAINTY_OF_NAME = 0.95


class AnswerabilitySettings(GuardSettings):
    """Options of `Answerability`."""

    intents: tuple[str, ...] = Field(
        ("policy",), description="Intents of a question that must not come without sources."
    )
    evidence_always: bool = Field(
        False, description="No question may come without sources, whatever its intent."
    )
    min_score: float | None = Field(
        0.65,
        ge=0,
        le=1,
        description="Retrieval gate: least score of the best source, where sources carry scores; "
        "null switches the comparison off.",
    )
    off_topic: bool = Field(True, description="Compare the question's words with the sources.")
    unknown_names: bool = Field(
        True, description="Compare the names in the question with those that the sources know."
    )
    min_source_chars: int = Field(
        150,
        ge=0,
        description="Least length of all sources together for comparing the question's words.",
    )
    min_coverage: float = Field(
        0.2,
        ge=0,
        le=1,
        description="Least share of the question's words, weighted by rarity, that the best "
        "stretch of a source must hold.",
    )
    min_coverage_of_rules: float = Field(
        0.45,
        ge=0,
        le=1,
        description="The same for a question that asks for the rules on a subject in nouns, as the "
        "rules name it.",
    )


class Answerability(Guard[AnswerabilitySettings]):
    """Report a question that demands evidence and has none."""

    id = "answerability"
    label = Label("Evidence for an answer", "답변 근거")
    subject = Subject.QUESTION
    stages = frozenset({Stage.INPUT, Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = AnswerabilitySettings
    codes: ClassVar[Mapping[str, Code]] = {
        "answerability.no_context": Code(
            label=Label("The app sent no sources", "앱이 출처를 보내지 않음"),
            meaning="The request carries no context block.",
            message="답할 근거가 되는 자료가 없습니다",
        ),
        "answerability.empty_context": Code(
            label=Label("The search found no sources", "검색된 출처가 없음"),
            meaning="The request's context block holds nothing usable.",
            message="답할 근거가 되는 자료가 없습니다",
        ),
        "answerability.low_score": Code(
            label=Label(
                "All sources are below the search score demanded",
                "모든 출처의 검색 점수가 기준보다 낮음",
            ),
            meaning="Every source's retrieval score is below the gate.",
            message="답할 근거가 되는 자료가 없습니다",
        ),
        "answerability.off_topic": Code(
            label=Label("No source is about the question", "질문과 관련된 출처가 없음"),
            meaning="No source is about what the question asks.",
            message="답할 근거가 되는 자료가 없습니다",
        ),
        "answerability.unknown_name": Code(
            label=Label(
                "The sources know others, not what was asked about",
                "자료가 질문의 대상이 아닌 다른 것만 다룸",
            ),
            meaning="The sources know others of its kind, but not what the question names.",
            message="자료는 질문하신 대상이 아닌 다른 것만 다룹니다",
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Return why there is nothing to judge yet, or at all."""
        exchange = reading.exchange
        if not exchange.question.strip():
            return "no_question"
        if not (self._demands_evidence(exchange) or self._compares(reading)):
            return "no_evidence_demanded"
        if exchange.may_fetch and exchange.answer is None:
            return "may_still_fetch"
        return None

    def check(self, reading: Reading) -> list[Finding]:
        """Report the first thing that is missing; an answer that abstains needs no evidence."""
        exchange = reading.exchange
        if exchange.answer is not None and abstains(exchange.answer):
            return []
        lack = self._lack(reading)
        if lack is None:
            return []
        question = exchange.question.strip()
        start = exchange.question.index(question)
        return [
            Finding(
                guard=self.id,
                code=f"{self.id}.{lack.kind}",
                part=reading.question.name,
                span=Span(start, start + len(question)),
                observed=question,
                expected=lack.known,
                severity=lack.severity,
                score=lack.certainty,
                # An answer that has begun may yet say that it cannot answer.
                provisional=exchange.answer is not None,
            )
        ]

    def _demands_evidence(self, exchange: Exchange) -> bool:
        settings = self.settings
        return settings.evidence_always or bool(set(exchange.intents) & set(settings.intents))

    def _compares(self, reading: Reading) -> bool:
        """Tell whether words alone can show that the sources are not about a question."""
        settings = self.settings
        if not _has_text(reading.exchange):
            return False
        return (settings.off_topic and self._can_tell(reading.exchange)) or (
            settings.unknown_names and reading.request.once(_unknown) is not None
        )

    def _can_tell(self, exchange: Exchange) -> bool:
        """Tell whether a question's words would show in sources about it: not in a line or two."""
        size = sum(len(source.text) for source in exchange.sources)
        return size >= self.settings.min_source_chars and names_subject(exchange.question)

    def _lack(self, reading: Reading) -> "_Lack | None":
        """Return what is missing; None if the question has evidence."""
        exchange = reading.exchange
        demanded = self._lack_of_sources(exchange) if self._demands_evidence(exchange) else None
        if demanded or not _has_text(exchange):
            return demanded
        unknown = reading.request.once(_unknown) if self.settings.unknown_names else None
        if unknown and not unknown.may_describe:
            return _Lack("unknown_name", doubt(reading), unknown.known)
        # A score that passes the gate knows synonyms, which the comparison of words does not.
        best = None if self.settings.min_score is None else _best_score(exchange)
        if self.settings.off_topic and best is None and (lack := self._off_topic(reading)):
            return lack
        return (
            _Lack("unknown_name", doubt(reading), unknown.known, Severity.WEAK) if unknown else None
        )

    def _lack_of_sources(self, exchange: Exchange) -> "_Lack | None":
        if exchange.context is ContextState.ABSENT:
            return _Lack("no_context", 1.0)
        if not _has_text(exchange):
            return _Lack("empty_context", 1.0)
        best = _best_score(exchange)
        gate = self.settings.min_score
        is_low = gate is not None and best is not None and best < gate
        return _Lack("low_score", _certainty(best or 0, gate or 1)) if is_low else None

    def _off_topic(self, reading: Reading) -> "_Lack | None":
        question = reading.exchange.question
        coverage = reading.request.once(_coverage)
        if coverage is None or not self._can_tell(reading.exchange):
            return None
        settings = self.settings
        for_rules = asks_for_rules(question)
        least = settings.min_coverage_of_rules if for_rules else settings.min_coverage
        return _Lack("off_topic", doubt(reading)) if coverage < least else None


class _Lack(NamedTuple):
    """Missing evidence, its certainty, and the names that the sources know instead."""

    kind: str
    certainty: float
    known: tuple[str, ...] = ()
    severity: Severity = Severity.STRONG


def doubt(reading: Reading) -> float:
    """Return from 0 to 1 how doubtful it is, by words alone, that the sources answer a question."""
    if reading.request.once(_unknown):
        return _CERTAINTY_OF_NAME
    coverage = reading.request.once(_coverage)
    return 0.0 if coverage is None else 1 - coverage


def _coverage(request: RequestReading) -> float | None:
    return question_coverage(request.exchange.question, request.source_set)


def _unknown(request: RequestReading) -> UnknownName | None:
    return unknown_name(request.exchange.question, request.source_set)


def _has_text(exchange: Exchange) -> bool:
    return any(source.text.strip() for source in exchange.sources)


def _best_score(exchange: Exchange) -> float | None:
    return max(
        (source.score for source in exchange.sources if source.score is not None), default=None
    )


def _certainty(value: float, threshold: float) -> float:
    return 1 - max(value, 0) / threshold / 2
