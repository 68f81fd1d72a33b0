"""`judge: {}`: the tenant's own model server gives the second opinion."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from pydantic import JsonValue

from policies.verification.shape import Verification
from proxy.openai_api.json_body import JsonObject
from tests.fakes.fake_judge import opinions_json
from tests.fakes.raw_upstream import RawRequest, RawUpstream, Talk, http_reply
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.flow.replies import said
from tests.policies.courses import COURSES, DENIED, KNOWN, NO_REFUND, POOL, REWORDED

ASKED = "체험 강좌는 환불되나요?"
GIVEN: list[JsonValue] = [
    {"section_title": one.title, "section_content": one.text} for one in (COURSES, POOL)
]
QUESTION = chat_body(ASKED, GIVEN)
ONE_LINE = "judge: {}\n"
WHOLE = "stream: {mode: buffer}\n"
TOKENS = {"prompt_tokens": 700, "completion_tokens": 90, "total_tokens": 790}


def asks_judge(request: RawRequest) -> bool:
    return "검증자입니다" in request.body.decode()


class OneServer:
    """A model server that answers questions and gives opinions.

    Attributes:
        answer: What it says to a question.
        opinion: What it says when it is asked for an opinion.
        status: With what status.
    """

    def __init__(self) -> None:
        self.answer = f"{KNOWN} {DENIED}"
        self.opinion = opinions_json("contradictory", NO_REFUND, matter="negation")
        self.status = "200 OK"
        self.raw = RawUpstream(self._act)

    @property
    def opinions(self) -> list[RawRequest]:
        return [one for one in self.raw.requests if asks_judge(one)]

    @property
    def questions(self) -> list[RawRequest]:
        return [one for one in self.raw.requests if not asks_judge(one)]

    async def _act(self, talk: Talk) -> None:
        if not asks_judge(talk.request):
            await talk.send(http_reply(completion(self.answer)))
            return
        await talk.send(http_reply(completion(self.opinion), status=self.status))


def completion(content: str) -> bytes:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], "usage": TOKENS}).encode()


@pytest.fixture
async def server() -> AsyncGenerator[OneServer, None]:
    one = OneServer()
    async with one.raw.running():
        yield one


@asynccontextmanager
async def proxy_of(
    folder: Path, server: OneServer, more: str = "", rules: str = ""
) -> AsyncGenerator[RunningProxy, None]:
    """Run a proxy whose tenant writes one line; `rules` are further lines of its `upstream`."""
    upstream = f"upstream:\n  base_url: {server.raw.address}/v1\n{rules}"
    async with running_proxy(folder, server.raw, ONE_LINE + WHOLE + upstream + more) as proxy:
        yield proxy


async def verified(proxy: RunningProxy, **more: JsonValue) -> Verification:
    body: JsonObject = {"answer": REWORDED, "sources": GIVEN, **more}
    body |= {} if "messages" in more else {"question": ASKED}
    reply = await proxy.send(json.dumps(body).encode(), path="/v1/verify")
    assert reply.status_code == httpx.codes.OK, reply.text
    return Verification.model_validate_json(reply.content)


async def test_it_is_asked_as_the_request_was(
    tmp_path: Path, server: OneServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_SERVER_KEY", "sk-of-the-operator")
    rules = "  api_key_env: OWN_SERVER_KEY\n  models: {public: private}\n"

    async with proxy_of(tmp_path, server, rules=rules) as proxy:
        body = QUESTION | {"model": "public"}
        url = f"{proxy.base_url}/chat/completions?api-version=7"
        headers = {
            "authorization": f"Bearer {proxy.key}",
            "x-team": "pool",
            "idempotency-key": "of-the-question",
        }
        await proxy.client.post(url, json=body, headers=headers)

    asked = server.opinions[0]
    assert asked.line == "POST /v1/chat/completions?api-version=7 HTTP/1.1"
    assert asked.values("authorization") == ["Bearer sk-of-the-operator"]
    assert asked.values("x-team") == ["pool"]
    assert asked.values("content-type") == ["application/json"]
    # The same key on another body would bring the answer back, or be refused.
    assert asked.values("idempotency-key") == []
    assert json.loads(asked.body)["model"] == "private"


async def test_its_opinion_acts(tmp_path: Path, server: OneServer, stream: bool) -> None:
    async with proxy_of(tmp_path, server) as proxy:
        reply = await proxy.chat(QUESTION | {"stream": stream})

    assert DENIED not in said(reply)
    assert reply.headers["x-guard-reasons"] == "judge.contradicted"


async def test_a_callers_own_key_is_used_and_can_do_no_harm_to_others(
    tmp_path: Path, server: OneServer
) -> None:
    server.status = "401 Unauthorized"

    async with proxy_of(tmp_path, server, rules="  pass_caller_key: true\n") as proxy:
        for _ in range(6):
            reply = await proxy.client.post(
                f"{proxy.address}/t/app/v1/chat/completions",
                json=QUESTION,
                headers={"authorization": "Bearer sk-of-a-caller"},
            )
        states = proxy.services.judges.states()

    assert server.opinions[0].values("authorization") == ["Bearer sk-of-a-caller"]
    assert "judge:refused:401" in reply.headers["x-guard-not-checked"]
    assert {name: state.value for name, state in states.items()} == {"app": "closed"}


async def test_a_server_that_fails_is_left_alone(tmp_path: Path, server: OneServer) -> None:
    server.status = "500 Internal Server Error"

    async with proxy_of(tmp_path, server) as proxy:
        replies = [await proxy.chat(QUESTION) for _ in range(6)]

    named = [reply.headers["x-guard-not-checked"] for reply in replies]
    assert all("judge:refused:500" in one for one in named[:5])
    assert "judge:breaker_open" in named[5]
    assert len(server.opinions) == 5


async def test_verify_takes_the_model_that_it_is_told(tmp_path: Path, server: OneServer) -> None:
    server.opinion = opinions_json("supported", NO_REFUND)
    turns: JsonValue = [{"role": "user", "content": ASKED}]

    async with proxy_of(tmp_path, server) as proxy:
        told = await verified(proxy, messages=turns, model="named")
        untold = await verified(proxy)

    assert [json.loads(one.body)["model"] for one in server.opinions] == ["named"]
    assert told.verified
    assert "judge:no_model" in untold.degraded
    assert not untold.verified


async def test_verify_takes_the_first_of_the_tenants_models(
    tmp_path: Path, server: OneServer
) -> None:
    async with proxy_of(tmp_path, server, rules="  models: {public: private}\n") as proxy:
        await verified(proxy)

    assert [json.loads(one.body)["model"] for one in server.opinions] == ["private"]
