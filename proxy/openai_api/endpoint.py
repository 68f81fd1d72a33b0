"""The interface of an endpoint whose answers are guarded, and of its streams.

An endpoint reads its requests and the model server's replies, and writes the replies to clients.
Everything between is the same for all endpoints and knows only the types of this module and of
`model_request.py` and `reply.py`. Unknown members are kept.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic

from guards.core.exchange import Source
from proxy.openai_api.coverage import Coverage
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.pseudonyms import Pseudonyms
from proxy.openai_api.reply import ChoiceOutcome, Ending, PieceJoiner, Reply, ReplyT
from proxy.openai_api.sse import Event, write_event
from proxy.server.asgi_reply import HttpReply


class Words:
    """One text of a stream, piece by piece."""

    def __init__(self, pseudonyms: Pseudonyms | None) -> None:
        self._joiner = PieceJoiner()
        self._restorer = pseudonyms.in_pieces() if pseudonyms else None

    def feed(self, piece: str) -> str:
        """Return what can be said by now; half a character or placeholder is kept back."""
        said = self._joiner.feed(piece)
        return self._restorer.feed(said) if self._restorer else said

    def close(self) -> str:
        """Return what was kept back."""
        rest = self._joiner.close()
        return self._restorer.feed(rest) + self._restorer.close() if self._restorer else rest


@dataclass(frozen=True, slots=True)
class Piece:
    """One event of a model server's stream, as far as it concerns one choice.

    An event that says something and does something else too (a text and a finish reason) is read
    as several pieces, the text first.

    Attributes:
        choice: Number of the choice; None for what belongs to none of them, such as the usage.
        chunk: The JSON object to be written for it.
        raw: The event's own bytes, if it can be passed on as it came; None where it cannot.
        finish_reason: Set on the piece that ends its choice, in the model server's word.
        may_tell: It may hold words of the answer in an unknown place: it is sent with the words
            before it, and not at all where those are changed.
    """

    choice: int | None
    text: str
    chunk: JsonObject
    raw: bytes | None = None
    finish_reason: str | None = None
    calls_tool: bool = False
    may_tell: bool = False


@dataclass(frozen=True, slots=True)
class TextEvents:
    """Some events that say a text and can be passed on as they came.

    Attributes:
        end: Where they end in the bytes that they were read from.
    """

    choice: int
    text: str
    end: int


class LiveStream(ABC):
    """Reads the streams of a model server for one request, and writes the one that leaves.

    The stream that leaves may be made of two attempts; of a choice that is written anew nothing but
    pieces without text has been sent then.
    """

    _changes: JsonObject | None = None

    def announce(self, changes: JsonObject) -> None:
        """Let the next event that ends a choice carry the `guard` object of a changed answer.

        Clients that look for a choice in every chunk find one in it. Where no choice ends any
        more, a chunk of its own carries it, as it does a report.
        """
        self._changes = changes

    def _announced(self) -> JsonObject:
        """Return the member `guard` that is still to be sent, for this once."""
        changes, self._changes = self._changes, None
        return {} if changes is None else {"guard": changes}

    @abstractmethod
    def restore_with(self, pseudonyms: Pseudonyms) -> None:
        """Put the user's own identifiers back from now on; called before anything is read."""

    @abstractmethod
    def read(self, event: Event) -> Sequence[Piece]:
        """Return the pieces of one event that says something.

        The user's own identifiers are put back in them.

        Raises:
            UpstreamBroken: nobody could say what a client would read in it.
        """

    def said(self, events: bytes) -> TextEvents | None:
        """Take in events that do nothing but say a text of one choice, as many as there are.

        Only the quickest way of reading is tried here. None where the first event takes more: then
        nothing was taken in.

        Args:
            events: Some bytes that begin with an event, without the stream's byte order mark.
        """
        return None

    @abstractmethod
    def read_end(self, *, said_done: bool) -> Sequence[Piece]:
        """Return what was kept back when the model server's stream has ended.

        Args:
            said_done: It ended with ``[DONE]``.

        Raises:
            UpstreamBroken: the stream is not complete.
        """

    @abstractmethod
    def reply(self) -> Reply:
        """Return what was read since the last attempt began, as a whole reply."""

    @abstractmethod
    def begin_again(self, choices: Sequence[int]) -> None:
        """A second attempt follows.

        Args:
            choices: Numbers, as the client knows them, of the choices that it writes anew, in its
                own order. `Piece.choice` is such a number.
        """

    @abstractmethod
    def split(self, piece: Piece, at: int) -> tuple[Piece, Piece]:
        """Return a piece as two, cut in its text; each of its tokens goes with one of them."""

    @abstractmethod
    def write(self, piece: Piece) -> bytes:
        """Return the bytes of a piece that is sent as it is; its own where that can be."""

    @abstractmethod
    def write_text(self, choice: int, text: str, instead_of: Sequence[Piece]) -> bytes:
        """Return the bytes of a text that the model server did not write so.

        Args:
            choice: Number of the choice that the client sees.
            text: What is added to its answer; it may be empty.
            instead_of: The pieces in whose place it stands; empty for what we add ourselves.
        """

    def write_template(self, choice: int, text: str) -> bytes:
        """Return the bytes of a template that stands in the place of a whole answer."""
        return self.write_text(choice, text, ())

    def write_error(self, error: JsonObject) -> bytes:
        """Return the event of a failure after which nothing follows."""
        return write_event(error)

    @abstractmethod
    def write_finish(self, choice: int, finish_reason: str) -> bytes:
        """Return the bytes that end a choice which the model server did not end so."""

    @abstractmethod
    def write_end(self, usage: JsonObject, ending: Ending) -> bytes:
        """Return what ends the stream: usage if it was asked for, the report, and the last event.

        Args:
            usage: The tokens of all attempts; empty if nobody counted them.
        """


