"""Requests, recorded streams, and what a real client makes of what we write."""

import json
from collections.abc import Sequence
from pathlib import Path

import httpx2
from openai import OpenAI
from openai.types.responses import ParsedResponse, Response, ResponseStreamEvent
from pydantic import JsonValue, TypeAdapter

from guards.text.personal_data.rules import PersonalKind
from proxy.openai_api.endpoint import LiveStream, Piece
from proxy.openai_api.json_body import JsonObject, objects, read_object
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.pseudonyms import Pseudonyms
from proxy.openai_api.reply import Ending
from proxy.openai_api.responses import ResponsesEndpoint
from proxy.openai_api.responses.endpoint import ResponsesReply
from proxy.openai_api.sse import Event, EventReader, json_bytes

RECORDED = Path(__file__).parent / "recorded"
NAMES = sorted(path.stem for path in RECORDED.glob("*.sse"))
STREAM = "text/event-stream"
JSON = "application/json"
PHONE = "010-0000-1234"
DOOR = ResponsesEndpoint()
NO_PSEUDONYMS = Pseudonyms()
NOTHING_COUNTED: JsonObject = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
ENDING = Ending(id="r1", created=1_790_000_000, finish_reason="stop")
_EVENTS: TypeAdapter[object] = TypeAdapter(ResponseStreamEvent)


def request_of(**members: JsonValue) -> ModelRequest:
    body: JsonObject = {"model": "han-24b", "input": "연차는 며칠인가요?"}
    return DOOR.read_request(json.dumps(body | members).encode())


def recorded(name: str) -> bytes:
    return (RECORDED / f"{name}.sse").read_bytes()


def with_phone() -> Pseudonyms:
    """Return stand-ins that put PHONE back where the model wrote ``[전화번호-1]``."""
    return Pseudonyms({PHONE: PersonalKind.PHONE})


def read(raw: bytes, pseudonyms: Pseudonyms = NO_PSEUDONYMS) -> ResponsesReply:
    return DOOR.read_reply(raw, STREAM, pseudonyms)


def read_plain(body: JsonObject, pseudonyms: Pseudonyms = NO_PSEUDONYMS) -> ResponsesReply:
    return DOOR.read_reply(json_bytes(body), JSON, pseudonyms)


def events_of(stream: bytes) -> list[JsonObject]:
    reader = EventReader()
    data = [event.data for event in [*reader.feed(stream), *reader.close()]]
    return [read_object(one.encode()) for one in data if one and one != "[DONE]"]


def raw_events(stream: bytes) -> list[tuple[JsonObject, bytes]]:
    reader = EventReader()
    found = [event for event in reader.feed(stream) if event.data and event.data != "[DONE]"]
    return [(read_object(str(event.data).encode()), event.raw) for event in found]


def feed(live: LiveStream, stream: bytes) -> list[Piece]:
    """Read a whole stream."""
    pieces = [piece for _, raw in raw_events(stream) for piece in live.read(Event(raw))]
    return [*pieces, *live.read_end(said_done=False)]


def response_of(*items: JsonObject, **members: JsonValue) -> JsonObject:
    """Return a plain response with these output items."""
    body = events_of(recorded("answer"))[-1]["response"]
    assert isinstance(body, dict)
    return body | {"output": [*items]} | members


def message(*texts: str, **members: JsonValue) -> JsonObject:
    parts: list[JsonValue] = [
        {"type": "output_text", "annotations": [], "text": text} for text in texts
    ]
    own: JsonObject = {"id": "msg_1", "type": "message", "role": "assistant", "content": parts}
    return own | {"status": "completed"} | members


def shown_text(response: JsonObject) -> str:
    """Return all text of a response's messages."""
    parts = [part for item in objects(response["output"]) for part in objects(item.get("content"))]
    return "".join(str(part["text"]) for part in parts if part["type"] == "output_text")


def checked(stream: bytes) -> list[JsonObject]:
    """Return the events of a stream that the real types take, numbered without gaps."""
    events = events_of(stream)
    for event in events:
        _EVENTS.validate_python(event)
    first = events[0].get("sequence_number")
    assert isinstance(first, int)
    assert [event["sequence_number"] for event in events] == [*range(first, first + len(events))]
    return events


def final_of(stream: bytes) -> ParsedResponse[None]:
    """Return what the real client has at the end of a stream, checked against what it showed."""
    with client(stream, STREAM).responses.stream(model="m", input="?") as events:
        shown = "".join(
            event.delta for event in events if event.type == "response.output_text.delta"
        )
        final = events.get_final_response()
    assert shown == final.output_text
    Response.model_validate(final.to_dict())
    return final


def parsed(body: bytes) -> Response:
    """Return what the real client makes of a plain reply."""
    response = client(body, JSON).responses.create(model="m", input="?")
    Response.model_validate(json.loads(body))
    return response


def texts_said(events: Sequence[JsonObject]) -> str:
    """Return the answer as a client shows it while it comes."""
    deltas = [one for one in events if one["type"] == "response.output_text.delta"]
    return "".join(str(event["delta"]) for event in deltas)


def client(body: bytes, kind: str) -> OpenAI:
    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": kind}, content=body)

    transport = httpx2.MockTransport(answer)
    client = httpx2.Client(transport=transport)
    return OpenAI(api_key="k", base_url="http://model.test/v1", http_client=client)


def live_of(**members: JsonValue) -> LiveStream:
    return DOOR.live(request_of(stream=True, **members))


def end(live: LiveStream, ending: Ending = ENDING) -> bytes:
    usage = live.reply().usage
    return live.write_end(usage if isinstance(usage, dict) else NOTHING_COUNTED, ending)


def written(live: LiveStream, pieces: Sequence[Piece]) -> bytes:
    return b"".join([*map(live.write, pieces), end(live)])


def without_mark(stream: bytes) -> bytes:
    return stream.removesuffix(b"data: [DONE]\n\n")


def text_delta(text: str) -> JsonObject:
    place: JsonObject = {"item_id": "m", "output_index": 0, "content_index": 0}
    return {"type": "response.output_text.delta", **place, "delta": text, "sequence_number": 4}
