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
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

from pydantic import Field

from guards.claims.standing import abstains
from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Reading, Text
from guards.evidence.passages import Place, SourcePassages, units_of
from guards.text.claims import bare_claim
from guards.text.sentences import Sentence, sentence_places
from guards.text.slots.route import RouteKind, RouteSlot, names_mode

_TRAVELS = re.compile(
    r"(?:으로|로|을|를|은|는|편으로|편)?\s?(?:약\s?|대략\s?)?"
    r"(?:\d|타[고면시야서]|탑승|이용|이동|가[실시면는거]|갈\s|오[실시면는]|올\s|도착|접근|환승|한\s?번에)"
)
_REACH_SENTENCES = 2
_SAME_SUBJECT = 0.3
_SAME_WAY, _CLEARLY_LESS, _LEAST_WORDS = 0.75, 0.3, 3
_OUTER = " \t.!?\"'“”‘’*_-•·"
_BY_NAME = frozenset({RouteKind.STATION, RouteKind.STOP})
_MOST_EXPECTED = 4
_MOST_PLACES = 60
# A sentence with more pieces is a list of ways, not one way.
_MOST_TOGETHER = 30

_Key = tuple[str, str]


class _Differing(NamedTuple):
    """What the sources have where the answer has another piece of a way.

    Attributes:
        source_id: Id of the source.
        sentence: The sentence that has it.
        expected: The pieces of that kind there.
        fix: The piece to write instead, where only one can be meant.
    """

    source_id: str
    sentence: str
    expected: tuple[str, ...]
    fix: str | None


