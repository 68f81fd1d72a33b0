"""A proxy with tenants of many minds, whose requests are judged again."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import JsonValue

from policies.schema.loader import LoadedPolicy, load_text
from proxy.demo import Said
from proxy.openai_api.json_body import JsonObject
from proxy.replay.judging import replay
from proxy.tenants import judging_by
from proxy.traces.trace import ReplayResult, Trace
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import chat_body
from tests.fakes.scripted_upstream import ScriptedUpstream, is_second_attempt
from tests.flow.pool import (
    FEE,
    HOURS,
    QUESTION,
    SOURCES,
    WRONG_LOCKER,
)
from tests.policies.courses import COURSES, DENIED, KNOWN

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
WRONG_JSON = '{"answer": "월 이용료는 57,000원입니다.", "fee": 57000}'
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

    def __init__(self, rig: Rig, judge: ScriptedUpstream) -> None:
        self.rig = rig
        self.judge = judge
        self.folder = rig.proxy.services.settings.policies

    def says(
        self, first: Sequence[str], second: Sequence[str] = (), finish_reason: str = "stop"
    ) -> None:
        def script(body: JsonObject) -> Said:
            texts = second if second and is_second_attempt(body) else first
            many = body.get("n", 1)
            assert isinstance(many, int)
            said = [texts[at % len(texts)] for at in range(many)]
            return Said(said, finish_reason=finish_reason)

        self.rig.scripted.script = script

    async def trace(self, body: JsonObject, tenant: str = "app") -> Trace:
        """Ask, and return what the store kept of it."""
        proxy = self.rig.proxy
        return await proxy.trace(await proxy.chat(body, key=proxy.keys[tenant]))

    def policy(self, tenant: str) -> LoadedPolicy:
        return self.rig.proxy.services.policies.snapshot.tenants[tenant]

    def again(self, trace: Trace) -> ReplayResult:
        return replay(trace, judging_by(self.policy(trace.tenant)))

    def by(self, trace: Trace, more: str) -> ReplayResult:
        """Judge a request by another policy."""
        return replay(trace, judging_by(self.draft(more)))

    def draft(self, more: str) -> LoadedPolicy:
        return load_text(f"extends: default\n{more}", "draft", self.folder)


def judge_yaml(address: str) -> str:
    return f"judge:\n  base_url: {address}/v1\n  model: judge-ko\n"


def assert_same(again: ReplayResult, trace: Trace) -> None:
    assert (again.not_run, again.unknown) == (None, None)
    assert (again.action, again.reasons) == (trace.action, trace.reasons)
    assert again.replies == trace.replies


@asynccontextmanager
async def open_desk(folder: Path) -> AsyncGenerator[Desk, None]:
    """Run a proxy with the tenants of `TENANTS`, and some that keep less or have a judge."""
    others = {name: FULL + more for name, more in TENANTS.items()}
    others["raw"] = FULL + upstream_yaml(RAW)
    others["masked"] = "tracing: {text: masked}\n"
    others["wordless"] = "tracing: {text: none}\n"
    async with ScriptedUpstream().running() as judge:
        others["judged"] = FULL + judge_yaml(judge.address)
        async with open_rig(folder, FULL, others=others) as rig:
            yield Desk(rig, judge)


GOOD = f"{FEE} {HOURS}"
LATE = f"{FEE} {HOURS} {WRONG_LOCKER} {REFUND}"


def pool(**guard: JsonValue) -> JsonObject:
    """Return the question about the pool, with what the caller tells the proxy."""
    told: JsonObject = {"sources": SOURCES}
    return chat_body(QUESTION, guard=told | guard)
