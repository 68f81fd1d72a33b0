"""Items, events and responses that the proxy makes itself."""

from collections.abc import Iterator

from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import Ending
from proxy.openai_api.responses.output import (
    COMPLETED,
    INCOMPLETE,
    MESSAGE,
    REFUSAL_PART,
    TEXT_PART,
)
from proxy.openai_api.sse import write_event

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
        id_: Its id.
        text: What it says.
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
    """Yield the events of one output item.

    Args:
        item: The item.
        at: Its number.
    """
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
