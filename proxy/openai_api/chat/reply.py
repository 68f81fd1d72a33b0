"""A model server's whole reply to a chat completion, plain or streamed, as answers to judge."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from pydantic import JsonValue

from guards.core.lazy import lazy
from proxy.errors import UpstreamBroken
from proxy.openai_api.answer import Answer, with_whole_characters
from proxy.openai_api.chat.coverage import COVERAGE
from proxy.openai_api.choices import choice_index, choices_of
from proxy.openai_api.coverage import Told, unknown_fields
from proxy.openai_api.json_body import JsonObject, member, objects, read_object
from proxy.openai_api.sse import EventReader
from proxy.openai_api.stream_events import event_object

_REASONING_PARTS = ("thinking", "reasoning")


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
    def is_stream(self) -> bool:
        """Whether it came as a stream."""
        return False

    @property
    def usage(self) -> JsonValue | None:
        """Tokens used, in the model server's own words."""
        return self.body.get("usage")

    @property
    def unseen(self) -> tuple[str, ...]:
        """What carries words in the choices and is not looked at."""
        named = (*self._told.unchecked, *_thoughts([self.body], "message"))
        return _unseen(named, self.answers)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Its fields that no row of the coverage tells of."""
        return self._told.unknown

    @lazy
    def _told(self) -> Told:
        return COVERAGE.reply.said_of(self.body)


@dataclass(frozen=True)
class StreamReply:
    """A reply that came as a stream, complete.

    Attributes:
        raw: The whole stream as it came.
        chunks: The JSON objects of its events, in order; of a stream that left while it was read,
            those are left out that say a text as the one before them did.
        answers: One for each choice, joined from its deltas.
    """

    raw: bytes
    chunks: tuple[JsonObject, ...]
    answers: tuple[Answer, ...]

    @property
    def is_stream(self) -> bool:
        """Whether it came as a stream."""
        return True

    @property
    def usage(self) -> JsonValue | None:
        """Tokens used, if the client asked for them."""
        found = [chunk["usage"] for chunk in self.chunks if chunk.get("usage")]
        return found[-1] if found else None

    @property
    def unseen(self) -> tuple[str, ...]:
        """What carries words in the deltas and is not looked at."""
        named = [name for chunk in self.chunks for name in COVERAGE.chunk.unchecked(chunk)]
        return _unseen([*named, *_thoughts(self.chunks, "delta")], self.answers)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Its fields that no row of the coverage tells of."""
        return unknown_fields(COVERAGE.chunk, self.chunks)


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
    choices = choices_of(body)
    if not choices:
        raise UpstreamBroken("it has no choices")
    for choice in choices:
        _check_said(choice.get("message"))
    answers = tuple(
        _answer(
            choice_index(choice, position),
            content_of(member(choice.get("message"), "content")),
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
    done = any(event.is_done for event in events)
    chunks = tuple(event_object(event) for event in events if event.says_something)
    for chunk in chunks:
        check_chunk(chunk)
    answers = joined(chunks)
    if not answers:
        raise UpstreamBroken("its stream has no choices")
    if not done and not all(answer.finish_reason for answer in answers):
        raise UpstreamBroken("its stream broke off")
    return StreamReply(raw, chunks, answers)


def check_chunk(chunk: JsonObject) -> None:
    """Refuse a chunk that says that the model server failed, or in which nobody could read.

    Raises:
        UpstreamBroken: it is such a chunk.
    """
    if chunk.get("error") or chunk.get("object") == "error":
        raise UpstreamBroken("its stream ended with an error")
    for choice in choices_of(chunk):
        _check_said(choice.get("delta"))


def _check_said(said: JsonValue) -> None:
    if said is not None and not isinstance(said, dict):
        raise UpstreamBroken("what a choice says is no object")


class Saying:
    """What the choices of a stream say, while it is read."""

    def __init__(self) -> None:
        self._choices: dict[int, _Joined] = {}

    def add(self, chunk: JsonObject) -> None:
        """Take in a chunk."""
        for position, choice in enumerate(objects(chunk.get("choices"))):
            index = choice_index(choice, position)
            self._choices.setdefault(index, _Joined()).add(choice)

    def add_text(self, index: int, text: str) -> None:
        """Take in a chunk that says no more than this, of a choice that has said something."""
        self._choices[index].texts.append(text)

    def answers(self) -> tuple[Answer, ...]:
        """Return the answers by number."""
        return tuple(
            _answer(index, "".join(choice.texts), choice.delta, choice.finish_reason)
            for index, choice in sorted(self._choices.items())
        )


def joined(chunks: Iterable[JsonObject]) -> tuple[Answer, ...]:
    """Return the answers that chunks come to, by number."""
    saying = Saying()
    for chunk in chunks:
        saying.add(chunk)
    return saying.answers()


@dataclass
class _Joined:
    """The deltas of one choice, put together as far as judging needs it."""

    texts: list[str] = field(default_factory=list)
    delta: JsonObject = field(default_factory=dict)
    finish_reason: JsonValue = None

    def add(self, choice: JsonObject) -> None:
        delta = choice.get("delta")
        self.texts.append(content_of(member(delta, "content")))
        if isinstance(delta, dict):
            self.delta.update({key: value for key, value in delta.items() if value})
        self.finish_reason = choice.get("finish_reason") or self.finish_reason


def _answer(
    index: int, content: str, message: JsonValue | None, finish_reason: JsonValue | None
) -> Answer:
    calls = member(message, "tool_calls") or member(message, "function_call")
    return Answer(
        index=index,
        content=with_whole_characters(content),
        tool_turn=bool(calls),
        finish_reason=finish_reason if isinstance(finish_reason, str) else None,
    )


def content_of(content: JsonValue | None) -> str:
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


def _thoughts(bodies: Iterable[JsonObject], said: str) -> Iterator[str]:
    """Yield the kinds of the parts that are thoughts, whatever member holds their words."""
    for body in bodies:
        for choice in objects(body.get("choices")):
            for part in objects(member(choice.get(said), "content")):
                kind = part.get("type")
                if kind in _REASONING_PARTS:
                    yield str(kind)


def _unseen(named: Iterable[str], answers: Iterable[Answer]) -> tuple[str, ...]:
    thinks = ("think",) if any(answer.thinks for answer in answers) else ()
    return tuple(dict.fromkeys((*named, *thinks)))
