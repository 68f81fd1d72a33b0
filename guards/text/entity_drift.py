"""Answers about another place or organisation than the one that the question names."""

import re
from dataclasses import dataclass

from guards.core.reading import Reading, Text
from guards.lexicons.name_heads import PRODUCT_HEADS
from guards.text.known_names import is_short_for
from guards.text.slots.name import Name, dense
from guards.text.source_support import Claim, SupportingSource, best_source

# 팔달구 효원로 1: where the place asked about lies, not what the answer is about.
_ADDRESS_AFTER = re.compile(r"\s?[가-힣0-9]{1,10}(?:로|길|동|읍|면|리)(?:\s?\d|\s|에|$)")


@dataclass(frozen=True, slots=True)
class Drift:
    """A name in an answer in the place of the one asked about.

    Attributes:
        asked: The question's name.
        told: The answer's name of the same head.
    """

    asked: Name
    told: Name


def drifts(claims: list[Claim], sources: list[SupportingSource], reading: Reading) -> list[Drift]:
    """Return for each claim the first name that stands for the question's only one of that head.

    None if the answer has the question's name too, or if the source that supports the claim does.
    """
    if reading.answer is None:
        return []
    answer, question = reading.answer.text, reading.question.text
    asked = [
        name
        for name in question.names
        if _is_only_one(name, question) and name.specific not in answer.dense
    ]
    drifting = (_drift(claim, asked, answer, question.dense) for claim in claims)
    return [
        drift
        for claim, drift in zip(claims, drifting, strict=True)
        if drift and drift.asked.specific not in dense(best_source(claim, sources)[0].whole)
    ]


def _is_only_one(name: Name, question: Text) -> bool:
    """Tell whether a question names one place or organisation of this head."""
    if not name.head or name.head in PRODUCT_HEADS:
        return False
    return sum(other.head == name.head for other in question.names) == 1


def _drift(claim: Claim, asked: list[Name], answer: Text, question: str) -> Drift | None:
    for told in answer.names if asked else ():
        inside = claim.sentence.start <= told.start < claim.sentence.end
        if not inside or told.specific in question or _ADDRESS_AFTER.match(answer.raw, told.end):
            continue
        for name in asked:
            if told.head == name.head and not is_short_for(told.key, name.key):
                return Drift(name, told)
    return None
