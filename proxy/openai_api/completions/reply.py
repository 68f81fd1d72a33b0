"""A model server's whole reply to a completion, plain or streamed, as answers to judge."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

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
from proxy.openai_api.coverage import COMPLETIONS as COVERAGE
from proxy.openai_api.coverage import FieldRemarks
from proxy.openai_api.json_body import OF_REPLY, JsonObject, member, objects, read_object
from proxy.openai_api.live_stream import Piece, Restoring, Words
from proxy.openai_api.sse import DONE, event_object, json_bytes, read_events, write_event

_OF_CHATS = ("message", "delta")


@dataclass(frozen=True)
class PlainReply:
    """A reply in one JSON object.

    Attributes:
        raw: The body as it came; with the user's own identifiers in it.
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
        """Names of fields that carry words and are not checked."""
        return _unseen(self._remarks.unchecked, self.answers)

    @property
    def is_stream(self) -> bool:
        """True if it came as a stream."""
        return False

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
        raw: The whole stream as it came; with the user's own identifiers in it.
        pieces: Its events, by choice.
        answers: One for each choice, joined from its pieces.
    """

    raw: bytes
    pieces: tuple[Piece, ...]
    answers: tuple[Answer, ...]

    @property
    def usage(self) -> JsonValue | None:
        """Tokens used, if the client asked for them."""
        found = [piece.chunk["usage"] for piece in self.pieces if piece.chunk.get("usage")]
        return found[-1] if found else None

    @property
    def unseen(self) -> tuple[str, ...]:
        """Names of fields that carry words and are not checked."""
        return _unseen(self._remarks.unchecked, self.answers)

    @property
    def is_stream(self) -> bool:
        """True if it came as a stream."""
        return True

    @property
    def unknown(self) -> tuple[str, ...]:
        """Its fields that no row of the coverage tells of."""
        return self._remarks.unknown

    @lazy
    def _remarks(self) -> FieldRemarks:
        return COVERAGE.chunk.remarks_on(piece.chunk for piece in self.pieces)


CompletionReply = PlainReply | StreamReply


def read_plain(raw: bytes, pseudonyms: Restoring) -> PlainReply:
    """Read a reply in one JSON object.

    Raises:
        UpstreamBroken: it cannot be read.
    """
    try:
        body = read_object(raw, OF_REPLY)
    except ValueError as error:
        raise UpstreamBroken(str(error)) from None
    choices = choices_of(body)
    if not choices:
        raise UpstreamBroken("it has no choices")
    restored: list[JsonValue] = [_restored(choice, pseudonyms) for choice in choices]
    if restored != choices:
        body = body | {"choices": restored}
        raw = json_bytes(body)
    answers = tuple(
        answer_of(choice_index(choice, position), text_of(choice), choice.get("finish_reason"))
        for position, choice in enumerate(objects(restored))
    )
    if len({answer.index for answer in answers}) != len(answers):
        raise UpstreamBroken("two of its choices have the same number")
    return PlainReply(raw, body, answers)


def text_of(choice: JsonObject) -> str:
    """Return the text of a choice.

    Raises:
        UpstreamBroken: nobody could say what a client would read in it.
    """
    text = choice.get("text")
    if any(name in choice for name in _OF_CHATS):
        raise UpstreamBroken("a choice is that of a chat")
    if text is None:
        return ""
    if not isinstance(text, str):
        raise UpstreamBroken("the text of a choice is no text")
    return text


def answer_of(index: int, text: str, finish_reason: JsonValue | None) -> Answer:
    """Return what one choice says."""
    return Answer(
        index=index,
        content=with_whole_characters(text),
        tool_turn=False,
        finish_reason=finish_reason if isinstance(finish_reason, str) else None,
    )


def _restored(choice: JsonObject, pseudonyms: Restoring) -> JsonObject:
    text = text_of(choice)
    said = pseudonyms.restore(text) if pseudonyms else text
    return choice if said == text else without_tokens(choice) | {"text": said}


def _unseen(found: Iterable[str], answers: Iterable[Answer]) -> tuple[str, ...]:
    names = dict.fromkeys(found)
    if any(answer.thinks for answer in answers):
        names["think"] = None
    return tuple(names)


# These say something of the text; all else in a choice says how it ended.
_OF_A_TEXT = ("index", "text", "logprobs", "token_ids")


@dataclass
class _Choice:
    """The state of one choice while its stream is read.

    Attributes:
        words: Its text on the way.
        texts: What it said.
        frame: The members around it in the last event.
        finish_reason: Why it ended; None as long as it has not.
    """

    words: Words
    texts: list[str] = field(default_factory=list)
    frame: JsonObject = field(default_factory=dict)
    finish_reason: str | None = None


class StreamReader:
    """Reads one stream.

    Args:
        pseudonyms: Those of the request, if there are any.
    """

    def __init__(self, pseudonyms: Restoring | None) -> None:
        self._pseudonyms = pseudonyms
        self._choices: dict[int, _Choice] = {}
        self._pieces: list[Piece] = []
        self._raw: list[bytes] = []

    def feed(self, chunk: JsonObject, raw: bytes) -> Sequence[Piece]:
        """Return the pieces of one event, with the user's own identifiers put back.

        Raises:
            UpstreamBroken: nobody could say what a client would read in it.
        """
        if chunk.get("error") or chunk.get("object") == "error":
            raise UpstreamBroken("its stream ended with an error")
        choices = choices_of(chunk)
        if not choices:
            return self._took([Piece(None, "", chunk, raw, may_tell=_may_tell(chunk))], raw)
        pieces = [
            piece
            for position, choice in enumerate(choices)
            for piece in self._of_choice(chunk, choice, choice_index(choice, position))
        ]
        if len(pieces) == 1 and pieces[0].chunk["choices"] == chunk["choices"]:
            pieces = [replace(pieces[0], chunk=chunk, raw=raw)]
        pieces = [
            one if one.text else replace(one, may_tell=_may_tell(one.chunk)) for one in pieces
        ]
        came, said = "".join(map(text_of, choices)), "".join(piece.text for piece in pieces)
        return self._took(pieces, raw if came == said else b"".join(map(written, pieces)))

    def end(self, *, said_done: bool) -> Sequence[Piece]:
        """Return what was kept back when the stream has ended.

        Args:
            said_done: It ended with ``[DONE]``.

        Raises:
            UpstreamBroken: it broke off.
        """
        if not self._choices:
            raise UpstreamBroken("its stream has no choices")
        if not said_done and not all(choice.finish_reason for choice in self._choices.values()):
            raise UpstreamBroken("its stream broke off")
        rest = [
            _saying(said, choice.frame, {}, index)
            for index, choice in self._choices.items()
            if (said := choice.words.close())
        ]
        return self._took(rest, b"".join(map(written, rest)))

    def reply(self) -> StreamReply:
        """Return what was read, as a whole reply."""
        answers = tuple(
            answer_of(index, "".join(choice.texts), choice.finish_reason)
            for index, choice in sorted(self._choices.items())
        )
        return StreamReply(b"".join([*self._raw, DONE]), tuple(self._pieces), answers)

    def _took(self, pieces: Sequence[Piece], raw: bytes) -> Sequence[Piece]:
        for piece in pieces:
            if piece.choice is not None:
                self._choices[piece.choice].texts.append(piece.text)
        self._pieces += pieces
        self._raw.append(raw)
        return pieces

    def _of_choice(self, chunk: JsonObject, choice: JsonObject, index: int) -> Iterator[Piece]:
        """Yield what an event says of a choice, its text first."""
        state = self._choices.setdefault(index, _Choice(Words(self._pseudonyms)))
        check_number(len(self._choices))
        state.frame = {key: chunk[key] for key in chunk if key not in ("choices", "usage")}
        reason = choice.get("finish_reason")
        came = text_of(choice)
        said = state.words.feed(came)
        own = choice if said == came else without_tokens(choice)
        if not isinstance(reason, str) or not reason:
            if said or said == came:
                yield Piece(index, said, chunk | {"choices": [own | {"text": said}]})
            return
        state.finish_reason = reason
        said += state.words.close()
        if said:
            own = choice if said == came else without_tokens(choice)
            yield _saying(said, state.frame, own, index)
        ended = without_tokens(choice) | {"text": ""} if came else choice
        yield Piece(index, "", chunk | {"choices": [ended]}, finish_reason=reason)


def _may_tell(chunk: JsonObject) -> bool:
    """Tell whether words of the answer may stand where nobody looks for them."""
    table = COVERAGE.chunk
    return bool(table.worded_unknown(chunk)) or any(
        member(choice.get("logprobs"), "tokens") or table.worded_unknown(choice, "choices[]")
        for choice in choices_of(chunk)
    )


def _saying(said: str, frame: JsonObject, choice: JsonObject, index: int) -> Piece:
    """Return a piece with nothing but a text, and its tokens."""
    own = {key: choice[key] for key in _OF_A_TEXT if key in choice}
    changed = own | {"index": index, "text": said, "finish_reason": None}
    return Piece(index, said, frame | {"choices": [changed]})


def written(piece: Piece) -> bytes:
    """Return the bytes of a piece: its own where it has some."""
    return piece.raw or write_event(piece.chunk)


def read_stream(raw: bytes, pseudonyms: Restoring) -> StreamReply:
    """Read a whole stream.

    Raises:
        UpstreamBroken: it cannot be read, or it broke off.
    """
    reader = StreamReader(pseudonyms)
    events, raw = read_events(raw)
    said_done = False
    for event in events:
        said_done = said_done or event.is_done
        if event.says_something:
            reader.feed(event_object(event), event.raw)
    reader.end(said_done=said_done)
    reply = reader.reply()
    return reply if pseudonyms else replace(reply, raw=raw)
