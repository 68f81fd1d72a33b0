"""A proxy before a model server that says what a test wants, and requests for its doors."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from proxy.demo import Said, completion
from proxy.openai_api.json_body import JsonObject
from tests.fakes.raw_client import RawAnswer, request_bytes, said_to
from tests.fakes.raw_upstream import RawRequest, Talk
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import chat_body

QUESTION = "구내식당은 어디에 있나요?"
TEXT = "본관 지하에 있습니다."
_CHAT = chat_body(QUESTION)
CHAT = json.dumps(_CHAT).encode()
REPLY = json.dumps(completion(_CHAT, Said((TEXT,)))).encode()
_COMPLETION: JsonObject = {
    "id": "cmpl",
    "object": "text_completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "text": TEXT, "finish_reason": "stop"}],
}
_RESPONSE: JsonObject = {
    "id": "resp",
    "object": "response",
    "created_at": 1,
    "status": "completed",
    "model": "m",
    "output": [
        {
            "type": "message",
            "id": "msg",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": TEXT, "annotations": []}],
        }
    ],
}
REPLIES: Mapping[str, bytes] = {
    "/v1/completions": json.dumps(_COMPLETION).encode(),
    "/v1/responses": json.dumps(_RESPONSE).encode(),
}
"""Replies of the doors that are no chats."""
DOORS: Mapping[str, tuple[bytes, str]] = {
    "chat": (b"/v1/chat/completions", '{"model": "m", "messages": [%s]%s}'),
    "completions": (b"/v1/completions", '{"model": "m", "prompt": %s%s}'),
    "responses": (b"/v1/responses", '{"model": "m", "input": %s%s}'),
    "verify": (b"/v1/verify", '{"answer": "네", "question": %s%s}'),
    "guardrail": (
        b"/v1/beta/litellm_basic_guardrail_api",
        '{"input_type": "request", "structured_messages": [%s]%s}',
    ),
    "embeddings-of-listed": (b"/v1/embeddings", '{"model": "public", "input": %s%s}'),
}
"""Where bodies are read: each endpoint with a body of its own, open for more members."""
MODEL_DOORS = ("chat", "completions", "responses")


@dataclass(frozen=True)
class Wire:
    """What tests talk to."""

    rig: Rig

    @property
    def sent(self) -> list[RawRequest]:
        """What the model server got."""
        return self.rig.raw.requests

    def tidied(self) -> "Wire":
        """Have the model server answer every request as its door does."""

        async def act(talk: Talk) -> None:
            path = talk.request.line.split(" ")[1].partition("?")[0]
            await talk.send(reply_bytes(REPLIES.get(path, REPLY)))

        self.rig.raw.act = act
        return self

    async def say(self, *pieces: bytes) -> RawAnswer:
        """Send bytes as they are."""
        self.sent.clear()
        return await said_to(self.rig.proxy.address, *pieces)

    async def ask(
        self,
        target: bytes,
        body: bytes = CHAT,
        *headers: bytes,
        tenant: str = "app",
        method: bytes = b"POST",
        length: bool = True,
        content_type: bytes | None = b"application/json",
    ) -> RawAnswer:
        """Send a request with the key of a tenant."""
        return await self.say(
            request_bytes(
                target,
                body,
                key=self.rig.proxy.keys[tenant],
                method=method,
                headers=headers,
                length=length,
                content_type=content_type,
            )
        )

    async def ask_door(self, door: str, body: bytes, *headers: bytes) -> RawAnswer:
        """Send a body to one of `DOORS`."""
        tenant = "listed" if door == "embeddings-of-listed" else "app"
        return await self.ask(DOORS[door][0], body, *headers, tenant=tenant)


@asynccontextmanager
async def open_wire(folder: Path, **settings: object) -> AsyncGenerator[Wire, None]:
    """Run a proxy whose tenants open what can be opened; ``listed`` has a list of models."""
    opened = "\npassthrough: [/embeddings, /files/**, /models/**]\n"
    listed = upstream_yaml(RAW, "models: {public: public, own: theirs}") + opened
    async with open_rig(
        folder, upstream_yaml(RAW) + opened, others={"listed": listed}, **settings
    ) as rig:
        yield Wire(rig)


def body_of(door: str, more: str = "", said: str = QUESTION) -> bytes:
    """Return a body of a door; `more` is added behind its members, as it is.

    What cannot be written in UTF-8 is escaped.
    """
    quoted = json.dumps(said, ensure_ascii=False)
    if door in ("chat", "guardrail"):
        quoted = f'{{"role": "user", "content": {quoted}}}'
    return (DOORS[door][1] % (quoted, more)).encode("utf-8", "backslashreplace")


def reply_bytes(
    body: bytes = REPLY,
    *headers: bytes,
    status: bytes = b"200 OK",
    content_type: bytes = b"application/json",
    length: bool = True,
) -> bytes:
    """Return a reply of the model server."""
    lines: Sequence[bytes] = [
        b"HTTP/1.1 " + status,
        b"Content-Type: " + content_type,
        b"Connection: close",
        *([b"Content-Length: %d" % len(body)] if length else []),
        *headers,
    ]
    return b"\r\n".join([*lines, b"", body])
