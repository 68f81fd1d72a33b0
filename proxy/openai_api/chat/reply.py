"""A model server's whole reply to a chat completion, plain or streamed, as answers to judge."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from pydantic import JsonValue

from guards.core.keeping import lazy
from proxy.errors import UpstreamBroken
from proxy.openai_api.answer import (
    Answer,
    check_number,
    choice_index,
    choices_of,
    with_whole_characters,
    without_tokens,
)
from proxy.openai_api.coverage import CHAT as COVERAGE
from proxy.openai_api.coverage import FieldRemarks
from proxy.openai_api.json_body import (
    OF_REPLY,
    JsonObject,
    member,
    objects,
    read_object,
    with_texts,
)
from proxy.openai_api.live_stream import PieceRestorer, Restoring
from proxy.openai_api.sse import EventReader, event_object, json_bytes, read_events, write_event

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
        """True if it came as a stream."""
        return False

    @property
    def usage(self) -> JsonValue | None:
        """Tokens used, in the model server's own words."""
        return self.body.get("usage")

    @property
    def unseen(self) -> tuple[str, ...]:
        """Names of fields in the choices that carry words and are not checked."""
        named = (*self._remarks.unchecked, *_thoughts([self.body], "message"))
        return _unseen(named, self.answers)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Its fields that no row of the coverage tells of."""
        return self._remarks.unknown

    @lazy
    def _remarks(self) -> FieldRemarks:
        return COVERAGE.reply.remarks_on([self.body])


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
        """True if it came as a stream."""
        return True

    @property
    def usage(self) -> JsonValue | None:
        """Tokens used, if the client asked for them."""
        found = [chunk["usage"] for chunk in self.chunks if chunk.get("usage")]
        return found[-1] if found else None

    @property
    def unseen(self) -> tuple[str, ...]:
        """Names of fields in the deltas that carry words and are not checked."""
        named = (*self._remarks.unchecked, *_thoughts(self.chunks, "delta"))
        return _unseen(named, self.answers)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Its fields that no row of the coverage tells of."""
        return self._remarks.unknown

    @lazy
    def _remarks(self) -> FieldRemarks:
        return COVERAGE.chunk.remarks_on(self.chunks)


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
        body = read_object(raw, OF_REPLY)
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
    events, raw = read_events(raw)
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
    """The answers of a stream, while it is read."""

    def __init__(self) -> None:
        self._choices: dict[int, _Joined] = {}

    def add(self, chunk: JsonObject) -> None:
        """Take in a chunk."""
        for position, choice in enumerate(objects(chunk.get("choices"))):
            index = choice_index(choice, position)
            self._choices.setdefault(index, _Joined()).add(choice)
        check_number(len(self._choices))

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


_WORDS = ("content", "reasoning", "reasoning_content", "refusal")
_CALLS = "tool_calls"
_OLD_CALL = "function_call"


class StreamRestorer:
    """Restores the chunks of one stream.

    Args:
        pseudonyms: Those of the request.
    """

    def __init__(self, pseudonyms: Restoring) -> None:
        self._pseudonyms = pseudonyms
        self._choices: dict[int, _ChoiceRestorer] = {}
        self._frame: JsonObject = {}

    def feed(self, chunk: JsonObject) -> JsonObject:
        """Return a chunk as it can be sent on; what may be half a placeholder comes later."""
        found = objects(chunk.get("choices"))
        if not found:
            return chunk
        self._frame = {key: value for key, value in chunk.items() if key != "usage"}
        choices: list[JsonValue] = []
        for position, choice in enumerate(found):
            index = choice_index(choice, position)
            restorer = self._choices.setdefault(index, _ChoiceRestorer(self._pseudonyms))
            choices.append(restorer.feed(choice))
        return chunk | {"choices": choices}

    def close(self) -> Iterator[JsonObject]:
        """Yield what was kept back of choices that the model server did not end."""
        for index, restorer in self._choices.items():
            delta = restorer.flushed({})
            if delta:
                rest: JsonObject = {"index": index, "delta": delta, "finish_reason": None}
                yield self._frame | {"choices": [rest]}


