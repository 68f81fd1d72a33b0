"""Writes the stream to the client from one or two streams of the model server.

What a client sees stays one response: its events are numbered without gaps, and whatever says a
text once more at its end says what really left. What begins a message is held until something of
the message leaves. So if a second attempt follows, no message of the first one was begun; the items
that were (reasoning, say) are ended, and those of the second attempt count on from there.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from proxy.openai_api.endpoint import LiveStream, Piece
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import Ending
from proxy.openai_api.responses.conversation import as_asked
from proxy.openai_api.responses.output import (
    COMPLETED,
    INCOMPLETE,
    MESSAGE,
    TEXT_PART,
    Place,
    counted,
    delta,
    ended,
    ended_so,
    event_bytes,
    item_added,
    item_done,
    members_of_part,
    message_saying,
    own_message,
    own_response,
    part_added,
    part_done,
    part_saying,
    with_texts_in_order,
    without_echoes,
)
from proxy.openai_api.responses.reading import (
    ANNOTATION,
    ITEM_ADDED,
    ITEM_DONE,
    OPENINGS,
    PART_ADDED,
    PART_DONE,
    TEXT_DONE,
    number_of,
    place_of,
    without_tokens,
)


class SentTexts:
    """The texts of the answer: what was read at each place, and what was sent of it."""

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
        """Note what was sent."""
        self._left[place] = self.text(place) + text

    def text(self, place: Place) -> str:
        """Return what was sent at a place."""
        return self._left.get(place, "")

    def places(self) -> set[Place]:
        """Return where the model server said something."""
        return set(self._read)

    def told_truly(self, kind: str, event: JsonObject) -> JsonObject | None:
        """Return an event with the text sent; None if it speaks of another one."""
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


class OpenItems:
    """The items and parts that have begun, under the numbers that the client knows.

    Attributes:
        ended: The items that have ended, as the client saw them.
        own: Numbers of the messages that we added.
    """

    def __init__(self, left: SentTexts) -> None:
        self._left = left
        self._open: dict[int, JsonObject] = {}
        self._parts: dict[Place, JsonObject] = {}
        self._closed: set[Place] = set()
        self.ended: dict[int, JsonObject] = {}
        self.own: set[int] = set()

    def note(self, kind: str, event: JsonObject) -> None:
        """Note an event that leaves."""
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
        """Tell whether a message is in progress there."""
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
        """Yield the events that begin a message of ours."""
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
        """Yield the events that end what nobody ended."""
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


class _Event(NamedTuple):
    """An event on its way out, and its own bytes if it can be sent as it came."""

    body: JsonObject
    raw: bytes | None = None

    @property
    def kind(self) -> str:
        return str(self.body.get("type"))


class StreamWriter(LiveStream):
    """Writes the stream that leaves; what reads those of the model server is added below it."""

    def __init__(self, request: ModelRequest, attempts: int = 0) -> None:
        self._request = request
        self._attempts = attempts
        self._out: list[bytes] = []
        self._next: int | None = None
        self._openings: dict[str, JsonObject] = {}
        self._first_item = 0
        self._held: dict[int, list[_Event]] = {}
        self._left = SentTexts()
        self._begun = OpenItems(self._left)
        self._final: Piece | None = None
        self._finish: str | None = None
        self._is_cut = False

    def begin_again(self, choices: Sequence[int]) -> None:
        """Go on with a second attempt at the one choice there is."""
        self._attempts += 1
        self._held.clear()
        self._end_items(INCOMPLETE)
        self._first_item = self._begun.free_item()
        self._final = None

    def write(self, piece: Piece) -> bytes:
        """Return the bytes of a piece that leaves; none while it waits for what it belongs to."""
        self._take(piece)
        return self._flushed()

    def write_text(self, choice: int, text: str, instead_of: Sequence[Piece]) -> bytes:
        """Return the bytes of a text in the place of pieces, or of one that we add."""
        waiting = text
        for piece in instead_of:
            if not piece.text:
                self._take(piece)
                continue
            event = self._own_number(piece)
            self._left.note(place_of(event.body), piece.text)
            if waiting and not self._begun.is_closed(place_of(event.body)):
                self._say(event, waiting)
                waiting = ""
        if waiting:
            self._add(waiting)
        return self._flushed()

    def write_template(self, choice: int, text: str) -> bytes:
        """Return the bytes of a message of ours: a refusal where JSON was promised."""
        self._held.clear()
        self._add_message(text, refuses=self._request.structured)
        return self._flushed()

    def write_finish(self, choice: int, finish_reason: str) -> bytes:
        """Return the bytes that end what is still open; the response ends for this reason."""
        self._finish, self._is_cut = finish_reason, True
        self._held.clear()
        self._end_items(COMPLETED)
        return self._flushed()

    def end_as(self, finish_reason: str) -> None:
        """Let the response end for another reason than the model server gave."""
        self._finish = finish_reason

    def write_error(self, error: JsonObject) -> bytes:
        """Return the event of a failure: in this endpoint's words, and as the clients raise it."""
        said = error.get("error")
        told = {name: member(said, name) for name in ("code", "message", "param")}
        self._emit(_Event({"type": "error", **told, "error": said}))
        return self._flushed()

    def write_end(self, usage: JsonObject, ending: Ending) -> bytes:
        """Return the last event; this endpoint's streams end with it."""
        self._end_items(COMPLETED)
        response = self._whole(ending)
        tokens = counted(usage, self._attempts)
        if tokens is not None:
            response = response | {"usage": tokens}
        last = ended(response | ending.guard)
        if self._final is not None:
            last = self._final.chunk | last
            self._emit(_Event(last, self._final.raw if last == self._final.chunk else None))
        else:
            self._emit(_Event(last))
        return self._flushed()

    def _flushed(self) -> bytes:
        out, self._out = self._out, []
        return b"".join(out)

    def _take(self, piece: Piece) -> None:
        event = self._own_number(piece)
        if event.kind in OPENINGS:
            self._open(event)
        elif piece.finish_reason is not None:
            self._final = piece
        elif piece.text:
            self._left.note(place_of(event.body), piece.text)
            self._say(event, piece.text)
        elif not isinstance(event.body.get("output_index"), int):
            self._emit(event)
        elif self._begins_message(event):
            self._held.setdefault(number_of(event.body, "output_index"), []).append(event)
        else:
            self._begin(number_of(event.body, "output_index"))
            self._pass(event)

    def _open(self, event: _Event) -> None:
        """Write what begins the response, once."""
        if event.kind in self._openings:
            return
        own = _object(event.body.get("response"))
        asked = as_asked(own, self._request.body)
        self._openings[event.kind] = event.body
        self._emit(event if asked == own else _Event(event.body | {"response": asked}))

    def _own_number(self, piece: Piece) -> _Event:
        """Return a piece's event with the number under which the client knows its item."""
        at = piece.chunk.get("output_index")
        if self._first_item and isinstance(at, int):
            return _Event(piece.chunk | {"output_index": self._first_item + at})
        return _Event(piece.chunk, piece.raw)

    def _begins_message(self, event: _Event) -> bool:
        if event.kind == ITEM_ADDED:
            return member(event.body.get("item"), "type") == MESSAGE
        if event.kind != PART_ADDED:
            return False
        at = number_of(event.body, "output_index")
        return at in self._held or self._begun.is_message(at)

    def _begin(self, item: int) -> None:
        """Write what begins a message, if it waits."""
        for event in self._held.pop(item, ()):
            self._pass(event)

    def _pass(self, event: _Event) -> None:
        """Write an event about an item, with what really left in it."""
        said = self._left.told_truly(event.kind, event.body)
        if said is None:
            return
        self._begun.note(event.kind, said)
        self._emit(event if said == event.body else _Event(said))

    def _say(self, event: _Event, text: str) -> None:
        """Write a text where an event says; with its own bytes if they say just this."""
        place = place_of(event.body)
        self._begin(place.item)
        self._left.say(place, text)
        if event.body.get("delta") != text:
            event = _Event(without_tokens(event.body) | {"delta": text})
        self._emit(event)

    def _add(self, text: str) -> None:
        """Write a text of ours: where the answer stands if it goes on there, else beside it."""
        for item in list(self._held):
            self._begin(item)
        place = self._begun.open_place()
        if place is None:
            self._add_message(text, refuses=False)
        else:
            self._left.say(place, text)
            self._emit(_Event(self._begun.going_on(place, text)))

    def _add_message(self, text: str, *, refuses: bool) -> None:
        for event in self._begun.added_message(text, refuses=refuses):
            self._emit(_Event(event))

    def _end_items(self, status: str) -> None:
        """End the items that were begun and that nobody ended."""
        for event in self._begun.endings(status):
            self._emit(_Event(event))

    def _whole(self, ending: Ending) -> JsonObject:
        """Return the response as it left."""
        begun = next(iter(self._openings.values()), {})
        frame = _object(begun.get("response"))
        final = _object(self._final.chunk.get("response")) if self._final else {}
        if final and not self._is_cut:
            response = self._with_what_left(final)
        else:
            said = sorted(self._begun.ended.items())
            items: list[JsonValue] = [item for at, item in said if at >= self._first_item]
            response = final or frame or own_response(self._request, ending)
            response = without_echoes(response) | {"output": items}
        if frame and frame.get("id") != response.get("id"):
            response = response | {"id": frame.get("id")}
        response = as_asked(response, self._request.body)
        return ended_so(response, self._finish) if self._finish else response

    def _with_what_left(self, response: JsonObject) -> JsonObject:
        """Return the model server's whole response with the texts that left, and ours."""
        places = sorted(
            place
            for place in self._left.places() | self._begun.text_places()
            if place.item >= self._first_item and place.item not in self._begun.own
        )
        response = with_texts_in_order(response, [self._left.text(place) for place in places])
        own: list[JsonValue] = [self._begun.ended[at] for at in sorted(self._begun.own)]
        return response | {"output": [*objects(response.get("output")), *own]} if own else response

    def _emit(self, event: _Event) -> None:
        """Write an event under the number that comes next."""
        number = event.body.get("sequence_number")
        if self._next is None:
            self._next = number if isinstance(number, int) else 0
        if event.raw is not None and number in (None, self._next):
            self._out.append(event.raw)
        else:
            self._out.append(event_bytes(event.body | {"sequence_number": self._next}))
        self._next += 1


def _object(value: JsonValue | None) -> JsonObject:
    return value if isinstance(value, dict) else {}
