"""A model server's whole reply to a chat completion, plain or streamed, as answers to judge."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.json_body import JsonObject, member, objects, read_object
from proxy.openai_api.sse import Event, EventReader

# Some models write their reasoning into the content; it is not the answer. Only a closed block at
# the very start counts, so that no answer can hide behind a tag.
_THINKING = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_BARE_VALUE = re.compile(r"\d|true|false")
_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"(\s*:)?')
_REASONING_PARTS = ("thinking", "reasoning")
_UNSEEN_FIELDS = ("reasoning", "reasoning_content", "refusal", "audio", "annotations")


@dataclass(frozen=True, slots=True)
class Answer:
    """What one choice says.

    Attributes:
        index: Number of the choice.
        content: Its text as it came; empty if there is none.
        tool_turn: It calls tools, so it is not an answer yet.
        finish_reason: Why it ended, in the model server's word.
    """

    index: int
    content: str
    tool_turn: bool
    finish_reason: str | None

    @property
    def thinks(self) -> bool:
        """Whether reasoning stands in the content, before the answer."""
        return _THINKING.match(self.content) is not None

    @property
    def has_bare_values(self) -> bool:
        """Whether the content, read as JSON, holds numbers or truth values beside its strings."""
        return _BARE_VALUE.search(_JSON_STRING.sub("", self.content)) is not None

    def visible(self, *, structured: bool) -> str:
        """Return what a reader sees, at the same places: all else is blanked with spaces.

        Args:
            structured: The client asked for JSON, so only the string values are prose. Where the
                answer is no JSON, all of it is.
        """
        thinking = _THINKING.match(self.content)
        begin = thinking.end() if thinking else 0
        text = " " * begin + self.content[begin:]
        return _string_values(text) if structured and _is_json(text) else text


@dataclass(frozen=True)
class PlainReply:
    """A reply in one JSON object.

    Attributes:
        raw: The body as it came.
        body: The body as JSON.
        answers: One for each choice.
    """

    raw: bytes
    body: JsonObject
    answers: tuple[Answer, ...]

    @property
    def usage(self) -> JsonValue | None:
        """Tokens used, in the model server's own words."""
        return self.body.get("usage")

    @property
    def unseen(self) -> tuple[str, ...]:
        """What carries words in the choices and is not looked at."""
        messages = (choice.get("message") for choice in objects(self.body.get("choices")))
        return _unseen(messages, self.answers)


@dataclass(frozen=True)
class StreamReply:
    """A reply that came as a stream, complete.

    Attributes:
        raw: The whole stream as it came.
        chunks: The JSON objects of its events, in order.
        answers: One for each choice, joined from its deltas.
    """

    raw: bytes
    chunks: tuple[JsonObject, ...]
    answers: tuple[Answer, ...]

    @property
    def usage(self) -> JsonValue | None:
        """Tokens used, if the client asked for them."""
        found = [chunk["usage"] for chunk in self.chunks if chunk.get("usage")]
        return found[-1] if found else None

    @property
    def unseen(self) -> tuple[str, ...]:
        """What carries words in the deltas and is not looked at."""
        deltas = (
            choice.get("delta") for chunk in self.chunks for choice in objects(chunk.get("choices"))
        )
        return _unseen(deltas, self.answers)


ChatReply: TypeAlias = PlainReply | StreamReply


def read_reply(raw: bytes, content_type: str) -> ChatReply:
    """Read a reply by what it says it is, whatever was asked for.

    Raises:
        UpstreamBroken: it cannot be read, or the stream broke off.
    """
    if content_type.partition(";")[0].strip().lower() == "text/event-stream":
        return _read_stream(raw)
    return _read_plain(raw)


def _read_plain(raw: bytes) -> PlainReply:
    try:
        body = read_object(raw)
    except ValueError as error:
        raise UpstreamBroken(str(error)) from None
    choices = objects(body.get("choices"))
    if not choices:
        raise UpstreamBroken("it has no choices")
    answers = tuple(
        _answer(
            choice_index(choice, position),
            _content(member(choice.get("message"), "content")),
            choice.get("message"),
            choice.get("finish_reason"),
        )
        for position, choice in enumerate(choices)
    )
    if len({answer.index for answer in answers}) != len(answers):
        raise UpstreamBroken("two of its choices have the same number")
    return PlainReply(raw, body, answers)


