"""The items and parts that a client has seen begin, and how they end."""

from collections.abc import Iterator

from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.responses.flows import (
    ANNOTATION,
    ITEM_ADDED,
    ITEM_DONE,
    PART_ADDED,
    PART_DONE,
    TEXT_DONE,
    number_of,
    place_of,
    without_tokens,
)
from proxy.openai_api.responses.made import (
    delta,
    item_added,
    item_done,
    members_of_part,
    own_message,
    part_added,
    part_done,
)
from proxy.openai_api.responses.output import MESSAGE, TEXT_PART, Place, message_saying, part_saying


class Left:
    """The texts of the answer: what was read at each place, and what left of it."""

    def __init__(self) -> None:
        self._read: dict[Place, str] = {}
        self._left: dict[Place, str] = {}

    def __bool__(self) -> bool:
        """Tell whether anything left."""
        return any(self._left.values())

    def note(self, place: Place, text: str) -> None:
        """Note what the model server said, whatever leaves of it."""
        self._read[place] = self._read.get(place, "") + text

    def say(self, place: Place, text: str) -> None:
        """Note what left."""
        self._left[place] = self.text(place) + text

    def text(self, place: Place) -> str:
        """Return what left at a place."""
        return self._left.get(place, "")

    def places(self) -> set[Place]:
        """Return where the model server said something."""
        return set(self._read)

    def told_truly(self, kind: str, event: JsonObject) -> JsonObject | None:
        """Return an event with the text that left; None if it speaks of another one.

        Args:
            kind: Its type.
            event: The event.
        """
        if kind == TEXT_DONE:
            text = self.text(place_of(event))
            return event if event.get("text") == text else without_tokens(event) | {"text": text}
        if kind == PART_DONE:
            return event | {"part": self._part(event.get("part"), place_of(event))}
        if kind == ITEM_DONE:
            return event | {"item": self._item(event.get("item"), number_of(event, "output_index"))}
        if kind == ANNOTATION and self._is_changed(place_of(event)):
            return None
        return event

    def _part(self, part: JsonValue | None, place: Place) -> JsonValue | None:
        if isinstance(part, dict) and part.get("type") == TEXT_PART:
            return part_saying(part, self.text(place))
        return part

    def _item(self, item: JsonValue | None, at: int) -> JsonValue | None:
        if not isinstance(item, dict) or item.get("type") != MESSAGE:
            return item
        parts = objects(item.get("content"))
        said = [self._part(part, Place(at, number)) for number, part in enumerate(parts)]
        return item if said == parts else message_saying(item, said)

    def _is_changed(self, place: Place) -> bool:
        return self.text(place) != self._read.get(place, "")


_OWN_ID = "msg_guard"


class Begun:
    """The items and parts that have begun, under the numbers that the client knows.

    Args:
        left: What left of the answer.

    Attributes:
        ended: The items that have ended, as the client saw them.
        own: Numbers of the messages that we added.
    """

    def __init__(self, left: Left) -> None:
        self._left = left
        self._open: dict[int, JsonObject] = {}
        self._parts: dict[Place, JsonObject] = {}
        self._closed: set[Place] = set()
        self.ended: dict[int, JsonObject] = {}
        self.own: set[int] = set()

    def note(self, kind: str, event: JsonObject) -> None:
        """Note an event that leaves.

        Args:
            kind: Its type.
            event: The event.
        """
        at, item, part = number_of(event, "output_index"), event.get("item"), event.get("part")
        if kind == ITEM_ADDED and isinstance(item, dict):
            self._open[at] = item
        elif kind == ITEM_DONE and isinstance(item, dict):
            self._open.pop(at, None)
            self.ended[at] = item
        elif kind in (PART_ADDED, PART_DONE) and isinstance(part, dict):
            self._parts[place_of(event)] = part
        if kind in (TEXT_DONE, PART_DONE):
            self._closed.add(place_of(event))

    def is_message(self, item: int) -> bool:
        """Tell whether a message is under way there."""
        return member(self._open.get(item), "type") == MESSAGE

    def is_closed(self, place: Place) -> bool:
        """Tell whether a text has ended."""
        return place in self._closed

    def text_places(self) -> set[Place]:
        """Return where text parts were begun."""
        return {place for place, part in self._parts.items() if part.get("type") == TEXT_PART}

    def open_place(self) -> Place | None:
        """Return the last text part that has not ended."""
        places = (one for one in self.text_places() - self._closed if one.item in self._open)
        return max(places, default=None)

    def free_item(self) -> int:
        """Return the number of the next item."""
        return 1 + max([*self._open, *self.ended], default=-1)

    def going_on(self, place: Place, text: str) -> JsonObject:
        """Return the event that adds a text of ours to a part."""
        members = members_of_part(self._open[place.item], place.item, place.part)
        return delta(self._parts[place], members, text)

    def added_message(self, text: str, *, refuses: bool) -> Iterator[JsonObject]:
        """Yield the events that begin a message of ours.

        Args:
            text: What it says.
            refuses: It is a refusal.
        """
        at = self.free_item()
        message = own_message(f"{_OWN_ID}_{at}", text, refuses=refuses)
        [part] = objects(message["content"])
        members = members_of_part(message, at, 0)
        self.own.add(at)
        self._open[at] = message
        self._parts[Place(at, 0)] = part
        self._left.say(Place(at, 0), text)
        yield item_added(message | {"status": "in_progress", "content": []}, at)
        yield part_added(part, members)
        yield delta(part, members, text)

    def endings(self, status: str) -> Iterator[JsonObject]:
        """Yield the events that end what nobody ended.

        Args:
            status: How its items end.
        """
        for at, item in sorted(self._open.items()):
            whole = item | {"status": status}
            if item.get("type") == MESSAGE:
                places = sorted(place for place in self._parts if place.item == at)
                parts = {place: self._as_left(place) for place in places}
                for place in places:
                    if place not in self._closed:
                        yield from part_done(parts[place], members_of_part(item, at, place.part))
                whole = whole | {"content": [*parts.values()]}
            self.ended[at] = whole
            yield item_done(whole, at)
        self._open.clear()

    def _as_left(self, place: Place) -> JsonObject:
        part = self._parts[place]
        return part_saying(part, self._left.text(place)) if part.get("type") == TEXT_PART else part
