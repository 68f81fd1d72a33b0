"""What a request may ask for beyond its tenant's policy: more, never less."""

import pytest
from pydantic import JsonValue

from policies.verdict import GuardOutcome
from proxy.openai_api.json_body import JsonObject
from tests.fakes.running_proxy import RunningProxy, chat_body
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.replies import outcomes, said

FEE = "반려 식물 대여료는 한 달에 2만원입니다."
WRONG = "보증금은 7만원입니다."
SOURCES: list[JsonValue] = [
    {"section_title": "제4조", "section_content": "반려 식물 대여료는 한 달에 2만원으로 한다."}
]
POLICY = "guards:\n  numbers:\n    mode: shadow\n  overlap:\n    mode: off\n"


pytestmark = pytest.mark.asyncio(loop_scope="module")


def request(stream: bool, **asked: JsonValue) -> JsonObject:
    body = chat_body("반려 식물 대여료는 얼마인가요?", SOURCES, stream=stream)
    guard = body["guard"]
    assert isinstance(guard, dict)
    return body | {"guard": guard | asked}


async def test_a_guard_in_shadow_is_enforced_where_a_request_asks_for_it(
    proxy: RunningProxy, upstream: ScriptedUpstream, stream: bool
) -> None:
    upstream.says(f"{FEE} {WRONG}")

    lenient = await proxy.chat(request(stream))
    strict = await proxy.chat(request(stream, guards=["numbers"]))

    assert said(lenient) == f"{FEE} {WRONG}"
    assert "7만원" not in said(strict)
    assert outcomes(await proxy.trace(strict), "numbers") == [GuardOutcome.ACTED]
    # The next request has the policy's own guards again.
    assert said(await proxy.chat(request(stream))) == f"{FEE} {WRONG}"


async def test_a_guard_that_is_off_runs_where_a_request_asks_for_it(
    proxy: RunningProxy, upstream: ScriptedUpstream, stream: bool
) -> None:
    upstream.says(FEE)

    trace = await proxy.trace(await proxy.chat(request(stream, guards=["overlap"])))

    assert outcomes(trace, "overlap") == [GuardOutcome.CLEAN]


async def test_a_request_may_have_its_stream_held_to_the_end(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(FEE)

    held = await proxy.client.post(
        f"{proxy.base_url}/chat/completions",
        json=request(stream=True, hold=True),
        headers={"authorization": f"Bearer {proxy.key}"},
    )

    assert held.headers["x-guard-action"] == "pass"  # not pending: all was judged before


async def test_what_is_no_guard_is_refused_by_name(proxy: RunningProxy) -> None:
    reply = await proxy.chat(request(stream=False, guards=["nubmers"]))

    assert reply.status_code == 400
    assert reply.json()["error"]["param"] == "guard.guards"
    assert "nubmers" in reply.json()["error"]["message"]


async def test_verification_takes_more_guards_too(proxy: RunningProxy) -> None:
    asked = request(stream=False, guards=["numbers"])
    body = {"messages": asked["messages"], "guard": asked["guard"], "answer": f"{FEE} {WRONG}"}

    reply = await proxy.client.post(
        f"{proxy.base_url}/verify", json=body, headers={"authorization": f"Bearer {proxy.key}"}
    )

    assert reply.json()["verified"] is False
    assert [run.outcome for run in (await proxy.trace(reply)).guards if run.guard == "numbers"] == [
        GuardOutcome.ACTED
    ]
