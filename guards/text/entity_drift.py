"""Answers about another place or organisation than the one that the question names."""

import re
from collections import Counter
from dataclasses import dataclass

from guards.core.reading import Reading, Text
from guards.lexicons.name_heads import PRODUCT_HEADS
from guards.text.known_names import is_short_for
from guards.text.slots.name import Name, dense
from guards.text.source_support import Claim, SupportingSource, best_source

# A question put right is answered about what it should have named: 아니요, 팔달구입니다.
_PUTS_RIGHT = re.compile(r"\s*(?:아니(?:요|오|에요|예요)|아뇨|아닙니다)")
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
    """Return for each claim the one name that stands for the question's only one of that head.

    None if the answer has the question's name too, or if the source that supports the claim does;
    nor in a claim that tells of several, or in an answer that says no to the question.
    """
    if reading.answer is None or _PUTS_RIGHT.match(reading.answer.text.raw):
        return []
    answer, question = reading.answer.text, reading.question.text
    asked = [name for name in _only_ones(question) if name.specific not in answer.dense]
    drifting = (_drift(claim, asked, answer, question.dense) for claim in claims)
    return [
        drift
        for claim, drift in zip(claims, drifting, strict=True)
        if drift and drift.asked.specific not in dense(best_source(claim, sources)[0].whole)
    ]


def _only_ones(question: Text) -> list[Name]:
    """Return the places and organisations of whose head a question names no other."""
    counts = Counter(name.head for name in question.names)
    return [
        name
        for name in question.names
        if name.head and name.head not in PRODUCT_HEADS and counts[name.head] == 1
    ]


def _drift(claim: Claim, asked: list[Name], answer: Text, question: str) -> Drift | None:
    inside = [
        told
        for told in (answer.names if asked else ())
        if claim.sentence.start <= told.start < claim.sentence.end
        and told.specific not in question
        and not _ADDRESS_AFTER.match(answer.raw, told.end)
    ]
    for name in asked:
        others = [one for one in inside if one.head == name.head]
        if len({one.key for one in others}) == 1 and not is_short_for(others[0].key, name.key):
            return Drift(name, others[0])
    return None
