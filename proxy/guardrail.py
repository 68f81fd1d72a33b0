"""`POST /v1/beta/litellm_basic_guardrail_api`: the generic guardrail API of LiteLLM's proxy.

LiteLLM sends the messages before the model is called (``input_type: request``), and after it the
answers alone (``response``), with the id of the call. So a request waits here for its answer.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from guards.core.exchange import Exchange
from policies.gating.gate import OpenGate
from policies.schema.policy import Action
from policies.verification.conversation import ASSISTANT
from policies.verification.shape import problem
from proxy.candidates import (
    EMPTY_ANSWER,
    JSON_VALUES,
    TOOL_CALLS,
    Candidate,
    Gatekeeper,
    Selection,
    inspected,
    replace_choice,
    select,
)
from proxy.errors import BadRequest, UnknownCall
from proxy.jobs import Job
from proxy.offload import Seat, log_failures, read_offloaded, run_offloaded
from proxy.openai_api.completions import conversation
from proxy.openai_api.json_body import JSON_TYPE, JsonObject
from proxy.openai_api.model_request import Name, read_body, validated
from proxy.openai_api.reply import Answer, Replaced, Reply
from proxy.openai_api.sources import SourceFormatError
from proxy.openai_api.sse import json_bytes
from proxy.pipeline.call import Finished, found_in, judge_for, usual_model
from proxy.pipeline.pipeline import inspect_question, second_opinion
from proxy.pipeline.streaming import still_possible
from proxy.replay.judging import GUARDRAIL
from proxy.server.asgi_reply import HttpReply
from proxy.tenants import Tenant
from proxy.traces.builder import (
    note_attempt,
    note_end,
    note_exchange,
    note_verdict,
    request_details,
)

GUARDRAIL_PATH: Final = "/beta/litellm_basic_guardrail_api"
"""Below the version; LiteLLM appends it to the `api_base` of its configuration."""
LONGEST_CALL_ID_CHARS: Final = 256
IMAGES: Final = "image_parts"
QUESTION: Final = "question"
"""Not checked where there are no messages, as a text alone need not be a question."""


class GuardrailRequest(BaseModel):
    """Request of LiteLLM; its other members are ignored."""

    model_config = ConfigDict(frozen=True, strict=True)

    input_type: Literal["request", "response"] = Field(
        description="`request` before the model is called, `response` for its answers."
    )
    litellm_call_id: str | None = Field(
        None,
        max_length=LONGEST_CALL_ID_CHARS,
        description="Id of the call; the same before and after the model.",
    )
    texts: list[str] | None = Field(
        None, description="The texts of the messages, or the answers, one for each choice."
    )
    structured_messages: list[JsonObject] | None = Field(
        None,
        description="The messages, as in a chat completion. With answers they are optional, and "
        "replace those that were sent before.",
    )
    tools: list[JsonObject] | None = Field(None, description="The tools offered to the model.")
    tool_calls: list[JsonObject] | None = Field(
        None, description="The tools that the model called."
    )
    images: list[str] | None = Field(None, description="Images; they are not checked.")
    model: Name | None = Field(None, description="Name of the model, for the trace.")


class GuardrailReply(BaseModel):
    """Reply to LiteLLM."""

    model_config = ConfigDict(frozen=True)

    action: Literal["NONE", "GUARDRAIL_INTERVENED", "BLOCKED"] = Field(
        description="`NONE`: go on. `GUARDRAIL_INTERVENED`: go on with `texts` in place of the "
        "answers. `BLOCKED`: refuse, with `blocked_reason` as the message."
    )
    texts: list[str] | None = Field(None, description="All answers, some of them changed.")
    blocked_reason: str | None = Field(
        None, description="The policy's reply in place of the answer, for the user to read."
    )


def read_guardrail_request(raw: bytes) -> GuardrailRequest:
    """Read a body.

    Raises:
        BadRequest: malformed JSON, or a member that is wrong; it names the member.
    """
    return validated(read_body(raw), GuardrailRequest, problem)


class GuardrailJob(Job):
    """Judges one question, or the answers of one call, and records it."""

    endpoint_name = GUARDRAIL

    async def _reply(self, raw: bytes) -> HttpReply:
        asked = await read_offloaded(len(raw), partial(read_guardrail_request, raw))
        self.trace.model = asked.model or ""
        judge = self._question if asked.input_type == "request" else self._answers
        done = await judge(asked, len(raw))
        note_end(self.trace, done.settled, done.action, done.reasons, done.confidence)
        self.trace.not_checked = done.not_checked
        headers = self.early_headers | done.headers(self._tenant.policy.confidence.threshold)
        reply = _reply_of(done.settled, asked.texts or [])
        return HttpReply(200, headers, JSON_TYPE, json_bytes(reply.model_dump(exclude_none=True)))

    async def _question(self, request: GuardrailRequest, size: int) -> Finished:
        """Judge what is asked, and let the request wait for its answer."""
        not_checked = [IMAGES] if request.images else []
        self.trace.route = "model"
        if not request.structured_messages:
            # A prompt, or something to embed, to paint or to speak.
            messages = [turn for text in request.texts or () for turn in conversation(text)]
            await self._keep(request, messages, size)
            return _finished((), [*not_checked, QUESTION])
        exchange = await self._read(
            request.structured_messages, size, offers_tools=bool(request.tools)
        )
        with self._services.long_texts.acquire(self._tenant, exchange) as tenant:
            with self.trace.step("inspect_question"):
                verdict = await inspect_question(tenant, exchange, self.id)
            note_verdict(self.trace, verdict, attempt=0, choice=0)
            not_checked += verdict.not_run
            if verdict.action is Action.REPLACE:
                self.trace.route, self.trace.route_reason = "template", ",".join(verdict.reasons)
                settled = replace_choice(tenant, exchange, 0, verdict, attempt=0)
                return _finished([settled], not_checked)
        await self._keep(request, request.structured_messages, size)
        return _finished((), not_checked)

    async def _answers(self, request: GuardrailRequest, size: int) -> Finished:
        """Judge the answers of a call, each by itself, as those of a model server are."""
        messages, offers_tools, size = await self._request_of(request, size)
        exchange = await self._read(messages, size, offers_tools=offers_tools)
        self.trace.route = "model"
        texts = request.texts or []
        # Whose calls they are is not said: of several answers none may go unjudged for them.
        tool_turn = bool(request.tool_calls) and len(texts) == 1
        reply = Reply(
            answers=tuple(
                Answer(index, text, tool_turn=tool_turn, finish_reason=None)
                for index, text in enumerate(texts)
            )
        )
        with self._services.long_texts.seat() as seat:
            tenant = seat.judging(self._tenant, exchange)
            with self.trace.step("inspect_answer"):
                judging = (
                    self._judge_answer(seat, tenant, exchange, reply, one) for one in reply.answers
                )
                judged = await asyncio.gather(*judging)
            note_attempt(self.trace, reply, judged, upstream_ms=0.0)
            settled = []
            for one in judged:
                if one.recorded:
                    note_verdict(self.trace, one.recorded, attempt=1, choice=one.answer.index)
                pick = partial(select, tenant, one.answer.index, one, None)
                settled.append(await run_offloaded(tenant.inspector, one.exchange, pick))
        return _finished(settled, _not_checked(request, judged))

    async def _read(
        self, messages: Sequence[JsonValue], size: int, *, offers_tools: bool
    ) -> Exchange:
        """Find the question and the sources in messages of about so many bytes, and note them.

        Raises:
            BadRequest: a message has a form in which nothing can be found.
        """
        find = partial(found_in, {"messages": [*messages]}, self._tenant.loaded)
        try:
            with self.trace.step("read"):
                found, intent = await read_offloaded(size, find)
        except SourceFormatError as error:
            raise BadRequest(str(error), error.field) from None
        exchange = found.exchange([intent.intent], may_fetch=offers_tools)
        details = request_details(exchange, None, intent=None)
        note_exchange(self.trace, exchange, found, intent.why, details)
        return exchange

    async def _keep(
        self, request: GuardrailRequest, messages: Sequence[JsonValue], size: int
    ) -> None:
        if request.litellm_call_id:
            kept: JsonObject = {"messages": [*messages], "offers_tools": bool(request.tools)}
            raw = await read_offloaded(size, partial(json_bytes, kept))
            call_id = self._waiting_id(request.litellm_call_id)
            await self._services.waiting.put(self._tenant.name, call_id, raw)

    def _waiting_id(self, call_id: str) -> str:
        """Return the id under which a request waits: of callers with keys of their own, each its.

        Where the key is the model server's own, anybody can be a caller of the tenant, and could
        put other sources in the place of those of a call whose id he knows.
        """
        if self._tenant.upstream.pass_caller_key:
            return f"{self._caller_key}\n{call_id}"
        return call_id

    async def _request_of(
        self, request: GuardrailRequest, size: int
    ) -> tuple[list[JsonValue], bool, int]:
        """Return the messages that were answered, whether tools were offered, and the size.

        Raises:
            UnknownCall: the request is unknown.
            RequestStoreUnavailable: it cannot be found out right now.
        """
        messages: list[JsonValue] = [*(request.structured_messages or ())]
        while messages and _role(messages[-1]) == ASSISTANT:
            messages.pop()  # the answers themselves
        if messages:
            return messages, bool(request.tools or request.tool_calls), size
        call_id, raw = request.litellm_call_id, None
        if call_id:
            waiting_id = self._waiting_id(call_id)
            raw = await self._services.waiting.get(self._tenant.name, waiting_id)
        if raw is None:
            raise UnknownCall(call_id)
        kept = await read_offloaded(len(raw), partial(json.loads, raw))
        return kept["messages"], kept["offers_tools"], len(raw)

    async def _judge_answer(
        self,
        seat: Seat,
        tenant: Tenant,
        exchange: Exchange,
        reply: Reply,
        answer: Answer,
    ) -> Candidate:
        """Let an answer through its gate, and ask the tenant's judge about it, if it has one.

        Raises:
            BadRequest: the answer is too long to be judged, and a guard could act on it.
        """
        keeper = Gatekeeper(
            tenant.policy,
            _is_json(answer.content),
            exchange.may_fetch,
            tenant.looks_at_answers,
            tenant.acts_on_answers,
        )
        most = self._services.settings.max_answer_chars
        is_too_long = len(answer.content) > most
        if is_too_long and keeper.acts:
            param = f"texts[{answer.index}]"
            raise BadRequest(f"The answer has more than {most} characters.", param)
        if not is_too_long:
            # Of a short request, too, the answer may be very long.
            tenant = seat.judging(tenant, exchange.answered(answer.content), may_stay=True)

        def judged() -> Candidate:
            gate = keeper.open(exchange, may_regenerate=False)
            if is_too_long and not isinstance(gate, OpenGate):
                gate.give_up()
            keeper.take_whole(gate, answer)
            while check := gate.next_check():
                verdict = inspected(tenant, check)
                log_failures(self.id, verdict)
                gate.apply(check, verdict)
            return keeper.judged(exchange, reply, answer, gate)

        one = await run_offloaded(tenant.inspector, exchange.answered(answer.content), judged)
        rules = tenant.policy.judge
        judge = judge_for(
            self._services.judges,
            tenant,
            headers=self._headers,
            caller_key=self._caller_key,
            model=usual_model(tenant, self.trace.model),
        )
        if judge is None or rules is None:
            return one
        left_s = min(rules.limit_s, tenant.upstream.timeouts.total_s - self.trace.spent_s)
        possible = still_possible(one, may_regenerate=False)
        return await second_opinion(tenant, judge, one, possible, left_s)


def _reply_of(settled: Sequence[Selection], texts: list[str]) -> GuardrailReply:
    """Return what LiteLLM is to do about a question, or about the answers in `texts`."""
    for one in settled:
        if isinstance(one.outcome, Replaced):
            return GuardrailReply(action="BLOCKED", blocked_reason=one.outcome.text)
    left = [one.outcome.text for one in settled]
    if not settled or left == texts:
        return GuardrailReply(action="NONE")
    return GuardrailReply(action="GUARDRAIL_INTERVENED", texts=left)


def _finished(settled: Sequence[Selection], not_checked: Iterable[str]) -> Finished:
    attempts = sum(one.attempt for one in settled[:1])
    return Finished(None, {}, settled, attempts, tuple(dict.fromkeys(not_checked)))


def _not_checked(request: GuardrailRequest, judged: Sequence[Candidate]) -> Iterator[str]:
    """Yield what no guard looked at in the answers, with the reason."""
    if request.images:
        yield IMAGES
    if not judged:
        yield TOOL_CALLS if request.tool_calls else EMPTY_ANSWER
    for one in judged:
        yield from one.verdict.not_run if one.verdict else ()
        if one.unjudged:
            yield one.unjudged
        if _is_json(one.answer.content) and one.answer.has_bare_values:
            yield JSON_VALUES


def _is_json(text: str) -> bool:
    """Tell whether an answer is JSON: nobody says here whether the request asked for it."""
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def _role(message: JsonValue) -> JsonValue:
    return message.get("role") if isinstance(message, dict) else None
