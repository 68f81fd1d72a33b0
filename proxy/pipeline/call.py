"""One request in progress: its policy, its evidence, and the request to its model server."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pydantic import JsonValue

from guards.core.exchange import Exchange
from guards.core.keeping import lazy
from policies.patterns import IntentFound
from policies.schema.loader import LoadedPolicy
from policies.schema.policy import Action
from policies.schema.sections import ServerState
from proxy.candidates import Gatekeeper, Selection
from proxy.errors import BadRequest, UnknownModel
from proxy.judge.book import HttpJudge, JudgeBook
from proxy.judge.server import OwnServer
from proxy.offload import LARGE_BYTES, LongTextPool, Seat, read_offloaded, run_offloaded
from proxy.openai_api.endpoint import Endpoint, LiveStream
from proxy.openai_api.json_body import JsonObject, texts
from proxy.openai_api.model_request import INTENT, ModelRequest
from proxy.openai_api.pseudonyms import NONE as NO_PSEUDONYMS
from proxy.openai_api.pseudonyms import Pseudonyms, hidden, hides_personal, pseudonyms_for
from proxy.openai_api.sources import FoundContext, SourceFormatError
from proxy.openai_api.sources.finder import find_sources
from proxy.openai_api.sse import json_bytes
from proxy.server.asgi_reply import HttpReply, Outgoing
from proxy.telemetry.spans import NO_SPANS, RequestSpans
from proxy.tenants import Tenant
from proxy.traces.builder import TraceBuilder, note_exchange, request_details
from proxy.upstream.request import RetryBudget, ServerCall, is_idempotency_key, sent_headers

MOST_ANSWER_CHARS = 200_000
"""Longest answer that is judged if nothing else is set."""


# How long the OpenAI clients wait for a reply, as they say themselves.
_CLIENT_WAITS = ("x-stainless-read-timeout", "x-stainless-timeout")
LATE_HEADERS = (
    "x-guard-action",
    "x-guard-attempts",
    "x-guard-reasons",
    "x-guard-confidence",
    "x-guard-not-checked",
)
"""Headers that tell what was decided."""
_SECONDS = re.compile(r"\d{1,6}(?:\.\d{1,6})?")


@dataclass
class Call:
    """One request in progress.

    Attributes:
        tenant: Who asks, with the policy as it stood when the request came.
        outgoing: The way to the client, for a stream.
        stream: What reads the model server's stream and writes what leaves; None for a plain reply.
        pseudonyms: What the model server gets in place of the user's own identifiers.
        judge_spent_s: Time that the tenant's judge has taken so far, in seconds.
        seat: Where its very long texts are read and judged.
        most_answer_chars: How long an answer may be that is judged.
        sent_text: The text sent of each choice's stream so far, by number.
        inspecting_s: Time that inspecting the answers of this attempt has taken so far.
        retry_budget: The one repeated request that all attempts together may cost.
    """

    tenant: Tenant
    endpoint: Endpoint[Any]
    request: ModelRequest
    headers: Mapping[str, str]
    caller_key: str | None
    trace: TraceBuilder
    outgoing: Outgoing
    spans: RequestSpans = NO_SPANS
    query: bytes = b""
    stream: LiveStream | None = None
    pseudonyms: Pseudonyms = NO_PSEUDONYMS
    judge_spent_s: float = 0.0
    inspecting_s: float = 0.0
    retry_budget: RetryBudget = field(default_factory=RetryBudget)
    seat: Seat = field(default_factory=LongTextPool(()).seat)
    most_answer_chars: int = MOST_ANSWER_CHARS
    sent_text: dict[int, str] = field(default_factory=dict)

    @lazy
    def gatekeeper(self) -> Gatekeeper:
        """The keeper of the gates of the request's answers."""
        request, tenant = self.request, self.tenant
        return Gatekeeper(
            tenant.policy,
            request.structured,
            request.offers_tools,
            tenant.looks_at_answers,
            tenant.acts_on_answers,
        )

    @property
    def remaining_s(self) -> float:
        """Seconds that are left for asking anybody anything; not above 0 if there are none.

        The policy's time for a reply is that of the whole request, and a client that waits for a
        plain reply may say how long it does.
        """
        limit_s = self.tenant.upstream.timeouts.total_s
        for name in () if self.request.stream else _CLIENT_WAITS:
            if _SECONDS.fullmatch(said := self.headers.get(name, "")):
                limit_s = min(limit_s, float(said))
        return limit_s - self.trace.spent_s

    @property
    def judge_remaining_s(self) -> float:
        """Seconds that are left for asking the tenant's judge; not above 0 if there are none.

        Its time is that of one opinion, however many choices and attempts there are.
        """
        rules = self.tenant.policy.judge
        if rules is None:
            return 0.0
        # How long a client says that it waits is no reason to look less closely.
        left_s = self.tenant.upstream.timeouts.total_s - self.trace.spent_s
        return min(left_s, rules.limit_s - self.judge_spent_s)


