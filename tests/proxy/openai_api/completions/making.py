"""Requests and replies of completions, and the types that say what they have to be."""

import json
from collections.abc import Sequence
from typing import Any, cast

from openai.types import Completion, CompletionChoice
from openai.types.completion_usage import CompletionUsage
from pydantic import BaseModel, ConfigDict, JsonValue

from guards.text.personal_data.rules import PersonalKind
from proxy.openai_api.completions import CompletionsEndpoint
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.pseudonyms import Pseudonyms
from proxy.openai_api.reply import Ending, Reply
from proxy.openai_api.sse import DONE, EventReader, json_bytes, write_event

DOOR = CompletionsEndpoint()
PROMPT = "문맥: 도서관은 밤 10시에 닫습니다.\n질문: 언제 닫나요?\n답변:"
NOBODY = Pseudonyms()
PHONE = "010-0000-1234"
HELD = Pseudonyms({PHONE: PersonalKind.PHONE})
ENDING = Ending(id="made-here", created=7, finish_reason="content_filter")
USAGE: JsonObject = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


class _ChunkChoice(CompletionChoice):
    """A choice of a chunk, which has no reason to end yet; OpenAI's own type leaves this out."""

    finish_reason: str | None = None  # type: ignore[assignment]


class _Chunk(BaseModel):
    model_config = ConfigDict(extra="allow")

    id: str
    object: str
    created: int
    model: str
    choices: list[_ChunkChoice]
    usage: CompletionUsage | None = None


def asked(prompt: JsonValue = PROMPT, **members: JsonValue) -> ModelRequest:
    return DOOR.read_request(json_bytes({"model": "m", "prompt": prompt} | members))


def choice(
    text: JsonValue, index: int = 0, finish: str | None = "stop", **more: JsonValue
) -> JsonObject:
    return {"index": index, "text": text, "logprobs": None, "finish_reason": finish} | more


def body_of(*choices: JsonObject, **members: JsonValue) -> JsonObject:
    body: JsonObject = {
        "id": "up",
        "object": "text_completion",
        "created": 5,
        "model": "m",
        "choices": [*choices],
    }
    return body | members


def plain(*choices: JsonObject, pseudonyms: Pseudonyms = NOBODY, **members: JsonValue) -> Reply:
    raw = json_bytes(body_of(*choices, usage=USAGE, **members))
    return DOOR.read_reply(raw, "application/json", pseudonyms)


def stream_of(chunks: Sequence[JsonObject], end: bytes = DONE) -> bytes:
    return b"".join(map(write_event, chunks)) + end


def streamed(*chunks: JsonObject, pseudonyms: Pseudonyms = NOBODY, end: bytes = DONE) -> Reply:
    return DOOR.read_reply(stream_of(chunks, end), "text/event-stream; charset=utf-8", pseudonyms)


def said(*texts: str, finish: str = "stop") -> list[JsonObject]:
    """Return the chunks of one choice that says some texts and ends."""
    pieces = [body_of(choice(text, finish=None)) for text in texts]
    return [*pieces, body_of(choice("", finish=finish))]


def valid_body(raw: bytes) -> JsonObject:
    """Return a whole reply that left, after OpenAI's own type has read it strictly."""
    body: JsonObject = json.loads(raw)
    Completion.model_validate(body, strict=True)
    return body


def valid_chunks(raw: bytes) -> list[JsonObject]:
    """Return the chunks of a stream that left, each read strictly."""
    assert raw.endswith(DONE)
    return valid_events(raw.removesuffix(DONE))


def valid_events(raw: bytes) -> list[JsonObject]:
    """Return the chunks in some events, each read strictly."""
    reader = EventReader()
    events = [*reader.feed(raw), *reader.close()]
    chunks: list[JsonObject] = [json.loads(event.data or "") for event in events]
    for chunk in chunks:
        _Chunk.model_validate(chunk, strict=True)
    return chunks


def texts_of(chunks: Sequence[JsonObject], index: int = 0) -> str:
    """Return what the chunks say of one choice."""
    choices = (one for chunk in chunks for one in choices_of(chunk))
    return "".join(one["text"] for one in choices if one["index"] == index)


def finishes_of(chunks: Sequence[JsonObject]) -> list[str]:
    """Return the reasons to end that the chunks give."""
    choices = (one for chunk in chunks for one in choices_of(chunk))
    return [one["finish_reason"] for one in choices if one["finish_reason"]]


def choices_of(body: JsonObject) -> list[dict[str, Any]]:
    """Return the choices of a reply or a chunk."""
    return cast("list[dict[str, Any]]", body["choices"])
