"""Requests judged again by another policy: what comes of them, and of which nobody knows."""

import json
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from pydantic import JsonValue

from policies.schema.loader import load_text
from policies.schema.policy import Action
from proxy.replay.judging import replay
from proxy.tenants import judging_by
from proxy.traces.trace import NotReplayed, PolicyUsed, ReplayResult, Unknown
from tests.fakes.fake_judge import chat_judge
from tests.fakes.raw_upstream import Talk, http_reply
from tests.fakes.running_proxy import chat_body
from tests.flow.pool import (
    FEE,
    HOURS,
    QUESTION,
    SOURCES,
    WRONG_FEE,
    WRONG_LOCKER,
)
from tests.flow.replayed import (
    ABOUT_COURSES,
    CALL,
    COMPLAINT,
    DOUBTED,
    FOREIGN,
    GOOD,
    LATE,
    PHONE,
    Desk,
    assert_same,
    open_desk,
    pool,
)
from tests.policies.courses import NO_REFUND

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Desk, None]:
    async with open_desk(tmp_path_factory.mktemp("desk")) as opened:
        yield opened


# --- by another policy ---------------------------------------------------------------------------

OFF = "guards: {numbers: {mode: off}}"


async def test_another_policy_may_replace_what_left(desk: Desk) -> None:
    desk.says([WRONG_FEE])
    trace = await desk.trace(pool(), "lenient")

    again = desk.by(
        trace, "regeneration: {enabled: false}\ntemplates: {numbers: 확인하지 못했습니다.}"
    )

    assert (again.action, again.unknown) == (Action.REPLACE, None)
    assert again.replies == ("확인하지 못했습니다.",)
    assert again.reasons == ("numbers.value_differs",)
    [choice] = again.choices
    assert [found.observed for found in choice.findings] == ["57,000원"]


async def test_another_policy_may_let_out_what_was_taken_out(desk: Desk) -> None:
    desk.says([LATE])
    trace = await desk.trace(pool())
    assert WRONG_LOCKER not in trace.replies[0]

    again = desk.by(trace, OFF)

    assert (again.action, again.unknown) == (Action.PASS, None)
    assert again.replies == (LATE,)


async def test_another_policy_may_like_the_first_attempt_and_needs_no_second(desk: Desk) -> None:
    desk.says([WRONG_FEE], [GOOD])
    trace = await desk.trace(pool(), "whole")

    again = desk.by(trace, OFF)

    assert (trace.action, trace.replies) == (Action.REGENERATE, (GOOD,))
    assert (again.action, again.replies) == (Action.PASS, (WRONG_FEE,))


async def test_the_second_attempt_is_judged_too(desk: Desk) -> None:
    desk.says([FOREIGN], [WRONG_FEE])
    trace = await desk.trace(pool(), "lenient")
    assert trace.action is Action.REGENERATE

    again = desk.by(trace, "")

    assert again.action is Action.REPLACE
    found = [(one.attempt, finding.code) for one in again.choices for finding in one.findings]
    assert found == [(1, "korean_only.han"), (2, "numbers.value_differs")]


async def test_the_question_goes_by_the_other_policys_intents(desk: Desk) -> None:
    desk.says([GOOD])
    trace = await desk.trace(pool(sources=[]))

    again = desk.by(trace, "intents: [{intent: policy, patterns: [이용료]}]")

    assert (trace.action, again.action) == (Action.PASS, Action.REPLACE)
    assert len(again.replies) == 1


async def test_without_the_models_word_nobody_knows(desk: Desk) -> None:
    trace = await desk.trace(chat_body(COMPLAINT))

    again = desk.by(trace, "guards: {complaint: {mode: off}}")

    assert (again.action, again.unknown) == (None, Unknown.MODEL_NOT_ASKED)
    assert again.replies == ()


async def test_without_a_second_attempt_nobody_knows_what_would_have_left(desk: Desk) -> None:
    desk.says([WRONG_FEE])
    trace = await desk.trace(pool(), "lenient")

    again = desk.by(trace, "")

    assert (again.action, again.unknown) == (Action.REGENERATE, Unknown.NO_SECOND_ATTEMPT)
    assert again.reasons == ("numbers.value_differs",)
    assert again.replies == ()


async def test_a_second_attempt_at_another_choice_is_of_no_use(desk: Desk) -> None:
    desk.says([FOREIGN, WRONG_FEE], [GOOD])
    trace = await desk.trace(pool() | {"n": 2}, "lenient")
    assert len(trace.attempts) == 2

    again = desk.by(trace, "")

    assert (again.action, again.unknown) == (Action.REGENERATE, Unknown.NO_SECOND_ATTEMPT)