@dataclass(frozen=True)
class Finished:
    """A guarded reply.

    Attributes:
        written: The body; None if it has been sent already, as a stream.
        upstream_headers: Headers of the model server that go along.
        not_checked: What no guard looked at, with the reason.
    """

    written: HttpReply | None
    upstream_headers: Mapping[str, str]
    settled: Sequence[Selection]
    attempts: int
    not_checked: tuple[str, ...]

    def headers(self, threshold: float) -> dict[str, str]:
        """Return what is told of it in headers, or in comments where those have been sent.

        Their names are those of `LATE_HEADERS`.
        """
        values = {"x-guard-action": self.action.value, "x-guard-attempts": str(self.attempts)}
        if self.reasons:
            values["x-guard-reasons"] = ",".join(self.reasons)
        if self.is_doubtful(threshold):
            values["x-guard-confidence"] = "low"
        if self.not_checked:
            values["x-guard-not-checked"] = ",".join(self.not_checked)
        return values

    @lazy
    def action(self) -> Action:
        """The strongest action over all choices; PASS if there are none."""
        actions = (one.action for one in self.settled)
        return max(actions, key=lambda action: action.rank, default=Action.PASS)

    @lazy
    def reasons(self) -> tuple[str, ...]:
        """Codes that led to the actions, each once."""
        return tuple(dict.fromkeys(code for one in self.settled for code in one.reasons))

    def is_doubtful(self, threshold: float) -> bool:
        """Tell whether what leaves is below the policy's threshold of confidence."""
        return self.confidence is not None and self.confidence < threshold

    @lazy
    def confidence(self) -> float | None:
        """The lowest confidence of what the model said and the client gets; None if unknown."""
        known = (
            one.verdict.confidence
            for one in self.settled
            if one.verdict and one.action is not Action.REPLACE
        )
        return min((confidence.value for confidence in known if confidence), default=None)


INTENT_HEADER = "x-guard-intent"
_LOOKED_AT = ("messages", "documents", "guard")


async def read_context(call: Call) -> tuple[FoundContext, IntentFound]:
    """Find the question, its intent by rule and the sources in the request.

    Raises:
        BadRequest: `guard.sources` is not of the form that it has to be, or the request points at
            what only the model server keeps and the policy does not want that.
    """
    kept_there = call.request.server_state
    if kept_there and call.tenant.policy.responses.server_state is ServerState.REFUSE:
        raise BadRequest(
            f"'{kept_there[0]}' refers to content that only the model server keeps, so that the "
            "answer could not be checked against it. Send it in 'input' instead.",
            kept_there[0],
        )
    try:
        with call.trace.step("read"):
            return await _context_of(call)
    except SourceFormatError as error:
        raise BadRequest(str(error), error.field) from None


async def _context_of(call: Call) -> tuple[FoundContext, IntentFound]:
    size, conversation = len(call.request.raw), call.request.conversation
    found = partial(found_in, conversation)
    if size > LARGE_BYTES:
        # Pictures and the like are large, and nothing is looked for in them.
        chars = await read_offloaded(size, partial(_chars_of, conversation))
        if call.seat.is_for(chars):
            return await call.seat.with_policy(call.tenant.loaded, found)
    return await read_offloaded(size, partial(found, call.tenant.loaded))


def _chars_of(conversation: JsonObject) -> int:
    """Return how long the texts are that sources are looked for in."""
    return sum(len(one) for name in _LOOKED_AT for one in texts(conversation.get(name)))


def found_in(conversation: JsonObject, loaded: LoadedPolicy) -> tuple[FoundContext, IntentFound]:
    """Find the sources in a request, and the intent of its question by a policy's rules."""
    found = find_sources(conversation, loaded.policy.sources)
    return found, loaded.intents.intent_of(found.question)


def exchange_of(call: Call, found: FoundContext, by_rule: IntentFound) -> Exchange:
    """Return what the guards look at, and note it in the trace.

    Raises:
        BadRequest: the header that names the intent holds something else than a name.
    """
    guard_field = call.request.guard
    by_caller = guard_field.intent or call.headers.get(INTENT_HEADER)
    if by_caller and not re.match(INTENT, by_caller):
        raise BadRequest(f"The header {INTENT_HEADER} does not match {INTENT}.", INTENT_HEADER)
    # What the caller says is added to what the rules say: it may ask for more, never for less.
    exchange = found.exchange(
        (by_rule.intent, by_caller),
        last_error_reason=guard_field.last_error_reason,
        may_fetch=call.request.offers_tools,
    )
    why = by_rule.why if by_rule.intent else "named by the caller" if by_caller else by_rule.why
    details = request_details(
        exchange, guard_field, intent=by_caller, structured=call.request.structured
    )
    note_exchange(call.trace, exchange, found, why, details)
    return exchange


