"""A chat completion's stream while it is on its way."""

from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.answer import PieceJoiner, choice_index, without_tokens
from proxy.openai_api.chat.reply import Saying, StreamReply, StreamRestorer, check_chunk, content_of
from proxy.openai_api.coverage import CHAT as COVERAGE
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.live_stream import LiveStream, Piece, Restoring, TextEvents
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import Ending
from proxy.openai_api.sse import DONE, Event, EventTemplate, event_object, template_of, write_event


def split_tokens(logprobs: JsonValue | None, text: str, at: int) -> tuple[JsonValue, JsonValue]:
    """Return the log probabilities of a text's two halves; a cut token goes with the second.

    Where the tokens do not spell the text, all go with the second: what cannot be told apart
    leaves last.

    Args:
        logprobs: ``logprobs`` of a choice.
        text: The choice's text.
        at: Where it is cut, in code points.
    """
    tokens = objects(member(logprobs, "content"))
    if not isinstance(logprobs, dict) or not tokens:
        return logprobs, None
    kept = _tokens_before([str(token.get("token", "")) for token in tokens], text, at)
    return _with(logprobs, tokens[:kept]), _with(logprobs, tokens[kept:])


def _tokens_before(spelled: list[str], text: str, at: int) -> int:
    """Return how many tokens stand wholly before a place."""
    if "".join(spelled) != text:
        return 0
    end = 0
    for count, token in enumerate(spelled):
        end += len(token)
        if end > at:
            return count
    return len(spelled)


def _with(logprobs: JsonObject, tokens: list[JsonObject]) -> JsonValue:
    kept: list[JsonValue] = [*tokens]
    return logprobs | {"content": kept} if tokens else None


_TELLING = COVERAGE.chunk.telling()
_SILENT = COVERAGE.chunk.silent() - {"choices", "usage"}
_SILENT_IN_CHOICES = COVERAGE.chunk.silent("choices[]")
_SILENT_IN_DELTAS = COVERAGE.chunk.silent("choices[].delta") - {"content"}
_CALLS = ("tool_calls", "function_call")
_OBJECT = "chat.completion.chunk"


