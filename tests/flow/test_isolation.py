"""Two tenants at once: nothing of one request is in another's answer, header, log line or trace."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import httpx
import pytest

from policies.schema.policy import Action
from proxy.demo import Said
from proxy.openai_api.json_body import JsonObject
from proxy.traces.query import Query
from proxy.traces.trace import Trace
from tests.fakes.log_lines import json_logs
from tests.fakes.rig import upstream_yaml
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream, is_second_attempt
from tests.flow.replies import said
from tests.flow.waiting import eventually

REQUESTS = 72
TENANTS = {"app": "누리솔", "other": "미르별"}
PATIENCE_S = 120.0
"""All of them share one processor with two servers; nothing here is about who gives up when."""
FULL_TEXT = "tracing:\n  text: full\n"


class Ending(Enum):
    """What becomes of a request's answer."""

    PASSES = Action.PASS
    HEALED = Action.REGENERATE
    REPLACED = Action.REPLACE


@dataclass(frozen=True)
class Asked:
    """One request; its marker stands in its question, its source and the model's answers."""

    number: int

    @property
    def tenant(self) -> str:
        return list(TENANTS)[self.number % 2]

    @property
    def marker(self) -> str:
        spelled = "".join("가나다라마바사아자차"[int(digit)] for digit in f"{self.number:03}")
        return f"{TENANTS[self.tenant]}{spelled}"

    @property
    def ending(self) -> Ending:
        return list(Ending)[self.number // 2 % 3]

    @property
    def stream(self) -> bool:
        return self.number // 6 % 2 == 1

    def body(self) -> JsonObject:
        return chat_body(
            f"{self.marker} 신청서는 누구에게 제출하나요?",
            [
                {
                    "section_title": f"{self.marker} 규정",
                    "section_content": f"{self.marker} 신청서는 소속 팀장에게 제출한다.",
                }
            ],
            stream=self.stream,
        )

    def told(self, *, second: bool) -> str:
        """Return what the model says."""
        good = f"{self.marker} 신청서는 소속 팀장에게 제출합니다."
        match self.ending:
            case Ending.PASSES:
                return good
            case Ending.HEALED:
                return good if second else f"{self.marker} 신청서는 팀장에게 递交합니다."
            case Ending.REPLACED:
                return f"{self.marker} 규정 제99조에 따라 제출합니다."


ALL = tuple(Asked(number) for number in range(REQUESTS))
MARKERS = frozenset(asked.marker for asked in ALL)


def play(body: JsonObject) -> Said:
    """Answer each request at a pace of its own, so that they overtake one another."""
    text = str(body["messages"])
    [asked] = [asked for asked in ALL if asked.marker in text]
    pause_s = asked.number % 7 / (500 if asked.stream else 50)
    return Said((asked.told(second=is_second_attempt(body)),), piece_pause_s=pause_s)


def markers_in(text: str) -> set[str]:
    return {marker for marker in MARKERS if marker in text}


@pytest.fixture
async def both(tmp_path: Path, redis_url: str) -> AsyncGenerator[RunningProxy, None]:
    async with ScriptedUpstream(script=play).running() as upstream:
        rules = FULL_TEXT + upstream_yaml(
            upstream.address, f"timeouts: {{connect_s: {PATIENCE_S}}}"
        )
        async with running_proxy(
            tmp_path,
            upstream,
            rules,
            others={"other": rules},
            redis_url=redis_url,
            debug=True,
            keep_alive_s=PATIENCE_S,
        ) as proxy:
            proxy.client.timeout = PATIENCE_S
            yield proxy


async def all_traces(proxy: RunningProxy) -> list[Trace]:
    found: list[Trace] = []
    page = await proxy.services.traces.page(Query(after="", limit=100))
    while page.traces:
        found += page.traces
        page = await proxy.services.traces.page(Query(after=page.cursor, limit=100))
    return found


async def test_requests_of_two_tenants_at_once_never_meet(
    both: RunningProxy, capsys: pytest.CaptureFixture[str]
) -> None:
    async def ask(asked: Asked) -> httpx.Response:
        return await both.chat(asked.body(), key=both.keys[asked.tenant])

    with json_logs():
        replies = await asyncio.gather(*map(ask, ALL))
        await eventually(lambda: has_delivered(both, REQUESTS))

    for asked, reply in zip(ALL, replies, strict=True):
        assert reply.headers["x-guard-action"] == asked.ending.value, asked
        assert reply.headers["x-guard-policy"].startswith(f"{asked.tenant}@")
        assert markers_in(said(reply) + reply.text) == {asked.marker}
        assert markers_in(b" ".join(value for _, value in reply.headers.raw).decode()) == set()
        assert (said(reply) == asked.told(second=True)) == (asked.ending is not Ending.REPLACED)
    traces = await all_traces(both)
    ids = [reply.headers["x-guard-request-id"] for reply in replies]
    by_id = dict(zip(ids, ALL, strict=True))
    assert len(by_id) == REQUESTS
    assert sorted(trace.id for trace in traces) == sorted(by_id)
    for trace in traces:
        asked = by_id[trace.id]
        assert trace.tenant == asked.tenant
        assert (trace.action, trace.stream) == (asked.ending.value, asked.stream)
        assert markers_in(trace.model_dump_json()) == {asked.marker}
    log = capsys.readouterr().err
    lines = [json.loads(line) for line in log.splitlines()]
    decided = [line for line in lines if line["event"] == "request.decided"]
    assert {line["request_id"]: line["tenant"] for line in decided} == {
        trace_id: asked.tenant for trace_id, asked in by_id.items()
    }
    assert len(decided) == REQUESTS
    assert markers_in(log) == set()


async def has_delivered(proxy: RunningProxy, number: int) -> bool:
    return proxy.services.recorder.counters()["delivered"] == number
