"""A stream with choices while it is being sent."""

from collections.abc import Iterable, Sequence

from proxy.openai_api.chat.reply import (
    DELTA,
    ChatFormat,
    Saying,
    StreamRestorer,
    check_chunk,
    check_ended,
    content_of,
    template_message,
)
from proxy.openai_api.endpoint import LiveStream, Piece, TextEvents
from proxy.openai_api.json_body import JsonObject, member, objects, only
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.pseudonyms import Pseudonyms
from proxy.openai_api.reply import Ending, PieceJoiner, Reply, choice_index, without_tokens
from proxy.openai_api.sse import DONE, Event, EventTemplate, event_object, template_of, write_event

_NOT_AROUND = frozenset({"choices", "usage"})
_CALLS = ("tool_calls", "function_call")


class LiveChat(LiveStream):
    """Reads and writes the chunks of one request.

    What leaves has one name throughout: that of the first chunk that was read.
    """

    def __init__(self, request: ModelRequest, form: ChatFormat) -> None:
        self._request = request
        self._form = form
        self._silent = form.silent - _NOT_AROUND
        self._silent_in_deltas = form.silent_in_words[DELTA] - {"content"}
        self._echo = form.echo(request)
        self._echoed: set[int] = set()
        self._pseudonyms: Pseudonyms | None = None
        self._frame: JsonObject = {}
        self._numbers: Sequence[int] | None = None
        self._usage: tuple[JsonObject, bytes | None] | None = None
        self._begin()

    def _begin(self) -> None:
        pseudonyms = self._pseudonyms
        self._restorer = StreamRestorer(pseudonyms, self._form) if pseudonyms else None
        self._joiners: dict[int, PieceJoiner] = {}
        self._saying = Saying(self._form)
        self._chunks: list[JsonObject] = []
        self._raws: list[bytes] = []
        self._template: EventTemplate | None = None
        self._templated: Piece | None = None

    def restore_with(self, pseudonyms: Pseudonyms) -> None:
        """Put the user's own identifiers back from now on."""
        self._pseudonyms = pseudonyms
        self._begin()

    def read(self, event: Event) -> Sequence[Piece]:
        """Return the pieces of one chunk."""
        said = self.said(event.raw)
        if said is not None and self._templated is not None:
            alike = self._with_text(self._templated.chunk, said.text)
            return (Piece(said.choice, said.text, alike, event.raw),)
        chunk, raw = event_object(event), event.raw
        check_chunk(chunk, self._form)
        quiet = {key: value for key, value in chunk.items() if key not in self._form.telling}
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
            self._template = template_of(piece.raw, self._form.text_member, piece.text)

    def read_end(self, *, said_done: bool) -> Sequence[Piece]:
        """Return what was kept back."""
        pieces: list[Piece] = []
        for chunk in self._restorer.close() if self._restorer else ():
            pieces += self._pieces(chunk, None)
        for number, joiner in self._joiners.items():
            if rest := joiner.close():
                pieces.append(self._said(number, rest))
        check_ended(self._saying.answers(), said_done=said_done)
        return pieces

    def reply(self) -> Reply:
        """Return what was read of the attempt."""
        return self._saying.reply(b"".join(self._raws), self._chunks)

    def begin_again(self, choices: Sequence[int]) -> None:
        """Expect the second attempt."""
        self._numbers = choices
        self._begin()

    def split(self, piece: Piece, at: int) -> tuple[Piece, Piece]:
        """Return a piece as two."""
        form = self._form
        [choice] = objects(piece.chunk.get("choices"))
        before, behind = form.split_tokens(choice, piece.text, at)
        words = form.words(choice, DELTA) | {"content": piece.text[:at]}
        first = form.with_words(choice, DELTA, words) | before
        # What else is in the chunk is said once.
        second = form.made(piece.choice or 0, DELTA, {"content": piece.text[at:]}) | behind
        return (
            Piece(piece.choice, piece.text[:at], piece.chunk | {"choices": [first]}),
            Piece(piece.choice, piece.text[at:], self._frame | {"choices": [second]}),
        )

    def write(self, piece: Piece) -> bytes:
        """Return the bytes of a piece that is sent as it is."""
        echo = b"" if piece.choice is None else self._echoed_in(piece.choice)
        if piece.finish_reason and (guard := self._announced()):
            return echo + write_event(piece.chunk | guard)
        return echo + (write_event(piece.chunk) if piece.raw is None else piece.raw)

    def write_text(self, choice: int, text: str, instead_of: Sequence[Piece]) -> bytes:
        """Return the bytes of a text that the model server did not write so."""
        events: list[bytes] = []
        for place, piece in enumerate(instead_of):
            own = objects(piece.chunk.get("choices"))[0]
            others = only(self._form.words(own, DELTA), self._silent_in_deltas)
            said = text if place == 0 else ""
            if said or others:
                kept = only(without_tokens(own), self._form.silent_in_chunks)
                changed = self._form.with_words(kept, DELTA, others | {"content": said})
                events.append(self._echoed_in(choice))
                events.append(write_event(only(piece.chunk, self._silent) | {"choices": [changed]}))
        if not instead_of and text:
            events.append(self._event(choice, {"content": text}))
        return b"".join(events)

    def write_template(self, choice: int, text: str) -> bytes:
        """Return the bytes of a template: a refusal where JSON was promised."""
        return self._event(choice, template_message(self._request, text))

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
            self._frame = only(chunk, self._silent)
        choices = objects(chunk.get("choices"))
        if not choices:
            if chunk.get("usage"):
                self._usage = (self._framed(chunk), raw if self._numbers is None else None)
                return []
            own_raw = raw if self._numbers is None else None
            has_unknown_text = bool(self._form.coverage.chunk.worded_unknown(chunk))
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
        form = self._form
        own = form.words(choice, DELTA)
        joiner = self._joiners.setdefault(number, PieceJoiner())
        came = content_of(own.get("content"))
        said = choice.get("finish_reason")
        finish_reason = said if isinstance(said, str) else None
        text = joiner.feed(came) + (joiner.close() if finish_reason else "")
        calls: JsonObject = {name: own[name] for name in _CALLS if own.get(name)}

        def piece(text: str, delta: JsonObject, reason: str | None, raw: bytes | None) -> Piece:
            # The tokens are those of the text.
            own_choice = choice if text or is_one else without_tokens(choice)
            if text and not is_one:
                own_choice = form.with_text_alone(own_choice)
            named = own_choice | {"index": number, "finish_reason": reason}
            changed = form.with_words(named, DELTA, delta)
            body = self._framed(around) | {"choices": [changed]}
            calls_tool = bool(calls) and not text
            return Piece(number, text, body, raw, reason, calls_tool, not text and may_tell)

        may_tell = self._may_tell(chunk, choice, own)
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
        body = self._form.made(choice, DELTA, {"content": text})
        return Piece(choice, text, self._frame | {"choices": [body]})

    def _event(
        self,
        choice: int,
        delta: JsonObject,
        finish_reason: str | None = None,
        guard: JsonObject | None = None,
    ) -> bytes:
        frame = self._frame or self._form.stream_frame(self._request)
        body = self._form.made(choice, DELTA, delta, finish_reason)
        event = write_event(frame | {"choices": [body]} | (guard or {}))
        return self._echoed_in(choice) + event

    def _echoed_in(self, choice: int) -> bytes:
        """Return the prompt as the first event of a choice, if it is to be echoed."""
        if not self._echo or choice in self._echoed:
            return b""
        self._echoed.add(choice)
        return self._event(choice, {"content": self._echo})

    def _with_text(self, chunk: JsonObject, text: str) -> JsonObject:
        """Return a chunk of one choice with another text."""
        [choice] = objects(chunk["choices"])
        words = self._form.words(choice, DELTA) | {"content": text}
        return chunk | {"choices": [self._form.with_words(choice, DELTA, words)]}

    def _may_tell(self, chunk: JsonObject, choice: JsonObject, delta: JsonObject) -> bool:
        """Tell whether words of the answer may stand where nobody looks for them."""
        table, logprobs = self._form.coverage.chunk, choice.get("logprobs")
        return bool(
            member(logprobs, "content")
            or member(logprobs, "tokens")
            or table.worded_unknown(chunk)
            or table.worded_unknown(choice, "choices[]")
            or self._form.has_unknown_words(delta)
        )


def _named(frame: JsonObject) -> JsonObject:
    return {key: frame[key] for key in ("id", "created") if key in frame}
