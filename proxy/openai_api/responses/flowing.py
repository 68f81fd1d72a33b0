"""The texts of one stream while they come: the answer's, and all others that come in deltas."""

from collections.abc import Iterator
from dataclasses import dataclass

from proxy.errors import UpstreamBroken
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.live_stream import Piece
from proxy.openai_api.responses.flows import (
    FLOWS,
    TEXT_FLOW,
    Key,
    key_of,
    place_of,
    without_tokens,
)
from proxy.openai_api.responses.made import delta
from proxy.openai_api.responses.output import REFUSAL_PART, TEXT_PART, Place
from proxy.openai_api.restoring import Restoring
from proxy.openai_api.words import Words

_PLACE = ("item_id", "output_index", "content_index")


@dataclass(slots=True)
class _Flow:
    """A text under way, and the last event that brought some of it."""

    words: Words
    event: JsonObject


class Flowing:
    """The texts of one stream.

    Args:
        stand_ins: Those of the request.

    Attributes:
        given: The answer's texts by place, as the model server wrote them.
        said: The same with the user's own identifiers put back, as far as they can be said.
        unseen: Names of what carries words and is not looked at.
        is_one: Whatever event a client believes, it reads the same texts.
    """

    def __init__(self, stand_ins: Restoring | None) -> None:
        self._stand_ins = stand_ins
        self._flows: dict[Key, _Flow] = {}
        self.given: dict[Place, str] = {}
        self.said: dict[Place, str] = {}
        self.unseen: dict[str, None] = {}
        self.is_one = True

    def delta(self, name: str, event: JsonObject, raw: bytes | None) -> Iterator[Piece]:
        """Yield what a delta says; nothing where all of it is kept back for now.

        Raises:
            UpstreamBroken: it is no text.
        """
        given = event.get("delta")
        if not isinstance(given, str):
            raise UpstreamBroken("a delta of its stream is no text")
        flow = self._flows.setdefault(key_of(name, event), _Flow(Words(self._stand_ins), event))
        flow.event = event
        if name == TEXT_FLOW:
            place = place_of(event)
            self.given[place] = self.given.get(place, "") + given
        said = flow.words.feed(given)
        if said or not given:
            yield self._piece(name, event, raw if said == given else None, said)

    def rest(self, part: JsonObject, event: JsonObject) -> Iterator[Piece]:
        """Yield what a whole text says beyond its deltas.

        Args:
            part: The part, with its text as it stands in an event that says all of it.
            event: An event that tells its place.
        """
        if part.get("type") == REFUSAL_PART:
            self.unseen[REFUSAL_PART] = None
        text = part.get("text")
        if part.get("type") != TEXT_PART or not isinstance(text, str):
            return
        given = self.given.get(place_of(event), "")
        if text.startswith(given) and text != given:
            members = {name: event.get(name) for name in _PLACE}
            yield from self.delta(TEXT_FLOW, delta(part, members, text[len(given) :]), None)
        self.is_one &= text == self.given.get(place_of(event), "")

    def flushed(self, item: int | None = None) -> Iterator[Piece]:
        """Yield what was kept back of all texts, or of those of one item."""
        for key in list(self._flows):
            if item in (None, key.item):
                yield from self.closed(key)

    def closed(self, key: Key) -> Iterator[Piece]:
        """Yield what was kept back of one text."""
        flow = self._flows.get(key)
        said = flow.words.close() if flow else ""
        if flow and said:
            yield self._piece(key.flow, flow.event, None, said)

    def _piece(self, name: str, event: JsonObject, raw: bytes | None, said: str) -> Piece:
        if FLOWS[name].unseen:
            self.unseen[FLOWS[name].unseen] = None
        if event.get("delta") != said:
            event = without_tokens(event) | {"delta": said}
        if name != TEXT_FLOW:
            return Piece(0, "", event, raw, calls_tool=FLOWS[name].is_call)
        place = place_of(event)
        if place in self.said and place != list(self.said)[-1]:
            raise UpstreamBroken("its stream mixes two texts")
        self.said[place] = self.said.get(place, "") + said
        return Piece(0, said, event, raw)
