"""A request judged again by the policy that judged it comes to the same.

Whole requests through the proxy; what is judged again is the trace that the store kept of each.
"""

import json
from collections.abc import AsyncGenerator, Sequence

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from policies.loader import LoadedPolicy, load_text
from policies.policy import Action
from proxy.demo.model_server import Said, completion
from proxy.openai_api.json_body import JsonObject
from proxy.rejudging.again import rejudged
from proxy.tenants import judging_by
from proxy.traces.parts import NotRejudged, PolicyUsed, Rejudged, Unknown
from proxy.traces.trace import Trace
from tests.fakes.fake_judge import chat_judge
from tests.fakes.house import RAW, House, open_house, upstream_yaml
from tests.fakes.raw_upstream import Talk, http_reply
from tests.fakes.running_proxy import chat_body
from tests.fakes.scripted_upstream import ScriptedUpstream, is_second_attempt
from tests.flow.pool import (
    FEE,
    HOURS,
    LOCKER,
    QUESTION,
    SOURCES,
    WRONG_FEE,
    WRONG_HOURS,
    WRONG_LOCKER,
)
from tests.policies.courses import COURSES, DENIED, KNOWN, NO_REFUND

pytestmark = pytest.mark.asyncio(loop_scope="module")

FULL = "tracing: {text: full}\n"
TENANTS = {
    "whole": "stream: {mode: buffer}\n",
    "watching": "stream: {mode: monitor}\n",
    "listing": "citations: {renumber: always, references: always}\nstream: {mode: buffer}\n",
    "once": "regeneration: {enabled: false}\n",
    "trimming": "guards: {numbers: {action: trim, final: trim}}\n"
    "trimming: {most_claims: 2, most_share: 0.7}\n",
    "lenient": "guards: {numbers: {mode: shadow}, korean_only: {final: pass}}\n",
    "quoting": "replacement: {direct_answer: true, finish_reason: content_filter}\n",
    "sorting": "intents: [{intent: policy, patterns: [이용료]}]\n",
    "hiding": "guards: {personal_data: {options: {input: mask}}}\n",
}
FOREIGN = "请在柜台办理退款手续。"
HALF_FOREIGN = "신청은 柜台에서 합니다."
INVENTED = "자세한 내용은 솔내수영장 운영 규정 제31조에 나옵니다."
PLEASANTRY = "더 궁금한 점이 있으면 말씀해 주세요!"
NO_SUCH_MARK = "매월 둘째 월요일에는 쉽니다. [7]"
REFUND = "이용을 시작하기 7일 전까지 환불을 신청하시면 전액을 돌려드립니다.[†3]"
STRAY_MARK = "매월 둘째 월요일에는 쉽니다.[†9]"
PHONE = "010-0000-4321"
CALL = f"문의는 {PHONE}로 해 주세요."
JSON_ANSWER = '{"answer": "월 이용료는 45,000원입니다.", "fee": 45000}'
WRONG_JSON = '{"answer": "월 이용료는 55,000원입니다.", "fee": 55000}'
COMPLAINT = "왜 자꾸 모른다고만 해? 진짜 답답하네"
ABOUT_COURSES = chat_body(
    "수강료는 언제까지 환불되나요?",
    [{"section_title": COURSES.title, "section_content": COURSES.text}],
)
DOUBTED = f"{KNOWN} {DENIED}"
AS_JSON: JsonObject = {"response_format": {"type": "json_object"}}
TOOLS: JsonObject = {
    "tools": [{"type": "function", "function": {"name": "search", "parameters": {}}}]
}
CALLS: Sequence[JsonObject] = [
    {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
]


ENDS = ("stop", "length")


class Desk:
    """A proxy with tenants of many minds, and their requests judged again."""

    def __init__(self, house: House, judge: ScriptedUpstream) -> None:
        self.house = house
        self.judge = judge
        self.folder = house.proxy.services.settings.policies

    def says(
        self, first: Sequence[str], second: Sequence[str] = (), finish_reason: str = "stop"
    ) -> None:
        def script(body: JsonObject) -> Said:
            texts = second if second and is_second_attempt(body) else first
            many = body.get("n", 1)
            assert isinstance(many, int)
            said = [texts[at % len(texts)] for at in range(many)]
            return Said(said, finish_reason=finish_reason)

        self.house.scripted.script = script

    async def trace(self, body: JsonObject, tenant: str = "app") -> Trace:
        """Ask, and return what the store kept of it."""
        proxy = self.house.proxy
        return await proxy.trace(await proxy.chat(body, key=proxy.keys[tenant]))

    def policy(self, tenant: str) -> LoadedPolicy:
        return self.house.proxy.services.policies.snapshot.tenants[tenant]

    def again(self, trace: Trace) -> Rejudged:
        return rejudged(trace, judging_by(self.policy(trace.tenant)))

    def by(self, trace: Trace, more: str) -> Rejudged:
        """Judge a request by another policy."""
        return rejudged(trace, judging_by(self.draft(more)))

    def draft(self, more: str) -> LoadedPolicy:
        return load_text(f"extends: default\n{more}", "draft", self.folder)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Desk, None]:
    others = {name: FULL + more for name, more in TENANTS.items()}
    others["raw"] = FULL + upstream_yaml(RAW)
    others["masked"] = "tracing: {text: masked}\n"
    others["wordless"] = "tracing: {text: none}\n"
    async with ScriptedUpstream().running() as judge:
        others["judged"] = FULL + judge_yaml(judge.address)
        async with open_house(tmp_path_factory.mktemp("desk"), FULL, others=others) as house:
            yield Desk(house, judge)


