"""A model server without a model: it says what a script has it say.."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from litestar import Litestar, Request, Response, get, post
from litestar.datastructures import State
from litestar.response import Stream

from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.sse import DONE, write_event

MODEL = "scripted-ko"
CREATED = 1_700_000_000
_PIECE_CHARS = 3


@dataclass(frozen=True, slots=True)
class Said:
    """Scripted reply of the model to one request.

    Attributes:
        tool_calls: Calls of tools instead of an answer, as in a message.
        message: Further members of each message, such as ``reasoning_content``.
        piece_pause_s: Pause before each piece of a stream, and before a plain reply, in seconds.
    """

    texts: Sequence[str] = ("",)
    tool_calls: Sequence[JsonObject] = ()
    message: JsonObject = field(default_factory=dict)
    finish_reason: str = "stop"
    piece_pause_s: float = 0.0


Script = Callable[[JsonObject], Said]
"""From a request's body to what is said."""


def model_server(script: Script) -> Litestar:
    """Return the server as an ASGI app."""
    return Litestar(
        [_complete, _models, _embeddings],
        state=State({"script": script}),
        openapi_config=None,
        logging_config=None,
    )


@post("/v1/chat/completions", status_code=200)
async def _complete(request: Request[object, object, State]) -> Response[bytes] | Stream:
    body: JsonObject = json.loads(await request.body())
    said: Said = request.app.state.script(body)
    if body.get("stream"):
        return Stream(_stream(body, said), media_type="text/event-stream")
    await asyncio.sleep(said.piece_pause_s)
    return _json(completion(body, said))


@get("/v1/models")
async def _models() -> Response[bytes]:
    model: JsonObject = {
        "id": MODEL,
        "object": "model",
        "created": CREATED,
        "owned_by": "guard-proxy",
    }
    return _json({"object": "list", "data": [model]})


@post("/v1/embeddings", status_code=200)
async def _embeddings(request: Request[object, object, State]) -> Response[bytes]:
    body: JsonObject = json.loads(await request.body())
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    vectors: list[JsonObject] = [
        {"object": "embedding", "index": index, "embedding": [float(len(str(text))), 0.5]}
        for index, text in enumerate(texts)
    ]
    return _json({"object": "list", "data": [*vectors], "model": body["model"], "usage": {}})


def _json(body: JsonObject) -> Response[bytes]:
    return Response(json.dumps(body, ensure_ascii=False).encode(), media_type="application/json")


def completion(request: JsonObject, said: Said) -> JsonObject:
    """Return a chat completion."""
    return {
        **_frame(request, "chat.completion"),
        "choices": [
            {
                "index": index,
                "message": _message(said, text),
                "logprobs": None,
                "finish_reason": said.finish_reason,
            }
            for index, text in enumerate(said.texts)
        ],
        "usage": usage(request, said),
    }


def chunks(request: JsonObject, said: Said) -> list[JsonObject]:
    """Return the chunks of a streamed chat completion; the texts come in pieces of 3 characters."""
    frame = _frame(request, "chat.completion.chunk")
    found: list[JsonObject] = []

    def add(index: int, delta: JsonObject, finish_reason: str | None = None) -> None:
        choice: JsonObject = {"index": index, "delta": delta, "finish_reason": finish_reason}
        found.append(frame | {"choices": [choice]})

    for index, text in enumerate(said.texts):
        add(index, {**_message(said, ""), "role": "assistant"})
        for start in range(0, len(text), _PIECE_CHARS):
            add(index, {"content": text[start : start + _PIECE_CHARS]})
        add(index, {}, said.finish_reason)
    if member(request.get("stream_options"), "include_usage"):
        found.append(frame | {"choices": [], "usage": usage(request, said)})
    return found


async def _stream(request: JsonObject, said: Said) -> AsyncIterator[bytes]:
    for chunk in chunks(request, said):
        await asyncio.sleep(said.piece_pause_s)
        yield write_event(chunk)
    yield DONE


def _frame(request: JsonObject, kind: str) -> JsonObject:
    return {
        "id": "chatcmpl-scripted",
        "object": kind,
        "created": CREATED,
        "model": request.get("model"),
        "system_fingerprint": "scripted",
    }


def _message(said: Said, text: str) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": text, **said.message}
    if said.tool_calls:
        message |= {"content": None, "tool_calls": list(said.tool_calls)}
    return message


def usage(request: JsonObject, said: Said) -> JsonObject:
    """Return made-up but steady token counts: a token for every two characters."""
    prompt = sum(len(str(message.get("content"))) for message in objects(request.get("messages")))
    completed = sum(len(text) for text in said.texts)
    counts = (prompt // 2, completed // 2)
    return {
        "prompt_tokens": counts[0],
        "completion_tokens": counts[1],
        "total_tokens": sum(counts),
    }
