"""`POST /v1/verify`: its body, the verification, and its trace."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from guards.core.exchange import ContextState, Exchange
from policies.patterns import IntentFound, Intents
from policies.schema.policy import SourceRules
from policies.verification.conversation import ASSISTANT, without_answer
from policies.verification.shape import BadSources, GivenSource, Options, problem, usable_sources
from policies.verification.verifying import UnknownGuard, Verified, Verifier
from proxy.errors import BadRequest
from proxy.jobs import Job
from proxy.offload import log_failures, read_offloaded, run_offloaded
from proxy.openai_api.json_body import JSON_TYPE, JsonObject
from proxy.openai_api.model_request import NOTHING_TOLD, GuardField, read_body, validated
from proxy.openai_api.sources import FoundContext, FoundPlace, SourceFormatError
from proxy.openai_api.sources.finder import find_sources
from proxy.openai_api.sse import json_bytes
from proxy.pipeline.call import judge_for, usual_model
from proxy.server.asgi_reply import HttpReply
from proxy.services import Services
from proxy.tenants import Tenant, apply_overrides
from proxy.traces.builder import note_exchange, note_verification, request_details

_MISSPELT_FROM = 0.75


class Message(BaseModel):
    """A message as a chat completion takes it; further members are allowed."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    role: str = Field(description="system, user, assistant, tool, …")
    content: str | list[JsonObject] | None = Field(None, description="Text, or a list of parts.")


class VerifyRequest(BaseModel):
    """An answer, and the sources to compare it with.

    Either `question`, `answer` and `sources`, or the body of a chat completion with its `messages`:
    the question is found in them, and so are the sources unless they are given; the last message
    may be the answer. All else that a chat completion takes may stand beside `messages` and is
    passed over; without them other members are refused.
    """

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    question: str | None = Field(None, description="The question.")
    query: str | None = Field(None, description="The same as `question`.")
    answer: str | None = Field(
        None, description="The answer; may be left out if the last message is the assistant's."
    )
    sources: list[GivenSource] | None = Field(
        None,
        description="The sources, in the order in which citations number them. With `messages`, "
        "these are used and none are searched for.",
    )
    messages: list[Message] | None = Field(
        None, description="The messages of a chat completion.", min_length=1
    )
    guard: GuardField | None = Field(
        None, description="With `messages`: the `guard` field, as in a completion."
    )
    documents: list[JsonValue] | None = Field(
        None, description="With `messages`: the sources, if the app passes them in this field."
    )
    options: Options = Field(default_factory=Options, description="How the answer is verified.")

    @model_validator(mode="after")
    def _says_each_thing_once(self) -> Self:
        if self.question is not None and self.query is not None:
            raise ValueError("'question' and 'query' are the same; give one of them")
        asked = self.question is not None or self.query is not None
        if self.messages is not None and asked:
            raise ValueError("'messages' hold the question; give one or the other")
        ends_with_answer = self.messages is not None and self.messages[-1].role == ASSISTANT
        if self.answer is None and not ends_with_answer:
            raise ValueError("'answer' is missing, and no assistant's message ends 'messages'")
        return self


@dataclass(frozen=True, slots=True)
class ToVerify:
    """The exchange to verify, and how."""

    exchange: Exchange
    found: FoundContext
    intent: IntentFound
    options: Options


def read_verify_request(raw: bytes) -> VerifyRequest:
    """Read a body.

    Raises:
        BadRequest: malformed JSON, or a member that is wrong; it names the member.
    """
    body = read_body(raw)
    _refuse_unknown(body)
    return validated(body, VerifyRequest, problem)


def _refuse_unknown(body: JsonObject) -> None:
    """Refuse members that nobody reads: beside messages only those that are ours, misspelt.

    Raises:
        BadRequest: there is one; it names the member.
    """
    known = VerifyRequest.model_fields
    is_chat = "messages" in body
    of_chat = {"messages", "guard", "documents"}
    for name in body:
        close = difflib.get_close_matches(name, known.keys() - of_chat, 1, _MISSPELT_FROM)
        is_ours = name in known and (is_chat or name not in of_chat)
        if is_ours or (is_chat and not close):
            continue
        hint = f"; did you mean '{close[0]}'?" if close else ""
        raise BadRequest(f"There is no member '{name}' here{hint}", name)


def to_verify(request: VerifyRequest, rules: SourceRules, intents: Intents) -> ToVerify:
    """Return what a request asks to verify.

    Raises:
        BadRequest: two sources have the same id, or those of `guard` have a wrong form.
    """
    if request.messages is None:
        found, answer = _given_context(request), request.answer or ""
    else:
        found, answer = _in_messages(request, request.messages, rules)
    intent = intents.intent_of(found.question)
    told = request.guard or NOTHING_TOLD
    exchange = found.exchange(
        (intent.intent, told.intent), answer=answer, last_error_reason=told.last_error_reason
    )
    return ToVerify(exchange, found, intent, request.options)


