"""Questions that must not be answered, because the request carries no evidence for an answer.

Finds: no context at all, a context that is empty, sources whose best retrieval score is too low,
    and sources that are about something else than the question.
Misses: sources on the subject that lack the very fact asked for; sources about something else,
    where the question tells its subject in verbs or asks for a value that some source holds. A
    subject named in nothing but synonyms of the sources' words is reported although it is there.
Score: 1.0 where evidence is missing; how far the best score or the coverage lies below its
    threshold otherwise, from 0.5 at the threshold to 1.0 at nothing.
Source: our own rules. Coverage: see `guards.text.coverage`.
"""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from guards.claims.standing import abstains
from guards.core.exchange import ContextState, Exchange
from guards.core.finding import Finding, Span
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Reading
from guards.text.coverage import Passage, question_coverage


class AnswerabilitySettings(GuardSettings):
    """Options of `Answerability`."""

    intents: tuple[str, ...] = Field(
        ("policy",), description="Intents of a question that demand evidence."
    )
    evidence_always: bool = Field(
        False, description="Demand evidence of every question, whatever its intent."
    )
    min_score: float | None = Field(
        0.65,
        ge=0,
        le=1,
        description="Retrieval gate: least score of the best source, where sources carry scores; "
        "null switches the comparison off.",
    )
    off_topic: bool = Field(True, description="Compare the question's words with the sources.")
    min_coverage: float = Field(
        0.4,
        ge=0,
        le=1,
        description="Least share of the question's words, weighted by rarity, that the best "
        "stretch of a source must hold.",
    )


class Answerability(Guard[AnswerabilitySettings]):
    """Report a question that demands evidence and has none."""

    id = "answerability"
    stages = frozenset({Stage.INPUT, Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = AnswerabilitySettings
    codes: ClassVar[Mapping[str, Code]] = {
        "answerability.no_context": Code("The request carries no context block."),
        "answerability.empty_context": Code("The request's context block holds nothing usable."),
        "answerability.low_score": Code("Every source's retrieval score is below the gate."),
        "answerability.off_topic": Code("No source is about what the question asks."),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Return why there is nothing to judge yet, or at all."""
        exchange = reading.exchange
        if not exchange.question.strip():
            return "no_question"
        if not (
            self.settings.evidence_always or set(exchange.intents) & set(self.settings.intents)
        ):
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
        kind, certainty = lack
        question = exchange.question.strip()
        start = exchange.question.index(question)
        return [
            Finding(
                guard=self.id,
                code=f"{self.id}.{kind}",
                part=reading.question.name,
                span=Span(start, start + len(question)),
                observed=question,
                score=certainty,
                # An answer that has begun may yet say that it cannot answer.
                provisional=exchange.answer is not None,
            )
        ]

    def _lack(self, reading: Reading) -> tuple[str, float] | None:
        """Return what is missing and how certain that is; None if the question has evidence."""
        exchange = reading.exchange
        if exchange.context is ContextState.ABSENT:
            return "no_context", 1.0
        if not any(source.text.strip() for source in exchange.sources):
            return "empty_context", 1.0
        best = _best_score(exchange)
        gate = self.settings.min_score
        if gate is not None and best is not None:
            # A score that passes the gate knows synonyms, which the comparison of words does not.
            return ("low_score", _certainty(best, gate)) if best < gate else None
        return self._off_topic(reading) if self.settings.off_topic else None

    def _off_topic(self, reading: Reading) -> tuple[str, float] | None:
        least = self.settings.min_coverage
        coverage = question_coverage(reading.exchange.question, passages(reading))
        if coverage is None or coverage >= least:
            return None
        return "off_topic", _certainty(coverage, least)


def passages(reading: Reading) -> list[Passage]:
    """Return the sources of a reading as `question_coverage` compares them."""
    return [
        Passage(
            part.source.title if part.source else "",
            tuple(sentence.text for sentence in part.text.sentences),
        )
        for part in reading.sources
    ]


def _best_score(exchange: Exchange) -> float | None:
    return max(
        (source.score for source in exchange.sources if source.score is not None), default=None
    )


def _certainty(value: float, threshold: float) -> float:
    return 1 - max(value, 0) / threshold / 2
