"""Reads the stream of a completion as it comes, and writes the one that leaves."""

from collections.abc import Sequence
from dataclasses import replace

from proxy.errors import UpstreamBroken
from proxy.openai_api.answer import without_tokens
from proxy.openai_api.completions.reply import StreamReader, StreamReply
from proxy.openai_api.completions.request import echo_of
from proxy.openai_api.completions.writing import made_choice
from proxy.openai_api.coverage import COMPLETIONS as COVERAGE
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.live_stream import LiveStream, Piece, Restoring
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import Ending
from proxy.openai_api.sse import DONE, Event, event_object, write_event

_LISTS = ("tokens", "token_logprobs", "top_logprobs", "text_offset")


def split_choice(choice: JsonObject, text: str, at: int) -> tuple[JsonObject, JsonObject]:
    """Return a choice as two, cut in its text; a cut token goes with the second.

    Args:
        choice: The choice.
        text: Its text.
        at: Where the text is cut, in code points.
    """
    logprobs = choice.get("logprobs")
    tokens = member(logprobs, "tokens")
    spelled = [str(token) for token in tokens] if isinstance(tokens, list) else []
    kept = _tokens_before(spelled, text, at)
    first = choice | {"text": text[:at], "finish_reason": None}
    second = choice | {"text": text[at:]}
    if isinstance(logprobs, dict):
        first["logprobs"] = _cut(logprobs, slice(0, kept)) if kept else None
        second["logprobs"] = _cut(logprobs, slice(kept, None))
    ids = choice.get("token_ids")
    if isinstance(ids, list):
        kept = kept if len(ids) == len(spelled) else 0
        first["token_ids"], second["token_ids"] = ids[:kept], ids[kept:]
    return first, second


def _tokens_before(tokens: list[str], text: str, at: int) -> int:
    """Return how many tokens stand wholly before a place.

    Where they do not spell the text, none do: what cannot be told apart leaves last.
    """
    if "".join(tokens) != text:
        return 0
    end = 0
    for count, token in enumerate(tokens):
        end += len(token)
        if end > at:
            return count
    return len(tokens)


def _cut(logprobs: JsonObject, place: slice) -> JsonObject:
    return {
        key: item[place] if key in _LISTS and isinstance(item, list) else item
        for key, item in logprobs.items()
    }


_NAMES = ("id", "created")
_AROUND = (*_NAMES, "object", "model", "system_fingerprint")
_SILENT = COVERAGE.chunk.silent()
_TELLING = COVERAGE.chunk.telling()
_SILENT_IN_CHOICES = COVERAGE.chunk.silent("choices[]")


