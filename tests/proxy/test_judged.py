"""Which of two attempts at an answer goes out."""

from guards.core.exchange import Exchange, Source
from policies.inspection import Inspector
from policies.schema.loader import load_shipped
from policies.schema.policy import Action
from policies.schema.sections import Upstream
from proxy.candidates import TOOL_CALLS, Candidate, select
from proxy.openai_api.chat import read_reply
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.reply import Kept, Replaced
from proxy.openai_api.sse import json_bytes
from proxy.tenants import Tenant
from tests.fakes.judging import judged_whole
from tests.tables import each_row

LOADED = load_shipped("strict")
TENANT = Tenant(
    name="app",
    loaded=LOADED,
    inspector=Inspector(LOADED.policy),
    upstream=Upstream(base_url="http://127.0.0.1:1/v1"),
    server_key=None,
)
ASKED = Exchange("포상휴가는 며칠인가요?", (Source("1", "포상 규정", "포상휴가는 4일로 한다."),))
WRONG = "포상휴가는 9일입니다."


def judged(content: str, unjudged: str = "", *, again: bool = False) -> Candidate:
    choice: JsonObject = {"index": 0, "message": {"content": content}, "finish_reason": "stop"}
    body: JsonObject = {"choices": [choice]}
    reply = read_reply(json_bytes(body), "application/json")
    return judged_whole(
        TENANT.inspector,
        ASKED,
        reply,
        may_regenerate=not again,
        may_edit=True,
        unjudged=unjudged,
    )


@each_row("why", ["empty_answer", "json_values"])
def test_nothing_to_judge_is_no_better_than_a_wrong_answer(why: str) -> None:
    settled = select(TENANT, 0, judged(WRONG), judged("", why, again=True))

    assert settled.action is Action.REPLACE
    assert isinstance(settled.outcome, Replaced)


def test_a_second_attempt_that_calls_tools_goes_out() -> None:
    second = judged("", TOOL_CALLS, again=True)

    settled = select(TENANT, 0, judged(WRONG), second)

    assert settled.outcome == Kept(0, second.reply, second.answer)
