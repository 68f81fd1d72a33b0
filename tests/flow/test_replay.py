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

from policies.schema.policy import Action
from proxy.demo import Said, completion
from proxy.openai_api.json_body import JsonObject
from tests.fakes.raw_upstream import Talk, http_reply
from tests.fakes.running_proxy import chat_body
from tests.fakes.scripted_upstream import is_second_attempt
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
from tests.flow.replayed import (
    AS_JSON,
    CALL,
    CALLS,
    COMPLAINT,
    ENDS,
    FOREIGN,
    GOOD,
    HALF_FOREIGN,
    INVENTED,
    JSON_ANSWER,
    LATE,
    NO_SUCH_MARK,
    PHONE,
    PLEASANTRY,
    REFUND,
    STRAY_MARK,
    TENANTS,
    TOOLS,
    WRONG_JSON,
    Desk,
    assert_same,
    open_desk,
    pool,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Desk, None]:
    async with open_desk(tmp_path_factory.mktemp("desk")) as opened:
        yield opened


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


@settings(suppress_health_check=list(HealthCheck))
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

    desk.rig.raw.act = act

    trace = await desk.trace(pool(), "raw")

    assert [attempt.error for attempt in trace.attempts] == [None, "upstream_refused"]
    assert_same(desk.again(trace), trace)


async def test_what_is_said_beside_calls_of_tools_is_judged_alike(desk: Desk) -> None:
    async def act(talk: Talk) -> None:
        message: JsonObject = {"role": "assistant", "content": LATE, "tool_calls": [*CALLS]}
        choice: JsonObject = {"index": 0, "message": message, "finish_reason": "tool_calls"}
        reply: JsonObject = {"object": "chat.completion", "choices": [choice]}
        await talk.send(http_reply(json.dumps(reply).encode()))

    desk.rig.raw.act = act

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
