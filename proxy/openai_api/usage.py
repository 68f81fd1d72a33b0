"""Tokens used, added up over all attempts."""

from collections.abc import Sequence

from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject, member
from proxy.openai_api.reply import Reply


def total_usage(replies: Sequence[Reply]) -> JsonObject:
    """Return the tokens of all replies, added up: zeros when the model was not asked.

    Empty if it was, and no reply says how many.
    """
    if replies and not any(reply.usage for reply in replies):
        return {}
    total: JsonObject = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    for reply in replies:
        if isinstance(reply.usage, dict):
            total = _added(total, reply.usage)
    return total


def _added(total: JsonObject, usage: JsonObject) -> JsonObject:
    added = dict(total)
    for key, value in usage.items():
        before = member(total, key)
        if isinstance(value, dict):
            added[key] = _added(before if isinstance(before, dict) else {}, value)
        else:
            added[key] = _sum(before, value)
    return added


def _sum(before: JsonValue, value: JsonValue) -> JsonValue:
    numbers = (int, float)
    if isinstance(before, numbers) and isinstance(value, numbers):
        return before + value
    return value if value is not None else before