@pytest.mark.parametrize(
    ("more", "goes_on"),
    [
        pytest.param("", True, id="it-would-have-begun-to-leave"),
        pytest.param("stream: {mode: buffer}", False, id="it-would-have-been-held"),
    ],
)
async def test_what_nobody_read_nobody_can_judge(desk: Desk, more: str, goes_on: bool) -> None:
    desk.says([f"{FOREIGN} {HOURS}"], [GOOD])
    trace = await desk.trace(pool() | {"stream": True})
    assert [choice.stopped for choice in trace.attempts[0].choices] == [True]

    again = desk.by(trace, f"guards: {{korean_only: {{mode: off}}}}\n{more}")

    assert (again.action, again.unknown) == (None, Unknown.REST_NOT_READ)
    assert again.goes_on is goes_on


async def test_without_an_answer_there_is_nothing_to_judge(desk: Desk) -> None:
    async def act(talk: Talk) -> None:
        await talk.send(http_reply(b"{}", status="500 Oh"))

    desk.rig.raw.act = act
    failed = await desk.trace(pool(), "raw")
    refused = await desk.trace(pool(guards=["nubmers"]))

    assert (failed.error, refused.status) == ("upstream_refused", 400)
    assert desk.by(failed, "").unknown is Unknown.NO_ANSWER
    assert desk.by(refused, "").unknown is Unknown.NO_ANSWER


# --- what is not judged again --------------------------------------------------------------------


async def test_a_trace_without_words_is_not_judged(desk: Desk) -> None:
    desk.says([GOOD])
    trace = await desk.trace(pool(), "wordless")

    assert desk.by(trace, "") == not_judged(desk, NotReplayed.NO_TEXT)


async def test_what_a_caller_had_verified_is_not_judged(desk: Desk) -> None:
    proxy = desk.rig.proxy
    body = {"question": QUESTION, "answer": FEE, "sources": SOURCES}
    reply = await proxy.send(json.dumps(body).encode(), path="/v1/verify")

    trace = await proxy.trace(reply)

    assert desk.by(trace, "") == not_judged(desk, NotReplayed.VERIFICATION)


async def test_what_a_judge_decided_is_not_judged(desk: Desk) -> None:
    desk.says([DOUBTED])
    desk.judge.script = chat_judge("contradictory", NO_REFUND, matter="negation")
    decided = await desk.trace(ABOUT_COURSES, "judged")
    desk.judge.script = chat_judge("supported", NO_REFUND)
    approved = await desk.trace(ABOUT_COURSES, "judged")

    assert desk.by(decided, "") == not_judged(desk, NotReplayed.JUDGE_DECIDED)
    assert_same(desk.again(approved), approved)


async def test_a_guard_that_the_caller_wants_and_the_policy_cannot_do_is_not_judged(
    desk: Desk,
) -> None:
    desk.says([GOOD])
    trace = await desk.trace(pool(guards=["numbers"]))
    bare = load_text("reasons: {}", "draft", desk.folder)  # has no reply for anything

    assert replay(trace, judging_by(bare)).not_run is NotReplayed.REFUSED


# --- labels in place of identifiers --------------------------------------------------------------


async def test_labels_that_nothing_was_decided_about_change_nothing(desk: Desk) -> None:
    sources: list[JsonValue] = [
        *SOURCES,
        {"section_title": "안내", "section_content": f"문의 전화는 {PHONE}이다."},
    ]
    desk.says([f"{FEE} {CALL} {WRONG_LOCKER} {HOURS}"])

    trace = await desk.trace(pool(sources=sources), "masked")

    assert PHONE not in trace.model_dump_json()
    assert "[전화번호]" in trace.replies[0]
    assert trace.action is Action.TRIM
    assert_same(desk.again(trace), trace)


async def test_what_was_decided_about_an_identifier_is_not_judged_by_its_label(desk: Desk) -> None:
    desk.says([f"{FEE} {CALL}"])

    masked = await desk.trace(pool(), "masked")
    full = await desk.trace(pool())

    assert masked.action is full.action is Action.TRIM
    assert_same(desk.again(full), full)
    assert desk.by(masked, "") == not_judged(desk, NotReplayed.MASKED)


def not_judged(desk: Desk, reason: NotReplayed) -> ReplayResult:
    draft = desk.draft("")
    return ReplayResult(policy=PolicyUsed(name=draft.name, version=draft.version), not_run=reason)
