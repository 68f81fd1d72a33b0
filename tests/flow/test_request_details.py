"""Details of requests on which clients and servers disagree: each is settled here."""

import json
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from pydantic import JsonValue

from proxy.demo import Said, completion
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import json_bytes
from tests.fakes.raw_client import request_bytes, said_to
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import chat_body
from tests.faults.wire import CHAT, REPLIES, REPLY
from tests.tables import each_row

pytestmark = pytest.mark.asyncio(loop_scope="module")

PROMPT: JsonObject = {"id": "pmpt_1", "variables": {"a": "b"}}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def open_both(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig, None]:
    passing = upstream_yaml(RAW) + "\nresponses: {server_state: pass}"
    async with open_rig(
        tmp_path_factory.mktemp("rig"), upstream_yaml(RAW), others={"passing": passing}
    ) as opened:
        yield opened


@pytest.fixture
def rig(open_both: Rig) -> Rig:
    return open_both.tidied()


# Who asks.


@each_row("target", [b"/v1/chat/completions", b"/v1/embeddings", b"/v1/nothing"])
async def test_two_keys_are_refused_before_anything_is_read(rig: Rig, target: bytes) -> None:
    second = b"Authorization: Bearer another"
    asked = request_bytes(target, CHAT, key=rig.proxy.key, headers=[second])

    answer = await said_to(rig.proxy.address, asked)

    assert answer.status == 400
    assert answer.refusal()["param"] == "authorization"
    assert rig.raw.requests == []


@each_row("path", ["/v1/chat/completions", "/v1/embeddings"])
async def test_the_caller_s_account_does_not_travel_with_the_operator_s_key(
    rig: Rig, path: str
) -> None:
    rig.raw.says(REPLY)
    own = {"openai-organization": "org", "openai-project": "proj", "x-app": "a"}

    await rig.proxy.send(CHAT, path=path, headers=own)

    [asked] = rig.raw.requests
    assert [asked.values(name) for name in own] == [[], [], ["a"]]


# Which model.


async def test_a_prompt_that_the_model_server_keeps_may_name_the_model(rig: Rig) -> None:
    rig.raw.says(REPLIES["/v1/responses"])
    asked: dict[str, JsonValue] = {"prompt": PROMPT, "input": "열람실은 언제 여나요?"}

    reply = await rig.proxy.send(
        json.dumps(asked | {"guard": {"report": True}}).encode(),
        path="/v1/responses",
        tenant="passing",
    )

    assert reply.status_code == 200, reply.text
    assert "prompt" in reply.headers["x-guard-not-checked"].split(",")
    [sent] = rig.raw.requests
    assert json.loads(sent.body) == asked


@each_row("tenant, body, param", "elsewhere_a_response_needs_its_model")
async def test_elsewhere_a_response_needs_its_model(
    rig: Rig, tenant: str, body: dict[str, JsonValue], param: str
) -> None:
    reply = await rig.proxy.send(json.dumps(body).encode(), path="/v1/responses", tenant=tenant)

    assert reply.status_code == 400
    assert reply.json()["error"]["param"] == param
    assert rig.raw.requests == []


# The second attempt.


async def test_an_idempotency_key_is_of_the_first_attempt_alone(rig: Rig) -> None:
    """With the same key a model server may return its first answer again."""
    rig.raw.says(json_bytes(completion({"model": "m"}, Said(("讲习费는 61,000원입니다.",)))))
    source: JsonObject = {"section_title": "강습료", "section_content": "강습료는 61,000원이다."}
    keys = {"idempotency-key": "once", "x-team": "pool"}

    reply = await rig.proxy.client.post(
        f"{rig.proxy.base_url}/chat/completions",
        json=chat_body("강습료는 얼마인가요?", [source]),
        headers={"authorization": f"Bearer {rig.proxy.key}"} | keys,
    )

    assert reply.headers["x-guard-attempts"] == "2"
    posted = [one for one in rig.raw.requests if one.line.startswith("POST")]
    assert [one.values("idempotency-key") for one in posted] == [["once"], []]
    assert [one.values("x-team") for one in posted] == [["pool"], ["pool"]]
