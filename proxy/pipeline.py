"""The life of one request for a model answer, top to bottom.

Who asks is known when this begins. What is asked is read, judged before the model is asked, asked,
judged again, asked once more if that may help, and written. "Once" is the shape of the code: the
second attempt is a different function from the first and has no third behind it.

A stream leaves while it is judged, if the policy lets answers out sentence by sentence. A reply
that is whole goes through the same gate, all at once, and so comes to the same.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

from guards.core.exchange import Exchange
from guards.core.guard import Stage
from policies.inspection import NOTHING
from policies.judging.judge import Judge
from policies.judging.verdict import with_second_opinion
from policies.schema.guard_rule import Action
from policies.schema.sections import StreamMode
from policies.verdict import Verdict
from proxy import judged
from proxy.apart.lending import Apart
from proxy.asking import (
    ask_for_citations,
    exchange_of,
    hide_personal,
    read_context,
    server_call,
    server_model,
)
from proxy.attempt import Asking, Attempt, attempted
from proxy.call import Call, Finished
from proxy.constraints import ConstrainedServers, wanted
from proxy.ending import finished
from proxy.errors import UpstreamError
from proxy.gates import still_possible
from proxy.inspecting import among_others, log_failures, reading_ahead
from proxy.judge.book import JudgeBook
from proxy.judged import Judged, Settled, settle
from proxy.openai_api.live_stream import LiveStream
from proxy.openai_api.sources import FoundContext
from proxy.regeneration import acting, note_about, with_note
from proxy.tenants import Tenant
from proxy.traces.builder import note_attempt, note_verdict
from proxy.upstream.client import ModelServers


@dataclass
class Pipeline:
    """Guards requests for model answers.

    Attributes:
        servers: The model servers.
        constrained: The same, asked under a constraint.
        judges: Whom to ask about what the guards left open.
        apart: Where very long texts are judged.
        now_s: Time of day in Unix seconds, for completions that we make ourselves.
    """

    servers: ModelServers
    constrained: ConstrainedServers
    judges: JudgeBook
    apart: Apart
    now_s: Callable[[], float] = field(repr=False)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False, repr=False)

    async def answer(self, call: Call) -> Finished:
        """Return the guarded reply, or let it out as a stream.

        Raises:
            RequestRefused: the request cannot be served.
            UpstreamError: the model server failed.
            CannotJudgeNow: the request is very long, and cannot be judged.
        """
        found = read_context(call)
        exchange = exchange_of(call, found)
        with self.apart.lent(call.tenant, exchange) as call.tenant:
            return await self._answered(call, found, exchange)

    async def _answered(self, call: Call, found: FoundContext, exchange: Exchange) -> Finished:
        model = server_model(call)
        with call.trace.step("inspect_question"):
            verdict = await _inspect_question(call, exchange)
        note_verdict(call.trace, verdict, attempt=0, choice=0)
        if verdict.action is Action.REPLACE:
            call.trace.route, call.trace.route_reason = "template", ",".join(verdict.reasons)
            settled = [
                judged.replace(call.tenant, exchange, index, verdict, attempt=0)
                for index in range(call.request.choices)
            ]
            return finished(call, found, [], settled, verdict, self.now_s())
        call.trace.route = "model"
        await hide_personal(call, exchange)
        ask_for_citations(call, exchange)
        choices = range(call.request.choices)
        asking = Asking(call, exchange, 1, choices, _stream(call))
        opening = self.servers.open(server_call(call, call.request.for_server(model)))
        with self._reading_ahead(asking):
            attempt = await attempted(asking, opening)
        attempts = [await self._judged(asking, attempt)]
        settled = await self._settle(asking, attempts, model)
        return finished(call, found, attempts, settled, verdict, self.now_s())

    def _reading_ahead(self, asking: Asking) -> AbstractContextManager[None]:
        """Return what has the request read for its answers while the first is waited for."""
        call = asking.call
        if not call.gatekeeper.looks:
            return nullcontext()
        return reading_ahead(call.tenant.inspector, asking.exchange, self._turn)

    async def _settle(self, asking: Asking, attempts: list[Attempt], model: str) -> list[Settled]:
        """Settle every choice of the first attempt; the second attempt is added to `attempts`."""
        call, first = asking.call, attempts[0].judged
        failed = [one for one in first if one.wants_second]
        second = await self._second(asking, attempts[0], failed, model) if failed else None
        if second is not None:
            attempts.append(second)
        again = {one.answer.index: one for one in (second.judged if second else ())}
        places = {one.answer.index: place for place, one in enumerate(failed)}
        pairs = [(one, again.get(places.get(one.answer.index, -1))) for one in first]
        settled = partial(_settled, call.tenant, pairs)
        return await among_others(call.tenant.inspector, asking.exchange, settled)

    async def _second(
        self, asking: Asking, first: Attempt, failed: Sequence[Judged], model: str
    ) -> Attempt | None:
        """Ask once more, told what was wrong; None if the model server fails this time."""
        call = asking.call
        rules = call.tenant.policy.regeneration
        told = partial(note_about, failed, rules)
        body = with_note(
            call.door,
            call.request.plain_body() | {"model": model},
            await among_others(call.tenant.inspector, asking.exchange, told),
            rules,
            choices=len(failed),
        )
        stream = asking.stream if first.live else None
        choices = [one.answer.index for one in failed]
        if stream:
            stream.begin_again(choices)
        again = replace(asking, number=2, choices=choices, stream=stream)
        takes = call.door.takes_constraints
        limits = wanted(asking.exchange, acting(failed), body) if takes else None
        try:
            attempt = await attempted(again, self.constrained.open(call, body, limits))
        except UpstreamError:
            if any(number in call.left for number in choices):
                raise  # it has begun to leave
            return None  # the trace has it; the first attempt is settled as it stands
        self.constrained.check(call, limits, attempt.reply.answers)
        return await self._judged(again, attempt)

    async def _judged(self, asking: Asking, attempt: Attempt) -> Attempt:
        """Ask the tenant's judge, if it has one, about what the guards left open; note it all."""
        call = asking.call
        attempt = attempt.with_judged(await self._heard(asking, attempt.judged))
        note_attempt(call.trace, attempt.reply, attempt.judged, attempt.upstream_ms)
        for one in attempt.judged:
            if one.recorded:
                number, choice = asking.number, one.answer.index
                note_verdict(call.trace, one.recorded, attempt=number, choice=choice)
        return attempt

    async def _heard(self, asking: Asking, given: Sequence[Judged]) -> Sequence[Judged]:
        """Ask about all choices at once, within what is left of the judge's time."""
        call = asking.call
        judge = self.judges.of(call.tenant.name, call.tenant.policy.judge)
        if judge is None:
            return given
        began_s = call.trace.spent_s
        asked = (_heard(call, judge, one, may_regenerate=asking.may_regenerate) for one in given)
        with call.trace.step(f"judge_{asking.number}"):
            heard = await asyncio.gather(*asked)
        call.judge_spent_s += call.trace.spent_s - began_s
        return heard


