"""What a policy may turn down: modes, the second attempt, guards that break."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import ClassVar

import pytest
from structlog.testing import capture_logs

from guards.core.finding import Finding
from guards.core.guard import Code, Guard, GuardSettings, Stage
from guards.core.reading import Reading
from policies.inspection import Inspector
from policies.schema.loader import load_shipped
from policies.verdict import GuardOutcome
from proxy.app import create_app
from proxy.openai_api.json_body import JsonObject
from proxy.server.serving import served
from proxy.tenants import Tenant, TenantBook, Tenants
from tests.fakes.running_proxy import RunningProxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.library import (
    ONE_WRONG,
    QUESTION,
    TRUE_ANSWER,
    TWO_WRONG,  # noqa: F401 - the table names it
)
from tests.flow.replies import assert_untouched, found_by, outcomes, said
from tests.tables import each_row

DEFAULT = load_shipped("default")


TENANTS = {
    "watched-numbers": "guards: {numbers: {mode: shadow}}",
    "watched-complaint": "guards: {complaint: {mode: shadow}}",
    "watched-answerability": "guards: {answerability: {mode: shadow}}",
    "no-numbers": "guards: {numbers: {mode: off}}",
    "noting": "guards: {numbers: {weak: [numbers.value_differs]}}",
    "final-pass": "guards: {numbers: {final: pass}}",
    "once": "regeneration: {enabled: false}",
    "replacing": "guards: {numbers: {action: replace}}",
    "replacing-once": "guards: {numbers: {action: replace}}\nregeneration: {enabled: false}",
    "insisting": "guards: {numbers: {on_not_run: replace}}",
}

pytestmark = pytest.mark.asyncio(loop_scope="module")


# --- shadow and off ----------------------------------------------------------------------------


async def test_a_guard_in_shadow_changes_nothing_and_says_what_it_would_have_done(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    proxy = proxy.as_tenant("watched-numbers")
    upstream.says(ONE_WRONG)

    await assert_untouched(proxy, upstream, QUESTION)
    trace = await proxy.trace(await proxy.chat(QUESTION))

    assert outcomes(trace, "numbers") == [GuardOutcome.WOULD_ACT]
    assert (trace.action, trace.reasons) == ("pass", ())
    assert found_by(trace, "numbers") == ["800원"]


@each_row("guard, body", "a_guard_of_the_question_in_shadow_lets_the_model_be_asked")
async def test_a_guard_of_the_question_in_shadow_lets_the_model_be_asked(
    proxy: RunningProxy, upstream: ScriptedUpstream, guard: str, body: JsonObject
) -> None:
    proxy = proxy.as_tenant(f"watched-{guard}")
    upstream.says("무엇을 도와드릴까요?")

    await assert_untouched(proxy, upstream, body)
    trace = await proxy.trace(await proxy.chat(body))

    assert outcomes(trace, guard, Stage.INPUT) == [GuardOutcome.WOULD_ACT]
    assert trace.route == "model"


# --- codes that are only noted ------------------------------------------------------------------


async def test_a_code_that_is_only_noted_leaves_plain_replies_and_streams_as_they_came(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    proxy = proxy.as_tenant("noting")
    upstream.says(ONE_WRONG)

    await assert_untouched(proxy, upstream, QUESTION)
    for streamed in (False, True):
        trace = await proxy.trace(await proxy.chat(QUESTION | {"stream": streamed}))
        assert outcomes(trace, "numbers") == [GuardOutcome.NOTED]
        assert (trace.action, trace.reasons) == ("pass", ())
        assert found_by(trace, "numbers") == ["800원"]
        assert trace.confidence is not None
        assert trace.confidence < 1.0


# --- the second attempt ------------------------------------------------------------------------


@each_row("first, second, kept, action", "with_final_pass_the_better_of_two_answers_leaves")
async def test_with_final_pass_the_better_of_two_answers_leaves(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    first: str,
    second: str,
    kept: str,
    action: str,
) -> None:
    proxy = proxy.as_tenant("final-pass")
    upstream.says(first, second)

    for streamed in (False, True):
        reply = await proxy.chat(QUESTION | {"stream": streamed})
        trace = await proxy.trace(reply)
        assert said(reply) == kept
        assert reply.headers["x-guard-action"] == trace.action == action
        assert reply.headers["x-guard-attempts"] == "2"
        assert trace.kept_attempt == (1 if kept == first else 2)


async def test_without_regeneration_the_model_is_asked_once(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    proxy = proxy.as_tenant("once")
    upstream.says(ONE_WRONG, TRUE_ANSWER)

    reply = await proxy.chat(QUESTION)

    assert DEFAULT.templates.recognise(said(reply)) == "numbers"
    assert reply.headers["x-guard-action"] == "replace"
    assert len(upstream.requests) == 1


# --- guards that break -------------------------------------------------------------------------


class BreakingNumbers(Guard[GuardSettings]):
    """Breaks over every answer, and quotes it."""

    id = "numbers"
    stages = frozenset({Stage.OUTPUT})
    settings_type = GuardSettings
    codes: ClassVar[dict[str, Code]] = {}

    def check(self, reading: Reading) -> list[Finding]:
        raise ArithmeticError(reading.exchange.answer)


class BreakingBook(TenantBook):
    def by_key(self, key: str) -> Tenant | None:
        tenant = super().by_key(key)
        if tenant is None:
            return None
        guards = [BreakingNumbers(GuardSettings())]
        return replace(tenant, inspector=Inspector(tenant.policy, guards))


class BreakingTenants(Tenants):
    @property
    def book(self) -> TenantBook:
        return BreakingBook(super().book.snapshot)


@asynccontextmanager
async def breaking(proxy: RunningProxy) -> AsyncGenerator[RunningProxy, None]:
    services = replace(proxy.services, tenants=BreakingTenants(proxy.services.policies))
    async with served(create_app(services)) as address:
        yield replace(proxy, address=address, services=services)


async def test_an_answer_that_a_broken_guard_could_not_check_is_never_called_checked(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(TRUE_ANSWER)

    async with breaking(proxy) as broken:
        await assert_untouched(broken, upstream, QUESTION)
        with capture_logs() as logs:
            reply = await broken.chat(QUESTION)
        trace = await broken.trace(reply)

    assert reply.headers["x-guard-not-checked"] == "numbers:failed:ArithmeticError"
    assert outcomes(trace, "numbers") == [GuardOutcome.NOT_RUN]
    assert trace.confidence is None
    [failure] = [entry for entry in logs if entry["event"] == "guard.failed"]
    assert (failure["guard"], failure["error"]) == ("numbers", "ArithmeticError")
    assert TRUE_ANSWER not in str(logs)


async def test_no_answer_leaves_without_a_check_that_the_policy_insists_on(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(TRUE_ANSWER)

    async with breaking(proxy.as_tenant("insisting")) as broken:
        for streamed in (False, True):
            reply = await broken.chat(QUESTION | {"stream": streamed})
            trace = await broken.trace(reply)
            assert DEFAULT.templates.recognise(said(reply)) == "numbers"
            assert reply.headers["x-guard-action"] == "replace"
            assert reply.headers["x-guard-reasons"] == "numbers.not_run"
            assert outcomes(trace, "numbers") == [GuardOutcome.ACTED]
