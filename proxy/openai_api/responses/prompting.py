"""What we add to a request: the citation prompt, and the note of the second attempt."""

from collections.abc import Sequence

from pydantic import JsonValue

from guards.core.exchange import Source
from proxy.openai_api.chat.citing_prompt import HEADING, with_citing_prompt
from proxy.openai_api.json_body import JsonObject, member
from proxy.openai_api.responses.conversation import messages_of


def prompted(body: JsonObject, sources: Sequence[Source]) -> JsonObject | None:
    """Return the body with the citation prompt in its instructions; None if there is none to add.

    Args:
        body: The request's body.
        sources: The sources, in the order in which citations count them.
    """
    instructions: JsonObject = {"role": "system", "content": body.get("instructions") or ""}
    said = messages_of(body | {"instructions": None})
    told = with_citing_prompt([instructions, *said], sources)
    return None if told is None else body | {"instructions": member(told[0], "content")}


def as_asked(response: JsonObject, asked: JsonObject) -> JsonObject:
    """Return a response that says the caller's own instructions once more, not ours.

    Args:
        response: The response.
        asked: The body of the caller's request.
    """
    told = response.get("instructions")
    if isinstance(told, str) and HEADING in told:
        return response | {"instructions": asked.get("instructions")}
    return response


def noted(body: JsonObject, note: str) -> JsonObject:
    """Return the body with a note at the end of the last user turn.

    Args:
        body: The request's body.
        note: What the model is told.
    """
    return body | {"input": _noted(body.get("input"), note)}


def _noted(given: JsonValue | None, note: str) -> JsonValue:
    if isinstance(given, str):
        return f"{given}\n\n{note}"
    items = given if isinstance(given, list) else []
    last = items[-1] if items else None
    if not isinstance(last, dict) or last.get("role") != "user":
        return [*items, {"role": "user", "content": note}]
    content = last.get("content")
    if isinstance(content, list):
        return [*items[:-1], last | {"content": [*content, {"type": "input_text", "text": note}]}]
    return [*items[:-1], last | {"content": f"{content or ''}\n\n{note}"}]