def judge_yaml(address: str) -> str:
    return f"judge:\n  base_url: {address}/v1\n  model: judge-ko\n"


def assert_same(again: Rejudged, trace: Trace) -> None:
    assert (again.not_run, again.unknown) == (None, None)
    assert (again.action, again.reasons) == (trace.action, trace.reasons)
    assert again.replies == trace.replies


# --- the law -------------------------------------------------------------------------------------

GOOD = f"{FEE} {HOURS}"
LATE = f"{FEE} {HOURS} {WRONG_LOCKER} {REFUND}"


def pool(**guard: JsonValue) -> JsonObject:
    """Return the question about the pool, with what the caller tells the proxy."""
    told: JsonObject = {"sources": SOURCES}
    return chat_body(QUESTION, guard=told | guard)


SITUATIONS = [
    pytest.param("app", pool(), [GOOD], [], "pass", id="good"),
    pytest.param("app", pool(), [f"{FEE} {NO_SUCH_MARK}"], [], "fix", id="mended"),
    pytest.param("app", pool(), [LATE], [GOOD], "trim", id="taken-out-in-the-middle"),
    pytest.param(
        "app", pool(), [f"{WRONG_FEE} {HOURS}"], [GOOD], "regenerate", id="second-is-good"
    ),
    pytest.param("app", pool(), [FOREIGN], [FOREIGN], "replace", id="second-is-bad-too"),
    pytest.param(
        "app", pool(), [WRONG_FEE], [f"{FEE} {WRONG_HOURS}"], "trim", id="second-is-mended"
    ),
    pytest.param(
        "app", pool(), [f"{FEE} {FOREIGN} {HALF_FOREIGN}"], [GOOD], "replace", id="closed"
    ),
    pytest.param("app", pool(), [""], [], "pass", id="empty"),
    pytest.param("app", pool(), [f"{FEE} {HOURS} 사물함 보증금은"], [], "pass", id="unfinished"),
    pytest.param("app", pool(intent="policy", sources=[]), [FEE], [], "replace", id="no-evidence"),
    pytest.param("app", chat_body(COMPLAINT), [FEE], [], "replace", id="complaint"),
    pytest.param(
        "app",
        chat_body(COMPLAINT) | {"guard": {"last_error_reason": "no_evidence"}},
        [FEE],
        [],
        "replace",
        id="complaint-with-a-reason",
    ),
    pytest.param("app", pool(guards=["uncited_claims"]), [LATE], [GOOD], "trim", id="more-guards"),
    pytest.param("app", pool(hold=True), [LATE], [GOOD], "regenerate", id="held-by-the-caller"),
    pytest.param("app", pool(intent="policy"), [INVENTED], [GOOD], "regenerate", id="told-intent"),
    pytest.param("app", pool() | AS_JSON, [JSON_ANSWER], [], "pass", id="json"),
    pytest.param("app", pool() | AS_JSON, [WRONG_JSON], [JSON_ANSWER], "regenerate", id="bad-json"),
    pytest.param(
        "app", pool() | {"n": 2}, [GOOD, WRONG_FEE], [GOOD], "regenerate", id="one-of-two"
    ),
    pytest.param("app", pool() | {"n": 2}, [FOREIGN], [GOOD, FOREIGN], "replace", id="both-of-two"),
    pytest.param("whole", pool(), [LATE], [GOOD], "regenerate", id="buffer"),
    pytest.param("whole", pool(), [WRONG_FEE], [""], "replace", id="buffer-second-is-empty"),
    pytest.param("watching", pool(), [f"{LATE} {FOREIGN}"], [], "pass", id="monitor"),
    pytest.param("listing", pool(), [f"{REFUND} {STRAY_MARK}"], [], "fix", id="renumbered"),
    pytest.param("once", pool(), [WRONG_FEE], [], "replace", id="no-second-attempt"),
    pytest.param("trimming", pool(), [LATE], [], "trim", id="trimmed"),
    pytest.param("lenient", pool(), [WRONG_FEE], [], "pass", id="in-shadow"),
    pytest.param("lenient", pool(), [HALF_FOREIGN], [""], "pass", id="the-first-may-go"),
    pytest.param("quoting", pool(), [FOREIGN], [FOREIGN], "replace", id="quoted"),
    pytest.param(
        "sorting", chat_body("이용료는 얼마인가요?", []), [FEE], [], "replace", id="intents"
    ),
    pytest.param(
        "hiding",
        chat_body(f"제 번호는 {PHONE}입니다. {QUESTION}", SOURCES),
        [GOOD, CALL],
        [],
        "pass",
        id="stand-ins",
    ),
]


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize(("tenant", "body", "first", "second", "action"), SITUATIONS)
async def test_by_its_own_policy_a_request_comes_to_the_same(
    desk: Desk,
    tenant: str,
    body: JsonObject,
    first: Sequence[str],
    second: Sequence[str],
    action: str,
    streamed: bool,
) -> None:
    desk.says(first, second)

    trace = await desk.trace(body | {"stream": streamed}, tenant)

    assert trace.action_name == action
    assert_same(desk.again(trace), trace)


