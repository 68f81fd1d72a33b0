"""Directions and transport routes that the sources do not give.

Finds: subway and railway lines, stations, stops, exits and bus routes that are in no source, or in
    no passage together with the rest of the sentence; a means of transport if the sources say
    nothing about travel.
Misses: a route that mixes pieces of one passage; the direction of a line; stations named without
    역. Minutes and metres are left to `numbers` and `estimates`.
Score: 1.0 if the passage on the same route has another value; 0.9 if no source has any; 0.5 for a
    means of transport that the sources do not name (weak).
Source: our own rules. Routes in the question and the instructions may be repeated.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

from pydantic import Field

from guards.claims.layout import Page
from guards.claims.reader import Claim, Modality
from guards.claims.standing import Standing, standing_of_sentence
from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Reading, Text
from guards.evidence.index import SourceIndex, claims_of
from guards.evidence.opposites.meaning import covered
from guards.evidence.values import by_sentence
from guards.korean.words import Word
from guards.text.slots.route import RouteKind, RouteSlot, names_mode

_TRAVELS = re.compile(
    r"(?:으로|로|을|를|은|는|편으로|편)?\s?(?:약\s?|대략\s?)?"
    r"(?:\d|타[고면시야서]|탑승|이용|이동|가[실시면는거]|갈\s|오[실시면는]|올\s|도착|접근|환승|한\s?번에)"
)
_OUTER = ".!?\"'“”‘’*_-•·"
_REACH_SENTENCES = 2
_SAME_SUBJECT, _SAME_WAY, _CLEARLY_LESS = 0.4, 0.75, 0.4
_FEWEST_WORDS = 3
_BY_NAME = frozenset({RouteKind.STATION, RouteKind.STOP})
_MOST_EXPECTED = 4
_MOST_PLACES = 60
# A sentence with more pieces is a list of ways, not one way.
_MOST_TOGETHER = 30

_MOST_COMPARED = 24

_Key = tuple[str, str]
_Place = tuple[int, int]
"""The number of a source and of a sentence in it."""


class _Way(NamedTuple):
    """A sentence of an answer with pieces of a way.

    Attributes:
        sentence: Its claims.
        slots: The pieces that need a source.
        words: The words of the sentence that carry a subject, with their places in the raw text.
    """

    sentence: tuple[Claim, ...]
    slots: Sequence[RouteSlot]
    words: Sequence[tuple[Word, Claim, int]]

    def besides(self, slot: RouteSlot) -> list[Word]:
        """Return the words of the sentence but for those of a piece."""
        return [word for word, _, at in self.words if not slot.start <= at < slot.end]

    def clause(self, slot: RouteSlot) -> list[Word]:
        """Return the words of the clause of a piece, but for its own."""
        near = next((one for _, one, at in self.words if slot.start <= at < slot.end), None)
        return [
            word
            for word, claim, at in self.words
            if (near is None or claim is near) and not slot.start <= at < slot.end
        ]


class _Differing(NamedTuple):
    """Route details that differ between an answer and its sources.

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
        self._index = reading.source_set.once(SourceIndex)
        titles = [Text(source.title) for source in reading.exchange.sources]
        texts = [part.text for part in reading.source_set.parts]
        self.raw_texts = [text.raw for text in (*texts, *titles)]
        self._dense = ["".join(raw.split()) for raw in self.raw_texts]
        self._slots: dict[_Place, list[RouteSlot]] = defaultdict(list)
        self._places: dict[_Key, list[_Place]] = defaultdict(list)
        self._told: dict[_Place, tuple[str, str]] = {}
        self._postings: dict[str, set[_Place]] = defaultdict(set)
        self._around = _contexts(self._index)
        for number, (part, read) in enumerate(
            zip(reading.source_set.parts, self._index.readings, strict=True)
        ):
            named = [slot for slot in part.text.routes if slot.kind is not RouteKind.MODE]
            for sentence, slots in by_sentence(read, named):
                place = (number, sentence[0].sentence)
                text = read.page.plain[sentence[0].start : sentence[-1].end]
                self._told[place] = (part.source.id if part.source else "", text)
                self._add(place, slots)
        self._keys = {slot.key for title in titles for slot in title.routes} | self._places.keys()
        self.describes = any(text.routes for text in texts)

    def _add(self, place: _Place, slots: Sequence[RouteSlot]) -> None:
        self._slots[place] += slots
        for slot in slots:
            self._places[slot.key].append(place)
        for feature in self._around.get(place, ()):
            self._postings[feature].add(place)

    def holds(self, text: str) -> bool:
        """Tell whether a sentence stands in a source as it is."""
        bare = "".join(text.split()).strip(_OUTER)
        verbatim = re.compile(rf"(?<!\d){re.escape(bare)}(?!\d)")
        return any(verbatim.search(dense) for dense in self._dense)

    def has(self, slot: RouteSlot) -> bool:
        """Tell whether a source has a piece of a way anywhere."""
        if slot.key in self._keys:
            return True
        return slot.kind in _BY_NAME and any(slot.value in dense for dense in self._dense)

    def differing(self, slot: RouteSlot, way: _Way) -> _Differing | None:
        """Return what a passage on the same way has instead of a piece of a sentence, or None.

        Args:
            slot: The piece.
            way: The sentence with all its pieces.
        """
        if len(way.slots) > _MOST_TOGETHER:
            return None
        if self.has(slot):
            place = self._moved_from(slot, way) or self._without(slot, way.slots)
        else:
            place = self._closest(slot, way)
        return None if place is None else self._difference(slot, way.slots, place)

    def _difference(
        self, slot: RouteSlot, together: Sequence[RouteSlot], place: _Place
    ) -> _Differing | None:
        there = [one for one in self._slots[place] if one.kind is slot.kind]
        expected = tuple(dict.fromkeys(one.text for one in there))
        others = [one for one in together if one is not slot]
        around = self._keys_around(place)
        only = len({one.key for one in there}) == 1
        agrees = all(one.kind is not slot.kind and one.key in around for one in others)
        source_id, sentence = self._told[place]
        return _Differing(
            source_id,
            sentence,
            expected[:_MOST_EXPECTED],
            expected[0] if only and agrees else None,
        )

    def _closest(self, slot: RouteSlot, way: _Way) -> _Place | None:
        """Return the sentence with pieces of that kind that is most like the answer's."""
        keys = {one.key for one in way.slots}
        words = way.besides(slot)
        best, best_score = None, _SAME_SUBJECT
        for place in self._near_to(words):
            if self._has_kind(place, slot):
                shared = sum(one.key in keys for one in self._slots[place])
                score = shared + self._share(words, place)
                if score > best_score:
                    best, best_score = place, score
        return best

    def _moved_from(self, slot: RouteSlot, way: _Way) -> _Place | None:
        """Return the sentence that says what the answer's does with another piece of that kind.

        None unless what stands around the piece itself is clearly about something else.
        """
        words, clause = way.besides(slot), way.clause(slot)
        own = self._places.get(slot.key, [])
        if not own or len(own) > _MOST_PLACES or len(clause) < _FEWEST_WORDS:
            return None
        best, best_share = None, _SAME_WAY
        for place in self._near_to(words):
            share = min(self._share(words, place), self._share(clause, place))
            if place not in own and self._has_kind(place, slot) and share >= best_share:
                best, best_share = place, share
        most = max(self._share(one, *self._near(place)) for place in own for one in (words, clause))
        return best if most <= best_share - _CLEARLY_LESS else None

    def _near_to(self, words: Sequence[Word]) -> list[_Place]:
        """Return the sentences with pieces of ways that share most words."""
        found = Counter(
            place
            for word in words
            for feature in word.features
            for place in sorted(self._postings.get(feature, ()))
        )
        return [place for place, _ in found.most_common(_MOST_COMPARED)]

    def _share(self, words: Sequence[Word], *places: _Place) -> float:
        """Return the share of some words that stand in sentences or above them."""
        if not words:
            return 0.0
        around = {feature: 1.0 for place in places for feature in self._around.get(place, ())}
        return sum(covered(word, around) for word in words) / len(words)

    def _without(self, slot: RouteSlot, together: Sequence[RouteSlot]) -> _Place | None:
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

    def _has_kind(self, place: _Place, slot: RouteSlot) -> bool:
        return any(one.kind is slot.kind for one in self._slots.get(place, ()))

    def _near(self, place: _Place) -> list[_Place]:
        steps = sorted(range(-_REACH_SENTENCES, _REACH_SENTENCES + 1), key=abs)
        return [(place[0], place[1] + step) for step in steps]

    def _keys_around(self, place: _Place) -> set[_Key]:
        return {slot.key for near in self._near(place) for slot in self._slots.get(near, ())}


