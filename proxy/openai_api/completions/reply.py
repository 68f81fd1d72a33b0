"""A model server's whole reply to a completion, plain or streamed, as answers to judge."""

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.answer import Answer, with_whole_characters
from proxy.openai_api.choices import choice_index, choices_of, without_tokens
from proxy.openai_api.completions.coverage import COVERAGE
from proxy.openai_api.coverage import unknown_fields
from proxy.openai_api.json_body import JsonObject, objects, read_object
from proxy.openai_api.live_stream import Piece
from proxy.openai_api.restoring import Restoring
from proxy.openai_api.sse import json_bytes

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
        """What carries words and is not looked at."""
        return _unseen(COVERAGE.reply.unchecked(self.body), self.answers)

    @property
    def is_stream(self) -> bool:
        """Whether it came as a stream."""
        return False

    @property
    def unknown(self) -> tuple[str, ...]:
        """Its fields that no row of the coverage tells of."""
        return unknown_fields(COVERAGE.reply, [self.body])


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
        """What carries words and is not looked at."""
        found = (name for one in self.pieces for name in COVERAGE.chunk.unchecked(one.chunk))
        return _unseen(found, self.answers)

    @property
    def is_stream(self) -> bool:
        """Whether it came as a stream."""
        return True

    @property
    def unknown(self) -> tuple[str, ...]:
        """Its fields that no row of the coverage tells of."""
        return unknown_fields(COVERAGE.chunk, (piece.chunk for piece in self.pieces))


CompletionReply = PlainReply | StreamReply


def read_plain(raw: bytes, stand_ins: Restoring) -> PlainReply:
    """Read a reply in one JSON object.

    Raises:
        UpstreamBroken: it cannot be read.
    """
    try:
        body = read_object(raw)
    except ValueError as error:
        raise UpstreamBroken(str(error)) from None
    choices = choices_of(body)
    if not choices:
        raise UpstreamBroken("it has no choices")
    restored: list[JsonValue] = [_restored(choice, stand_ins) for choice in choices]
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


def _restored(choice: JsonObject, stand_ins: Restoring) -> JsonObject:
    text = text_of(choice)
    said = stand_ins.restore(text) if stand_ins else text
    return choice if said == text else without_tokens(choice) | {"text": said}


def _unseen(found: Iterable[str], answers: Iterable[Answer]) -> tuple[str, ...]:
    names = dict.fromkeys(found)
    if any(answer.thinks for answer in answers):
        names["think"] = None
    return tuple(names)