class LiveCompletion(LiveStream):
    """Reads the streams of a model server for one request, and writes the one that leaves.

    What leaves has one name throughout: that of the first event that was read.

    Args:
        request: What was asked.
    """

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        self._pseudonyms: Restoring | None = None
        self._reader = StreamReader(None)
        self._numbers: Sequence[int] | None = None
        self._frame: JsonObject = {}
        self._usage: Piece | None = None
        self._echo = echo_of(request)
        self._echoed: set[int] = set()

    def restore_with(self, pseudonyms: Restoring) -> None:
        """Put the user's own identifiers back from now on."""
        self._pseudonyms = pseudonyms
        self._reader = StreamReader(pseudonyms)

    def read(self, event: Event) -> Sequence[Piece]:
        """Return the pieces of one event, with the user's own identifiers put back."""
        chunk, raw = event_object(event), event.raw
        quiet = {key: chunk[key] for key in chunk if key not in _TELLING}
        if len(quiet) < len(chunk):
            # What tells the whole answer in one event would tell it before it is judged.
            chunk, raw = quiet, write_event(quiet)
        pieces = self._reader.feed(chunk, raw)
        if not self._frame:
            self._frame = {key: chunk[key] for key in _AROUND if key in chunk}
        if chunk.get("usage") and not objects(chunk.get("choices")):
            self._usage = self._as_known(pieces[0])
            return []
        return [self._as_known(piece) for piece in pieces]

    def read_end(self, *, said_done: bool) -> Sequence[Piece]:
        """Return what was kept back when the model server's stream has ended."""
        return [self._as_known(piece) for piece in self._reader.end(said_done=said_done)]

    def reply(self) -> StreamReply:
        """Return what was read since the last attempt began, as a whole reply."""
        return self._reader.reply()

    def begin_again(self, choices: Sequence[int]) -> None:
        """Expect the second attempt."""
        self._numbers = choices
        self._usage = None
        self._reader = StreamReader(self._pseudonyms)

    def split(self, piece: Piece, at: int) -> tuple[Piece, Piece]:
        """Return a piece as two, cut in its text; each of its tokens goes with one of them."""
        [choice] = objects(piece.chunk.get("choices"))
        before, behind = split_choice(choice, piece.text, at)
        # What is told beside a text is told once, with its end.
        around = {key: piece.chunk[key] for key in piece.chunk if key != "usage"}
        return (
            Piece(piece.choice, piece.text[:at], around | {"choices": [before]}),
            Piece(piece.choice, piece.text[at:], piece.chunk | {"choices": [behind]}),
        )

    def write(self, piece: Piece) -> bytes:
        """Return the bytes of a piece that is sent as it is; its own where that can be."""
        echo = b"" if piece.choice is None else self._echoed_in(piece.choice)
        if piece.finish_reason and (guard := self._announced()):
            return echo + write_event(piece.chunk | guard)
        return echo + (piece.raw or write_event(piece.chunk))

    def write_text(self, choice: int, text: str, instead_of: Sequence[Piece]) -> bytes:
        """Return the bytes of a text that the model server did not write so."""
        if not text:
            return b""
        if not instead_of:
            return self._own_event(made_choice(choice, text, None))
        first = instead_of[0].chunk
        own = without_tokens(objects(first.get("choices"))[0])
        kept = {key: own[key] for key in own if key in _SILENT_IN_CHOICES or key == "logprobs"}
        around = {key: first[key] for key in first if key in _SILENT and key != "usage"}
        changed = kept | {"text": text, "finish_reason": None}
        return self._echoed_in(choice) + write_event(around | {"choices": [changed]})

    def write_finish(self, choice: int, finish_reason: str) -> bytes:
        """Return the bytes that end a choice which the model server did not end so."""
        return self._own_event(made_choice(choice, "", finish_reason), self._announced())

    def write_end(self, usage: JsonObject, ending: Ending) -> bytes:
        """Return what ends the stream: usage if it was asked for, the report, the last event."""
        frame = self._own_frame() | {"choices": []}
        events: list[bytes] = []
        if self._usage is not None and self._usage.chunk.get("usage") == usage:
            events.append(self._usage.raw or write_event(self._usage.chunk))
        elif usage and (self._usage is not None or self._request.include_usage):
            events.append(write_event(frame | {"usage": usage}))
        guard = self._announced() if ending.report is None else ending.guard
        if guard:
            events.append(write_event(frame | guard))
        return b"".join([*events, DONE])

    def _as_known(self, piece: Piece) -> Piece:
        """Return a piece of a second attempt under the names that the client knows."""
        if self._numbers is None:
            return piece
        name = {key: self._frame[key] for key in _NAMES if key in self._frame}
        if piece.choice is None:
            return replace(piece, chunk=piece.chunk | name, raw=None)
        if not 0 <= piece.choice < len(self._numbers):
            raise UpstreamBroken("it has more choices than were asked for")
        number = self._numbers[piece.choice]
        [choice] = objects(piece.chunk.get("choices"))
        named = piece.chunk | name | {"choices": [choice | {"index": number}]}
        return replace(piece, choice=number, chunk=named, raw=None)

    def _own_event(self, choice: JsonObject, guard: JsonObject | None = None) -> bytes:
        index = choice["index"]
        echo = self._echoed_in(index) if isinstance(index, int) else b""
        return echo + write_event(self._own_frame() | {"choices": [choice]} | (guard or {}))

    def _echoed_in(self, choice: int) -> bytes:
        """Return the prompt as the first event of a choice, if it is to be echoed."""
        if not self._echo or choice in self._echoed:
            return b""
        self._echoed.add(choice)
        begun: JsonObject = {"choices": [made_choice(choice, self._echo, None)]}
        return write_event(self._own_frame() | begun)

    def _own_frame(self) -> JsonObject:
        ours: JsonObject = {
            "id": "cmpl-guard",
            "object": "text_completion",
            "created": 0,
            "model": self._request.model,
        }
        return ours | self._frame
