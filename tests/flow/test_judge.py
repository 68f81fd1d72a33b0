"""Whole requests with a judge beside the model server."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from pydantic import JsonValue

from policies.verdict import GuardOutcome
from policies.verification.shape import Verification
from proxy.openai_api.json_body import JsonObject
from tests.fakes.fake_judge import chat_judge, opinions_json
from tests.fakes.raw_upstream import RawUpstream, Talk, http_reply
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.replies import found_by, outcomes, said, sent_to_model
from tests.policies.courses import COURSES, DENIED, KNOWN, NO_REFUND, POOL, SETTLED

ASKED = "수강료는 언제까지 환불되나요?"
GIVEN: list[JsonValue] = [
    {"section_title": one.title, "section_content": one.text} for one in (COURSES, POOL)
]
WHOLE = "stream:\n  mode: buffer\n"
ACTING = "guards: {overlap: {weak: []}}\n"
NO_JUDGE = "http://127.0.0.1:9"
QUESTION = chat_body(ASKED, GIVEN)
DOUBTED = f"{KNOWN} {DENIED}"
"""An answer that passes the guards with a weak doubt about its second sentence."""
AGAINST = chat_judge("contradictory", NO_REFUND, matter="negation")


pytestmark = pytest.mark.asyncio(loop_scope="module")

REFUTES = opinions_json("contradictory", NO_REFUND, matter="negation")
AGREES = opinions_json("unsupported", NO_REFUND)


def completion(content: str) -> bytes:
    message = {"role": "assistant", "content": content}
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()


def judge_yaml(address: str, *lines: str) -> str:
    rest = "\n".join(["", *(f"  {line}" for line in lines)])
    return f"judge:\n  base_url: {address}/v1\n  model: judge-ko{rest}\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_judge() -> AsyncGenerator[ScriptedUpstream, None]:
    async with ScriptedUpstream().running() as server:
        yield server


@pytest.fixture
def judge(shared_judge: ScriptedUpstream) -> ScriptedUpstream:
    """A judge that is against what it is asked about."""
    shared_judge.tidied().script = AGAINST
    return shared_judge


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_judged(
    tmp_path_factory: pytest.TempPathFactory,
    shared_upstream: ScriptedUpstream,
    shared_judge: ScriptedUpstream,
) -> AsyncGenerator[RunningProxy, None]:
    yaml = judge_yaml(shared_judge.address)
    others = {
        "whole": yaml + WHOLE,
        "watching": judge_yaml(shared_judge.address, "mode: shadow"),
        "acting": yaml + ACTING,
        "unjudged": ACTING,
        "no-judge": judge_yaml(NO_JUDGE),
    }
    folder = tmp_path_factory.mktemp("judged")
    async with running_proxy(folder, shared_upstream, yaml, others=others) as proxy:
        yield proxy


@pytest.fixture
def judged(shared_judged: RunningProxy, judge: ScriptedUpstream) -> RunningProxy:
    """A proxy with a judge, which some of its tenants hear otherwise."""
    return shared_judged


@asynccontextmanager
async def judged_proxy(
    folder: Path, upstream: ScriptedUpstream, address: str, *lines: str, more: str = ""
) -> AsyncGenerator[RunningProxy, None]:
    async with running_proxy(folder, upstream, judge_yaml(address, *lines) + more) as proxy:
        yield proxy


async def verified(proxy: RunningProxy, answer: str, **options: JsonValue) -> Verification:
    body: JsonObject = {
        "question": ASKED,
        "answer": answer,
        "sources": GIVEN,
        "options": options,
    }
    reply = await proxy.send(json.dumps(body).encode(), path="/v1/verify")
    assert reply.status_code == httpx.codes.OK, reply.text
    return Verification.model_validate_json(reply.content)


# --- opinions that act -------------------------------------------------------------------------


async def test_a_confirmed_doubt_is_written_again(
    judged: RunningProxy, upstream: ScriptedUpstream, judge: ScriptedUpstream, stream: bool
) -> None:
    upstream.says(DOUBTED, KNOWN)

    proxy = judged.as_tenant("whole")
    reply = await proxy.chat(QUESTION | {"stream": stream})
    trace = await proxy.trace(reply)

    assert said(reply) == KNOWN
    assert reply.headers["x-guard-action"] == "regenerate"
    assert reply.headers["x-guard-reasons"] == "judge.contradicted"
    assert NO_REFUND in sent_to_model(upstream.requests[-1])
    assert outcomes(trace, "judge") == [GuardOutcome.ACTED, GuardOutcome.NOT_RUN]
    assert found_by(trace, "judge") == [DENIED]
    assert len(judge.requests) == 1  # nothing was left open the second time


async def test_where_it_is_not_written_better_the_claim_is_taken_out(
    judged: RunningProxy, upstream: ScriptedUpstream, judge: ScriptedUpstream, stream: bool
) -> None:
    upstream.says(DOUBTED)

    reply = await judged.chat(QUESTION | {"stream": stream})

    assert said(reply).strip() == KNOWN
    assert reply.headers["x-guard-action"] == "trim"


async def test_what_the_judge_takes_out_counts_with_what_the_guards_took_out_before(
    judged: RunningProxy, upstream: ScriptedUpstream, judge: ScriptedUpstream, stream: bool
) -> None:
    upstream.says(f"{KNOWN} {SETTLED} {NO_REFUND} {DENIED}")

    reply = await judged.chat(QUESTION | {"stream": stream})

    # One of them may be taken out, two are too many: the answer ends with a word that says so.
    assert said(reply).startswith(KNOWN)
    assert SETTLED not in said(reply)
    assert DENIED not in said(reply)
    assert reply.headers["x-guard-action"] == "replace"
    assert len(upstream.requests) == 1


async def test_what_was_sent_before_the_judge_was_asked_is_corrected_at_the_end(
    judged: RunningProxy, upstream: ScriptedUpstream, judge: ScriptedUpstream, stream: bool
) -> None:
    upstream.says(f"{DENIED} {KNOWN}")

    reply = await judged.chat(QUESTION | {"stream": stream})

    # The judge is asked when the model has ended, and all but the last sentence is out by then.
    assert said(reply).startswith(DENIED)
    assert "바로잡습니다" in said(reply)
    assert reply.headers["x-guard-action"] == "replace"
    [made] = (await judged.trace(reply)).made
    assert made.closed_with == "closing.correction"


async def test_each_choice_is_judged(
    judged: RunningProxy, upstream: ScriptedUpstream, judge: ScriptedUpstream
) -> None:
    upstream.says_choices([DOUBTED, KNOWN, DOUBTED], [KNOWN, KNOWN])

    reply = await judged.chat(QUESTION | {"n": 3})

    texts = [choice["message"]["content"] for choice in reply.json()["choices"]]
    assert texts == [KNOWN] * 3
    assert len(judge.requests) == 2


async def test_choices_are_judged_at_the_same_time(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    upstream.says_choices([DOUBTED] * 4)
    everyone = asyncio.Barrier(4)

    async def answer_when_all_have_asked(talk: Talk) -> None:
        await everyone.wait()
        await talk.send(http_reply(completion(AGREES)))

    async with (
        RawUpstream(answer_when_all_have_asked).running() as judge,
        judged_proxy(tmp_path, upstream, judge.address) as proxy,
    ):
        reply = await proxy.chat(QUESTION | {"n": 4})

    assert len(judge.requests) == 4
    assert "judge:" not in reply.headers.get("x-guard-not-checked", "")


async def test_both_attempts_share_the_judges_time(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    upstream.says(DOUBTED)

    async def answer_once(talk: Talk) -> None:
        if len(server.requests) > 1:
            await talk.hang()
        await asyncio.sleep(0.5)
        await talk.send(http_reply(completion(REFUTES)))

    async with (
        RawUpstream(answer_once).running() as server,
        judged_proxy(tmp_path, upstream, server.address, "timeout_s: 1.0", more=WHOLE) as proxy,
    ):
        trace = await proxy.trace(await proxy.chat(QUESTION))

    spent_ms = [step.duration_ms for step in trace.steps if step.name.startswith("judge_")]
    assert len(spent_ms) == 2
    assert 500 <= sum(spent_ms) < 1450  # 1500 if each had a second


# --- judges that fail --------------------------------------------------------------------------


async def not_checked(proxy: RunningProxy) -> str:
    reply = await proxy.chat(QUESTION)
    assert said(reply) == DOUBTED
    assert reply.headers["x-guard-action"] == "pass"
    named = reply.headers["x-guard-not-checked"].split(",")
    [reason] = [one for one in named if one.startswith("judge:")]
    return reason


async def test_a_judge_that_is_away_is_reported_and_then_left_alone_by_its_tenant(
    judged: RunningProxy, upstream: ScriptedUpstream
) -> None:
    proxy = judged.as_tenant("no-judge")
    upstream.says(DOUBTED)

    forced = await verified(proxy, KNOWN, judge="force")
    reasons = [await not_checked(proxy) for _ in range(5)]
    ready = (await proxy.client.get(f"{proxy.address}/readyz")).json()
    metrics = (await proxy.client.get(f"{proxy.address}/metrics")).text
    result = await verified(proxy, DOUBTED)

    assert forced.degraded == ("judge:unreachable",)
    assert not forced.verified
    assert reasons == ["judge:unreachable"] * 4 + ["judge:breaker_open"]
    assert (ready["status"], ready["judges"]["no-judge"]) == ("ready", "open")
    assert ready["judges"].get("app", "closed") == "closed"  # absent if never asked
    assert 'guard_proxy_judge_breaker{state="open",tenant="no-judge"} 1.0' in metrics
    assert 'guard_proxy_judge_breaker{state="closed",tenant="no-judge"} 0.0' in metrics
    assert "judge:breaker_open" in result.degraded
    assert not result.verified
    assert result.confidence is not None
    assert result.confidence <= 0.85


# --- what a judge is told ----------------------------------------------------------------------

# --- /v1/verify --------------------------------------------------------------------------------


async def test_verify_asks_the_judge_about_what_is_open(
    judged: RunningProxy, upstream: ScriptedUpstream, judge: ScriptedUpstream
) -> None:
    result = await verified(judged, DOUBTED)

    assert result.verdict == "regenerate"
    assert "judge" in result.checks.run
    assert "judge.contradicted" in {finding.code for finding in result.findings}
    assert any("판정 모델" in issue for issue in result.issues)
