"""The life of one request for a model answer, top to bottom.

Who asks is known when this begins. The request is read and judged before the model is asked; the
answer is judged, asked for once more if that may help, and written. "Once" is the shape of the
code: the second attempt is a different function from the first and has no third behind it.

A stream leaves while it is judged, if the policy lets answers out sentence by sentence. A reply
that is whole is judged by the same gate, all at once, and so has the same outcome.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

from pydantic import JsonValue, TypeAdapter

from guards.core.exchange import Exchange
from guards.core.finding import Finding
from guards.core.guard import Stage
from policies.decision import Possible
from policies.gating.gate import Gate
from policies.inspection import NOTHING
from policies.judging.judge import Judge
from policies.judging.opinions import with_second_opinion
from policies.schema.policy import Action
from policies.schema.sections import StreamMode
from policies.verdict import Verdict
from proxy.candidates import JSON_VALUES, Candidate, Selection, replace_choice, select
from proxy.errors import UpstreamBroken, UpstreamError
from proxy.judge.book import JudgeBook
from proxy.offload import (
    LongTextPool,
    chars_of,
    log_failures,
    read_offloaded,
    reading_ahead,
    run_offloaded,
)
from proxy.openai_api.endpoint import LiveStream
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.reply import MORE_CHOICES, Answer, Ending, Reply, total_usage
from proxy.openai_api.sources import FoundContext
from proxy.openai_api.sse import STREAM_TYPE, write_comments
from proxy.pipeline.call import (
    Call,
    Finished,
    ask_for_citations,
    exchange_of,
    hide_personal,
    judge_for,
    read_context,
    server_call,
    server_model,
)
from proxy.pipeline.constraints import ConstrainedServers, wanted
from proxy.pipeline.regeneration import acting, note_about, with_note
from proxy.pipeline.streaming import LiveAttempt, feed, next_release, still_possible
from proxy.tenants import Tenant
from proxy.traces.builder import note_attempt, note_end, note_unfinished, note_verdict
from proxy.upstream.client import ModelServers, OpenReply


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
            answers = self._answers_wanted()
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

    def _answers_wanted(self) -> Sequence[Answer]:
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


_FINDING = TypeAdapter(Finding)


def guard_changes(request_id: str, done: Finished) -> JsonObject:
    """Return the short `guard` object of a changed answer; the report uses the same names.

    It has `choices` only where there are several, for then not all of them may have changed.
    """
    changes: JsonObject = {
        "request_id": request_id,
        "action": done.action.value,
        "reasons": list(done.reasons),
    }
    if len(done.settled) > 1:
        changes["choices"] = [_outcome(one) for one in done.settled]
    return changes


def guard_report(
    request_id: str, policy: str, found: FoundContext, done: Finished, low_below: float
) -> JsonObject:
    """Return the report. Spans are half-open and count code points of their part's text."""
    choices: list[JsonValue] = [_choice(one, low_below) for one in done.settled]
    return {
        "request_id": request_id,
        "policy": policy,
        "action": done.action.value,
        "reasons": list(done.reasons),
        "attempts": done.attempts,
        "context": found.context.value,
        "sources": _sources(found),
        "choices": choices,
        "not_checked": list(done.not_checked),
    }


def _outcome(one: Selection) -> JsonObject:
    return {
        "index": one.outcome.index,
        "action": one.action.value,
        "reasons": list(one.reasons),
    }


def _choice(one: Selection, low_below: float) -> JsonObject:
    verdict = one.verdict
    findings = verdict.findings if verdict else ()
    known = None if one.action is Action.REPLACE or verdict is None else verdict.confidence
    return _outcome(one) | {
        "attempt": one.attempt,
        "confidence": known.value if known else None,
        "confidence_band": known.band.value if known else None,
        "confidence_caps": [cap.value for cap in known.caps] if known else [],
        "confidence_is_low": known.value < low_below if known else None,
        "findings": [_FINDING.dump_python(finding, mode="json") for finding in findings],
    }


def _sources(found: FoundContext) -> JsonValue:
    return [
        {
            "id": source.id,
            "title": source.title,
            "file": source.file,
            "page": source.page,
            "score": source.score,
        }
        for source in found.sources
    ]


