"""A model server's whole reply with choices, plain or streamed, as answers to judge.

What a chat completion and a completion of a prompt have in common stands here; where the words of a
choice stand is said by a `ChatFormat`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.coverage import CHAT, Coverage
from proxy.openai_api.json_body import (
    OF_REPLY,
    JsonObject,
    member,
    objects,
    read_object,
    with_texts,
)
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.pseudonyms import Pseudonyms, Restorer
from proxy.openai_api.reply import (
    Answer,
    Reply,
    check_number,
    choice_index,
    choices_of,
    tokens_before,
    with_whole_characters,
    without_tokens,
)
from proxy.openai_api.sse import (
    STREAM_TYPE,
    EventReader,
    event_object,
    json_bytes,
    read_events,
    write_event,
)

MESSAGE, DELTA = "message", "delta"
"""The members of a choice that hold its words: of a whole reply, and of a stream's chunk."""


class ChatFormat:
    """The format of choices whose words are chat messages.

    Completions have choices of another format (`proxy.openai_api.completions`): a bare text instead
    of a message. All else about the two endpoints' replies is the same.

    Attributes:
        object_names: Names of a whole reply and of a chunk.
        ends_apart: A choice that is written as a stream at once ends in a chunk of its own.
        telling: Members around the choices that can repeat the answer.
        silent: Members around the choices that cannot.
        silent_in_choices: Members of a reply's choice that cannot, once its tokens are out of it.
        silent_in_chunks: The same of a chunk's choice.
        silent_in_words: Members beside the words, by the member that holds those, that cannot.
    """

    coverage: ClassVar[Coverage] = CHAT
    object_names: ClassVar[tuple[str, str]] = ("chat.completion", "chat.completion.chunk")
    text_member: ClassVar[str] = "content"
    ends_apart: ClassVar[bool] = True

    def __init__(self) -> None:
        reply, chunk = self.coverage.reply, self.coverage.chunk
        self.telling = reply.telling() | chunk.telling()
        self.silent = reply.silent() | chunk.silent()
        self.silent_in_choices = reply.silent("choices[]") | {"logprobs"}
        self.silent_in_chunks = chunk.silent("choices[]")
        self.silent_in_words = {
            MESSAGE: reply.silent("choices[].message"),
            DELTA: chunk.silent("choices[].delta"),
        }

    def check(self, choice: JsonObject, name: str) -> None:
        """Make sure that a choice's words can be read.

        Raises:
            UpstreamBroken: nobody could say what a client would read in it.
        """
        words = choice.get(name)
        if words is not None and not isinstance(words, dict):
            raise UpstreamBroken("what a choice says is no object")

    def words(self, choice: JsonObject, name: str) -> JsonObject:
        """Return what a choice says, as a chat's message or delta."""
        words = choice.get(name)
        return words if isinstance(words, dict) else {}

    def with_words(self, choice: JsonObject, name: str, words: JsonObject) -> JsonObject:
        """Return a choice that says something else."""
        return choice | {name: words}

    def made(
        self, index: int, name: str, words: JsonObject, finish_reason: JsonValue = None
    ) -> JsonObject:
        """Return a choice of our own."""
        return {"index": index, name: words, "finish_reason": finish_reason}

    def with_text_alone(self, choice: JsonObject) -> JsonObject:
        """Return a choice without what its last chunk says of its end."""
        return choice

    def has_unknown_words(self, words: JsonObject) -> bool:
        """Tell whether a delta may hold words of the answer where nobody looks for them."""
        return bool(self.coverage.chunk.worded_unknown(words, "choices[].delta"))

    def split_tokens(self, choice: JsonObject, text: str, at: int) -> tuple[JsonObject, JsonObject]:
        """Return the members of a chunk's choice that spell its tokens, for each half of its text.

        A cut token goes with the second half. Where the tokens do not spell the text, all do: what
        cannot be distinguished leaves last.

        Args:
            at: Where that is cut, in code points.
        """
        if "logprobs" not in choice:
            return {}, {}
        logprobs = choice["logprobs"]
        tokens = objects(member(logprobs, "content"))
        if not isinstance(logprobs, dict) or not tokens:
            return {"logprobs": logprobs}, {"logprobs": None}
        kept = tokens_before([str(token.get("token", "")) for token in tokens], text, at)

        def some(part: Sequence[JsonObject]) -> JsonObject:
            return {"logprobs": logprobs | {"content": [*part]} if part else None}

        return some(tokens[:kept]), some(tokens[kept:])

    def echo(self, request: ModelRequest) -> str:
        """Return what stands before every answer."""
        return ""

    def frame(self, request: ModelRequest, request_id: str, created: int) -> JsonObject:
        """Return the members around the choices of a reply that is all ours."""
        return {"id": f"chatcmpl-guard-{request_id}", "created": created, "model": request.model}

    def stream_frame(self, request: ModelRequest) -> JsonObject:
        """Return the same of a chunk that leaves before anything was read."""
        return {"object": self.object_names[1], "model": request.model}


