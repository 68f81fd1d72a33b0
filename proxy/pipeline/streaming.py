"""Runs answers through their gates without delaying other requests."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from policies.decision import Possible
from policies.gating.gate import Check, Gate, OpenGate, Release
from policies.verdict import Verdict
from proxy.candidates import Candidate, Selection, inspected
from proxy.errors import UpstreamBroken
from proxy.offload import log_failures, read_offloaded, run_offloaded
from proxy.openai_api.endpoint import LiveStream, Piece
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.reply import MORE_CHOICES, ChoiceOutcome, Ending, Replaced, is_as_it_came
from proxy.openai_api.sse import BLANK_LINE, Event, EventReader
from proxy.pipeline.call import Call
from proxy.upstream.client import OpenReply

_BYTES_OF_A_CHAR = 3
"""In UTF-8, of Hangul."""


async def feed(call: Call, gate: Gate, text: str, take: Callable[[], None]) -> None:
    """Have a gate take in more of an answer, which does not hold up others.

    What is too long to be judged is not looked at where guards only watch.

    Raises:
        UpstreamBroken: the answer is too long to be judged, and a guard could act on it.
    """
    if gate.read_chars + len(text) > call.most_answer_chars and not isinstance(gate, OpenGate):
        if call.gatekeeper.acts:
            raise UpstreamBroken(f"an answer of more than {call.most_answer_chars} characters")
        gate.give_up()
        take()
    else:
        await read_offloaded(_BYTES_OF_A_CHAR * len(text), take)


async def next_release(call: Call, gate: Gate) -> Release | None:
    """Inspect what there is to inspect by now; return what may be sent, None once nothing may."""
    while check := gate.next_check():
        began_s = call.trace.clock()
        verdict = await _inspected(call, check)
        call.inspecting_s += call.trace.clock() - began_s
        released = gate.apply(check, verdict)
        if released is not None:
            return released
        await asyncio.sleep(0)  # others have their turn
    return None


def still_possible(one: Candidate, *, may_regenerate: bool) -> Possible:
    """Return what can still be done about an answer."""
    return Possible(
        regenerate=may_regenerate and not one.has_begun,
        edit=one.may_edit,
        edit_from=len(one.gate.shown),
        taken=one.gate.claims_taken,
    )


async def _inspected(call: Call, check: Check) -> Verdict:
    # Of a short request, too, the answer may be very long.
    call.tenant = call.seat.judging(call.tenant, check.exchange, may_stay=True)
    inspect = partial(inspected, call.tenant, check)
    verdict = await run_offloaded(call.tenant.inspector, check.exchange, inspect)
    log_failures(call.trace.id, verdict)
    return verdict


class LiveChoice:
    """Pieces of one choice that have not left, in order, and the gate they wait at.

    Attributes:
        finish_reason: Why the choice ended; None as long as it has not.
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
        """True if nothing more of it can matter."""
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
            self._call.sent_text[self._number] = self.gate.shown
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
        if isinstance(outcome, Replaced):
            self._call.outgoing.put(self._stream.write_template(self._number, outcome.text))
            self._send_finish(self._call.tenant.policy.replacement.finish_reason)
        elif is_as_it_came(outcome):
            self.send_rest()
        else:
            spoken = [piece for piece, _ in self._pieces if piece.text]
            added = outcome.text.removeprefix(self.gate.shown)
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


_AT_ONCE_BYTES = 32 * 1024
_EVENTS_AT_ONCE = 64
"""As much as is read of a stream before other requests have their turn."""
_MOST_ODD_EVENTS = 8
"""Those between which it is tried to let many others leave at once."""


# Where the rest of it has come already, all of that is read first and then looked at together,
# which comes to the same and takes fewer looks.