def _given_context(request: VerifyRequest) -> FoundContext:
    found = FoundContext(
        question=(request.question or request.query or "").strip(),
        sources=(),
        context=ContextState.ABSENT,
        found=(),
        dropped=(),
        echo="",
        previous_answer="",
    )
    return found if request.sources is None else _with_sources(found, request.sources)


def _with_sources(found: FoundContext, given: Sequence[GivenSource]) -> FoundContext:
    """Return what was found with the sources that were given in place of all others."""
    try:
        sources = usable_sources(one.source(place) for place, one in enumerate(given, start=1))
    except BadSources as bad:
        param = f"sources[{bad.place}].{bad.member}"
        raise BadRequest(f"Invalid value for '{param}': {bad.problem}.", param) from None
    return replace(
        found,
        sources=sources,
        context=ContextState.FOUND if sources else ContextState.EMPTY,
        found=(FoundPlace("exact", "sources", None, None, len(sources)),),
        dropped=(),
    )


def _in_messages(
    request: VerifyRequest, messages: Sequence[Message], rules: SourceRules
) -> tuple[FoundContext, str]:
    turns, answer = without_answer([one.model_dump() for one in messages], request.answer)
    intent = request.guard.sources if request.guard else None
    body: JsonObject = {
        "messages": turns,
        "documents": request.documents,
        # Those that are given come in their place; what the messages hold is not looked for.
        "guard": {"sources": intent if request.sources is None else []},
    }
    try:
        found = find_sources(body, rules)
    except SourceFormatError as error:
        raise BadRequest(str(error), error.field) from None
    return (found if request.sources is None else _with_sources(found, request.sources)), answer


async def verified(
    services: Services,
    tenant: Tenant,
    exchange: Exchange,
    options: Options,
    *,
    spent_s: float,
    request_id: str,
    model: JsonValue,
    headers: Mapping[str, str] | None = None,
    caller_key: str | None = None,
) -> Verified:
    """Verify an exchange that holds an answer; the tenant's judge is asked, if it has one.

    Args:
        spent_s: Time that the request has taken so far.

    Raises:
        UnknownGuard: the options name a guard that does not exist.
        CannotJudgeNow: the texts are very long, and cannot be judged.
    """
    judge = judge_for(
        services.judges,
        tenant,
        headers=headers or {},
        caller_key=caller_key,
        model=usual_model(tenant, model),
    )
    with services.long_texts.acquire(tenant, exchange) as judging:
        verifier = Verifier(judging.inspector, tenant.version)
        if judge is not None:
            return await verifier.verify_with(
                judge,
                exchange,
                options,
                time_left_s=tenant.upstream.timeouts.total_s - spent_s,
                request_id=request_id,
            )
        verify = partial(verifier.verify, exchange, options, request_id=request_id)
        return await run_offloaded(judging.inspector, exchange, verify)


class VerifyJob(Job):
    """Verifies one answer by its tenant's policy and records it."""

    endpoint_name = "verify"

    async def _reply(self, raw: bytes) -> HttpReply:
        request = await read_offloaded(len(raw), partial(read_verify_request, raw))
        if request.guard is not None:
            self._tenant = apply_overrides(self._tenant, request.guard)
        loaded = self._tenant.loaded
        with self.trace.step("read"):
            read = partial(to_verify, request, loaded.policy.sources, loaded.intents)
            wanted = await read_offloaded(len(raw), read)
        self._refuse_too_long(wanted.exchange.answer or "")
        intent = request.guard.intent if request.guard else None
        details = request_details(wanted.exchange, request.guard, intent=intent)
        note_exchange(self.trace, wanted.exchange, wanted.found, wanted.intent.why, details)
        self.trace.route = self.endpoint_name
        with self.trace.step("inspect_answer"):
            # A chat completion may name its model.
            named = (request.model_extra or {}).get("model")
            done = await self._verified(wanted, named)
        log_failures(self.id, done.verdict)
        report = done.report
        note_verification(self.trace, done.verdict, report)
        body = json_bytes(report.model_dump(mode="json"))
        return HttpReply(200, self.early_headers, JSON_TYPE, body)

    def _refuse_too_long(self, answer: str) -> None:
        most = self._services.settings.max_answer_chars
        if len(answer) > most:
            raise BadRequest(f"The answer has more than {most} characters.", "answer")

    async def _verified(self, wanted: ToVerify, model: JsonValue) -> Verified:
        try:
            return await verified(
                self._services,
                self._tenant,
                wanted.exchange,
                wanted.options,
                spent_s=self.trace.spent_s,
                request_id=self.id,
                model=model,
                headers=self._headers,
                caller_key=self._caller_key,
            )
        except UnknownGuard as unknown:
            param = "options.guards"
            raise BadRequest(f"Invalid value for '{param}': {unknown}", param) from None