CHAT_FORMAT = ChatFormat()


_REASONING_PARTS = ("thinking", "reasoning")


def read_reply(
    raw: bytes,
    content_type: str,
    pseudonyms: Pseudonyms | None = None,
    form: ChatFormat = CHAT_FORMAT,
) -> Reply:
    """Read a reply by what it says it is, whatever was asked for.

    Args:
        form: Where the words of its choices stand.

    Raises:
        UpstreamBroken: it cannot be read, or the stream broke off.
    """
    if content_type.partition(";")[0].strip().lower() == STREAM_TYPE:
        return _read_stream(raw, pseudonyms, form)
    return _read_plain(raw, pseudonyms, form)


def _read_plain(raw: bytes, pseudonyms: Pseudonyms | None, form: ChatFormat) -> Reply:
    try:
        body = read_object(raw, OF_REPLY)
    except ValueError as error:
        raise UpstreamBroken(str(error)) from None
    choices = choices_of(body)
    if not choices:
        raise UpstreamBroken("it has no choices")
    for choice in choices:
        form.check(choice, MESSAGE)
    if pseudonyms:
        restored = [_restored(choice, pseudonyms, form) for choice in choices]
        if restored != choices:
            choices, body = restored, body | {"choices": [*restored]}
            raw = json_bytes(body)
    answers = tuple(
        _answer(
            choice_index(choice, position),
            content_of(words.get("content")),
            words,
            choice.get("finish_reason"),
        )
        for position, choice in enumerate(choices)
        for words in [form.words(choice, MESSAGE)]
    )
    if len({answer.index for answer in answers}) != len(answers):
        raise UpstreamBroken("two of its choices have the same number")
    return Reply(
        raw=raw,
        answers=answers,
        bodies=(body,),
        fields=form.coverage.reply,
        named=tuple(_thoughts([body], MESSAGE)),
    )


def _restored(choice: JsonObject, pseudonyms: Pseudonyms, form: ChatFormat) -> JsonObject:
    """Return a whole choice with the user's own identifiers in it."""
    words = form.words(choice, MESSAGE)
    said = with_texts(words, pseudonyms.restore)
    if said == words or not isinstance(said, dict):
        return choice
    return form.with_words(without_tokens(choice), MESSAGE, said)


def _read_stream(raw: bytes, pseudonyms: Pseudonyms | None, form: ChatFormat) -> Reply:
    if pseudonyms:
        raw = _restored_stream(raw, pseudonyms, form)
    events, raw = read_events(raw)
    done = any(event.is_done for event in events)
    chunks = tuple(event_object(event) for event in events if event.says_something)
    joined = Saying(form)
    for chunk in chunks:
        check_chunk(chunk, form)
        joined.add(chunk)
    check_ended(joined.answers(), said_done=done)
    return joined.reply(raw, chunks)


def check_chunk(chunk: JsonObject, form: ChatFormat) -> None:
    """Refuse a chunk that says that the model server failed, or in which nobody could read.

    Raises:
        UpstreamBroken: it is such a chunk.
    """
    if chunk.get("error") or chunk.get("object") == "error":
        raise UpstreamBroken("its stream ended with an error")
    for choice in choices_of(chunk):
        form.check(choice, DELTA)


def check_ended(answers: Iterable[Answer], *, said_done: bool) -> None:
    """Make sure that a stream is complete.

    Raises:
        UpstreamBroken: it is not.
    """
    ends = [answer.finish_reason for answer in answers]
    if not ends:
        raise UpstreamBroken("its stream has no choices")
    if not (said_done or all(ends)):
        raise UpstreamBroken("its stream broke off")


