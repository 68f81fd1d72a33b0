"""One request to the model server, and what was decided about its answers."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
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


@dataclass(frozen=True)
class AttemptPlan:
    """The inputs of one attempt.

    Attributes:
        number: 1 for the first attempt, 2 for the second.
        stream: What lets the request's stream out; None if there is none to let out.
    """

    call: Call
    exchange: Exchange
    number: int
    choices: Sequence[int]
    stream: LiveStream | None

    @property
    def may_regenerate(self) -> bool:
        """True if there can be an attempt after this one."""
        return self.number == 1

    def wanted(self, reply: Reply) -> Sequence[Answer]:
        """Return the answers of a reply; of the second one no more than were asked for.

        Raises:
            UpstreamBroken: the first one has more.
        """
        most = len(self.choices)
        if self.number == 1 and len(reply.answers) > most:
            raise UpstreamBroken(MORE_CHOICES)
        return [one for one in reply.answers if self.number == 1 or 0 <= one.index < most]

    def number_of(self, answer: Answer) -> int:
        """Return the number by which the client knows an answer."""
        return answer.index if self.number == 1 else self.choices[answer.index]

    def gate(self) -> Gate:
        """Return a gate for one of its answers."""
        keeper = self.call.gatekeeper
        return keeper.open(self.exchange, may_regenerate=self.may_regenerate)


@dataclass(frozen=True)
class Attempt:
    """One reply of the model server, judged.

    Attributes:
        upstream_ms: From sending the request to the last byte, without the time that inspecting
            took meanwhile.
        live: What lets it out while it is read; None for a reply that is read as a whole.
    """

    reply: Reply
    headers: Mapping[str, str]
    judged: tuple[Candidate, ...]
    upstream_ms: float
    live: LiveAttempt | None


async def run_attempt(
    plan: AttemptPlan, opening: AbstractAsyncContextManager[OpenReply]
) -> Attempt:
    """Read and judge one reply; what may be sent of a stream does so meanwhile.

    Raises:
        UpstreamError: the model server failed.
    """
    call = plan.call
    clock, began_s = call.trace.clock, call.trace.clock()
    call.inspecting_s = 0.0

    def upstream_ms() -> float:
        return (clock() - began_s - call.inspecting_s) * 1000

    gates: list[Gate] = []
    call.trace.under_way = partial(note_unfinished, call.trace, gates, upstream_ms)
    try:
        with call.trace.step(f"model_{plan.number}"):
            async with opening as opened:
                live = await _read_live(plan, opened, gates)
                raw = None if live else await opened.whole()
            spent_ms = upstream_ms()
            if raw is not None and plan.number == 2 and plan.stream is not None:
                raise UpstreamBroken("it answers plainly what it began as a stream")
            size = live.read_bytes if live else len(raw or b"")
            reply = await read_offloaded(size, partial(_reply, plan, raw, opened.content_type))
        answers = plan.wanted(reply)
        if live is None:
            await _judge_whole(plan, answers, gates)
        else:
            gates[:] = await _let_out(plan, live, answers)
    except UpstreamError as error:
        note_unfinished(call.trace, gates, upstream_ms, error.code)
        raise
    call.trace.note_step(f"inspect_answer_{plan.number}", call.inspecting_s)
    decided = tuple(
        call.gatekeeper.judged(plan.exchange, reply, answer, gate)
        for answer, gate in zip(answers, gates, strict=True)
    )
    return Attempt(reply, opened.headers, decided, spent_ms, live)


async def _read_live(plan: AttemptPlan, opened: OpenReply, gates: list[Gate]) -> LiveAttempt | None:
    """Read a stream that leaves while it is read, through `gates`; None if this is none."""
    call, stream = plan.call, plan.stream
    if stream is None or opened.content_type.partition(";")[0].strip().lower() != STREAM_TYPE:
        return None
    call.outgoing.headers = opened.headers
    call.request.let_go()
    live = LiveAttempt(call, stream, plan.gate, plan.choices)
    gates += live.gates.values()
    await live.read(opened)
    return live


def _reply(plan: AttemptPlan, raw: bytes | None, content_type: str) -> Reply:
    reply: Reply
    if raw is not None:
        reply = plan.call.endpoint.read_reply(raw, content_type, plan.call.pseudonyms)
    elif plan.stream is not None:
        reply = plan.stream.reply()
    else:
        raise UpstreamBroken("it has no body")
    _ = reply.unseen, reply.unknown  # for which all of it is walked through once
    return reply


async def _let_out(plan: AttemptPlan, live: LiveAttempt, answers: Sequence[Answer]) -> list[Gate]:
    """Return the gates that answers went through; not every choice asked for has one."""
    await live.finish()
    return [live.gates[plan.number_of(answer)] for answer in answers]


async def _judge_whole(plan: AttemptPlan, answers: Sequence[Answer], gates: list[Gate]) -> None:
    """Let answers of which all is known through gates of their own."""
    for answer in answers:
        gate = plan.gate()
        gates.append(gate)
        take = partial(plan.call.gatekeeper.take_whole, gate, answer)
        await feed(plan.call, gate, answer.content, take)
        while await next_release(plan.call, gate) is not None:
            pass  # what may be sent is, when the whole reply is written
