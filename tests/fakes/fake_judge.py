"""Judges that err, lie, hang and write garbage."""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from policies.judging.judge import (
    JudgeFailure,
    JudgeLabel,
    JudgeQuestion,
    Matter,
    OpenClaim,
    Opinion,
    Opinions,
)
from proxy.demo import Said, Script
from proxy.openai_api.json_body import JsonObject, member, objects

Says = Callable[[OpenClaim], Opinion]


@dataclass
class FakeJudge:
    """Says of each claim what it was told to; `asked` holds every question.

    Attributes:
        says: What it says of a claim; None for a judge that says nothing of any.
        confidence: How far it trusts answers.
        takes_s: How long it takes.
        breaks: What it raises instead.
        fails: What it reports instead.
    """

    says: Says | None = None
    confidence: float | None = None
    takes_s: float = 0.0
    breaks: Exception | None = None
    fails: JudgeFailure | None = None
    asked: list[JudgeQuestion] = field(default_factory=list)

    async def opinions(self, question: JudgeQuestion, within_s: float) -> Opinions | JudgeFailure:
        del within_s  # the worst of judges take no notice of it
        self.asked.append(question)
        await asyncio.sleep(self.takes_s)
        if self.breaks is not None:
            raise self.breaks
        if self.fails is not None:
            return self.fails
        said = tuple(self.says(claim) for claim in question.claims) if self.says else ()
        return Opinions(said, self.confidence)


def contradicts(quote: str, matter: Matter = Matter.NEGATION) -> Says:
    return lambda claim: Opinion(claim.number, JudgeLabel.CONTRADICTORY, matter, 0.9, quote)


def doubts(quote: str, matter: Matter = Matter.OTHER) -> Says:
    return lambda claim: Opinion(claim.number, JudgeLabel.UNSUPPORTED, matter, 0.9, quote)


def supports(quote: str) -> Says:
    return lambda claim: Opinion(claim.number, JudgeLabel.SUPPORTED, Matter.OTHER, 0.9, quote)


# --- behind a chat endpoint ------------------------------------------------------------------

_CLAIM = re.compile(r"^\[주장 (\d+) \w+\]$", re.MULTILINE)


def opinions_json(
    label: str, quote: str, *, matter: str = "other", numbers: Sequence[int] = (1,)
) -> str:
    said: list[JsonValue] = [
        {"claim": number, "label": label, "kind": matter, "quote": quote, "score": 0.9}
        for number in numbers
    ]
    return json.dumps({"opinions": said, "confidence": 0.9}, ensure_ascii=False)


def chat_judge(label: str, quote: str, *, matter: str = "other") -> Script:
    """Return what a chat model says that gives one opinion on every claim it is asked about."""

    def answer(body: JsonObject) -> Said:
        numbers = [int(found) for found in _CLAIM.findall(told_to_judge(body))]
        return Said((opinions_json(label, quote, matter=matter, numbers=numbers),))

    return answer


def told_to_judge(body: JsonObject) -> str:
    """Return the data that a chat judge was given."""
    return str(member(objects(body["messages"])[-1], "content"))
