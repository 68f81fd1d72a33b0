"""Ways to get somewhere that the sources do not describe.

Finds: subway and railway lines, stations, stops, exits and bus routes of the answer that stand in
    no source, or in no passage together with the rest of the sentence; a means of travel where the
    sources say nothing about travel.
Misses: a way that mixes pieces of one passage; the direction of a line; stations called only by a
    name without 역. Minutes and metres are left to `numbers` and `estimates`.
Score: 1.0 where the passage on the same way has another value, 0.9 where no source has any, 0.5 for
    a means of travel that the sources do not name (weak).
Source: own rules. What the question and the instructions name may be repeated.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from guards.claims.standing import abstains
from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Reading, Text
from guards.text.route_map import Differing, RouteMap
from guards.text.sentences import Sentence
from guards.text.slots.route import RouteKind, RouteSlot, names_mode

_TRAVELS = re.compile(
    r"(?:으로|로|을|를|은|는|편으로|편)?\s?(?:약\s?|대략\s?)?"
    r"(?:\d|타[고면시야서]|탑승|이용|이동|가[실시면는거]|갈\s|오[실시면는]|올\s|도착|접근|환승|한\s?번에)"
)


class TransportSettings(GuardSettings):
    """Options of the guard."""

    allow_from_question: bool = Field(
        True, description="Let the answer repeat lines, stations and the like of the question."
    )


class Transport(Guard[TransportSettings]):
    """Report every line, station, exit, bus and means of travel without support."""

    id = "transport"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = TransportSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "transport.invented": Code(
            "No source describes such a way.",
            '"{observed}"은(는) 자료에 없는 교통 정보입니다. 자료에 있는 교통편만 안내하세요.',
        ),
        "transport.differs": Code(
            "The passage on the same way has another line, station, exit or bus.",
            '"{observed}"은(는) 자료의 교통 안내와 다릅니다. 자료의 {expected}만 쓰세요.',
        ),
        "transport.mode": Code(
            "The sources describe other means of travel only.",
            '"{observed}"은(는) 자료에 없는 교통수단입니다. 자료에 있는 교통편만 안내하세요.',
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Nothing to compare with, or nothing to compare."""
        if reading.answer is None:
            return "no_answer"
        return None if reading.sources else "no_sources"

    def check(self, reading: Reading) -> list[Finding]:
        """Hold each sentence with a way against the ways of the sources."""
        if reading.answer is None or not reading.answer.text.routes:
            return []
        ways = RouteMap(reading)
        licensed = self._licensed(reading)
        return [
            finding
            for sentence, slots in _by_sentence(reading.answer.text)
            if not (abstains(sentence.text) or ways.passages.holds(sentence.text))
            for finding in self._in_sentence(sentence, slots, ways, licensed)
        ]

    def _licensed(self, reading: Reading) -> frozenset[tuple[str, str]]:
        if not self.settings.allow_from_question:
            return frozenset()
        texts = (reading.question.text, Text(reading.exchange.echo))
        return frozenset(slot.key for text in texts for slot in text.routes)

    def _in_sentence(
        self,
        sentence: Sentence,
        slots: Sequence[RouteSlot],
        ways: RouteMap,
        licensed: frozenset[tuple[str, str]],
    ) -> Iterator[Finding]:
        named = [slot for slot in slots if slot.kind is not RouteKind.MODE]
        claimed = [slot for slot in named if slot.key not in licensed]
        looked_up = [(slot, ways.differing(slot, claimed, sentence)) for slot in claimed]
        wrong = [(slot, found) for slot, found in looked_up if found or not ways.has(slot)]
        for slot, found in wrong:
            yield _named_finding(slot, found, is_only=len(wrong) == 1)
        if not wrong:
            yield from _mode_findings(sentence, slots, ways, licensed)


def _by_sentence(text: Text) -> Iterator[tuple[Sentence, list[RouteSlot]]]:
    prose = text.prose
    slots = iter([slot for slot in text.routes if prose[slot.start : slot.end] == slot.text])
    slot = next(slots, None)
    for sentence in text.sentences:
        inside: list[RouteSlot] = []
        while slot is not None and slot.start < sentence.end:
            inside.append(slot)
            slot = next(slots, None)
        if inside:
            yield sentence, inside


def _named_finding(slot: RouteSlot, differing: Differing | None, is_only: bool) -> Finding:
    return Finding(
        guard=Transport.id,
        code="transport.differs" if differing else "transport.invented",
        part="answer",
        span=Span(slot.start, slot.end),
        observed=slot.text,
        strength=Strength.C2 if differing else Strength.E0,
        expected=differing.expected if differing else (),
        evidence=(Evidence(differing.source_id, differing.sentence),) if differing else (),
        score=1.0 if differing else 0.9,
        fix=differing.fix if differing and is_only else None,
    )


def _mode_findings(
    sentence: Sentence,
    slots: Sequence[RouteSlot],
    ways: RouteMap,
    licensed: frozenset[tuple[str, str]],
) -> Iterator[Finding]:
    for slot in slots:
        if slot.kind is not RouteKind.MODE or slot.key in licensed:
            continue
        travels = _TRAVELS.match(sentence.text, slot.end - sentence.start)
        if travels is None or any(names_mode(raw, slot.value) for raw in ways.raw_texts):
            continue
        yield Finding(
            guard=Transport.id,
            code="transport.mode" if ways.describes else "transport.invented",
            part="answer",
            span=Span(slot.start, slot.end),
            observed=slot.text,
            severity=Severity.WEAK if ways.describes else Severity.STRONG,
            strength=Strength.E0,
            score=0.5 if ways.describes else 0.9,
        )
