"""The kinds of events that a model server's stream may hold, and what each does to the answer.

An event that is not listed is passed only if it says nothing but where it stands: an event that
somebody adds one day may well repeat the answer, and no guard would have read it there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.live_stream import Piece, Restoring, Words
from proxy.openai_api.responses.made import delta
from proxy.openai_api.responses.output import REFUSAL_PART, TEXT_PART, Place

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
    """Which text of a stream a delta belongs to.

    Attributes:
        flow: Its kind.
        item: Number of the output item.
        inner: Number of the part within the item.
    """

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
    """A text under way, and the last event that brought some of it."""

    words: Words
    event: JsonObject


class Flowing:
    """The texts of one stream.

    Args:
        pseudonyms: Those of the request.

    Attributes:
        given: The answer's texts by place, as the model server wrote them.
        said: The same with the user's own identifiers put back, as far as they can be said.
        unseen: Names of what carries words and is not looked at.
        is_one: Whatever event a client believes, it reads the same texts.
    """

    def __init__(self, pseudonyms: Restoring | None) -> None:
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