class Saying:
    """The answers of a stream, while it is read."""

    def __init__(self, form: ChatFormat) -> None:
        self._form = form
        self._choices: dict[int, _Joined] = {}

    def add(self, chunk: JsonObject) -> None:
        """Take in a chunk."""
        for position, choice in enumerate(objects(chunk.get("choices"))):
            index = choice_index(choice, position)
            words = self._form.words(choice, DELTA)
            self._choices.setdefault(index, _Joined()).add(words, choice.get("finish_reason"))
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

    def reply(self, raw: bytes, chunks: Sequence[JsonObject]) -> Reply:
        """Return the whole stream as a reply."""
        return Reply(
            raw=raw,
            answers=self.answers(),
            bodies=tuple(chunks),
            fields=self._form.coverage.chunk,
            is_stream=True,
            named=tuple(_thoughts(chunks, DELTA)),
        )


@dataclass
class _Joined:
    """The deltas of one choice, put together as far as judging needs it."""

    texts: list[str] = field(default_factory=list)
    delta: JsonObject = field(default_factory=dict)
    finish_reason: JsonValue = None

    def add(self, delta: JsonObject, finish_reason: JsonValue) -> None:
        self.texts.append(content_of(delta.get("content")))
        self.delta.update({key: value for key, value in delta.items() if value})
        self.finish_reason = finish_reason or self.finish_reason


def _answer(
    index: int, content: str, message: JsonObject, finish_reason: JsonValue | None
) -> Answer:
    calls = message.get("tool_calls") or message.get("function_call")
    return Answer(
        index=index,
        content=with_whole_characters(content),
        tool_turn=bool(calls),
        finish_reason=finish_reason if isinstance(finish_reason, str) else None,
    )


def template_message(request: ModelRequest, template: str) -> JsonObject:
    """Return the message of a replaced answer: JSON was promised? Then it is a refusal."""
    if request.structured:
        return {"role": "assistant", "content": None, "refusal": template}
    return {"role": "assistant", "content": template}


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


_WORDS = ("content", "reasoning", "reasoning_content", "refusal")
_CALLS = "tool_calls"
_OLD_CALL = "function_call"


class StreamRestorer:
    """Restores the chunks of one stream."""

    def __init__(self, pseudonyms: Pseudonyms, form: ChatFormat) -> None:
        self._pseudonyms = pseudonyms
        self._form = form
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
            words = self._form.words(choice, DELTA)
            said = restorer.feed(words, ends=bool(choice.get("finish_reason")))
            if said == words:
                choices.append(choice)
            else:
                choices.append(self._form.with_words(without_tokens(choice), DELTA, said))
        return chunk | {"choices": choices}

    def close(self) -> Iterator[JsonObject]:
        """Yield what was kept back of choices that the model server did not end."""
        for index, restorer in self._choices.items():
            delta = restorer.flushed({})
            if delta:
                yield self._frame | {"choices": [self._form.made(index, DELTA, delta)]}


class _Place(NamedTuple):
    """Which text of a choice a piece belongs to; `call` tells the calls of tools apart."""

    member: str
    call: int = 0


class _ChoiceRestorer:
    """Restores the deltas of one choice, each of its texts by itself."""

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self._pseudonyms = pseudonyms
        self._texts: dict[_Place, Restorer] = {}

    def feed(self, delta: JsonObject, *, ends: bool) -> JsonObject:
        """Return a delta as far as it can be said; the last one of a choice with all the rest."""
        return self.flushed(self._fed(delta)) if ends else self._fed(delta)

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


def _restored_stream(raw: bytes, pseudonyms: Pseudonyms, form: ChatFormat) -> bytes:
    """Return a whole stream with the user's own identifiers in it.

    One that cannot be read is left to those who read it next.
    """
    try:
        return _stream(raw, pseudonyms, form)
    except (ValueError, UpstreamBroken):
        return raw


def _stream(body: bytes, pseudonyms: Pseudonyms, form: ChatFormat) -> bytes:
    reader = EventReader()
    stream = StreamRestorer(pseudonyms, form)
    pieces: list[bytes] = []
    for event in reader.feed(body) + reader.close():
        said = (event.data or "").strip()
        if not said:
            pieces.append(event.raw)
        elif event.is_done:
            pieces += [*map(write_event, stream.close()), event.raw]
        else:
            chunk = read_object(said.encode("utf-8", errors="surrogatepass"))
            changed = stream.feed(chunk)
            pieces.append(event.raw if changed == chunk else write_event(changed))
    return b"".join([*pieces, *map(write_event, stream.close())])
