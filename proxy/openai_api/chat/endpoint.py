"""The endpoint `/v1/chat/completions`."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from guards.core.exchange import Source
from proxy.openai_api.chat.citing_prompt import with_citing_prompt
from proxy.openai_api.chat.format import CHAT_FORMAT, ChatFormat
from proxy.openai_api.chat.live import LiveChat
from proxy.openai_api.chat.reply import read_reply
from proxy.openai_api.chat.writing import write
from proxy.openai_api.coverage import CHAT as COVERAGE
from proxy.openai_api.endpoint import Endpoint
from proxy.openai_api.json_body import JsonObject, member
from proxy.openai_api.live_stream import LiveStream, Restoring
from proxy.openai_api.model_request import (
    MOST_CHOICES,
    NOTHING_TOLD,
    GuardField,
    ModelRequest,
    read_body,
    validated,
    wants_json,
)
from proxy.openai_api.reply import ChoiceOutcome, Ending, ModelReply
from proxy.server.asgi_reply import HttpReply

_PREFILL = "prefill"


class _Message(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    role: str
    content: str | list[JsonObject] | None = None


class _Body(BaseModel):
    """The members whose types the proxy relies on."""

    model_config = ConfigDict(extra="allow", strict=True)

    model: str
    messages: list[_Message] = Field(min_length=1)
    stream: bool | None = None
    n: Annotated[int, Field(ge=1, le=MOST_CHOICES)] | None = None
    tools: list[JsonObject] | None = None
    functions: list[JsonObject] | None = None
    response_format: JsonObject | None = None
    stream_options: JsonObject | None = None
    guard: GuardField | None = None


def read_request(raw: bytes) -> ModelRequest:
    """Read a request body.

    Raises:
        BadRequest: malformed JSON, or a member of the wrong type; it names the member.
    """
    body = read_body(raw)
    known = validated(body, _Body)
    remarks = COVERAGE.request.remarks(body)
    begun = (_PREFILL,) if known.messages[-1].role == "assistant" else ()
    return ModelRequest(
        raw=raw,
        parsed=body,
        conversation=body,
        model=known.model,
        stream=bool(known.stream),
        choices=known.n or 1,
        offers_tools=bool(known.tools or known.functions or body.get("web_search_options")),
        structured=wants_json(body, known.response_format),
        include_usage=member(known.stream_options, "include_usage") is True,
        guard=known.guard or NOTHING_TOLD,
        not_checked=tuple(dict.fromkeys((*remarks.unchecked, *begun))),
        unknown=remarks.unknown,
    )


class ChatEndpoint(Endpoint[ModelReply]):
    """Chat completions.

    Attributes:
        form: Where the words of its choices stand.
    """

    name = "chat.completions"
    path = "chat/completions"
    coverage = COVERAGE
    form: ClassVar[ChatFormat] = CHAT_FORMAT

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

    def read_reply(self, raw: bytes, content_type: str, pseudonyms: Restoring) -> ModelReply:
        """Read a whole reply by what it says it is."""
        return read_reply(raw, content_type, pseudonyms, self.form)

    def live(self, request: ModelRequest) -> LiveStream:
        """Return what reads and writes the stream of one request."""
        return LiveChat(request, self.form)

    def write(
        self,
        request: ModelRequest,
        replies: Sequence[ModelReply],
        outcomes: Sequence[ChoiceOutcome],
        ending: Ending,
    ) -> HttpReply:
        """Write a reply of which all is known."""
        return write(request, replies, outcomes, ending, self.form)


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
