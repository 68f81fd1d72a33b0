"""Reads the events of one model server's stream as pieces.

The deltas are the answer, because they are what a client of a stream shows. What an event at the
end of a part, an item or the response says beyond them is added as one more delta before it, so
that servers are understood which leave out deltas, or events that announce what follows.
"""

from collections.abc import Iterable, Iterator, Sequence

from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.answer import Answer
from proxy.openai_api.json_body import JsonObject, member, objects, with_texts
from proxy.openai_api.live_stream import Piece, Restoring
from proxy.openai_api.responses.flows import (
    ENDINGS,
    FAILURES,
    FLOWS,
    ITEM_ADDED,
    ITEM_DONE,
    OPENINGS,
    PART_ADDED,
    PART_DONE,
    TEXT_FLOW,
    WORDY,
    Flowing,
    flow_of,
    is_wordless,
    key_of,
    number_of,
    place_of,
)
from proxy.openai_api.responses.made import (
    item_done,
    item_events,
    members_of_part,
    part_added,
)
from proxy.openai_api.responses.output import (
    MESSAGE,
    TEXT_PART,
    TOOL_CALLS,
    Place,
    calls_tools,
    check_ended,
    check_item,
    check_part,
    finish_reason_of,
    texts_of,
    unseen_in,
    without_echoes,
)

_ANSWERS = ("output", "output_text", "output_messages")