SENTENCES = [
    *(FEE, LOCKER, HOURS, REFUND),
    *(WRONG_FEE, WRONG_LOCKER, WRONG_HOURS, INVENTED, NO_SUCH_MARK, STRAY_MARK),
    *(FOREIGN, HALF_FOREIGN, PLEASANTRY, CALL, JSON_ANSWER),
    "- 월 이용료: 45,000원 [1]\n- 이용 시간: 평일 06:00~21:00 [2]\n",
    "보통 약 50,000원 정도입니다.",
]
ANSWERS = st.lists(
    # Half of them are right, so that many answers go wrong late.
    st.sampled_from([FEE, LOCKER, HOURS]) | st.sampled_from(SENTENCES),
    max_size=4,
).map(" ".join)
ATTEMPTS = st.lists(ANSWERS, min_size=1, max_size=2)
BODIES = st.fixed_dictionaries(
    {"n": st.integers(1, 2), "stream": st.booleans()},
    optional={"tools": st.just(TOOLS["tools"]), "response_format": st.just({"type": "text"})},
)
TOLD = st.fixed_dictionaries(
    {},
    optional={
        "guards": st.sampled_from([["uncited_claims"], ["numbers", "phrases"]]),
        "hold": st.booleans(),
        "intent": st.just("policy"),
        "sources": st.sampled_from([SOURCES[:1], []]),
    },
)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(["app", *TENANTS]), BODIES, TOLD, ATTEMPTS, ATTEMPTS, st.sampled_from(ENDS))
async def test_whatever_is_asked_and_said_it_comes_to_the_same(
    desk: Desk,
    tenant: str,
    more: JsonObject,
    told: JsonObject,
    first: list[str],
    second: list[str],
    end: str,
) -> None:
    desk.says(first, second, finish_reason=end)

    trace = await desk.trace(pool(**told) | more, tenant)

    assert_same(desk.again(trace), trace)


async def test_a_second_attempt_that_failed_is_one_that_says_nothing(desk: Desk) -> None:
    async def act(talk: Talk) -> None:
        body = json.loads(talk.request.body or b"{}")
        if not body or is_second_attempt(body):
            await talk.send(http_reply(b"{}", status="500 Oh"))
        else:
            reply = completion(body, Said((WRONG_FEE,)))
            await talk.send(http_reply(json.dumps(reply).encode()))

    desk.house.raw.act = act

    trace = await desk.trace(pool(), "raw")

    assert [attempt.error for attempt in trace.attempts] == [None, "upstream_refused"]
    assert_same(desk.again(trace), trace)