def finalize(
    call: Call,
    found: FoundContext,
    attempts: Sequence[Attempt],
    settled: Sequence[Selection],
    question: Verdict,
    now_s: float,
) -> Finished:
    """Write the reply, or send what is left of its stream."""
    policy = call.tenant.policy
    replies = [attempt.reply for attempt in attempts]
    live = attempts[0].live if attempts else None
    done = Finished(
        written=None,
        upstream_headers=attempts[-1].headers if attempts else {},
        settled=settled,
        attempts=len(call.trace.attempts),  # one more than the replies if the second failed
        not_checked=_not_checked(call, attempts, settled, question),
    )
    ending = _ending(call, found, done, now_s)
    with call.trace.step("write"):
        if live is None:
            outcomes = [one.outcome for one in settled]
            done = replace(
                done, written=call.endpoint.write(call.request, replies, outcomes, ending)
            )
        else:
            _send(call, attempts, settled, ending)
    note_end(call.trace, settled, done.action, done.reasons, done.confidence)
    call.trace.not_checked = done.not_checked
    call.trace.unknown_fields += tuple(
        dict.fromkeys(f"reply.{path}" for reply in replies for path in reply.unknown)
    )
    if live is not None:
        # Its headers have been sent long ago.
        call.outgoing.put(write_comments(done.headers(policy.confidence.threshold)))
        live.end(total_usage(replies), ending)
    return done


def _ending(call: Call, found: FoundContext, done: Finished, now_s: float) -> Ending:
    """Return what goes with the choices: the report if it is wanted, else what was changed."""
    policy = call.tenant.policy
    report = changes = None
    if call.request.guard.report or policy.report:
        low_below = policy.confidence.threshold
        report = guard_report(call.trace.id, call.tenant.version, found, done, low_below)
    elif done.action is not Action.PASS:
        changes = guard_changes(call.trace.id, done)
    return Ending(
        id=call.trace.id,
        created=int(now_s),
        finish_reason=policy.replacement.finish_reason,
        report=report,
        changes=changes,
        as_stream=True if call.outgoing.begun else None,
    )


def _send(
    call: Call, attempts: Sequence[Attempt], settled: Sequence[Selection], ending: Ending
) -> None:
    """Send what was held of each choice until all was known."""
    for one in settled:
        if one is settled[-1] and call.stream and ending.changes:
            call.stream.announce(ending.changes)
        live = attempts[one.attempt - 1].live
        if live is not None:
            live.settle(one)


def _not_checked(
    call: Call, attempts: Sequence[Attempt], settled: Sequence[Selection], question: Verdict
) -> tuple[str, ...]:
    """Return everything that was wanted and not looked at, each with its reason, once."""
    names = [*question.not_run, *call.request.not_checked]
    for one in settled:
        names += one.verdict.not_run if one.verdict else ()
    for attempt in attempts:
        names += [one.unjudged for one in attempt.judged if one.unjudged]
        names += attempt.reply.unseen
        if call.request.structured and any(one.has_bare_values for one in attempt.reply.answers):
            names.append(JSON_VALUES)
    return tuple(dict.fromkeys(names))


