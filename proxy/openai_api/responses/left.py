"""What left of the answer, and events that say it once more."""

from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject, objects
from proxy.openai_api.responses.flows import (
    ANNOTATION,
    ITEM_DONE,
    PART_DONE,
    TEXT_DONE,
    number_of,
    place_of,
    without_tokens,
)
from proxy.openai_api.responses.output import (
    MESSAGE,
    TEXT_PART,
    Place,
    message_saying,
    part_saying,
)


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
