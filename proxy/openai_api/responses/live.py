"""Reads and writes the stream of one request while it runs."""

from collections.abc import Sequence
from itertools import accumulate

from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.live_stream import LiveStream, Piece, Restoring
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import Ending, Reply
from proxy.openai_api.responses.flows import without_tokens
from proxy.openai_api.responses.outgoing import StreamWriter
from proxy.openai_api.responses.reading import StreamReader
from proxy.openai_api.responses.reply import stream_reply
from proxy.openai_api.responses.tokens import counted
from proxy.openai_api.sse import Event, event_object


class LiveResponse(LiveStream):
    """The stream of one response, made of one or two attempts.

    Args:
        request: What was asked.
    """

    def __init__(self, request: ModelRequest) -> None:
        self._pseudonyms: Restoring | None = None
        self._reader = StreamReader(None)
        self._writer = StreamWriter(request)
        self._raw: list[bytes] = []
        self._attempts = 0

    def restore_with(self, pseudonyms: Restoring) -> None:
        """Put the user's own identifiers back from now on."""
        self._pseudonyms = pseudonyms
        self._reader = StreamReader(pseudonyms)

    def read(self, event: Event) -> Sequence[Piece]:
        """Return the pieces of one event."""
        self._attempts = self._attempts or 1
        self._raw.append(event.raw)
        return self._reader.read(event_object(event), event.raw)

    def read_end(self, *, said_done: bool) -> Sequence[Piece]:
        """Make sure that the stream is complete; its last event left nothing kept back.

        `[DONE]` says nothing here: without its last event nobody knows how the response ended.
        """
        self._reader.check_ended()
        return ()

    def reply(self) -> Reply:
        """Return what was read since the last attempt began."""
        return stream_reply(self._reader, b"".join(self._raw))

    def begin_again(self, choices: Sequence[int]) -> None:
        """Go on with a second attempt at the one choice there is."""
        self._reader = StreamReader(self._pseudonyms)
        self._writer.begin_again()
        self._raw = []
        self._attempts += 1

    def split(self, piece: Piece, at: int) -> tuple[Piece, Piece]:
        """Return a piece as two, cut in its text."""
        tokens = objects(piece.chunk.get("logprobs"))
        before = _tokens_before([str(token.get("token")) for token in tokens], piece.text, at)
        return (
            _part(piece, piece.text[:at], tokens[:before]),
            _part(piece, piece.text[at:], tokens[before:]),
        )

    def write(self, piece: Piece) -> bytes:
        """Return the bytes of a piece that leaves; none while it waits for what it belongs to."""
        return self._writer.write(piece)

    def write_text(self, choice: int, text: str, instead_of: Sequence[Piece]) -> bytes:
        """Return the bytes of a text that the model server did not write so."""
        return self._writer.write_text(text, instead_of)

    def write_template(self, choice: int, text: str) -> bytes:
        """Return the bytes of a template: a message of ours, which refuses where JSON was asked."""
        return self._writer.write_template(text)

    def write_error(self, error: JsonObject) -> bytes:
        """Return the event of a failure: in this endpoint's words, and as the clients raise it."""
        said = error.get("error")
        told = {name: member(said, name) for name in ("code", "message", "param")}
        return self._writer.write_error({"type": "error", **told, "error": said})

    def write_finish(self, choice: int, finish_reason: str) -> bytes:
        """Return the bytes that end what is open; the last event will say why."""
        return self._writer.write_finish(finish_reason)

    def write_end(self, usage: JsonObject, ending: Ending) -> bytes:
        """Return the last event; this endpoint's streams end with it."""
        return self._writer.write_end(counted(usage, self._attempts), ending)


def _part(piece: Piece, text: str, tokens: Sequence[JsonObject]) -> Piece:
    event = without_tokens(piece.chunk) | {"delta": text}
    if "logprobs" in event:
        event["logprobs"] = [*tokens]
    return Piece(piece.choice, text, event)


def _tokens_before(tokens: Sequence[str], text: str, at: int) -> int:
    """Return how many tokens stand wholly before a place; none if they do not spell the text."""
    if "".join(tokens) != text:
        return 0
    return sum(end <= at for end in accumulate(map(len, tokens)))
