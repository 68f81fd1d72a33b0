"""The life of one chat completion, top to bottom.

Who asks is known when this begins. What is asked is read, judged before the model is asked, asked,
judged again, asked once more if that may help, and written. "Once" is the shape of the code: the
second attempt is a different function from the first and has no third behind it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from guards.core.exchange import Exchange
from guards.core.guard import Stage
from policies.decision import Possible
from policies.inspection import NOTHING
from policies.judging.judge import Judge
from policies.judging.verdict import with_second_opinion
from policies.policy import Action
from policies.verdict import Verdict
from proxy.asking import (
    ask_for_citations,
    exchange_of,
    hide_personal,
    read_context,
    server_call,
    server_model,
)
from proxy.call import Call, Finished
from proxy.constraints import ConstrainedServers, wanted
from proxy.errors import UpstreamError
from proxy.inspecting import log_failures, takes_long
from proxy.judge.book import JudgeBook
from proxy.judged import TOOL_CALLS, Judged, Settled, replace, settle
from proxy.openai_api.chat import Answer, ChatReply, Ending, read_reply, write
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sources import FoundContext
from proxy.personal.reply import restored
from proxy.regeneration import acting, note_about, with_note
from proxy.report import guard_report
from proxy.tenants import Tenant
from proxy.traces.filling import note_attempt, note_end, note_verdict
from proxy.upstream import ModelServers, RawReply

JSON_VALUES = "json_values"
"""Numbers and truth values of a JSON answer, of which no guard knows what they count."""


@dataclass(frozen=True)
class _Attempt:
    """One reply of the model server, judged."""

    reply: ChatReply
    headers: Mapping[str, str]
    judged: tuple[Judged, ...]


@dataclass
class Pipeline:
    """Guards chat completions.

    Attributes:
        servers: The model servers.
        constrained: The same, asked under a constraint.
        judges: Whom to ask about what the guards left open.
        now_s: Time of day in Unix seconds, for completions that we make ourselves.
    """

    servers: ModelServers
    constrained: ConstrainedServers
    judges: JudgeBook
    now_s: Callable[[], float] = field(repr=False)

    async def answer(self, call: Call) -> Finished:
        """Return the guarded reply.

        Raises:
            RequestRefused: the request cannot be served.
            UpstreamError: the model server failed.
        """
        found = read_context(call)
        exchange = exchange_of(call, found)
        model = server_model(call)
        with call.trace.step("inspect_question"):
            verdict = await _inspect(call, exchange, Stage.INPUT, NOTHING)
        note_verdict(call.trace, verdict, attempt=0, choice=0)
        if verdict.action is Action.REPLACE:
            call.trace.route, call.trace.route_reason = "template", ",".join(verdict.reasons)
            settled = [
                replace(call.tenant, exchange, index, verdict, attempt=0)
                for index in range(call.request.choices)
            ]
            return self._finished(call, found, [], settled, verdict)
        call.trace.route = "model"
        await hide_personal(call, exchange)
        ask_for_citations(call, exchange)
        body = call.request.for_server(model)
        ask = partial(self.servers.ask, server_call(call, body))
        attempts = [await self._attempt(call, exchange, ask, number=1)]
        settled = await self._settle(call, exchange, attempts, model)
        return self._finished(call, found, attempts, settled, verdict)

    async def _settle(
        self, call: Call, exchange: Exchange, attempts: list[_Attempt], model: str
    ) -> list[Settled]:
        """Settle every choice of the first attempt; the second attempt is added to `attempts`."""
        first = attempts[0].judged
        failed = [judged for judged in first if judged.wants_second]
        second = await self._second(call, exchange, failed, model) if failed else None
        if second is not None:
            attempts.append(second)
        again = iter(second.judged if second else ())
        pairs = [(judged, next(again, None) if judged.wants_second else None) for judged in first]
        if failed and takes_long(call.tenant.policy, exchange):
            return await asyncio.to_thread(_settled, call.tenant, pairs)
        return _settled(call.tenant, pairs)

    async def _second(
        self, call: Call, exchange: Exchange, failed: Sequence[Judged], model: str
    ) -> _Attempt | None:
        """Ask once more, told what was wrong; None if the model server fails this time."""
        rules = call.tenant.policy.regeneration
        told = partial(note_about, failed, rules)
        long = takes_long(call.tenant.policy, exchange)
        body = with_note(
            call.request.plain_body() | {"model": model},
            await asyncio.to_thread(told) if long else told(),
            rules,
            choices=len(failed),
        )
        ask = partial(self.constrained.ask, call, body, wanted(exchange, acting(failed), body))
        try:
            return await self._attempt(call, exchange, ask, number=2)
        except UpstreamError:
            return None  # the trace has it; the first attempt is settled as it stands

    async def _attempt(
        self,
        call: Call,
        exchange: Exchange,
        ask: Callable[[], Awaitable[RawReply]],
        *,
        number: int,
    ) -> _Attempt:
        clock, began_s = call.trace.clock, call.trace.clock()
        try:
            with call.trace.step(f"model_{number}"):
                raw = await ask()
                said = restored(raw.body, raw.content_type, call.stand_ins)
                reply = read_reply(said, raw.content_type)
        except UpstreamError as error:
            note_attempt(call.trace, None, (), (clock() - began_s) * 1000, error=error.code)
            raise
        upstream_ms = (clock() - began_s) * 1000
        with call.trace.step(f"inspect_answer_{number}"):
            judged = tuple(
                [
                    await _judge(call, exchange, reply, answer, may_regenerate=number == 1)
                    for answer in reply.answers
                ]
            )
        judged = await self._heard(call, judged, number=number)
        note_attempt(call.trace, reply, [one.verdict for one in judged], upstream_ms)
        for one in judged:
            if one.verdict:
                note_verdict(call.trace, one.verdict, attempt=number, choice=one.answer.index)
        return _Attempt(reply, raw.headers, judged)

    async def _heard(
        self, call: Call, judged: Sequence[Judged], *, number: int
    ) -> tuple[Judged, ...]:
        """Ask the tenant's judge, if it has one, about what the guards left open.

        About all choices at once, and within what is left of its time for the whole request.
        """
        judge = self.judges.of(call.tenant.name, call.tenant.policy.judge)
        if judge is None:
            return tuple(judged)
        began_s = call.trace.spent_s
        asked = (_heard(call, judge, one, may_regenerate=number == 1) for one in judged)
        with call.trace.step(f"judge_{number}"):
            heard = await asyncio.gather(*asked)
        call.judge_spent_s += call.trace.spent_s - began_s
        return tuple(heard)

    def _finished(
        self,
        call: Call,
        found: FoundContext,
        attempts: Sequence[_Attempt],
        settled: Sequence[Settled],
        question: Verdict,
    ) -> Finished:
        not_checked = _not_checked(call, attempts, settled, question)
        asked = len(call.trace.attempts)  # one more than there are replies if the second failed
        wants_report = call.request.guard.report or call.tenant.policy.report
        report: JsonObject | None = None
        if wants_report:
            report = guard_report(
                call.trace.id,
                call.tenant.version,
                found,
                settled,
                asked,
                not_checked,
                call.tenant.policy.confidence.threshold,
            )
        ending = Ending(
            id=f"chatcmpl-guard-{call.trace.id}",
            created=int(self.now_s()),
            finish_reason=call.tenant.policy.replacement.finish_reason,
            report=report,
            as_stream=True if call.stream_begun else None,
        )
        with call.trace.step("write"):
            written = write(
                call.request,
                [attempt.reply for attempt in attempts],
                [one.outcome for one in settled],
                ending,
            )
        headers = attempts[-1].headers if attempts else {}
        finished = Finished(written, headers, settled, asked, not_checked)
        note_end(call.trace, settled, finished.action, finished.reasons, finished.confidence)
        call.trace.not_checked = not_checked
        return finished


def _settled(tenant: Tenant, pairs: Sequence[tuple[Judged, Judged | None]]) -> list[Settled]:
    return [settle(tenant, first.answer.index, first, second) for first, second in pairs]


async def _judge(
    call: Call, exchange: Exchange, reply: ChatReply, answer: Answer, *, may_regenerate: bool
) -> Judged:
    structured = call.request.structured
    text = answer.visible(structured=structured)
    exchange = exchange.answered(text)
    # Taking a piece out of a JSON text could leave no JSON.
    may_edit = not structured
    unjudged = _unjudged(call, answer, text)
    if unjudged:
        return Judged(reply, answer, exchange, may_edit, None, unjudged)
    possible = Possible(regenerate=may_regenerate, edit=may_edit)
    verdict = await _inspect(call, exchange, Stage.OUTPUT, possible)
    return Judged(reply, answer, exchange, may_edit, verdict)


async def _heard(call: Call, judge: Judge, judged: Judged, *, may_regenerate: bool) -> Judged:
    if judged.verdict is None:
        return judged
    verdict = await with_second_opinion(
        call.tenant.inspector,
        judge,
        judged.exchange,
        judged.verdict,
        Possible(regenerate=may_regenerate, edit=judged.may_edit),
        time_left_s=call.judge_left_s,
    )
    return judged.decided(verdict)


def _unjudged(call: Call, answer: Answer, text: str) -> str:
    """Return why an answer is none to judge; empty if it is one.

    Calls of tools that the request did not offer are nobody's turn: what is said beside them is
    the answer.
    """
    if answer.tool_turn and call.request.offers_tools:
        return TOOL_CALLS
    if text.strip():
        return ""
    return JSON_VALUES if answer.content.strip() else "empty_answer"


async def _inspect(call: Call, exchange: Exchange, stage: Stage, possible: Possible) -> Verdict:
    inspect = call.tenant.inspector.inspect
    if takes_long(call.tenant.policy, exchange):
        verdict = await asyncio.to_thread(inspect, exchange, stage, possible)
    else:
        verdict = inspect(exchange, stage, possible)
    log_failures(call.trace.id, verdict)
    return verdict


def _not_checked(
    call: Call, attempts: Sequence[_Attempt], settled: Sequence[Settled], question: Verdict
) -> tuple[str, ...]:
    """Return everything that was wanted and not looked at, each with its reason, once."""
    names = list(question.not_run)
    for one in settled:
        names += one.verdict.not_run if one.verdict else ()
    for attempt in attempts:
        names += [judged.unjudged for judged in attempt.judged if judged.unjudged]
        names += attempt.reply.unseen
        if call.request.structured and any(one.has_bare_values for one in attempt.reply.answers):
            names.append(JSON_VALUES)
    return tuple(dict.fromkeys(names))
