"""A model server's whole reply, plain or streamed, as the answer to judge."""

from dataclasses import dataclass
from typing import TypeAlias

from pydantic import JsonValue

from guards.core.keeping import lazy
from proxy.errors import UpstreamBroken
from proxy.openai_api.answer import Answer
from proxy.openai_api.coverage import RESPONSES as COVERAGE
from proxy.openai_api.coverage import Told
from proxy.openai_api.json_body import OF_REPLY, JsonObject, objects, read_object, with_texts
from proxy.openai_api.live_stream import Piece, Restoring
from proxy.openai_api.responses.output import (
    TEXT_PART,
    Place,
    calls_tools,
    check_ended,
    finish_reason_of,
    texts_of,
    unseen_in,
)
from proxy.openai_api.responses.reading import StreamReader
from proxy.openai_api.sse import STREAM_TYPE, event_object, json_bytes, read_events


@dataclass(frozen=True)
class PlainReply:
    """A reply in one JSON object.

    Attributes:
        raw: The body as it came.
        response: The body as JSON.
        texts: Its texts by place.
        answers: Its one answer.
    """

    raw: bytes
    response: JsonObject
    texts: dict[Place, str]
    answers: tuple[Answer, ...]

    @property
    def is_stream(self) -> bool:
        """Whether it came as a stream."""
        return False

    @property
    def usage(self) -> JsonValue | None:
        """Tokens used, in the model server's own words."""
        return self.response.get("usage")

    @property
    def unseen(self) -> tuple[str, ...]:
        """What carries words and is not looked at."""
        items = unseen_in(objects(self.response.get("output")))
        return tuple(dict.fromkeys([*items, *self._told.unchecked, *_thinking(self.answers)]))

    @property
    def unknown(self) -> tuple[str, ...]:
        """Its fields that no row of the coverage tells of."""
        return self._told.unknown

    @lazy
    def _told(self) -> Told:
        return COVERAGE.reply.said_of([self.response])


@dataclass(frozen=True)
class StreamReply:
    """A reply that came as a stream.

    Attributes:
        raw: The whole stream as it came.
        pieces: What it said, piece by piece.
        response: The response that its last event holds; empty before that.
        texts: Its texts by place.
        answers: Its one answer.
        is_faithful: A client that is given the stream as it came reads these texts in it.
        named: What carries words and is not looked at, beside reasoning in the answer.
    """

    raw: bytes
    pieces: tuple[Piece, ...]
    response: JsonObject
    texts: dict[Place, str]
    answers: tuple[Answer, ...]
    is_faithful: bool
    named: tuple[str, ...]

    @property
    def is_stream(self) -> bool:
        """Whether it came as a stream."""
        return True

    @property
    def usage(self) -> JsonValue | None:
        """Tokens used, in the model server's own words."""
        return self.response.get("usage")

    @property
    def unseen(self) -> tuple[str, ...]:
        """What carries words and is not looked at."""
        names = [*self.named, *self._told.unchecked, *_thinking(self.answers)]
        return tuple(dict.fromkeys(names))

    @property
    def unknown(self) -> tuple[str, ...]:
        """Its fields that no row of the coverage tells of."""
        return self._told.unknown

    @lazy
    def _told(self) -> Told:
        return COVERAGE.chunk.said_of(piece.chunk for piece in self.pieces)


ResponsesReply: TypeAlias = PlainReply | StreamReply


def read_reply(raw: bytes, content_type: str, pseudonyms: Restoring) -> ResponsesReply:
    """Read a reply by what it says it is, whatever was asked for.

    Raises:
        UpstreamBroken: it cannot be read, it failed, or the stream broke off.
    """
    if content_type.partition(";")[0].strip().lower() == STREAM_TYPE:
        return _read_stream(raw, pseudonyms)
    return _read_plain(raw, pseudonyms)


def stream_reply(reader: StreamReader, raw: bytes) -> StreamReply:
    """Return what was read of a stream as a reply.

    Args:
        reader: What read it.
        raw: The bytes that it read.
    """
    return StreamReply(
        raw=raw,
        pieces=tuple(reader.pieces),
        response=reader.final or {},
        texts=reader.texts,
        answers=(reader.answer,),
        is_faithful=reader.is_faithful,
        named=reader.unseen,
    )


def _read_plain(raw: bytes, pseudonyms: Restoring) -> PlainReply:
    try:
        response = read_object(raw, OF_REPLY)
    except ValueError as error:
        raise UpstreamBroken(str(error)) from None
    if not isinstance(response.get("output"), list):
        raise UpstreamBroken("it has no output")
    check_ended(response)
    if pseudonyms:
        restored = with_texts(response, pseudonyms.restore)
        if isinstance(restored, dict) and restored != response:
            raw, response = json_bytes(restored), restored
    texts = texts_of(response)
    content = "".join(texts.values())
    if response.get(TEXT_PART) not in (None, content):
        raise UpstreamBroken("it says two different texts")
    answer = Answer(0, content, calls_tools(response), finish_reason_of(response))
    return PlainReply(raw, response, texts, (answer,))


def _read_stream(raw: bytes, pseudonyms: Restoring) -> StreamReply:
    events, raw = read_events(raw)
    reader = StreamReader(pseudonyms)
    for event in events:
        if event.says_something:
            reader.read(event_object(event), event.raw)
    reader.check_ended()
    return stream_reply(reader, raw)


def _thinking(answers: tuple[Answer, ...]) -> tuple[str, ...]:
    return ("think",) if any(answer.thinks for answer in answers) else ()