def _stream(call: Call) -> LiveStream | None:
    """Return what lets the stream out while it is judged; None where it has to be whole first."""
    if call.stream is None or call.tenant.policy.stream.mode is StreamMode.BUFFER:
        return None
    call.stream.restore_with(call.stand_ins)
    return call.stream


def _settled(tenant: Tenant, pairs: Sequence[tuple[Judged, Judged | None]]) -> list[Settled]:
    return [settle(tenant, first.answer.index, first, second) for first, second in pairs]


async def _heard(call: Call, judge: Judge, one: Judged, *, may_regenerate: bool) -> Judged:
    if one.verdict is None or one.is_partial:
        return one
    verdict = await with_second_opinion(
        call.tenant.inspector,
        judge,
        one.exchange,
        one.verdict,
        still_possible(one, may_regenerate=may_regenerate),
        time_left_s=call.judge_left_s,
    )
    return one.decided(verdict)


async def _inspect_question(call: Call, exchange: Exchange) -> Verdict:
    if not call.tenant.looks_at_questions:
        return Verdict(Stage.INPUT, Action.PASS)
    inspect = partial(call.tenant.inspector.inspect, exchange, Stage.INPUT, NOTHING)
    verdict = await among_others(call.tenant.inspector, exchange, inspect)
    log_failures(call.trace.id, verdict)
    return verdict
