"""What a client hears in a reply, plain or streamed: joined from the wire, not by the proxy's code.

Only the events are cut by the project's own reader.
"""

from dataclasses import dataclass, field

import httpx
from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject, member, objects, read_object
from proxy.openai_api.sse import EventReader

WORDS = ("content", "text", "reasoning", "reasoning_content", "refusal")


@dataclass
class HeardChoice:
    """One choice; `words` holds each of its texts by the member that it came in."""

    words: dict[str, str] = field(default_factory=dict)
    tool_calls: dict[int, dict[str, str]] = field(default_factory=dict)
    function_call: dict[str, str] = field(default_factory=dict)
    logprobs: list[JsonValue] = field(default_factory=list)
    token_ids: list[JsonValue] = field(default_factory=list)
    finish_reason: JsonValue = None

    @property
    def text(self) -> str:
        return self.words.get("content", "") + self.words.get("text", "")

    def add(self, choice: JsonObject) -> None:
        """Add a whole choice, or a piece of one."""
        said = choice.get("delta", choice.get("message", choice))
        for name in WORDS:
            piece = member(said, name)
            if isinstance(piece, str) and piece:
                self.words[name] = _joined(self.words.get(name, ""), piece)
        for place, call in enumerate(objects(member(said, "tool_calls"))):
            index = call.get("index", place)
            assert isinstance(index, int)
            heard = self.tool_calls.setdefault(index, {})
            _add_call(heard, call)
        _add_function(self.function_call, member(said, "function_call"))
        self.logprobs += _logprobs(choice.get("logprobs"))
        ids = choice.get("token_ids")
        self.token_ids += ids if isinstance(ids, list) else []
        self.finish_reason = choice.get("finish_reason") or self.finish_reason


@dataclass
class Heard:
    """A whole reply.

    Attributes:
        choices: The choices by number.
        usage: Tokens used, in the server's own words.
        error: The error object that ended it.
        done: The stream said that it was complete; a plain reply always is.
        chunks: The JSON objects that it came in.
    """

    choices: dict[int, HeardChoice] = field(default_factory=dict)
    usage: JsonValue = None
    error: JsonValue = None
    done: bool = False
    chunks: list[JsonObject] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """The text of each choice, by number."""
        return [choice.text for _, choice in sorted(self.choices.items())]

    @property
    def finish_reasons(self) -> list[JsonValue]:
        return [choice.finish_reason for _, choice in sorted(self.choices.items())]

    def add(self, chunk: JsonObject) -> None:
        self.chunks.append(chunk)
        for place, choice in enumerate(objects(chunk.get("choices"))):
            index = choice.get("index", place)
            assert isinstance(index, int)
            self.choices.setdefault(index, HeardChoice()).add(choice)
        self.usage = chunk.get("usage") or self.usage
        self.error = chunk.get("error") or self.error


def heard(reply: httpx.Response) -> Heard:
    """Return what a client hears in a reply of the proxy."""
    return heard_in(reply.content, reply.headers["content-type"])


def heard_in(body: bytes, content_type: str) -> Heard:
    """Return what a client hears in a body of this type."""
    whole = Heard()
    if not content_type.startswith("text/event-stream"):
        whole.add(read_object(body))
        whole.done = whole.error is None
        return whole
    for data in event_texts(body):
        if data.strip() == "[DONE]":
            whole.done = True
        else:
            assert not whole.done, "something follows the end"
            whole.add(read_object(data.encode("utf-8", "surrogatepass")))
    return whole


def event_texts(body: bytes) -> list[str]:
    """Return the data of each event that has some."""
    reader = EventReader()
    events = reader.feed(body) + reader.close()
    return [event.data for event in events if event.data is not None]


def _joined(text: str, piece: str) -> str:
    """Join two pieces, whose edge may run through the middle of a character."""
    return (text + piece).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _logprobs(logprobs: JsonValue | None) -> list[JsonValue]:
    """Return what is known of each token, in the way of chat or that of older completions."""
    names = ("tokens", "token_logprobs", "text_offset")
    lists = [found for name in names if isinstance(found := member(logprobs, name), list)]
    known: list[JsonValue] = [list(token) for token in zip(*lists, strict=True)]
    return [*known, *objects(member(logprobs, "content"))]


def _add_call(heard: dict[str, str], call: JsonObject) -> None:
    for name in ("id", "type"):
        if isinstance(value := call.get(name), str):
            heard[name] = value
    _add_function(heard, call.get("function"))


def _add_function(heard: dict[str, str], function: JsonValue | None) -> None:
    for name in ("name", "arguments"):
        if isinstance(piece := member(function, name), str):
            heard[name] = heard.get(name, "") + piece
