"""The door `/v1/chat/completions`."""

from collections.abc import Sequence

from pydantic import JsonValue

from guards.core.exchange import Source
from proxy.openai_api.chat.citing_prompt import with_citing_prompt
from proxy.openai_api.chat.coverage import COVERAGE
from proxy.openai_api.chat.live import LiveChat
from proxy.openai_api.chat.reply import ChatReply, read_reply
from proxy.openai_api.chat.request import read_request
from proxy.openai_api.chat.restored import restored
from proxy.openai_api.chat.writing import write
from proxy.openai_api.door import Door
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.live_stream import LiveStream
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import ChoiceOutcome, Ending, Written
from proxy.openai_api.restoring import Restoring


class ChatDoor(Door[ChatReply]):
    """Chat completions."""

    name = "chat.completions"
    path = "chat/completions"
    coverage = COVERAGE

    def read_request(self, raw: bytes) -> ModelRequest:
        """Read a request body."""
        return read_request(raw)

    def prompted(self, body: JsonObject, sources: Sequence[Source]) -> JsonObject | None:
        """Return the body with our citation prompt in its first instructing message."""
        messages = with_citing_prompt(body["messages"], sources)
        return None if messages is None else body | {"messages": messages}

    def noted(self, body: JsonObject, note: str, choices: int) -> JsonObject:
        """Return the body with the note at the end of the last user turn."""
        again = body | {"messages": _noted(body["messages"], note)}
        return again | {"n": choices} if "n" in body or choices > 1 else again

    def read_reply(self, raw: bytes, content_type: str, stand_ins: Restoring) -> ChatReply:
        """Read a whole reply by what it says it is."""
        return read_reply(restored(raw, content_type, stand_ins), content_type)

    def live(self, request: ModelRequest) -> LiveStream:
        """Return what reads and writes the stream of one request."""
        return LiveChat(request)

    def write(
        self,
        request: ModelRequest,
        replies: Sequence[ChatReply],
        outcomes: Sequence[ChoiceOutcome],
        ending: Ending,
    ) -> Written:
        """Write a reply of which all is known."""
        return write(request, replies, outcomes, ending)


def _noted(messages: JsonValue, text: str) -> JsonValue:
    if not isinstance(messages, list):
        return messages
    last = messages[-1]
    if not isinstance(last, dict) or last.get("role") != "user":
        return [*messages, {"role": "user", "content": text}]
    content = last.get("content")
    if isinstance(content, list):
        return [*messages[:-1], last | {"content": [*content, {"type": "text", "text": text}]}]
    return [*messages[:-1], last | {"content": f"{content or ''}\n\n{text}"}]