def _contexts(index: SourceIndex) -> dict[_Place, set[str]]:
    """Return what each sentence of the sources says and is about."""
    found: dict[_Place, set[str]] = defaultdict(set)
    for one in index.claims:
        found[one.source, one.claim.sentence].update(one.context)
    return found


class TransportSettings(GuardSettings):
    """Options of the guard."""

    allow_from_question: bool = Field(
        True, description="Let the answer repeat lines, stations and the like of the question."
    )


class Transport(Guard[TransportSettings]):
    """Report every line, station, exit, bus and means of travel without support."""

    id = "transport"
    label = Label("Directions", "교통편")
    subject = Subject.ROUTES
    stages = frozenset({Stage.OUTPUT})
    needs_sources = True
    scope = Scope.SEGMENT
    settings_type = TransportSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "transport.invented": Code(
            label=Label("A route that no source describes", "출처에 없는 교통편"),
            meaning="No source describes such a route.",
            instruction=(
                '"{observed}"{observed:은} 자료에 없는 교통 정보입니다. 자료에 있는 교통편만 '
                "안내하세요."
            ),
        ),
        "transport.differs": Code(
            label=Label("Another line, station, exit or bus", "출처와 다른 노선·역·출구·버스"),
            meaning="The passage on the same route has another line, station, exit or bus.",
            instruction=(
                '"{observed}"{observed:은} 자료의 교통 안내와 다릅니다. 자료의 {expected}만 쓰세요.'
            ),
            without_value=(
                '"{observed}"{observed:은} 자료의 교통 안내와 다릅니다. 질문한 길의 안내를 '
                "자료에서 확인해 쓰고, 없으면 쓰지 마세요."
            ),
        ),
        "transport.mode": Code(
            label=Label("Another means of transport", "출처와 다른 교통수단"),
            meaning="The sources describe only other means of transport.",
            instruction=(
                '"{observed}"{observed:은} 자료에 없는 교통수단입니다. 자료에 있는 교통편만 '
                "안내하세요."
            ),
        ),
    }

    def check(self, reading: Reading) -> list[Finding]:
        """Hold each sentence with a way against the ways of the sources."""
        answer = reading.answer_text
        if not answer.routes:
            return []
        ways = _RouteMap(reading)
        licensed = self._allowed_routes(reading)
        read = answer.once(claims_of)
        slots = [one for one in answer.routes if answer.prose[one.start : one.end] == one.text]
        findings: list[Finding] = []
        for sentence, own in by_sentence(read, slots):
            start, end = read.page.raw_span(sentence[0].start, sentence[-1].end)
            is_denied = sentence[-1].clause.modality is Modality.DENIED
            if is_denied or standing_of_sentence(sentence) is Standing.ABSTENTION:
                continue  # 강남역 정류장은 없습니다
            if not ways.holds(answer.raw[start:end]):
                words = _words_of(sentence, read.page)
                claimed = [
                    one for one in own if one.kind is not RouteKind.MODE and one.key not in licensed
                ]
                way = _Way(sentence, claimed, words)
                findings += _in_sentence(answer, way, own, ways, licensed)
        return findings

    def _allowed_routes(self, reading: Reading) -> frozenset[_Key]:
        if not self.settings.allow_from_question:
            return frozenset()
        texts = (reading.question.text, Text(reading.exchange.echo))
        return frozenset(slot.key for text in texts for slot in text.routes)