class StreamReader:
    """Reads one stream.

    Args:
        pseudonyms: Those of the request.

    Attributes:
        pieces: All pieces so far.
        final: The response that the last event holds; None before it.
    """

    def __init__(self, pseudonyms: Restoring | None) -> None:
        self._pseudonyms = pseudonyms
        self._texts = Flowing(pseudonyms)
        self._items: set[int] = set()
        self._parts: set[Place] = set()
        self._is_whole = True
        self.pieces: list[Piece] = []
        self.final: JsonObject | None = None

    @property
    def texts(self) -> dict[Place, str]:
        """The answer's texts so far, by place."""
        return dict(self._texts.said)

    @property
    def unseen(self) -> tuple[str, ...]:
        """Names of what carries words and is not looked at."""
        return tuple(self._texts.unseen)

    @property
    def is_faithful(self) -> bool:
        """Whether a client that is given the stream as it came reads these texts in it."""
        whole = self._is_whole and self._texts.is_one
        return whole and all(piece.raw is not None for piece in self.pieces)

    @property
    def answer(self) -> Answer:
        """What was said so far."""
        calls = any(piece.calls_tool for piece in self.pieces)
        return Answer(
            index=0,
            content="".join(self._texts.said.values()),
            tool_turn=calls or (self.final is not None and calls_tools(self.final)),
            finish_reason=finish_reason_of(self.final) if self.final is not None else None,
        )

    def read(self, event: JsonObject, raw: bytes | None) -> Sequence[Piece]:
        """Return the pieces of one event.

        Raises:
            UpstreamBroken: nobody could say what a client would read in it.
        """
        if self.final is not None:
            self._is_whole = False
            return ()
        pieces = list(self._read(event, raw))
        self.pieces += pieces
        return pieces

    def check_ended(self) -> None:
        """Make sure that the stream is complete.

        Raises:
            UpstreamBroken: it broke off.
        """
        if self.final is None:
            raise UpstreamBroken("its stream broke off")

    def _read(self, event: JsonObject, raw: bytes | None) -> Iterator[Piece]:
        kind = event.get("type")
        if event.get("error") or (isinstance(kind, str) and kind in FAILURES):
            raise UpstreamBroken("its stream ended with an error")
        if not isinstance(kind, str):
            raise UpstreamBroken("an event of its stream has no type")
        flow, step = flow_of(kind)
        if step == "delta":
            yield from self._texts.delta(flow, event, raw)
        elif step == "done":
            yield from self._done(flow, event, raw)
        elif kind in OPENINGS:
            yield self._opening(event, raw)
        elif kind in ENDINGS:
            yield from self._ending(event, raw)
        else:
            yield from self._structure(kind, event, raw)

    def _structure(self, kind: str, event: JsonObject, raw: bytes | None) -> Iterator[Piece]:
        if kind == ITEM_ADDED:
            yield self._item_added(event, raw)
        elif kind == ITEM_DONE:
            yield from self._item_done(event, raw)
        elif kind == PART_ADDED:
            yield from self._part_added(event, raw)
        elif kind == PART_DONE:
            yield from self._part_done(event, raw)
        elif kind in WORDY:
            self._name([WORDY[kind]])
            yield self._passed(event, raw)
        elif is_wordless(event):
            yield self._passed(event, raw)
        else:
            self._name(["unknown_event"])
            self._is_whole = False

    def _opening(self, event: JsonObject, raw: bytes | None) -> Piece:
        response = event.get("response")
        if not isinstance(response, dict):
            raise UpstreamBroken("an event of its stream has no response")
        if any(map(response.get, _ANSWERS)):  # the events that follow say it again
            begun = without_echoes(response) | {"output": []}
            return self._passed(event | {"response": begun}, None)
        return self._passed(event, raw)

    def _item_added(self, event: JsonObject, raw: bytes | None) -> Piece:
        item = event.get("item")
        check_item(item)
        self._items.add(number_of(event, "output_index"))
        if isinstance(item, dict) and item.get("type") == MESSAGE and item.get("content"):
            return self._passed(event | {"item": item | {"content": []}}, None)
        return self._passed(event, raw)

    def _item_done(self, event: JsonObject, raw: bytes | None) -> Iterator[Piece]:
        item = event.get("item")
        check_item(item)
        at = number_of(event, "output_index")
        if isinstance(item, dict):
            yield from self._missing(item, at)
            self._name(unseen_in([item]))
        yield from self._texts.flushed(at)
        yield self._passed(event, raw)

    def _missing(self, item: JsonObject, at: int) -> Iterator[Piece]:
        """Yield what an item says and no event said before."""
        if at not in self._items:
            *begun, _ = item_events(item, at)
            for event in begun:
                yield from self._read(event, None)
        if item.get("type") != MESSAGE:
            return
        for number, part in enumerate(objects(item.get("content"))):
            check_part(part)
            members = members_of_part(item, at, number)
            if Place(at, number) not in self._parts | self._texts.given.keys():
                yield from self._read(part_added(part, members), None)
            yield from self._texts.rest(part, members)

    def _part_added(self, event: JsonObject, raw: bytes | None) -> Iterator[Piece]:
        part = event.get("part")
        self._check(part)
        self._parts.add(place_of(event))
        if isinstance(part, dict) and _says_something(part):
            yield self._passed(event | part_added(part, {}), None)
            yield from self._texts.rest(part, event)
        else:
            yield self._passed(event, raw)

    def _part_done(self, event: JsonObject, raw: bytes | None) -> Iterator[Piece]:
        part = event.get("part")
        self._check(part)
        if isinstance(part, dict):
            yield from self._texts.rest(part, event)
        yield from self._texts.flushed(number_of(event, "output_index"))
        yield self._passed(event, raw)

    def _check(self, part: JsonValue | None) -> None:
        if member(part, "type") == "reasoning_text":
            self._name(["reasoning"])
        else:
            check_part(part)

    def _done(self, flow: str, event: JsonObject, raw: bytes | None) -> Iterator[Piece]:
        if flow == TEXT_FLOW:
            whole = event.get(FLOWS[flow].whole)
            yield from self._texts.rest({"type": TEXT_PART, "text": whole}, event)
        yield from self._texts.closed(key_of(flow, event))
        yield self._passed(event, raw, calls_tool=FLOWS[flow].is_call)

    def _ending(self, event: JsonObject, raw: bytes | None) -> Iterator[Piece]:
        response = event.get("response")
        if not isinstance(response, dict):
            raise UpstreamBroken("the last event of its stream has no response")
        check_ended(response)
        items = objects(response.get("output"))
        whole = "".join(texts_of(response).values())
        if response.get(TEXT_PART) not in (None, whole):
            raise UpstreamBroken("it says two different texts")
        for at, item in enumerate([] if self._items else items):
            yield from self._item_done(item_done(item, at), None)
        yield from self._texts.flushed()
        self._name(unseen_in(items))
        self._is_whole &= whole == "".join(self._texts.given.values())
        restored = self._restored(event)
        final = restored.get("response")
        self.final = final if isinstance(final, dict) else response
        own = raw if restored == event else None
        yield Piece(0, "", restored, own, finish_reason=self.answer.finish_reason)

    def _passed(self, event: JsonObject, raw: bytes | None, *, calls_tool: bool = False) -> Piece:
        said = self._restored(event)
        calls_tool = calls_tool or member(event.get("item"), "type") in TOOL_CALLS
        return Piece(0, "", said, raw if said == event else None, calls_tool=calls_tool)

    def _restored(self, event: JsonObject) -> JsonObject:
        if not self._pseudonyms:
            return event
        restored = with_texts(event, self._pseudonyms.restore)
        return restored if isinstance(restored, dict) else event

    def _name(self, names: Iterable[str]) -> None:
        """Name what carries words and is not looked at."""
        self._texts.unseen |= dict.fromkeys(names)


def _says_something(part: JsonObject) -> bool:
    """Tell whether a text part begins with more than its kind: with words, or their tokens."""
    return part.get("type") == TEXT_PART and any(
        value for name, value in part.items() if name != "type"
    )