class Endpoint(ABC, Generic[ReplyT]):
    """An endpoint whose answers are guarded.

    Attributes:
        name: What traces and metrics call it.
        takes_constraints: A model server can be told in the body what it may not write.
    """

    name: ClassVar[str]
    path: ClassVar[str]
    coverage: ClassVar[Coverage]
    takes_constraints: ClassVar[bool] = True

    @abstractmethod
    def read_request(self, raw: bytes) -> ModelRequest:
        """Read a request body.

        Raises:
            BadRequest: malformed JSON, or a member of the wrong type; it names the member.
        """

    @abstractmethod
    def prompted(self, body: JsonObject, sources: Sequence[Source]) -> JsonObject | None:
        """Return the body with our citation prompt; None where it has nothing to add."""

    @abstractmethod
    def noted(self, body: JsonObject, note: str, choices: int) -> JsonObject:
        """Return the body of the second request: told what was wrong. Pure.

        Args:
            body: Body of the first request, as the model server got it.
            note: What the model is told, at the end of the last user turn.
            choices: How many choices have to be written again.
        """

    @abstractmethod
    def read_reply(self, raw: bytes, content_type: str, pseudonyms: Pseudonyms) -> ReplyT:
        """Read a whole reply by what it says it is, whatever was asked for.

        The user's own identifiers are put back; without any, the bytes stay as they came.

        Raises:
            UpstreamBroken: it cannot be read, or the stream broke off.
        """

    @abstractmethod
    def live(self, request: ModelRequest) -> LiveStream:
        """Return what reads and writes the stream of one request."""

    @abstractmethod
    def write(
        self,
        request: ModelRequest,
        replies: Sequence[ReplyT],
        outcomes: Sequence[ChoiceOutcome],
        ending: Ending,
    ) -> HttpReply:
        """Write a reply of which all is known: the model server's own bytes where nothing changed.

        Args:
            replies: All replies of the model server, in order; their usage is added up.
            outcomes: One for each choice, by number.
        """
