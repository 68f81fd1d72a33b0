"""One request to the model server, and what was decided about its answers."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial

from guards.core.exchange import Exchange
from policies.gating.gate import Gate
from proxy.candidates import Candidate
from proxy.errors import UpstreamBroken, UpstreamError
from proxy.offload import read_offloaded
from proxy.openai_api.endpoint import LiveStream
from proxy.openai_api.reply import MORE_CHOICES, Answer, Reply
from proxy.openai_api.sse import STREAM_TYPE
from proxy.pipeline.call import Call
from proxy.pipeline.streaming import LiveAttempt, feed, next_release
from proxy.traces.builder import note_unfinished
from proxy.upstream.client import OpenReply


@dataclass(eq=False)
class Attempt:
    """One request to the model server: what it is about, then its reply, and what was decided.

    Attributes:
        number: 1 for the first attempt, 2 for the second.
        choices: Numbers, as the client knows them, of the choices that are asked for.
        stream: What lets the request's stream out; None if there is none to let out.
        upstream_ms: From sending the request to the last byte, without the time that inspecting
            took meanwhile.
        live: What lets the reply out while it is read; None for one that is read as a whole.
    """

    call: Call
    exchange: Exchange
    number: int
    choices: Sequence[int]
    stream: LiveStream | None
    headers: Mapping[str, str] = field(default_factory=dict)
    reply: Reply = field(init=False)
    judged: Sequence[Candidate] = ()
    upstream_ms: float = 0.0
    live: LiveAttempt | None = None

    @property
    def may_regenerate(self) -> bool:
        """True if there can be an attempt after this one."""
        return self.number == 1

    @property
    def open_gate(self) -> Callable[[], Gate]:
        """What opens a gate for one of its answers, without a reference back to this."""
        keeper = self.call.gatekeeper
        return partial(keeper.open, self.exchange, may_regenerate=self.may_regenerate)

    async def run(self, opening: AbstractAsyncContextManager[OpenReply]) -> None:
        """Read and judge one reply; what may be sent of a stream does so meanwhile.

        Raises:
            UpstreamError: the model server failed.
        """
        call = self.call
        clock, began_s = call.trace.clock, call.trace.clock()
        call.inspecting_s = 0.0

        def upstream_ms() -> float:
            return (clock() - began_s - call.inspecting_s) * 1000

        gates: list[Gate] = []
        call.trace.under_way = partial(note_unfinished, call.trace, gates, upstream_ms)
        try:
            with call.trace.step(f"model_{self.number}"):
                async with opening as opened:
                    self.live = await self._read_live(opened, gates)
                    raw = None if self.live else await opened.whole()
                self.headers, self.upstream_ms = opened.headers, upstream_ms()
                if raw is not None and self.number == 2 and self.stream is not None:
                    raise UpstreamBroken("it answers plainly what it began as a stream")
                size = self.live.read_bytes if self.live else len(raw or b"")
                read = partial(self._reply, raw, opened.content_type)
                self.reply = await read_offloaded(size, read)
            answers = self._wanted()
            if self.live is None:
                await self._judge_whole(answers, gates)
            else:
                # Not every choice that was asked for has an answer.
                await self.live.finish()
                gates[:] = [self.live.gates[self._number_of(answer)] for answer in answers]
        except UpstreamError as error:
            note_unfinished(call.trace, gates, upstream_ms, error.code)
            raise
        call.trace.note_step(f"inspect_answer_{self.number}", call.inspecting_s)
        self.judged = tuple(
            call.gatekeeper.judged(self.exchange, self.reply, answer, gate)
            for answer, gate in zip(answers, gates, strict=True)
        )

    async def _read_live(self, opened: OpenReply, gates: list[Gate]) -> LiveAttempt | None:
        """Read a stream that leaves while it is read, through `gates`; None if this is none."""
        call, stream = self.call, self.stream
        if stream is None or opened.content_type.partition(";")[0].strip().lower() != STREAM_TYPE:
            return None
        call.outgoing.headers = opened.headers
        call.request.let_go()
        live = LiveAttempt(call, stream, self.open_gate, self.choices)
        gates += live.gates.values()
        await live.read(opened)
        return live

    def _reply(self, raw: bytes | None, content_type: str) -> Reply:
        reply: Reply
        if raw is not None:
            reply = self.call.endpoint.read_reply(raw, content_type, self.call.pseudonyms)
        elif self.stream is not None:
            reply = self.stream.reply()
        else:
            raise UpstreamBroken("it has no body")
        _ = reply.unseen, reply.unknown  # for which all of it is walked through once
        return reply

    def _wanted(self) -> Sequence[Answer]:
        """Return the answers of the reply; of the second one no more than were asked for.

        Raises:
            UpstreamBroken: the first one has more.
        """
        most, answers = len(self.choices), self.reply.answers
        if self.number == 1 and len(answers) > most:
            raise UpstreamBroken(MORE_CHOICES)
        return [one for one in answers if self.number == 1 or 0 <= one.index < most]

    def _number_of(self, answer: Answer) -> int:
        """Return the number by which the client knows an answer."""
        return answer.index if self.number == 1 else self.choices[answer.index]

    async def _judge_whole(self, answers: Sequence[Answer], gates: list[Gate]) -> None:
        """Let answers of which all is known through gates of their own."""
        for answer in answers:
            gate = self.open_gate()
            gates.append(gate)
            take = partial(self.call.gatekeeper.take_whole, gate, answer)
            await feed(self.call, gate, answer.content, take)
            while await next_release(self.call, gate) is not None:
                pass  # what may be sent is, when the whole reply is written