class LiveAttempt:
    """Reads one attempt and lets out what may be sent."""

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
        self._most_choices = len(choices)
        self._begun: set[int] = set()
        self._open_gate = open_gate
        self._aside: list[Piece] = []
        self._is_changed = False
        self._is_over = False
        self._has_come = False
        self._said_done = False
        self._with_news: dict[int, None] = {}
        self.read_bytes = 0
        """How much of the model server's stream has come."""
        self._choices = {number: self._opened(number) for number in choices}

    @property
    def gates(self) -> Mapping[int, Gate]:
        """The gates by the number of their choice."""
        return {number: choice.gate for number, choice in self._choices.items()}

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
        for choice in self._choices.values():
            if not choice.is_over:
                self._call.gatekeeper.close(
                    choice.gate, choice.finish_reason, calls_tool=choice.calls_tool
                )

    async def _read(self, opened: OpenReply) -> bool:
        """Read to the end; tell whether nothing of it matters any more, so that there was none."""
        reader = EventReader(only_data=True)
        try:
            async for data in opened.pieces:
                self._has_come = opened.has_come()
                self.read_bytes += len(data)
                for start in range(0, len(data), _AT_ONCE_BYTES):
                    if await self._take_in(data[start : start + _AT_ONCE_BYTES], reader):
                        return True
                    if len(data) > _AT_ONCE_BYTES:
                        await asyncio.sleep(0)  # others have their turn
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
        """Judge what was held to the end, and let out what may be sent of it."""
        for number in self._choices:
            await self._let_out(number)
        await self._call.outgoing.flush()

    def settle(self, settled: Selection) -> None:
        """Let out what was decided about a choice of this attempt, for good."""
        outcome = settled.outcome
        self._is_changed = self._is_changed or not is_as_it_came(outcome)
        self._choices[outcome.index].settle(outcome)

    def end(self, usage: JsonObject, ending: Ending) -> None:
        """Send what ends the stream."""
        for piece in () if self._is_changed else self._aside:
            self._call.outgoing.put(self._stream.write(piece))
        self._call.outgoing.put(self._stream.write_end(usage, ending))

    def _opened(self, number: int) -> LiveChoice:
        return LiveChoice(self._call, self._stream, number, self._open_gate())

    async def _take_in(self, data: bytes, reader: EventReader) -> bool:
        """Take in what has come; tell whether nothing after it matters any more.

        What follows ``[DONE]`` is passed over: no client reads it.
        """
        for _ in range(_MOST_ODD_EVENTS):
            if self._said_done:
                return False
            if not (self._lets_all_out and reader.is_between):
                break
            data = await self._pass_text_events(data)
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
        for number, event in enumerate(events, start=1):
            if self._said_done:
                break
            if number % _EVENTS_AT_ONCE == 0:
                await asyncio.sleep(0)  # others have their turn
            if event.says_something:
                read = partial(self._stream.read, event)
                for piece in await read_offloaded(len(event.raw), read):
                    await self._take(piece)
                if self._is_over:
                    return True
            self._said_done = self._said_done or event.is_done
        if not self._has_come:
            await self._let_out_news()
        return self._is_over

    async def _pass_text_events(self, events: bytes) -> bytes:
        """Let events leave that do nothing but say a text; return what follows those."""
        said = self._stream.said(events) if self._lets_all_out else None
        if said is None:
            return events
        choice = self._choices[said.choice]
        choice.read_chars += len(said.text)
        await feed(self._call, choice.gate, said.text, partial(choice.gate.feed, said.text))
        self._call.outgoing.put(events[: said.end])
        return events[said.end :]

    def _note_left(self) -> None:
        """Note what has been sent where nothing is held."""
        if self._lets_all_out:
            for number, choice in self._choices.items():
                if choice.read_chars:
                    self._call.sent_text[number] = choice.gate.text

    async def _take(self, piece: Piece) -> None:
        if piece.choice is None:
            await self._take_of_none(piece)
            return
        choice = self._choice(piece.choice)
        if choice.is_over:
            return
        if piece.calls_tool and not choice.calls_tool:
            choice.calls_tool = True
            if self._call.gatekeeper.is_tool_turn(calls_tool=True):
                await self._let_out_news()
                choice.gate.pause()
                await self._let_out(piece.choice)
        choice.finish_reason = piece.finish_reason or choice.finish_reason
        if piece.text:
            await feed(self._call, choice.gate, piece.text, partial(choice.add, piece))
        else:
            choice.add(piece)
        if piece.text:
            self._call.trace.note_model_text()
        if self._lets_all_out or choice.gate.too_long:
            self._call.sent_text.setdefault(piece.choice, "")
            choice.send_rest()
        elif choice.gate.has_news:
            self._with_news[piece.choice] = None
            if not (choice.gate.shown or self._has_come):
                await self._let_out_news()
        else:
            choice.send_wordless()

    def _choice(self, number: int) -> LiveChoice:
        """Return a choice of which a piece has come.

        Raises:
            UpstreamBroken: it is one more than were asked for.
        """
        self._begun.add(number)
        if len(self._begun) > self._most_choices:
            raise UpstreamBroken(MORE_CHOICES)
        if number not in self._choices:
            self._choices[number] = self._opened(number)
        return self._choices[number]

    async def _take_of_none(self, piece: Piece) -> None:
        """Take what belongs to no choice."""
        if piece.may_tell and not self._lets_all_out:
            self._aside.append(piece)
            return
        await self._let_out_news()
        self._call.outgoing.put(self._stream.write(piece))

    async def _let_out_news(self) -> None:
        """Let out what may be sent of each choice of which something is new to its gate."""
        while self._with_news:
            number, _ = self._with_news.popitem()
            await self._let_out(number)

    async def _let_out(self, number: int) -> None:
        """Have the gate of a choice look at what it can, and let out what may be sent."""
        choice = self._choices[number]
        while (released := await next_release(self._call, choice.gate)) is not None:
            self._is_changed = self._is_changed or not released.as_it_came
            choice.send_released(released)
            await self._call.outgoing.flush()
            await asyncio.sleep(0)  # others have their turn
        choice.send_wordless()
        self._is_over = all(each.is_over for each in self._choices.values())