def _words_of(sentence: Sequence[Claim], page: Page) -> list[tuple[Word, Claim, int]]:
    """Return the words of a sentence that carry a subject, and where they stand."""
    return [
        (word, claim, page.raw_span(claim.offset + word.start, claim.offset + word.end)[0])
        for claim in sentence
        for word in claim.clause.words
        if not word.is_light
    ]


def _in_sentence(
    answer: Text,
    way: _Way,
    slots: Sequence[RouteSlot],
    ways: _RouteMap,
    licensed: frozenset[_Key],
) -> Iterator[Finding]:
    looked_up = [(slot, ways.differing(slot, way)) for slot in way.slots]
    wrong = [(slot, found) for slot, found in looked_up if found or not ways.has(slot)]
    for slot, found in wrong:
        yield _named_finding(slot, found, is_only=len(wrong) == 1)
    if not wrong:
        yield from _mode_findings(answer.raw, slots, ways, licensed)


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
    raw: str,
    slots: Sequence[RouteSlot],
    ways: _RouteMap,
    licensed: frozenset[_Key],
) -> Iterator[Finding]:
    for slot in slots:
        if slot.kind is not RouteKind.MODE or slot.key in licensed:
            continue
        travels = _TRAVELS.match(raw, slot.end)
        if travels is None or any(names_mode(one, slot.value) for one in ways.raw_texts):
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