async def hide_personal(call: Call, exchange: Exchange) -> None:
    """Find what the model must not see of the user, if the policy wants that."""
    policy = call.tenant.policy
    if not hides_personal(policy):
        return
    found = partial(pseudonyms_for, call.request.conversation, exchange.sources, policy)
    if call.seat.is_taken:
        call.pseudonyms = await call.seat.run(found)
    elif len(call.request.raw) > LARGE_BYTES:
        call.pseudonyms = await read_offloaded(len(call.request.raw), found)
    else:
        call.pseudonyms = await run_offloaded(call.tenant.inspector, exchange, found)


def ask_for_citations(call: Call, exchange: Exchange) -> None:
    """Add our citation prompt to the request, where the policy wants it and it can be followed."""
    request = call.request
    if not call.tenant.policy.citations.instruct or request.structured:
        return
    body = call.endpoint.prompted(request.body, exchange.sources)
    if body is not None:
        call.request = replace(request, parsed=body, raw=json_bytes(body))
        call.trace.asked_for_citations = True


def server_model(call: Call) -> str:
    """Return the model server's own name for the model that was asked for.

    Raises:
        UnknownModel: the tenant has a list of models, and it is not on it.
    """
    models = call.tenant.upstream.models
    if not models:
        return call.request.model
    if call.request.model not in models:
        raise UnknownModel(call.request.model)
    return models[call.request.model]


def usual_model(tenant: Tenant, named: JsonValue) -> str:
    """Return the model server's name for a model that a request may have named.

    Where it names none, or none of the tenant's, it is the first of the tenant's; empty if it has
    no list of models.
    """
    models = tenant.upstream.models
    if not models:
        return named if isinstance(named, str) else ""
    first = next(iter(models.values()))
    return models.get(named, first) if isinstance(named, str) else first


def judge_for(
    judges: JudgeBook,
    tenant: Tenant,
    *,
    headers: Mapping[str, str],
    caller_key: str | None,
    model: str,
    query: bytes = b"",
) -> HttpJudge | None:
    """Return the tenant's judge as one request asks it; None if it has none.

    Args:
        model: The model server's own name for the model of the request; empty if it names none.
        query: Query of the request's address, for the model server.
    """
    rules, upstream = tenant.policy.judge, tenant.upstream
    if rules is None:
        return None
    if rules.base_url is not None:
        return judges.of(tenant.name, rules)
    key = tenant.key_for(caller_key)
    sent = sent_headers(headers, key_is_ours=tenant.key_is_ours)
    if key is not None:
        sent["authorization"] = f"Bearer {key}"
    own = OwnServer(
        upstream.base_url,
        sent,
        tenant.key_is_ours,
        model,
        query,
        callers_choice=not rules.model and len(upstream.models) != 1,
    )
    return judges.of(tenant.name, rules, own)


async def server_call(call: Call, body: bytes) -> ServerCall:
    """Return the request for the tenant's model server."""
    upstream = call.tenant.upstream
    number = len(call.trace.attempts) + 1
    span = call.spans.calling(number, server_model(call), upstream.base_url, call.trace.spent_s)
    headers = {**call.headers, **span, "content-type": "application/json"}
    if number > 1:
        # To the model server the second attempt is another request: with the same key, it could
        # get the first answer again.
        headers = {name: value for name, value in headers.items() if not is_idempotency_key(name)}
    if span and "tracestate" not in span:
        headers.pop("tracestate", None)  # it goes with a parent that could not be read
    return ServerCall(
        tenant=call.tenant.name,
        method="POST",
        base_url=upstream.base_url,
        path=call.endpoint.path,
        body=await _hidden(call, body),
        headers=headers,
        key=call.tenant.key_for(call.caller_key),
        key_is_ours=call.tenant.key_is_ours,
        query=call.query,
        timeouts=upstream.timeouts,
        retry_budget=call.retry_budget,
    )


async def _hidden(call: Call, body: bytes) -> bytes:
    if not call.pseudonyms:
        return body
    made = partial(hidden, body, call.pseudonyms)
    return await (call.seat.run(made) if call.seat.is_taken else read_offloaded(len(body), made))
