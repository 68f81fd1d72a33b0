"""One attempt's stream while it is on its way: read, judged, and let out sentence by sentence.

Where the rest of it has come already, all of that is read first and then looked at together, which
comes to the same and takes fewer looks.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from policies.gating.gate import Gate
from policies.gating.looks import Release
from proxy.call import Call
from proxy.gates import MOST_ANSWER_CHARS, looked_at
from proxy.judged import Settled
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.live_stream import LiveStream, Piece
from proxy.openai_api.reply import Ending, Kept, Replaced
from proxy.openai_api.sse import BLANK_LINE, Event, EventReader
from proxy.upstream.reply import OpenReply
from proxy.upstream_errors import UpstreamBroken

_MOST_ODD_EVENTS = 8
"""Those between which it is tried to let many others leave at once."""


@dataclass
class _Waiting:
    """Pieces of one choice that have not left, in order, and the gate they wait at.

    Attributes:
        gate: The gate.
        pieces: Each with where its text ends in the answer.
        calls_tool: A call of a tool has been read.
        finish_reason: Why the choice ended; None as long as it has not.
    """

    gate: Gate
    pieces: deque[tuple[Piece, int]] = field(default_factory=deque)
    calls_tool: bool = False
    finish_reason: str | None = None
    read_chars: int = 0

    def add(self, piece: Piece) -> None:
        """Take in the next piece."""
        if piece.text:
            self.read_chars += len(piece.text)
            self.gate.feed(piece.text)
        self.pieces.append((piece, self.read_chars))

    @property
    def is_over(self) -> bool:
        """Whether nothing more of it can matter."""
        return self.gate.stopped


class LiveAttempt:
    """Reads one attempt and lets out what may leave.

    Args:
        call: The request under way.
        stream: What reads and writes its events.
        open_gate: Makes the gate of a choice.
        choices: Numbers of the choices that the attempt writes, as the client knows them.
    """

    def __init__(
        self,
        call: Call,
        stream: LiveStream,
        open_gate: Callable[[], Gate],
        choices: Sequence[int],
    ) -> None:
        self._call = call
        self._stream = stream
        self._lets_all_out = call.gatekeeper.lets_all_out
        self._open_gate = open_gate
        self._aside: list[Piece] = []
        self._is_changed = False
        self._is_over = False
        self._has_come = False
        self._said_done = False
        self._with_news: dict[int, None] = {}
        self._choices: dict[int, _Waiting] = {number: _Waiting(open_gate()) for number in choices}

    @property
    def gates(self) -> Mapping[int, Gate]:
        """The gates by the number of their choice."""
        return {number: waiting.gate for number, waiting in self._choices.items()}

    async def read(self, opened: OpenReply) -> None:
        """Read the model server's stream to its end, or until nothing of it matters any more.

        Raises:
            UpstreamBroken: it cannot be read, or broke off.
        """
        try:
            nothing_matters = await self._read(opened)
        finally:
            self._note_left()
        if nothing_matters:
            return
        for waiting in self._choices.values():
            if not waiting.is_over:
                self._call.gatekeeper.close(
                    waiting.gate, waiting.finish_reason, calls_tool=waiting.calls_tool
                )

    async def _read(self, opened: OpenReply) -> bool:
        """Read to the end; tell whether nothing of it matters any more, so that there was none."""
        reader = EventReader()
        try:
            async for data in opened.pieces:
                self._has_come = opened.has_come()
                if await self._take_in(data, reader):
                    return True
                await self._call.outgoing.flush()
            if await self._take_all(reader.close()):
                return True
            for piece in self._stream.read_end(said_done=self._said_done):
                await self._take(piece)
        except UpstreamBroken:
            # What was said before may still leave, or be the reason to ask again.
            if self._has_come:
                await self._let_out_news()
            if self._is_over:
                return True
            raise
        return False

    async def finish(self) -> None:
        """Judge what was held to the end, and let out what may leave of it."""
        for number in self._choices:
            await self._let_out(number)
        await self._call.outgoing.flush()

    def settle(self, settled: Settled) -> None:
        """Let out what was decided about a choice of this attempt, for good."""
        number, outcome = settled.outcome.index, settled.outcome
        waiting = self._choices[number]
        gate = waiting.gate
        self._is_changed = self._is_changed or not isinstance(outcome, Kept)
        match outcome:
            case Kept():
                self._send_rest(waiting)
            case Replaced():
                template = self._stream.write_template(number, outcome.template)
                self._call.outgoing.put(template)
                self._send_finish(number, self._call.tenant.policy.replacement.finish_reason)
            case _:
                spoken = [piece for piece, _ in waiting.pieces if piece.text]
                added = outcome.content.removeprefix(gate.shown)
                self._call.outgoing.put(self._stream.write_text(number, added, spoken))
                if outcome.finish_reason:
                    self._send_finish(number, outcome.finish_reason)
                else:
                    self._send_silent(number, waiting)
        waiting.pieces.clear()

    def end(self, usage: JsonObject, ending: Ending) -> None:
        """Send what ends the stream.

        Args:
            usage: The tokens of all attempts.
            ending: What goes with the choices.
        """
        for piece in () if self._is_changed else self._aside:
            self._call.outgoing.put(self._stream.write(piece))
        self._call.outgoing.put(self._stream.write_end(usage, ending))

    async def _take_in(self, data: bytes, reader: EventReader) -> bool:
        """Take in what has come; tell whether nothing after it matters any more."""
        for _ in range(_MOST_ODD_EVENTS):
            if not (self._lets_all_out and reader.is_between):
                break
            data = self._passed(data)
            if not data:
                return False
            first, blank_line, data = data.partition(BLANK_LINE)
            if await self._take_all(reader.feed(first + blank_line)):
                return True
        return await self._take_all(reader.feed(data))

    async def _take_all(self, events: Iterable[Event]) -> bool:
        """Take in events; tell whether nothing after them matters any more.

        Once a choice has begun to leave, all that came with them is looked at together, and so is
        all that comes last.
        """
        for event in events:
            if event.says_something:
                for piece in self._stream.read(event):
                    await self._take(piece)
                if self._is_over:
                    return True
            self._said_done = self._said_done or event.is_done
        if not self._has_come:
            await self._let_out_news()
        return self._is_over

    def _passed(self, events: bytes) -> bytes:
        """Let events leave that do nothing but say a text; return what follows those."""
        said = self._stream.said(events) if self._lets_all_out else None
        if said is None:
            return events
        waiting = self._choices[said.choice]
        waiting.read_chars += len(said.text)
        waiting.gate.feed(said.text)
        self._call.outgoing.put(events[: said.end])
        return events[said.end :]

    def _note_left(self) -> None:
        """Note what has left where nothing is held."""
        if self._lets_all_out:
            for number, waiting in self._choices.items():
                if waiting.read_chars:
                    self._call.left[number] = waiting.gate.text

    async def _take(self, piece: Piece) -> None:
        if piece.choice is None:
            await self._take_of_none(piece)
            return
        waiting = self._choices.get(piece.choice)
        if waiting is None:
            waiting = self._choices[piece.choice] = _Waiting(self._open_gate())
        if waiting.is_over:
            return
        if piece.calls_tool and not waiting.calls_tool:
            waiting.calls_tool = True
            if self._call.gatekeeper.is_tool_turn(calls_tool=True):
                await self._let_out_news()
                waiting.gate.pause()
                await self._let_out(piece.choice)
        waiting.finish_reason = piece.finish_reason or waiting.finish_reason
        waiting.add(piece)
        if piece.text:
            self._call.trace.note_model_text()
        if self._lets_all_out:
            self._call.left.setdefault(piece.choice, "")
            self._send_rest(waiting)
        elif waiting.gate.has_news or waiting.read_chars > MOST_ANSWER_CHARS:
            self._with_news[piece.choice] = None
            if not (waiting.gate.shown or self._has_come):
                await self._let_out_news()
        else:
            self._send_wordless(waiting)

    async def _take_of_none(self, piece: Piece) -> None:
        """Take what belongs to no choice."""
        if piece.may_tell and not self._lets_all_out:
            self._aside.append(piece)
            return
        await self._let_out_news()
        self._call.outgoing.put(self._stream.write(piece))

    async def _let_out_news(self) -> None:
        """Let out what may leave of each choice of which something is new to its gate."""
        while self._with_news:
            number, _ = self._with_news.popitem()
            await self._let_out(number)

    async def _let_out(self, number: int) -> None:
        """Have the gate of a choice look at what it can, and let out what may leave."""
        waiting = self._choices[number]
        async for released in looked_at(self._call, waiting.gate):
            self._send_up_to(number, waiting, released)
            await self._call.outgoing.flush()
        self._send_wordless(waiting)
        self._is_over = all(each.is_over for each in self._choices.values())

    def _send_up_to(self, number: int, waiting: _Waiting, released: Release) -> None:
        """Send what was released, in the model server's own pieces where they say just that."""
        self._cut(waiting, released.end)
        leaving: list[Piece] = []
        while waiting.pieces and waiting.pieces[0][1] <= released.end:
            piece = waiting.pieces[0][0]
            if not piece.text and waiting.pieces[0][1] == released.end:
                break
            leaving.append(waiting.pieces.popleft()[0])
        if released.text:
            self._call.trace.note_first_text()
            self._call.left[number] = waiting.gate.shown
        if released.as_it_came:
            for piece in leaving:
                self._call.outgoing.put(self._stream.write(piece))
            return
        self._is_changed = True
        spoken = [piece for piece in leaving if piece.text]
        self._call.outgoing.put(self._stream.write_text(number, released.text, spoken))
        for piece in leaving:
            if not (piece.text or piece.may_tell):
                self._call.outgoing.put(self._stream.write(piece))

    def _cut(self, waiting: _Waiting, end: int) -> None:
        """Cut the piece in which a release ends in two."""
        for place, (piece, piece_end) in enumerate(waiting.pieces):
            start = piece_end - len(piece.text)
            if start < end < piece_end:
                first, second = self._stream.split(piece, end - start)
                del waiting.pieces[place]
                waiting.pieces.insert(place, (second, piece_end))
                waiting.pieces.insert(place, (first, end))
                return

    def _send_wordless(self, waiting: _Waiting) -> None:
        """Send pieces that wait for no text: the role, reasoning, calls of tools."""
        while waiting.pieces:
            piece, end = waiting.pieces[0]
            if piece.text or end > waiting.gate.done or piece.finish_reason or piece.may_tell:
                return
            waiting.pieces.popleft()
            self._call.outgoing.put(self._stream.write(piece))

    def _send_rest(self, waiting: _Waiting) -> None:
        """Send all that waits."""
        while waiting.pieces:
            piece, _ = waiting.pieces.popleft()
            if piece.text:
                self._call.trace.note_first_text()
            self._call.outgoing.put(self._stream.write(piece))

    def _send_silent(self, number: int, waiting: _Waiting) -> None:
        """Send what waits and tells nothing of the words that stood there."""
        while waiting.pieces:
            piece, _ = waiting.pieces.popleft()
            if piece.may_tell and piece.finish_reason:
                self._send_finish(number, piece.finish_reason)
            elif not (piece.text or piece.may_tell):
                self._call.outgoing.put(self._stream.write(piece))

    def _send_finish(self, number: int, finish_reason: str) -> None:
        self._call.outgoing.put(self._stream.write_finish(number, finish_reason))
