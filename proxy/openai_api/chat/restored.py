"""The model server's reply, plain or streamed, with the caller's own identifiers put back."""

from pydantic import JsonValue

from proxy.openai_api.chat.restored_stream import StreamRestorer
from proxy.openai_api.choices import without_tokens
from proxy.openai_api.json_body import JsonObject, objects, read_object
from proxy.openai_api.json_texts import with_texts
from proxy.openai_api.restoring import Restoring
from proxy.openai_api.sse import EventReader, json_bytes, write_event

_STREAM = "text/event-stream"
_DONE = "[DONE]"


def restored(body: bytes, content_type: str, stand_ins: Restoring) -> bytes:
    """Return a reply's body; byte for byte the same where no placeholder stands in it.

    A body that cannot be read is left to those who read it next.
    """
    if not stand_ins:
        return body
    try:
        if content_type.partition(";")[0].strip().lower() == _STREAM:
            return _stream(body, stand_ins)
        return _plain(body, stand_ins)
    except ValueError:
        return body


def _plain(body: bytes, stand_ins: Restoring) -> bytes:
    reply = read_object(body)
    choices: list[JsonValue] = [
        _choice(choice, stand_ins) for choice in objects(reply.get("choices"))
    ]
    return body if choices == reply.get("choices") else json_bytes(reply | {"choices": choices})


def _choice(choice: JsonObject, stand_ins: Restoring) -> JsonObject:
    message = with_texts(choice.get("message"), stand_ins.restore)
    if message == choice.get("message"):
        return choice
    return without_tokens(choice) | {"message": message}


def _stream(body: bytes, stand_ins: Restoring) -> bytes:
    reader = EventReader()
    stream = StreamRestorer(stand_ins)
    pieces: list[bytes] = []
    for event in reader.feed(body) + reader.close():
        said = (event.data or "").strip()
        if not said:
            pieces.append(event.raw)
        elif said == _DONE:
            pieces += [*map(write_event, stream.close()), event.raw]
        else:
            chunk = read_object(said.encode("utf-8", errors="surrogatepass"))
            changed = stream.feed(chunk)
            pieces.append(event.raw if changed == chunk else write_event(changed))
    return b"".join([*pieces, *map(write_event, stream.close())])