@dataclass
class Pipeline:
    """Guards requests for model answers.

    Attributes:
        now_s: Time of day in Unix seconds, for completions that we make ourselves.
    """

    servers: ModelServers
    constrained: ConstrainedServers
    judges: JudgeBook
    long_texts: LongTextPool
    now_s: Callable[[], float] = field(repr=False)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False, repr=False)

    async def answer(self, call: Call) -> Finished:
        """Return the guarded reply, or let it out as a stream.

        Raises:
            RequestRefused: the request cannot be served.
            UpstreamError: the model server failed.
            CannotJudgeNow: the request is very long, and cannot be judged.
        """
        with self.long_texts.seat() as call.seat:
            found, by_rule = await read_context(call)
            exchange = exchange_of(call, found, by_rule)
            call.tenant = call.seat.judging(call.tenant, exchange)
            return await self._answered(call, found, exchange)

    async def _answered(self, call: Call, found: FoundContext, exchange: Exchange) -> Finished:
        model = server_model(call)
        with call.trace.step("inspect_question"):
            verdict = await inspect_question(call.tenant, exchange, call.trace.id)
        note_verdict(call.trace, verdict, attempt=0, choice=0)
        if verdict.action is Action.REPLACE:
            call.trace.route, call.trace.route_reason = "template", ",".join(verdict.reasons)
            settled = [
                replace_choice(call.tenant, exchange, index, verdict, attempt=0)
                for index in range(call.request.choices)
            ]
            return finalize(call, found, [], settled, verdict, self.now_s())
        call.trace.route = "model"
        await hide_personal(call, exchange)
        ask_for_citations(call, exchange)
        choices = range(call.request.choices)
        first = Attempt(call, exchange, 1, choices, _stream(call))
        opening = self.servers.open(await server_call(call, call.request.for_server(model)))
        with self._reading_ahead(first):
            await first.run(opening)
        await self._judge(first)
        attempts = [first]
        settled = await self._settle(attempts, model)
        return finalize(call, found, attempts, settled, verdict, self.now_s())

    def _reading_ahead(self, first: Attempt) -> AbstractContextManager[None]:
        """Return what has the request read for its answers while the first is waited for."""
        call = first.call
        if not call.gatekeeper.looks:
            return nullcontext()
        return reading_ahead(call.tenant.inspector, first.exchange, self._turn)

    async def _settle(self, attempts: list[Attempt], model: str) -> list[Selection]:
        """Settle every choice of the first attempt; the second attempt is added to `attempts`."""
        call, first = attempts[0].call, attempts[0].judged
        failed = [one for one in first if one.wants_second]
        second = await self._second(attempts[0], failed, model) if failed else None
        if second is not None:
            attempts.append(second)
        again = {one.answer.index: one for one in (second.judged if second else ())}
        places = {one.answer.index: place for place, one in enumerate(failed)}
        pairs = [(one, again.get(places.get(one.answer.index, -1))) for one in first]
        settled = partial(_selections, call.tenant, pairs)
        judged = [one.exchange for one in first if one.verdict is not None]
        if not judged:
            return settled()
        return await run_offloaded(call.tenant.inspector, max(judged, key=chars_of), settled)

    async def _second(
        self, first: Attempt, failed: Sequence[Candidate], model: str
    ) -> Attempt | None:
        """Ask once more, told what was wrong; None if the model server fails this time."""
        call = first.call
        rules = call.tenant.policy.regeneration
        note = partial(note_about, failed, rules)
        body = with_note(
            call.endpoint,
            call.request.plain_body(model),
            await run_offloaded(call.tenant.inspector, failed[0].exchange, note),
            rules,
            choices=len(failed),
        )
        stream = first.stream if first.live else None
        choices = [one.answer.index for one in failed]
        if stream:
            stream.begin_again(choices)
        second = Attempt(call, first.exchange, 2, choices, stream)
        takes = call.endpoint.takes_constraints
        limits = wanted(first.exchange, acting(failed), body) if takes else None
        try:
            await second.run(self.constrained.open(call, body, limits))
        except UpstreamError:
            if any(number in call.sent_text for number in choices):
                raise  # it has begun to leave
            return None  # the trace has it; the first attempt is settled as it stands
        self.constrained.check(call, limits, second.reply.answers)
        await self._judge(second)
        return second

    async def _judge(self, attempt: Attempt) -> None:
        """Ask the tenant's judge, if it has one, about what the guards left open; note it all."""
        call = attempt.call
        attempt.judged = await self._heard(attempt)
        note_attempt(call.trace, attempt.reply, attempt.judged, attempt.upstream_ms)
        for one in attempt.judged:
            if one.recorded:
                number, choice = attempt.number, one.answer.index
                note_verdict(call.trace, one.recorded, attempt=number, choice=choice)

    async def _heard(self, attempt: Attempt) -> Sequence[Candidate]:
        """Ask about all choices at once, within what is left of the judge's time."""
        call, given = attempt.call, attempt.judged
        if call.tenant.policy.judge is None:
            return given
        judge = judge_for(
            self.judges,
            call.tenant,
            headers=call.headers,
            caller_key=call.caller_key,
            model=server_model(call),
            query=call.query,
        )
        if judge is None:
            return given
        began_s = call.trace.spent_s
        asked = (_heard(call, judge, one, may_regenerate=attempt.may_regenerate) for one in given)
        with call.trace.step(f"judge_{attempt.number}"):
            heard = await asyncio.gather(*asked)
        call.judge_spent_s += call.trace.spent_s - began_s
        return heard


def _stream(call: Call) -> LiveStream | None:
    """Return what lets the stream out while it is judged; None where it has to be whole first."""
    if call.stream is None or call.tenant.policy.stream.mode is StreamMode.BUFFER:
        return None
    call.stream.restore_with(call.pseudonyms)
    return call.stream


def _selections(
    tenant: Tenant, pairs: Sequence[tuple[Candidate, Candidate | None]]
) -> list[Selection]:
    return [select(tenant, first.answer.index, first, second) for first, second in pairs]


async def _heard(call: Call, judge: Judge, one: Candidate, *, may_regenerate: bool) -> Candidate:
    possible, left_s = still_possible(one, may_regenerate=may_regenerate), call.judge_remaining_s
    return await second_opinion(call.tenant, judge, one, possible, left_s)


async def second_opinion(
    tenant: Tenant, judge: Judge, one: Candidate, possible: Possible, time_left_s: float
) -> Candidate:
    """Return an answer after a judge was asked about what the guards left open."""
    if one.verdict is None or one.is_partial:
        return one
    verdict = await with_second_opinion(
        tenant.inspector, judge, one.exchange, one.verdict, possible, time_left_s=time_left_s
    )
    return one.decided(verdict)


async def inspect_question(tenant: Tenant, exchange: Exchange, request_id: str) -> Verdict:
    """Return the verdict over a question; guards that break are logged."""
    if not tenant.looks_at_questions:
        return Verdict(Stage.INPUT, Action.PASS)
    inspect = partial(tenant.inspector.inspect, exchange, Stage.INPUT, NOTHING)
    verdict = await run_offloaded(tenant.inspector, exchange, inspect)
    log_failures(request_id, verdict)
    return verdict