async def test_what_is_said_beside_calls_of_tools_is_judged_alike(desk: Desk) -> None:
    async def act(talk: Talk) -> None:
        message: JsonObject = {"role": "assistant", "content": LATE, "tool_calls": [*CALLS]}
        choice: JsonObject = {"index": 0, "message": message, "finish_reason": "tool_calls"}
        reply: JsonObject = {"object": "chat.completion", "choices": [choice]}
        await talk.send(http_reply(json.dumps(reply).encode()))

    desk.house.raw.act = act

    offered = await desk.trace(pool() | TOOLS, "raw")
    invented = await desk.trace(pool(), "raw")

    assert (offered.not_checked, invented.not_checked) == (("tool_calls",), ())
    assert (offered.action, invented.action) == (Action.TRIM, Action.TRIM)
    assert_same(desk.again(offered), offered)
    assert_same(desk.again(invented), invented)


async def test_what_was_said_before_still_counts(desk: Desk) -> None:
    desk.says([CALL])
    turns: list[JsonValue] = [
        {"role": "system", "content": f"안내 데스크 전화는 {PHONE}입니다."},
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": FEE},
        {"role": "user", "content": "어디에 문의하나요?"},
    ]

    trace = await desk.trace(pool() | {"messages": turns})

    assert trace.asked is not None
    assert trace.asked.previous_answer == FEE
    assert_same(desk.again(trace), trace)
    unheard = trace.model_copy(update={"asked": trace.asked.model_copy(update={"echo": ""})})
    assert desk.again(unheard).action is not trace.action


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
    assert [found.observed for found in choice.findings] == ["55,000원"]


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

    desk.house.raw.act = act
    failed = await desk.trace(pool(), "raw")
    refused = await desk.trace(pool(guards=["nubmers"]))

    assert (failed.error, refused.status) == ("upstream_refused", 400)
    assert desk.by(failed, "").unknown is Unknown.NO_ANSWER
    assert desk.by(refused, "").unknown is Unknown.NO_ANSWER


# --- what is not judged again --------------------------------------------------------------------


async def test_a_trace_without_words_is_not_judged(desk: Desk) -> None:
    desk.says([GOOD])
    trace = await desk.trace(pool(), "wordless")

    assert desk.by(trace, "") == not_judged(desk, NotRejudged.NO_TEXT)


async def test_a_trace_that_kept_too_little_is_not_judged(desk: Desk) -> None:
    desk.says([GOOD])
    trace = await desk.trace(pool())

    older = Trace.model_validate_json(trace.model_dump_json(exclude={"asked"}))

    assert desk.by(older, "") == not_judged(desk, NotRejudged.NOT_STORED)


async def test_what_a_caller_had_verified_is_not_judged(desk: Desk) -> None:
    proxy = desk.house.proxy
    body = {"question": QUESTION, "answer": FEE, "sources": SOURCES}
    reply = await proxy.send(json.dumps(body).encode(), path="/v1/verify")

    trace = await proxy.trace(reply)

    assert desk.by(trace, "") == not_judged(desk, NotRejudged.VERIFICATION)


async def test_what_a_judge_decided_is_not_judged(desk: Desk) -> None:
    desk.says([DOUBTED])
    desk.judge.script = chat_judge("contradictory", NO_REFUND, matter="negation")
    decided = await desk.trace(ABOUT_COURSES, "judged")
    desk.judge.script = chat_judge("supported", NO_REFUND)
    approved = await desk.trace(ABOUT_COURSES, "judged")

    assert desk.by(decided, "") == not_judged(desk, NotRejudged.JUDGE_DECIDED)
    assert_same(desk.again(approved), approved)


async def test_a_guard_that_the_caller_wants_and_the_policy_cannot_do_is_not_judged(
    desk: Desk,
) -> None:
    desk.says([GOOD])
    trace = await desk.trace(pool(guards=["numbers"]))
    bare = load_text("reasons: {}", "draft", desk.folder)  # has no reply for anything

    assert rejudged(trace, judging_by(bare)).not_run is NotRejudged.REFUSED


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
    assert desk.by(masked, "") == not_judged(desk, NotRejudged.MASKED)


def not_judged(desk: Desk, reason: NotRejudged) -> Rejudged:
    draft = desk.draft("")
    return Rejudged(policy=PolicyUsed(name=draft.name, version=draft.version), not_run=reason)
