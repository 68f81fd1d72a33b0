"""The kinds of events that a model server's stream may hold, and what each does to the answer.

An event that is not listed is passed only if it says nothing but where it stands: an event that
somebody adds one day may well repeat the answer, and no guard would have read it there.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.responses.output import Place

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
