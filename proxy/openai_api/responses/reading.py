"""Reads the events of a model server's stream.

The deltas are the answer, because they are what a client of a stream shows. What an event at the
end of a part, an item or the response says beyond them is added as one more delta before it, so
that servers are understood which leave out deltas, or events that announce what follows.

An event of a kind that is not listed is passed only if it says nothing but where it stands: one
that somebody adds one day may well repeat the answer, and no guard would have read it there.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.endpoint import Piece, Words
from proxy.openai_api.json_body import JsonObject, member, objects, with_texts
from proxy.openai_api.pseudonyms import Pseudonyms
from proxy.openai_api.reply import Answer
from proxy.openai_api.responses.output import (
    MESSAGE,
    REFUSAL_PART,
    TEXT_PART,
    TOOL_CALLS,
    Place,
    calls_tools,
    check_ended,
    check_item,
    check_part,
    delta,
    finish_reason_of,
    item_done,
    item_events,
    members_of_part,
    part_added,
    texts_of,
    unseen_in,
    without_echoes,
)

TEXT_FLOW: Final = "response.output_text"
TEXT_DONE: Final = "response.output_text.done"
ANNOTATION: Final = "response.output_text.annotation.added"
PART_ADDED: Final = "response.content_part.added"
PART_DONE: Final = "response.content_part.done"
ITEM_ADDED: Final = "response.output_item.added"
ITEM_DONE: Final = "response.output_item.done"
OPENINGS: Final = frozenset({"response.created", "response.queued", "response.in_progress"})
ENDINGS: Final = frozenset({"response.completed", "response.incomplete"})
FAILURES: Final = frozenset({"error", "response.failed", "response.cancelled"})


class Flow(NamedTuple):
    """A text that comes in `<name>.delta` events and is said once more in its `<name>.done`.

    Attributes:
        whole: The member of the last event that holds the whole text.
        unseen: What it is called where it is named as not looked at.
        is_call: It is part of a call that the client answers.
    """

    whole: str
    unseen: str = ""
    is_call: bool = False


FLOWS: Final[Mapping[str, Flow]] = {
    TEXT_FLOW: Flow("text"),
    "response.refusal": Flow("refusal", "refusal"),
    "response.reasoning_text": Flow("text", "reasoning"),
    "response.reasoning_summary_text": Flow("text", "reasoning"),
    "response.function_call_arguments": Flow("arguments", is_call=True),
    "response.custom_tool_call_input": Flow("input", is_call=True),
    "response.shell_call_command": Flow("command", is_call=True),
    "response.mcp_call_arguments": Flow("arguments", "mcp_call"),
    "response.code_interpreter_call_code": Flow("code", "code_interpreter_call"),
    "response.audio.transcript": Flow("transcript", "audio"),
}

WORDY: Final[Mapping[str, str]] = {
    ANNOTATION: "annotations",
    "response.reasoning_part.added": "reasoning",
    "response.reasoning_part.done": "reasoning",
    "response.reasoning_summary_part.added": "reasoning",
    "response.reasoning_summary_part.done": "reasoning",
    "response.shell_call_command.added": "shell_call",
    "response.shell_call_output_content.delta": "shell_call_output",
    "response.shell_call_output_content.done": "shell_call_output",
    "response.image_generation_call.partial_image": "image_generation_call",
    "response.audio.delta": "audio",
    "response.audio.done": "audio",
}
"""Other events that carry words or the like, and what they are called where they are named."""

_INNER = ("content_index", "summary_index", "command_index")
_MEMBERS_OF_A_TEXT_EVENT = frozenset(
    {"type", "item_id", "output_index", "sequence_number", *_INNER}
)
_NAMES = frozenset({"type", "status", "obfuscation"})


def flow_of(kind: str) -> tuple[str, str]:
    """Return the flow that an event belongs to and what it does to it; empty if it is of none."""
    name, _, step = kind.rpartition(".")
    return (name, step) if name in FLOWS and step in ("delta", "done") else ("", "")


def is_wordless(event: JsonObject) -> bool:
    """Tell whether an event says nothing but its kind and where it stands."""
    return all(_is_silent(name, value) for name, value in event.items())


def _is_silent(name: str, value: JsonValue) -> bool:
    if isinstance(value, str):
        return name in _NAMES or name == "id" or name.endswith("_id")
    return not isinstance(value, list | dict) or not value


class Key(NamedTuple):
    """Which text of a stream a delta belongs to."""

    flow: str
    item: int
    inner: int


def key_of(flow: str, event: JsonObject) -> Key:
    """Return which text an event belongs to."""
    inner = next((event[name] for name in _INNER if name in event), 0)
    item = event.get("output_index", 0)
    return Key(flow, item if isinstance(item, int) else 0, inner if isinstance(inner, int) else 0)


def place_of(event: JsonObject) -> Place:
    """Return the part that an event is about.

    Raises:
        UpstreamBroken: it does not say so.
    """
    return Place(number_of(event, "output_index"), number_of(event, "content_index"))


def number_of(event: JsonObject, name: str) -> int:
    """Return a number that an event has to have.

    Raises:
        UpstreamBroken: it has none.
    """
    number = event.get(name)
    if not isinstance(number, int):
        raise UpstreamBroken(f"an event of its stream has no {name}")
    return number


def without_tokens(event: JsonObject) -> JsonObject:
    """Return an event about a text without what may spell out the text that it had before."""
    kept = {key: value for key, value in event.items() if key in _MEMBERS_OF_A_TEXT_EVENT}
    return kept | {"logprobs": []} if "logprobs" in event else kept


_PLACE = ("item_id", "output_index", "content_index")


@dataclass(slots=True)
class _Flow:
    """A text in progress, and the last event that brought some of it."""

    words: Words
    event: JsonObject


class Flowing:
    """The texts of one stream.

    Attributes:
        given: The answer's texts by place, as the model server wrote them.
        said: The same with the user's own identifiers put back, as far as they can be said.
        unseen: Names of what carries words and is not looked at.
        is_one: Whatever event a client believes, it reads the same texts.
    """

    def __init__(self, pseudonyms: Pseudonyms | None) -> None:
        self._pseudonyms = pseudonyms
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
        flow = self._flows.setdefault(key_of(name, event), _Flow(Words(self._pseudonyms), event))
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


_ANSWERS = ("output", "output_text", "output_messages")


class StreamReader:
    """Reads one stream.

    Attributes:
        final: The response that the last event holds; None before it.
    """

    def __init__(self, pseudonyms: Pseudonyms | None) -> None:
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
        """True if a client that gets the stream unchanged reads these texts in it."""
        whole = self._is_whole and self._texts.is_one
        return whole and all(piece.raw is not None for piece in self.pieces)

    @property
    def answer(self) -> Answer:
        """The answer so far."""
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
