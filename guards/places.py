"""Floors, rooms and addresses that the sources give otherwise.

Finds: a floor (지하 2층 for 지상 2층), a building (본관 for 별관) or a numbered room that is not
    the one that a source gives for what the sentence names, in the same line, cell or brackets;
    another house number of a road of the sources.
Misses: places told by names only (대강당, 정문 앞); a place for which the sources name nothing in
    the same line; an invented floor of something that the sources place nowhere (`numbers`
    looks for the figure); roads and cities that no source has (`names`).
Score: 0.9.
Source: own rules. A sentence may name a place by any whole label of it, before or behind it; a
    word that only the given place bears excuses it.
"""

import re
from collections.abc import Mapping
from typing import ClassVar

from guards.claims.standing import abstains
from guards.core.finding import Evidence, Finding, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Reading
from guards.text.ownership import Owned
from guards.text.passages import sentence_places
from guards.text.place_book import PlaceBook, said_around
from guards.text.slots.place import PlaceSlot, find_places

_DENIED = re.compile(r"[ ]?(?:이|가)?[ ]?(?:아니|아닌|아닙)")


class PlacesSettings(GuardSettings):
    """Options of the guard."""


class Places(Guard[PlacesSettings]):
    """Report every place of the answer that the sources give for something else."""

    id = "places"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = PlacesSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "places.differs": Code(
            "The sources give another floor, room or house number for it.",
            '"{observed}"은(는) 자료의 위치와 다릅니다. 자료의 위치 {expected}을(를) 쓰세요.',
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Nothing to compare with, or nothing to compare."""
        if reading.answer is None:
            return "no_answer"
        return None if reading.sources else "no_sources"

    def check(self, reading: Reading) -> list[Finding]:
        """Look up each place of the answer's claims."""
        answer = reading.answer
        if answer is None:
            return []
        raw = answer.text.raw
        places = find_places(answer.text.prose)
        if not places:
            return []
        book = PlaceBook(reading)
        sentences = sentence_places(answer.text, [place.start for place in places])
        told = [answer.text.sentences[at].text for at in sentences]
        is_open = {text: _is_open(text) for text in set(told)}
        findings = (
            self._finding(place, book.meant_instead(place, said))
            for place, said, text in zip(places, said_around(raw, places), told, strict=True)
            if not (_DENIED.match(raw, place.end) or is_open[text])
        )
        return [finding for finding in findings if finding is not None]

    def _finding(self, place: PlaceSlot, meant: tuple[Owned[PlaceSlot], ...]) -> Finding | None:
        if not meant:
            return None
        expected = tuple(dict.fromkeys(entry.written for entry in meant))
        tells_less = place.inside and not all(entry.value.inside for entry in meant)
        return Finding(
            guard=self.id,
            code="places.differs",
            part="answer",
            span=Span(place.start, place.end),
            observed=place.text,
            strength=Strength.C2,
            expected=expected,
            evidence=tuple(
                dict.fromkeys(Evidence(entry.source_id, entry.sentence) for entry in meant)
            ),
            score=0.9,
            fix=expected[0] if len(expected) == 1 and not tells_less else None,
        )


def _is_open(sentence: str) -> bool:
    """Tell whether a sentence asks, or says that the sources do not say."""
    return sentence.rstrip().endswith("?") or abstains(sentence)
