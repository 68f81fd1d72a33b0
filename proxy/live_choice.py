"""One choice of a live stream: what of it waits at its gate, and how that is sent to the client."""

from collections import deque

from policies.gating.gate import Gate
from policies.gating.looks import Release
from proxy.call import Call
from proxy.openai_api.live_stream import LiveStream, Piece
from proxy.openai_api.reply import ChoiceOutcome, Kept, Replaced


class LiveChoice:
    """Pieces of one choice that have not left, in order, and the gate they wait at.

    Args:
        call: The request under way.
        stream: What writes the events.
        number: The choice's number, as the client knows it.
        gate: The gate.

    Attributes:
        gate: The gate.
        calls_tool: A call of a tool has been read.
        finish_reason: Why the choice ended; None as long as it has not.
        read_chars: How much text has been read.
    """

    def __init__(self, call: Call, stream: LiveStream, number: int, gate: Gate) -> None:
        self._call = call
        self._stream = stream
        self._number = number
        self._pieces: deque[tuple[Piece, int]] = deque()  # each with where its text ends
        self.gate = gate
        self.calls_tool = False
        self.finish_reason: str | None = None
        self.read_chars = 0

    @property
    def is_over(self) -> bool:
        """Whether nothing more of it can matter."""
        return self.gate.stopped

    def add(self, piece: Piece) -> None:
        """Take in the next piece."""
        if piece.text:
            self.read_chars += len(piece.text)
            self.gate.feed(piece.text)
        self._pieces.append((piece, self.read_chars))

    def send_released(self, released: Release) -> None:
        """Send what was released, in the model server's own pieces where they say just that."""
        self._cut(released.end)
        leaving: list[Piece] = []
        while self._pieces and self._pieces[0][1] <= released.end:
            piece = self._pieces[0][0]
            if not piece.text and self._pieces[0][1] == released.end:
                break
            leaving.append(self._pieces.popleft()[0])
        if released.text:
            self._call.trace.note_first_text()
            self._call.left[self._number] = self.gate.shown
        if released.as_it_came:
            for piece in leaving:
                self._call.outgoing.put(self._stream.write(piece))
            return
        spoken = [piece for piece in leaving if piece.text]
        self._call.outgoing.put(self._stream.write_text(self._number, released.text, spoken))
        for piece in leaving:
            if not (piece.text or piece.may_tell):
                self._call.outgoing.put(self._stream.write(piece))

    def send_wordless(self) -> None:
        """Send pieces that wait for no text: the role, reasoning, calls of tools."""
        while self._pieces:
            piece, end = self._pieces[0]
            if piece.text or end > self.gate.done or piece.finish_reason or piece.may_tell:
                return
            self._pieces.popleft()
            self._call.outgoing.put(self._stream.write(piece))

    def send_rest(self) -> None:
        """Send all that waits."""
        while self._pieces:
            piece, _ = self._pieces.popleft()
            if piece.text:
                self._call.trace.note_first_text()
            self._call.outgoing.put(self._stream.write(piece))

    def settle(self, outcome: ChoiceOutcome) -> None:
        """Send what was decided about it, for good."""
        match outcome:
            case Kept():
                self.send_rest()
            case Replaced():
                template = self._stream.write_template(self._number, outcome.template)
                self._call.outgoing.put(template)
                self._send_finish(self._call.tenant.policy.replacement.finish_reason)
            case _:
                spoken = [piece for piece, _ in self._pieces if piece.text]
                added = outcome.content.removeprefix(self.gate.shown)
                self._call.outgoing.put(self._stream.write_text(self._number, added, spoken))
                if outcome.finish_reason:
                    self._send_finish(outcome.finish_reason)
                else:
                    self._send_silent()
        self._pieces.clear()

    def _cut(self, end: int) -> None:
        """Cut the piece in which a release ends in two."""
        for place, (piece, piece_end) in enumerate(self._pieces):
            start = piece_end - len(piece.text)
            if start < end < piece_end:
                first, second = self._stream.split(piece, end - start)
                del self._pieces[place]
                self._pieces.insert(place, (second, piece_end))
                self._pieces.insert(place, (first, end))
                return

    def _send_silent(self) -> None:
        """Send what waits and tells nothing of the words that stood there."""
        while self._pieces:
            piece, _ = self._pieces.popleft()
            if piece.may_tell and piece.finish_reason:
                self._send_finish(piece.finish_reason)
            elif not (piece.text or piece.may_tell):
                self._call.outgoing.put(self._stream.write(piece))

    def _send_finish(self, finish_reason: str) -> None:
        self._call.outgoing.put(self._stream.write_finish(self._number, finish_reason))
