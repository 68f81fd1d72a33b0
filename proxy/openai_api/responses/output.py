"""The contents of a response object: texts by place, tool calls, how it ended.

The answer is the text of all `output_text` parts, joined without anything between them, as the
OpenAI clients' own `output_text` is; so offsets in the answer are offsets in its parts.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.coverage import RESPONSES as COVERAGE
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import Ending
from proxy.openai_api.sse import write_event

COMPLETED: Final = "completed"
INCOMPLETE: Final = "incomplete"
STOP: Final = "stop"
MESSAGE: Final = "message"
TEXT_PART: Final = "output_text"
REFUSAL_PART: Final = "refusal"
TOOL_CALLS: Final = frozenset(
    "function_call custom_tool_call computer_call local_shell_call shell_call apply_patch_call "
    "mcp_approval_request tool_search_call".split()
)
"""Calls that the client answers; all other tools run at the model server before the answer."""

_KNOWN_ITEMS = TOOL_CALLS | frozenset(
    "message reasoning file_search_call web_search_call code_interpreter_call mcp_call "
    "mcp_list_tools mcp_approval_response image_generation_call compaction function_call_output "
    "custom_tool_call_output computer_call_output local_shell_call_output shell_call_output "
    "apply_patch_call_output tool_search_output additional_tools program program_output".split()
)
# A future kind of item that carries an answer will name its text so.
_WORDS = ("content", "text", TEXT_PART)
_SILENT = COVERAGE.reply.silent()
_MEMBERS_OF_A_MESSAGE = frozenset({"id", "type", "status", "role", "phase", "content"})
_ENDINGS = {"max_output_tokens": "length", "content_filter": "content_filter"}
_REASONS = {name: reason for reason, name in _ENDINGS.items()}


class Place(NamedTuple):
    """Position of a part.

    Attributes:
        part: Number of the part in the item's content.
    """

    item: int
    part: int


def texts_of(response: JsonObject) -> dict[Place, str]:
    """Return the texts of a response by place, in order.

    Raises:
        UpstreamBroken: nobody could say what a client would read in it.
    """
    found: dict[Place, str] = {}
    for at, item in enumerate(_list(response.get("output"), "output")):
        check_item(item)
        if member(item, "type") != MESSAGE:
            continue
        for place, part in enumerate(_list(member(item, "content"), "content of a message")):
            check_part(part)
            if member(part, "type") == TEXT_PART:
                found[Place(at, place)] = str(member(part, "text"))
    return found


def check_item(item: JsonValue) -> None:
    """Make sure that an item holds no words which nobody would look for.

    Raises:
        UpstreamBroken: it is of a kind that we do not know, and has words.
    """
    if not isinstance(item, dict):
        raise UpstreamBroken("an item of its output is no object")
    kind = item.get("type")
    if kind is not None and not isinstance(kind, str):
        raise UpstreamBroken("an item of its output is of no kind")
    if kind not in _KNOWN_ITEMS and any(map(item.get, _WORDS)):
        raise UpstreamBroken("an item of its output is of an unknown kind and has words")


def check_part(part: JsonValue) -> None:
    """Make sure that a part of a message is one that we know.

    Raises:
        UpstreamBroken: it is not, so nobody could say what a client would read in it.
    """
    kind = member(part, "type")
    if kind != REFUSAL_PART and not (kind == TEXT_PART and isinstance(member(part, "text"), str)):
        raise UpstreamBroken("a message of its output has a part that is no text")


def _list(value: JsonValue | None, name: str) -> Sequence[JsonValue]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise UpstreamBroken(f"the {name} is no list")
    return value


def check_ended(response: JsonObject) -> None:
    """Make sure that a response is one that can be judged.

    Raises:
        UpstreamBroken: it failed, or is still to come.
    """
    status = response.get("status", COMPLETED)
    if response.get("error") or status == "failed":
        raise UpstreamBroken("it says that it failed")
    if status not in (COMPLETED, INCOMPLETE):
        raise UpstreamBroken("it has not ended")


def finish_reason_of(response: JsonObject) -> str:
    """Return why a response ended, in the words of a chat completion."""
    if response.get("status") == INCOMPLETE:
        reason = member(response.get("incomplete_details"), "reason")
        return _ENDINGS.get(str(reason), INCOMPLETE)
    return "tool_calls" if calls_tools(response) else STOP


def ended_so(response: JsonObject, finish_reason: str) -> JsonObject:
    """Return a response that ended for this reason, in the words of a chat completion."""
    reason = _REASONS.get(finish_reason)
    status = INCOMPLETE if reason else COMPLETED
    items = [
        item | {"status": status} if item.get("type") == MESSAGE else item
        for item in objects(response.get("output"))
    ]
    return response | {
        "status": status,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": [*items],
    }


def calls_tools(response: JsonObject) -> bool:
    """Tell whether the client has to call a tool before there is an answer."""
    return any(item.get("type") in TOOL_CALLS for item in objects(response.get("output")))


def unseen_in(items: Sequence[JsonObject]) -> Iterator[str]:
    """Yield the names of what carries words in output items and is not looked at."""
    for item in items:
        kind = item.get("type")
        if kind != MESSAGE:
            if kind not in TOOL_CALLS:
                yield kind if isinstance(kind, str) and kind in _KNOWN_ITEMS else "unknown_item"
            continue
        for part in objects(item.get("content")):
            if part.get("type") == REFUSAL_PART:
                yield REFUSAL_PART
            if part.get("annotations"):
                yield "annotations"


def with_texts_at(response: JsonObject, texts: Mapping[Place, str]) -> JsonObject:
    """Return a response with these texts; a part whose text stays is left as it is."""
    items = objects(response.get("output"))
    changed = [_item_with(item, at, texts) for at, item in enumerate(items)]
    if changed == items:
        return response
    return without_echoes(response) | {"output": [*changed]}


def without_echoes(response: JsonObject) -> JsonObject:
    """Return a response without what may hold the words of its answer beside the output."""
    return {key: value for key, value in response.items() if key in _SILENT}


def with_texts_in_order(response: JsonObject, texts: Sequence[str]) -> JsonObject:
    """Return a response whose text parts say these texts, whatever they said.

    Args:
        texts: As many as it should have parts; without one, a part is left empty.
    """
    places = list(texts_of(response))
    padded = [*texts, *[""] * len(places)]
    return with_texts_at(response, dict(zip(places, padded, strict=False)))


def _item_with(item: JsonObject, at: int, texts: Mapping[Place, str]) -> JsonObject:
    if item.get("type") != MESSAGE:
        return item
    parts = [
        part_saying(part, texts[Place(at, place)]) if Place(at, place) in texts else part
        for place, part in enumerate(objects(item.get("content")))
    ]
    return item if parts == item.get("content") else message_saying(item, parts)


def message_saying(item: JsonObject, parts: Sequence[JsonValue]) -> JsonObject:
    """Return a message with other parts, without what may hold the words of those it had."""
    kept = {key: value for key, value in item.items() if key in _MEMBERS_OF_A_MESSAGE}
    return kept | {"content": [*parts]}


def part_saying(part: JsonObject, text: str) -> JsonObject:
    """Return a text part with this text; what it said about another text goes with that text."""
    if part.get("text") == text:
        return part
    changed: JsonObject = {"type": TEXT_PART, "annotations": [], "text": text}
    return changed | {"logprobs": []} if "logprobs" in part else changed


def spread(parts: Sequence[str], text: str) -> list[str]:
    """Return a changed answer as its parts.

    What is the same at both ends stays in its parts; all that lies between goes into the first
    part that is not the same.
    """
    spread_out = list(parts)
    first, last = 0, len(parts) - 1
    while first < last and text.startswith(parts[first]):
        text = text[len(parts[first]) :]
        first += 1
    while first < last and text.endswith(parts[last]):
        text = text[: len(text) - len(parts[last])]
        last -= 1
    spread_out[first : last + 1] = [text] + [""] * (last - first)
    return spread_out


_DEFAULTS: JsonObject = {
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "temperature": None,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": None,
}


def no_usage() -> JsonObject:
    """Return the usage of a response for which no model was asked."""
    return {
        "input_tokens": 0,
        "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": 0},
        "output_tokens": 0,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 0,
    }


def own_response(request: ModelRequest, ending: Ending) -> JsonObject:
    """Return a response without output, with what the request asked for said once more."""
    asked = {name: request.body.get(name) or default for name, default in _DEFAULTS.items()}
    return {
        "id": f"resp_guard_{ending.id}",
        "object": "response",
        "created_at": ending.created,
        "status": COMPLETED,
        "error": None,
        "incomplete_details": None,
        "model": request.model,
        "output": [],
        **asked,
        "usage": no_usage(),
    }


def own_message(id_: str, text: str, *, refuses: bool) -> JsonObject:
    """Return a message of ours.

    Args:
        refuses: JSON was promised, so a text of ours is a refusal.
    """
    part: JsonObject = {"type": TEXT_PART, "annotations": [], "text": text}
    if refuses:
        part = {"type": REFUSAL_PART, "refusal": text}
    return {
        "id": id_,
        "type": MESSAGE,
        "status": COMPLETED,
        "role": "assistant",
        "content": [part],
    }


def response_events(response: JsonObject) -> Iterator[JsonObject]:
    """Yield the events of a whole response, numbered."""
    begun = response | {"status": "in_progress", "output": [], "usage": None}
    begun = {key: value for key, value in begun.items() if key != "guard"}
    events: list[JsonObject] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for at, item in enumerate(objects(response.get("output"))):
        events += item_events(item, at)
    events.append(ended(response))
    for number, event in enumerate(events):
        yield event | {"sequence_number": number}


def ended(response: JsonObject) -> JsonObject:
    """Return the last event of a stream."""
    kind = INCOMPLETE if response.get("status") == INCOMPLETE else COMPLETED
    return {"type": f"response.{kind}", "response": response}


def item_events(item: JsonObject, at: int) -> Iterator[JsonObject]:
    """Yield the events of one output item."""
    begun = item | {"status": "in_progress"} if "status" in item else item
    if item.get("type") == MESSAGE:
        yield item_added(begun | {"content": []}, at)
        for place, part in enumerate(objects(item.get("content"))):
            yield from _part_events(part, members_of_part(item, at, place))
    elif item.get("type") == "function_call":
        yield item_added(begun | {"arguments": ""}, at)
        yield from _argument_events(item, at)
    else:
        yield item_added(begun, at)
    yield item_done(item, at)


def item_added(item: JsonObject, at: int) -> JsonObject:
    """Return the event that begins an item."""
    return {"type": "response.output_item.added", "output_index": at, "item": item}


def _argument_events(item: JsonObject, at: int) -> Iterator[JsonObject]:
    place: JsonObject = {"item_id": item.get("id") or item.get("call_id"), "output_index": at}
    given = item.get("arguments")
    stem = "response.function_call_arguments"
    yield {"type": f"{stem}.delta", **place, "delta": given}
    yield {"type": f"{stem}.done", **place, "arguments": given, "name": item.get("name")}


def members_of_part(item: JsonObject, at: int, place: int) -> JsonObject:
    """Return the members of an event that say which part it is about."""
    return {"item_id": item.get("id"), "output_index": at, "content_index": place}


def _part_events(part: JsonObject, place: JsonObject) -> Iterator[JsonObject]:
    yield part_added(part, place)
    words = REFUSAL_PART if part.get("type") == REFUSAL_PART else "text"
    if part.get(words):
        yield delta(part, place, part[words])
    yield from part_done(part, place)


def part_added(part: JsonObject, place: JsonObject) -> JsonObject:
    """Return the event that begins a part."""
    if part.get("type") == REFUSAL_PART:
        empty: JsonObject = {"type": REFUSAL_PART, "refusal": ""}
    else:
        empty = {"type": TEXT_PART, "annotations": [], "logprobs": [], "text": ""}
    return {"type": "response.content_part.added", **place, "part": empty}


def delta(part: JsonObject, place: JsonObject, text: JsonValue) -> JsonObject:
    """Return the event that adds a text to a part."""
    if part.get("type") == REFUSAL_PART:
        return {"type": "response.refusal.delta", **place, "delta": text}
    return {"type": "response.output_text.delta", **place, "delta": text, "logprobs": []}


def part_done(part: JsonObject, place: JsonObject) -> Iterator[JsonObject]:
    """Yield the events that end a part."""
    if part.get("type") == REFUSAL_PART:
        yield {"type": "response.refusal.done", **place, "refusal": part.get("refusal")}
    else:
        tokens = part.get("logprobs") or []
        text = part.get("text")
        yield {"type": "response.output_text.done", **place, "text": text, "logprobs": tokens}
    yield {"type": "response.content_part.done", **place, "part": part}


def item_done(item: JsonObject, at: int) -> JsonObject:
    """Return the event that ends an item."""
    return {"type": "response.output_item.done", "output_index": at, "item": item}


def event_bytes(event: JsonObject) -> bytes:
    """Return an event as this endpoint writes it: with its type as its name."""
    return b"event: " + str(member(event, "type")).encode() + b"\n" + write_event(event)


_CHAT_NAMES = ("prompt_tokens", "completion_tokens")


def counted(total: JsonObject, attempts: int) -> JsonObject | None:
    """Return the tokens of all attempts under the names of this endpoint.

    Args:
        total: Tokens of all attempts, with those names of chat completions that nobody counted.
        attempts: How often the model server was asked.

    Returns:
        None if the model server was asked and counted none.
    """
    own: JsonObject = {
        key: value for key, value in total.items() if value or key not in _CHAT_NAMES
    }
    if own.get("input_tokens") is not None:
        return own
    return None if attempts else no_usage()