class _Place(NamedTuple):
    """Which text of a choice a piece belongs to; `call` tells the calls of tools apart."""

    member: str
    call: int = 0


class _ChoiceRestorer:
    """Restores the deltas of one choice, each of its texts by itself."""

    def __init__(self, pseudonyms: Restoring) -> None:
        self._pseudonyms = pseudonyms
        self._texts: dict[_Place, PieceRestorer] = {}

    def feed(self, choice: JsonObject) -> JsonObject:
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return choice
        changed = self._fed(delta)
        if choice.get("finish_reason"):
            changed = self.flushed(changed)
        return choice if changed == delta else without_tokens(choice) | {"delta": changed}

    def flushed(self, delta: JsonObject) -> JsonObject:
        """Return a delta with all that was kept back at the end of it."""
        ended = dict(delta)
        for place, restorer in self._texts.items():
            held = restorer.close()
            if not held:
                continue
            if place.member == _CALLS:
                call: JsonObject = {"index": place.call, "function": {"arguments": held}}
                ended[_CALLS] = [*objects(ended.get(_CALLS)), call]
            elif place.member == _OLD_CALL:
                said = member(ended.get(_OLD_CALL), "arguments")
                ended[_OLD_CALL] = {"arguments": f"{said or ''}{held}"}
            else:
                ended[place.member] = f"{ended.get(place.member) or ''}{held}"
        return ended

    def _fed(self, delta: JsonObject) -> JsonObject:
        fed = dict(delta)
        for name in _WORDS:
            if name in delta:
                fed[name] = self._said(_Place(name), delta[name])
        calls = objects(delta.get(_CALLS))
        if calls:
            fed[_CALLS] = [self._call(call, position) for position, call in enumerate(calls)]
        if _OLD_CALL in delta:
            fed[_OLD_CALL] = self._function(_Place(_OLD_CALL), delta[_OLD_CALL])
        return fed

    def _call(self, call: JsonObject, position: int) -> JsonValue:
        if "function" not in call:
            return call
        place = _Place(_CALLS, choice_index(call, position))
        return call | {"function": self._function(place, call["function"])}

    def _function(self, place: _Place, function: JsonValue) -> JsonValue:
        if not isinstance(function, dict) or "arguments" not in function:
            return function
        return function | {"arguments": self._said(place, function["arguments"])}

    def _said(self, place: _Place, piece: JsonValue) -> JsonValue:
        if not isinstance(piece, str):
            return with_texts(piece, self._pseudonyms.restore)  # parts of a content come whole
        if place not in self._texts:
            self._texts[place] = self._pseudonyms.in_pieces()
        return self._texts[place].feed(piece)


_STREAM = "text/event-stream"
_DONE = "[DONE]"


def restored(body: bytes, content_type: str, pseudonyms: Restoring) -> bytes:
    """Return a reply's body; byte for byte the same where no placeholder stands in it.

    A body that cannot be read is left to those who read it next.
    """
    if not pseudonyms:
        return body
    try:
        if content_type.partition(";")[0].strip().lower() == _STREAM:
            return _stream(body, pseudonyms)
        return _plain(body, pseudonyms)
    except ValueError:
        return body


def _plain(body: bytes, pseudonyms: Restoring) -> bytes:
    reply = read_object(body, OF_REPLY)
    choices: list[JsonValue] = [
        _choice(choice, pseudonyms) for choice in objects(reply.get("choices"))
    ]
    return body if choices == reply.get("choices") else json_bytes(reply | {"choices": choices})


def _choice(choice: JsonObject, pseudonyms: Restoring) -> JsonObject:
    message = with_texts(choice.get("message"), pseudonyms.restore)
    if message == choice.get("message"):
        return choice
    return without_tokens(choice) | {"message": message}


def _stream(body: bytes, pseudonyms: Restoring) -> bytes:
    reader = EventReader()
    stream = StreamRestorer(pseudonyms)
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
