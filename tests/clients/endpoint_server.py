"""A scripted model server behind the other two doors: responses and completions."""

import json
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from litestar import Litestar, Request, Response, post
from litestar.datastructures import State

from proxy.demo import CREATED, Said, Script
from proxy.openai_api.json_body import JsonObject, member
from proxy.openai_api.sse import DONE, json_bytes, write_event
from proxy.pipeline.regeneration import OPENING
from proxy.server.serving import served
from tests.fakes.running_proxy import RunningProxy

PIECE_CHARS = 3


@dataclass
class DoorServer:
    """What it says is decided by `script`; `requests` holds every body it was sent."""

    script: Script = field(default=lambda _: Said(("네.",)))
    requests: list[JsonObject] = field(default_factory=list)
    address: str = ""

    def says(self, *texts: str) -> None:
        """Say the first text; when told what was wrong, the second (or the first again)."""

        def script(body: JsonObject) -> Said:
            told = OPENING in json.dumps(body, ensure_ascii=False)
            return Said((texts[-1] if told else texts[0],))

        self.script = script

    def answer(self, body: JsonObject) -> Said:
        self.requests.append(body)
        return self.script(body)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["DoorServer", None]:
        app = Litestar(
            [_respond, _complete],
            state=State({"server": self}),
            openapi_config=None,
            logging_config=None,
        )
        async with served(app) as self.address:
            yield self


@dataclass(frozen=True)
class EndpointRig:
    """A proxy and the model server behind it."""

    proxy: RunningProxy
    server: DoorServer


@post("/v1/responses", status_code=200)
async def _respond(request: Request[object, object, State]) -> Response[bytes]:
    body: JsonObject = json.loads(await request.body())
    said: Said = request.app.state.server.answer(body)
    if not body.get("stream"):
        return _json(response(body, _items(said)))
    events = [_named(event) for event in response_events(body, said)]
    return Response(b"".join(events), media_type="text/event-stream")


@post("/v1/completions", status_code=200)
async def _complete(request: Request[object, object, State]) -> Response[bytes]:
    body: JsonObject = json.loads(await request.body())
    said: Said = request.app.state.server.answer(body)
    if not body.get("stream"):
        choices = [_choice(index, text, "stop") for index, text in enumerate(said.texts)]
        return _json(_completion(body, choices) | {"usage": _usage("prompt", "completion")})
    events = b"".join(write_event(chunk) for chunk in _completion_chunks(body, said))
    return Response(events + DONE, media_type="text/event-stream")


def _json(body: JsonObject) -> Response[bytes]:
    return Response(json_bytes(body), media_type="application/json")


def _named(event: JsonObject) -> bytes:
    return f"event: {event['type']}\n".encode() + write_event(event)


def _pieces(text: str) -> list[str]:
    return [text[start : start + PIECE_CHARS] for start in range(0, len(text), PIECE_CHARS)]


def _usage(asked: str, answered: str) -> JsonObject:
    return {f"{asked}_tokens": 20, f"{answered}_tokens": 10, "total_tokens": 30}


# Responses.


def response(
    request: JsonObject, output: Sequence[JsonObject], status: str = "completed"
) -> JsonObject:
    """Return a response with these items; one under way has none and no usage."""
    details: JsonObject = {
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    return {
        "id": "resp_scripted",
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": request.get("instructions"),
        "max_output_tokens": None,
        "model": request["model"],
        "output": [*output],
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "store": False,
        "temperature": 1.0,
        "text": request.get("text") or {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": request.get("tools") or [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": _usage("input", "output") | details if status == "completed" else None,
        "metadata": {},
    }


def response_events(request: JsonObject, said: Said) -> list[JsonObject]:
    """Return the events of a streamed response, numbered in order."""
    under_way = response(request, (), "in_progress")
    whole = response(request, _items(said))
    events: list[JsonObject] = [
        {"type": "response.created", "response": under_way},
        {"type": "response.in_progress", "response": under_way},
    ]
    for index, item in enumerate(_items(said)):
        parts = _call_events(item) if item["type"] == "function_call" else _message_events(item)
        events += [{**part, "output_index": index} for part in parts]
    events.append({"type": "response.completed", "response": whole})
    return [event | {"sequence_number": number} for number, event in enumerate(events)]


def _items(said: Said) -> list[JsonObject]:
    if said.tool_calls:
        return [
            {
                "type": "function_call",
                "id": f"fc_{number}",
                "call_id": call["id"],
                "name": member(call["function"], "name"),
                "arguments": member(call["function"], "arguments"),
                "status": "completed",
            }
            for number, call in enumerate(said.tool_calls)
        ]
    return [
        {
            "type": "message",
            "id": "msg_scripted",
            "role": "assistant",
            "status": "completed",
            "content": [_part(said.texts[0])],
        }
    ]


def _part(text: str) -> JsonObject:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _message_events(item: JsonObject) -> Iterator[JsonObject]:
    [part] = item["content"] if isinstance(item["content"], list) else []
    text = str(member(part, "text"))
    place: JsonObject = {"item_id": item["id"], "content_index": 0}
    begun: JsonObject = {"status": "in_progress", "content": []}
    yield {"type": "response.output_item.added", "item": item | begun}
    yield {"type": "response.content_part.added", "part": _part(""), **place}
    for piece in _pieces(text):
        yield {"type": "response.output_text.delta", "delta": piece, "logprobs": [], **place}
    yield {"type": "response.output_text.done", "text": text, "logprobs": [], **place}
    yield {"type": "response.content_part.done", "part": part, **place}
    yield {"type": "response.output_item.done", "item": item}


def _call_events(item: JsonObject) -> Iterator[JsonObject]:
    arguments = str(item["arguments"])
    begun: JsonObject = {"status": "in_progress", "arguments": ""}
    kind = "response.function_call_arguments"
    place: JsonObject = {"item_id": item["id"]}
    yield {"type": "response.output_item.added", "item": item | begun}
    for piece in _pieces(arguments):
        yield {"type": f"{kind}.delta", "delta": piece, **place}
    yield {"type": f"{kind}.done", "name": item["name"], "arguments": arguments, **place}
    yield {"type": "response.output_item.done", "item": item}


# Completions.


def _completion(request: JsonObject, choices: Sequence[JsonObject]) -> JsonObject:
    return {
        "id": "cmpl-scripted",
        "object": "text_completion",
        "created": CREATED,
        "model": request["model"],
        "choices": [*choices],
    }


def _choice(index: int, text: str, finish_reason: str | None) -> JsonObject:
    return {"index": index, "text": text, "logprobs": None, "finish_reason": finish_reason}


def _completion_chunks(request: JsonObject, said: Said) -> Iterator[JsonObject]:
    for index, text in enumerate(said.texts):
        for piece in _pieces(text):
            yield _completion(request, [_choice(index, piece, None)])
        yield _completion(request, [_choice(index, "", "stop")])
    if member(request.get("stream_options"), "include_usage"):
        yield _completion(request, ()) | {"usage": _usage("prompt", "completion")}