class _RouteMap:
    """The ways that the sources of one exchange describe."""

    def __init__(self, reading: Reading) -> None:
        self._parts = reading.sources
        self._passages = reading.told.once(SourcePassages)
        titles = [Text(source.title) for source in reading.exchange.sources]
        self.raw_texts = [text.raw for text in (*(part.text for part in self._parts), *titles)]
        self._dense = ["".join(raw.split()) for raw in self.raw_texts]
        self._slots: dict[Place, list[RouteSlot]] = defaultdict(list)
        self._places: dict[_Key, list[Place]] = defaultdict(list)
        for number, part in enumerate(self._parts):
            named = [slot for slot in part.text.routes if slot.kind is not RouteKind.MODE]
            places = sentence_places(part.text.sentences, [slot.start for slot in named])
            for slot, at in zip(named, places, strict=True):
                self._slots[Place(number, at)].append(slot)
                self._places[slot.key].append(Place(number, at))
        self._keys = {slot.key for title in titles for slot in title.routes} | self._places.keys()
        self.describes = any(part.text.routes for part in self._parts)

    def has(self, slot: RouteSlot) -> bool:
        """Tell whether a source has a piece of a way anywhere."""
        if slot.key in self._keys:
            return True
        return slot.kind in _BY_NAME and any(slot.value in dense for dense in self._dense)

    def holds(self, sentence: str) -> bool:
        """Tell whether a source has a sentence word for word, whatever its spacing."""
        needle = "".join(sentence.strip(_OUTER).split())
        # Not inside of a longer number.
        before = r"(?<!\d)(?<!\d[,.])" if needle[:1].isdigit() else ""
        behind = r"(?!\d)" if needle[-1:].isdigit() else ""
        whole = re.compile(f"{before}{re.escape(needle)}{behind}")
        return bool(needle) and any(whole.search(dense) for dense in self._dense)

    def differing(
        self, slot: RouteSlot, together: Sequence[RouteSlot], sentence: Sentence
    ) -> _Differing | None:
        """Return what a passage on the same way has instead of a piece of a sentence, or None.

        Args:
            slot: The piece.
            together: All pieces of the sentence, lines, stations and the like.
            sentence: The sentence.
        """
        if len(together) > _MOST_TOGETHER:
            return None
        if not self.has(slot):
            place = self._closest(slot, together, sentence)
        else:
            place = self._other_home(slot, sentence) or self._without(slot, together)
        return None if place is None else self._difference(slot, together, place)

    def _difference(
        self, slot: RouteSlot, together: Sequence[RouteSlot], place: Place
    ) -> _Differing | None:
        there = [one for one in self._slots[place] if one.kind is slot.kind]
        expected = tuple(dict.fromkeys(one.text for one in there))
        others = [one for one in together if one is not slot]
        around = self._keys_around(place)
        only = len({one.key for one in there}) == 1
        agrees = all(one.kind is not slot.kind and one.key in around for one in others)
        source = self._parts[place.source].source
        return _Differing(
            source.id if source else "",
            self._passages.sentence(place),
            expected[:_MOST_EXPECTED],
            expected[0] if only and agrees else None,
        )

    def _closest(
        self, slot: RouteSlot, together: Sequence[RouteSlot], sentence: Sentence
    ) -> Place | None:
        """Return the sentence with pieces of that kind that holds most of the answer's."""
        shares = self._passages.shares(bare_claim(sentence.text))
        keys = {one.key for one in together}
        scores = {
            place: sum(one.key in keys for one in slots) + shares.get(place, 0.0)
            for place, slots in self._slots.items()
            if self._has_kind(place, slot)
        }
        best = max(scores, key=scores.__getitem__, default=None)
        return best if best is not None and scores[best] > _SAME_SUBJECT else None

    def _other_home(self, slot: RouteSlot, sentence: Sentence) -> Place | None:
        """Return the sentence that holds what the answer tells, if it has another piece there.

        None if the sentences around the piece in the sources hold much of it as well.
        """
        own = self._places.get(slot.key, ())
        told = bare_claim(sentence.text.replace(slot.text, " ", 1))
        if not 0 < len(own) <= _MOST_PLACES or len(units_of(told)) < _LEAST_WORDS:
            return None
        shares = self._passages.shares(told)
        others = [one for one in shares if one not in own and self._has_kind(one, slot)]
        best = max(others, key=shares.__getitem__, default=None)
        if best is None or shares[best] < _SAME_WAY:
            return None
        around = (sum(shares.get(at, 0) for at in self._near(one) if at != best) for one in own)
        return best if max(around) <= shares[best] - _CLEARLY_LESS else None

    def _without(self, slot: RouteSlot, together: Sequence[RouteSlot]) -> Place | None:
        """Return where all other pieces meet with another one of that kind, if nowhere with it."""
        others = {one.key for one in together if one.kind is not slot.kind}
        if not others or not others <= self._places.keys():
            return None
        places = min((self._places[key] for key in sorted(others)), key=len)
        if len(places) > _MOST_PLACES:
            return None
        meeting = [place for place in places if others <= self._keys_around(place)]
        if any(slot.key in self._keys_around(place) for place in meeting):
            return None
        return next(
            (near for place in meeting for near in self._near(place) if self._has_kind(near, slot)),
            None,
        )

    def _has_kind(self, place: Place, slot: RouteSlot) -> bool:
        return any(one.kind is slot.kind for one in self._slots.get(place, ()))

    def _near(self, place: Place) -> list[Place]:
        steps = sorted(range(-_REACH_SENTENCES, _REACH_SENTENCES + 1), key=abs)
        return [Place(place.source, place.at + step) for step in steps]

    def _keys_around(self, place: Place) -> set[_Key]:
        return {slot.key for near in self._near(place) for slot in self._slots.get(near, ())}


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
        ways = _RouteMap(reading)
        licensed = self._licensed(reading)
        return [
            finding
            for sentence, slots in _by_sentence(reading.answer.text)
            if not (abstains(sentence.text) or ways.holds(sentence.text))
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
        ways: _RouteMap,
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


def _named_finding(slot: RouteSlot, differing: _Differing | None, is_only: bool) -> Finding:
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
    ways: _RouteMap,
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