class LiveChat(LiveStream):
    """Reads and writes the chunks of one request.

    Args:
        request: What was asked.
    """

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        self._pseudonyms: Restoring | None = None
        self._frame: JsonObject = {}
        self._numbers: Sequence[int] | None = None
        self._usage: tuple[JsonObject, bytes | None] | None = None
        self._begin()

    def _begin(self) -> None:
        self._restorer = StreamRestorer(self._pseudonyms) if self._pseudonyms else None
        self._joiners: dict[int, PieceJoiner] = {}
        self._saying = Saying()
        self._chunks: list[JsonObject] = []
        self._raws: list[bytes] = []
        self._template: EventTemplate | None = None
        self._templated: Piece | None = None

    def restore_with(self, pseudonyms: Restoring) -> None:
        """Put the user's own identifiers back from now on."""
        self._pseudonyms = pseudonyms
        self._begin()

    def read(self, event: Event) -> Sequence[Piece]:
        """Return the pieces of one chunk."""
        said = self.said(event.raw)
        if said is not None and self._templated is not None:
            alike = _saying(self._templated.chunk, said.text)
            return (Piece(said.choice, said.text, alike, event.raw),)
        chunk, raw = event_object(event), event.raw
        check_chunk(chunk)
        quiet = {key: value for key, value in chunk.items() if key not in _TELLING}
        if len(quiet) < len(chunk):
            # What tells the whole answer in one event would tell it before it is judged.
            chunk, raw = quiet, write_event(quiet)
        self._raws.append(raw)
        restored = self._restorer.feed(chunk) if self._restorer else chunk
        pieces = self._pieces(restored, raw if restored == chunk else None)
        self._learn(pieces)
        return pieces

    def said(self, events: bytes) -> TextEvents | None:
        """Take in events that are like the one before them but for its text."""
        if self._template is None or self._templated is None:
            return None
        number = self._templated.choice
        if number is None or self._joiners[number].holds:
            return None
        text, end = self._template.read(events)
        if not end:
            return None
        self._raws.append(events[:end])
        self._saying.add_text(number, text)
        return TextEvents(number, text, end)

    def _learn(self, pieces: Sequence[Piece]) -> None:
        """Note how an event says a text, if it says nothing else and there is none to restore."""
        self._template = None
        self._templated = piece = pieces[0] if len(pieces) == 1 and not self._restorer else None
        if piece and piece.raw and piece.text and not piece.finish_reason:
            self._template = template_of(piece.raw, "content", piece.text)

    def read_end(self, *, said_done: bool) -> Sequence[Piece]:
        """Return what was kept back."""
        pieces: list[Piece] = []
        for chunk in self._restorer.close() if self._restorer else ():
            pieces += self._pieces(chunk, None)
        for number, joiner in self._joiners.items():
            if rest := joiner.close():
                pieces.append(self._said(number, rest))
        answers = self._saying.answers()
        if not answers:
            raise UpstreamBroken("its stream has no choices")
        if not said_done and not all(answer.finish_reason for answer in answers):
            raise UpstreamBroken("its stream broke off")
        return pieces

    def reply(self) -> StreamReply:
        """Return what was read of the attempt."""
        return StreamReply(b"".join(self._raws), tuple(self._chunks), self._saying.answers())

    def begin_again(self, choices: Sequence[int]) -> None:
        """Expect the second attempt."""
        self._numbers = choices
        self._begin()

    def split(self, piece: Piece, at: int) -> tuple[Piece, Piece]:
        """Return a piece as two."""
        choice = objects(piece.chunk.get("choices"))[0]
        delta = choice.get("delta")
        own = delta if isinstance(delta, dict) else {}
        before, behind = split_tokens(choice.get("logprobs"), piece.text, at)
        first = choice | {"delta": own | {"content": piece.text[:at]}}
        # What else is in the chunk is said once.
        second: JsonObject = {
            "index": choice.get("index", 0),
            "delta": {"content": piece.text[at:]},
            "finish_reason": None,
        }
        if "logprobs" in choice:
            first, second = first | {"logprobs": before}, second | {"logprobs": behind}
        return (
            Piece(piece.choice, piece.text[:at], piece.chunk | {"choices": [first]}),
            Piece(piece.choice, piece.text[at:], self._frame | {"choices": [second]}),
        )

    def write(self, piece: Piece) -> bytes:
        """Return the bytes of a piece that is sent as it is."""
        if piece.finish_reason and (guard := self._announced()):
            return write_event(piece.chunk | guard)
        return write_event(piece.chunk) if piece.raw is None else piece.raw

    def write_text(self, choice: int, text: str, instead_of: Sequence[Piece]) -> bytes:
        """Return the bytes of a text that the model server did not write so."""
        events: list[bytes] = []
        for place, piece in enumerate(instead_of):
            own = objects(piece.chunk.get("choices"))[0]
            others = _only(own.get("delta"), _SILENT_IN_DELTAS)
            said = text if place == 0 else ""
            if said or others:
                changed = _only(without_tokens(own), _SILENT_IN_CHOICES)
                changed["delta"] = others | {"content": said}
                events.append(write_event(_only(piece.chunk, _SILENT) | {"choices": [changed]}))
        if not instead_of and text:
            events.append(self._event(choice, {"content": text}))
        return b"".join(events)

    def write_template(self, choice: int, text: str) -> bytes:
        """Return the bytes of a template: a refusal where JSON was promised."""
        if self._request.structured:
            return self._event(choice, {"role": "assistant", "content": None, "refusal": text})
        return self._event(choice, {"role": "assistant", "content": text})

    def write_finish(self, choice: int, finish_reason: str) -> bytes:
        """Return the bytes that end a choice."""
        return self._event(choice, {}, finish_reason, self._announced())

    def write_end(self, usage: JsonObject, ending: Ending) -> bytes:
        """Return usage, report and the last event."""
        events: list[bytes] = []
        empty: JsonObject = self._frame | {"choices": []}
        if self._usage is not None:
            chunk, raw = self._usage
            is_same = raw is not None and chunk.get("usage") == usage
            events.append(raw if is_same and raw else write_event(chunk | {"usage": usage}))
        elif self._request.include_usage and usage:
            events.append(write_event(empty | {"usage": usage}))
        guard = self._announced() if ending.report is None else ending.guard
        if guard:
            events.append(write_event(empty | guard))
        return b"".join([*events, DONE])

    def _pieces(self, chunk: JsonObject, raw: bytes | None) -> list[Piece]:
        self._chunks.append(chunk)
        self._saying.add(chunk)
        if not self._frame:
            self._frame = _only(chunk, _SILENT)
        choices = objects(chunk.get("choices"))
        if not choices:
            if chunk.get("usage"):
                self._usage = (self._framed(chunk), raw if self._numbers is None else None)
                return []
            own_raw = raw if self._numbers is None else None
            has_unknown_text = bool(COVERAGE.chunk.worded_unknown(chunk))
            return [Piece(None, "", self._framed(chunk), own_raw, may_tell=has_unknown_text)]
        own_raw = raw if len(choices) == 1 and self._numbers is None else None
        return [
            piece
            for place, choice in enumerate(choices)
            for piece in self._of_choice(chunk, choice, choice_index(choice, place), own_raw)
        ]

    def _of_choice(
        self, chunk: JsonObject, choice: JsonObject, index: int, raw: bytes | None
    ) -> Iterable[Piece]:
        number = self._number(index)
        if number is None:
            return  # more than was asked for a second time
        delta = choice.get("delta")
        own: JsonObject = delta if isinstance(delta, dict) else {}
        joiner = self._joiners.setdefault(number, PieceJoiner())
        came = content_of(own.get("content"))
        said = choice.get("finish_reason")
        finish_reason = said if isinstance(said, str) else None
        text = joiner.feed(came) + (joiner.close() if finish_reason else "")
        calls: JsonObject = {name: own[name] for name in _CALLS if own.get(name)}

        def piece(text: str, delta: JsonObject, reason: str | None, raw: bytes | None) -> Piece:
            # The tokens are those of the text.
            own_choice = choice if text or is_one else without_tokens(choice)
            changed = own_choice | {"index": number, "delta": delta, "finish_reason": reason}
            body = self._framed(around) | {"choices": [changed]}
            calls_tool = bool(calls) and not text
            return Piece(number, text, body, raw, reason, calls_tool, not text and may_tell)

        may_tell = _may_tell(chunk, choice, own)
        around = chunk
        is_one = not text or not (calls or finish_reason)
        if is_one:
            delta_now = own if text == came else own | {"content": text}
            yield piece(text, delta_now, finish_reason, raw if text == came else None)
            return
        spoken = {key: value for key, value in own.items() if key not in _CALLS}
        around = {key: value for key, value in chunk.items() if key != "usage"}
        yield piece(text, spoken | {"content": text}, None, None)
        around = chunk
        yield piece("", calls, finish_reason, None)

    def _framed(self, chunk: JsonObject) -> JsonObject:
        """Return a chunk under the name of the one completion that the client sees."""
        return chunk if self._numbers is None else chunk | _named(self._frame)

    def _number(self, index: int) -> int | None:
        """Return the number by which the client knows a choice; None if it knows none."""
        if self._numbers is None:
            return index
        return self._numbers[index] if 0 <= index < len(self._numbers) else None

    def _said(self, choice: int, text: str) -> Piece:
        delta: JsonObject = {"content": text}
        body: JsonObject = {"index": choice, "delta": delta, "finish_reason": None}
        return Piece(choice, text, self._frame | {"choices": [body]})

    def _event(
        self,
        choice: int,
        delta: JsonObject,
        finish_reason: str | None = None,
        guard: JsonObject | None = None,
    ) -> bytes:
        frame = self._frame or _own_frame(self._request)
        body: JsonObject = {"index": choice, "delta": delta, "finish_reason": finish_reason}
        return write_event(frame | {"choices": [body]} | (guard or {}))


def _saying(chunk: JsonObject, text: str) -> JsonObject:
    """Return a chunk of one choice with another text."""
    [choice] = objects(chunk["choices"])
    delta = choice["delta"]
    own = delta if isinstance(delta, dict) else {}
    return {**chunk, "choices": [{**choice, "delta": {**own, "content": text}}]}


def _may_tell(chunk: JsonObject, choice: JsonObject, delta: JsonObject) -> bool:
    """Tell whether words of the answer may stand where nobody looks for them."""
    table = COVERAGE.chunk
    return bool(
        objects(member(choice.get("logprobs"), "content"))
        or table.worded_unknown(chunk)
        or table.worded_unknown(choice, "choices[]")
        or table.worded_unknown(delta, "choices[].delta")
    )


def _only(value: JsonValue | None, names: frozenset[str]) -> JsonObject:
    own = value if isinstance(value, dict) else {}
    return {key: item for key, item in own.items() if key in names}


def _named(frame: JsonObject) -> JsonObject:
    return {key: frame[key] for key in ("id", "created") if key in frame}


def _own_frame(request: ModelRequest) -> JsonObject:
    frame: dict[str, JsonValue] = {"object": _OBJECT, "model": request.model}
    return frame