def _read_stream(raw: bytes) -> StreamReply:
    reader = EventReader()
    events = reader.feed(raw) + reader.close()
    done = any(event.data is not None and event.data.strip() == "[DONE]" for event in events)
    chunks = tuple(_chunks(events))
    joined: dict[int, _Joined] = {}
    for chunk in chunks:
        for position, choice in enumerate(objects(chunk.get("choices"))):
            index = choice_index(choice, position)
            joined.setdefault(index, _Joined()).add(choice)
    if not joined:
        raise UpstreamBroken("its stream has no choices")
    if not done and not all(choice.finish_reason for choice in joined.values()):
        raise UpstreamBroken("its stream broke off")
    answers = tuple(
        _answer(index, "".join(choice.texts), choice.delta, choice.finish_reason)
        for index, choice in sorted(joined.items())
    )
    return StreamReply(raw, chunks, answers)


@dataclass
class _Joined:
    """The deltas of one choice, put together as far as judging needs it."""

    texts: list[str] = field(default_factory=list)
    delta: JsonObject = field(default_factory=dict)
    finish_reason: JsonValue = None

    def add(self, choice: JsonObject) -> None:
        delta = choice.get("delta")
        self.texts.append(_content(member(delta, "content")))
        if isinstance(delta, dict):
            self.delta.update({key: value for key, value in delta.items() if value})
        self.finish_reason = choice.get("finish_reason") or self.finish_reason


def _chunks(events: Iterable[Event]) -> Iterable[JsonObject]:
    for event in events:
        if event.data is None or event.data.strip() in ("[DONE]", ""):
            continue
        try:
            chunk = read_object(event.data.encode("utf-8", errors="surrogatepass"))
        except ValueError as error:
            raise UpstreamBroken(f"an event of its stream: {error}") from None
        if chunk.get("error"):
            raise UpstreamBroken("its stream ended with an error")
        yield chunk


def _answer(
    index: int, content: str, message: JsonValue | None, finish_reason: JsonValue | None
) -> Answer:
    calls = member(message, "tool_calls") or member(message, "function_call")
    return Answer(
        index=index,
        content=_with_whole_characters(content),
        tool_turn=bool(calls),
        finish_reason=finish_reason if isinstance(finish_reason, str) else None,
    )


def choice_index(choice: JsonObject, position: int) -> int:
    """Return the number of a choice; where it has none, its place among the others."""
    index = choice.get("index")
    return index if isinstance(index, int) else position


def _content(content: JsonValue | None) -> str:
    """Return the text of a message's content: a string, or a list of text parts.

    Raises:
        UpstreamBroken: it is neither, so nobody could say what a client would read in it.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise UpstreamBroken("the content of a message is no text")
    return "".join(map(_part_text, content))


def _part_text(part: JsonValue) -> str:
    text = member(part, "text")
    if member(part, "type") == "text" and isinstance(text, str):
        return text
    if member(part, "type") in _REASONING_PARTS:
        return ""
    raise UpstreamBroken("the content of a message has a part that is no text")


def _with_whole_characters(text: str) -> str:
    """Join halves of characters that came in two deltas; a half without its other is broken."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unseen(messages: Iterable[JsonValue | None], answers: Iterable[Answer]) -> tuple[str, ...]:
    found = [name for message in messages for name in _UNSEEN_FIELDS if member(message, name)]
    if any(answer.thinks for answer in answers):
        found.append("think")
    return tuple(dict.fromkeys(found))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _string_values(text: str) -> str:
    """Blank everything of a JSON text but the insides of its string values."""
    pieces = []
    position = 0
    for match in _JSON_STRING.finditer(text):
        pieces.append(" " * (match.start() - position))
        is_key = match[1] is not None
        pieces.append(" " * len(match[0]) if is_key else _inside(match[0]))
        position = match.end()
    pieces.append(" " * (len(text) - position))
    return "".join(pieces)


def _inside(quoted: str) -> str:
    """Return what a JSON string says, in as much room: an escape is longer than what it means."""
    said = _with_whole_characters(json.loads(quoted))
    return f" {said.ljust(len(quoted) - 2)} "
