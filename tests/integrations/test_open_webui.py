"""The filter for Open WebUI, beside a running guard-proxy: called as Open WebUI does, and in it."""

import asyncio
import inspect
import os
import subprocess
import time
import types
from collections.abc import AsyncGenerator
from typing import Any
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from tests.bench.launching import Launched, free_port
from tests.fakes.rig import Rig, open_rig
from tests.fakes.running_proxy import DEADLINE_S
from tests.flow.canteen import COMPLAINT, COMPLAINT_TEMPLATE
from tests.flow.test_guardrail import CONTEXT, NUMBERS_TEMPLATE, POLICY, QUESTION, RIGHT, WRONG
from tests.integrations.page import ROOT, blocks, program

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILE = ROOT / "deploy/integrations/open_webui_filter.py"
SOURCES = [
    {
        "source": {"name": "주차 안내.pdf"},
        "document": ["제31조(주차비) 방문객의 주차비는 1시간에 2천원이다.", "주차장은 9시에 연다."],
        "metadata": [{"page": 3}, {"page": 3}],
        "distances": [0.7, 0.6],
    }
]
CITED = f"{RIGHT[:-1]}[1]. 주차장은 9시에 엽니다[7]."
GONE = "http://127.0.0.1:9/v1"


class OpenWebUi:
    """Does with a filter what Open WebUI does: reads the pasted text, its valves and its hooks."""

    def __init__(self, rig: Rig, **valves: object) -> None:
        module = types.ModuleType("function_guard_proxy")
        exec(FILE.read_text("utf-8"), module.__dict__)
        self.filter: Any = module.Filter()
        stored = {"url": rig.proxy.base_url, "key": rig.proxy.key} | valves
        self.filter.valves = self.filter.Valves(**stored)
        self.said: list[str] = []

    async def run(self, hook: str, body: dict[str, Any], message_id: str = "2") -> dict[str, Any]:
        async def emit(event: dict[str, Any]) -> None:
            self.said.append(event["data"]["description"])

        handler = getattr(self.filter, hook)
        offered: dict[str, Any] = {"__event_emitter__": emit, "__user__": {"id": "1"}}
        offered["__metadata__"] = {"chat_id": "c", "message_id": message_id}
        wanted = inspect.signature(handler).parameters
        params = {name: value for name, value in offered.items() if name in wanted}
        changed: dict[str, Any] = await handler(body=body, **params)
        return changed

    async def answered(
        self, text: str, *, question: str = QUESTION, **more: object
    ) -> dict[str, Any]:
        """Return the answer's message after the filter."""
        told = {"id": "2", "role": "assistant", "content": text, "sources": SOURCES} | more
        body = {
            "model": "qwen3",
            "messages": [{"id": "1", "role": "user", "content": question}, told],
            "chat_id": "c",
            "session_id": "s",
            "id": "2",
            "filter_ids": [],
        }
        message: dict[str, Any] = (await self.run("outlet", body))["messages"][-1]
        return message


def asked(question: str, context: str = "") -> dict[str, Any]:
    before = [{"role": "system", "content": context}] if context else []
    return {"model": "qwen3", "messages": [*before, {"role": "user", "content": question}]}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rig(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig, None]:
    async with open_rig(tmp_path_factory.mktemp("open-webui"), POLICY) as opened:
        yield opened


async def test_a_supported_answer_stays_as_it_is(rig: Rig) -> None:
    webui = OpenWebUi(rig)

    assert (await webui.answered(RIGHT))["content"] == RIGHT
    assert webui.said == []


async def test_a_wrong_answer_gives_way_to_the_reply_of_the_policy(rig: Rig) -> None:
    webui = OpenWebUi(rig)

    assert (await webui.answered(WRONG))["content"] == NUMBERS_TEMPLATE
    assert webui.said == ["자료에서 확인되지 않아 답변을 바꾸었습니다."]


async def test_what_the_page_shows_is_replaced_too(rig: Rig) -> None:
    shown = [
        {"type": "reasoning", "content": [{"type": "output_text", "text": "9천원이던가."}]},
        {"type": "message", "content": [{"type": "output_text", "text": WRONG}]},
    ]
    message = await OpenWebUi(rig).answered(WRONG, output=shown)

    assert [item["content"][0]["text"] for item in message["output"]] == [NUMBERS_TEMPLATE]


@pytest.mark.parametrize(("text", "shown"), [(WRONG, NUMBERS_TEMPLATE), (RIGHT, RIGHT)])
async def test_an_answer_without_streaming_is_held_against_the_prompt(
    rig: Rig, text: str, shown: str
) -> None:
    webui = OpenWebUi(rig)
    await webui.run("request", asked(QUESTION, CONTEXT))

    # Open WebUI 0.12 stores the sources of such an answer only afterwards.
    assert (await webui.answered(text, sources=None))["content"] == shown
    assert "답변을 확인하지 못했습니다." not in webui.said


async def test_prompts_of_answers_that_never_came_are_forgotten(rig: Rig) -> None:
    webui = OpenWebUi(rig)
    webui.filter.request.__globals__["MOST_WAITING"] = 2
    for message_id in ("2", "3", "4"):
        await webui.run("request", asked(QUESTION, CONTEXT), message_id)

    assert (await webui.answered(WRONG, sources=None))["content"] == WRONG
    assert webui.said == ["답변을 확인하지 못했습니다."]


async def test_a_correction_is_shown_and_said(rig: Rig) -> None:
    webui = OpenWebUi(rig)

    assert (await webui.answered(CITED))["content"] == CITED.replace("[7]", "")
    assert webui.said == ["자료와 다른 부분을 바로잡았습니다."]


async def test_reasoning_before_the_answer_is_not_judged(rig: Rig) -> None:
    text = f'<details type="reasoning" done="true">\n9천원이던가.\n</details>\n{RIGHT}'

    assert (await OpenWebUi(rig).answered(text))["content"] == text


async def test_a_complaint_is_answered_before_the_model(rig: Rig) -> None:
    for hook in ("inlet", "request"):
        with pytest.raises(Exception, match=COMPLAINT_TEMPLATE):
            await OpenWebUi(rig).run(hook, asked(COMPLAINT))


async def test_a_question_waits_for_its_sources_before_it_is_refused(rig: Rig) -> None:
    webui, question = OpenWebUi(rig), "연차휴가 규정은 며칠인가요?"

    assert await webui.run("inlet", asked(question)) == asked(question)
    with pytest.raises(Exception, match="자료에서 찾지 못했습니다"):
        await webui.run("request", asked(question, "인사 도우미입니다."))
    found = asked(question, "<context>\n제15조(연차휴가) 15일의 휴가를 준다.\n</context>")
    assert await webui.run("request", found) == found


@pytest.mark.parametrize(
    "valves", [pytest.param({"url": GONE}, id="gone"), pytest.param({"key": "gp-x"}, id="key")]
)
async def test_what_cannot_be_checked_is_refused_or_passes_with_a_note(
    rig: Rig, valves: dict[str, object]
) -> None:
    strict = OpenWebUi(rig, **valves)
    with pytest.raises(Exception, match="지금은 답변을 확인할 수 없어"):
        await strict.run("inlet", asked(QUESTION))
    assert "지금은 답변을 확인할 수 없어" in (await strict.answered(WRONG))["content"]

    lenient = OpenWebUi(rig, refuse_unchecked=False, **valves)
    assert await lenient.run("inlet", asked(QUESTION)) == asked(QUESTION)
    assert (await lenient.answered(WRONG))["content"] == WRONG
    assert lenient.said == ["답변을 확인하지 못했습니다."] * 2


async def test_the_command_of_the_page_finds_out_whether_the_address_and_the_key_fit(
    rig: Rig,
) -> None:
    [command] = blocks("open-webui", "sh")
    command = command.replace("http://guard-proxy:8080/v1", rig.proxy.base_url)

    done = await asyncio.to_thread(
        subprocess.run,
        ["sh", "-c", command],
        env={"PATH": os.defpath, "KEY": rig.proxy.key, "no_proxy": "*"},
        capture_output=True,
        check=True,
        timeout=DEADLINE_S,
    )

    assert done.stdout.decode() == '{"action":"NONE"}'


# In Open WebUI itself, which `make open-webui` installs.


READY_WITHIN_S = 180.0
DOCUMENT = "제31조(주차비) 방문객의 주차비는 1시간에 2천원이다. 주차장은 오전 9시에 연다."
OFFLINE = {
    "OFFLINE_MODE": "true",
    "HF_HUB_OFFLINE": "1",
    "RAG_EMBEDDING_ENGINE": "openai",
    "BYPASS_EMBEDDING_AND_RETRIEVAL": "true",
    "ENABLE_OLLAMA_API": "false",
    "ENABLE_VERSION_UPDATE_CHECK": "false",
    "ANONYMIZED_TELEMETRY": "false",
    "WEBUI_AUTH": "false",
    "WEBUI_SECRET_KEY": "a-key-of-no-account-at-all-0123456789",
}
"""It loads no models and fetches nothing; whoever comes is its administrator."""


class RealOpenWebUi:
    """A running Open WebUI with the file of the filter pasted in and switched on for all models."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def sent(self, path: str, **body: object) -> dict[str, Any]:
        reply = await self._client.post(path, json=body)
        got: dict[str, Any] = reply.raise_for_status().json()
        return got

    async def read(self, path: str) -> dict[str, Any]:
        got: dict[str, Any] = (await self._client.get(path)).raise_for_status().json()
        return got

    async def set_up(self, rig: Rig) -> None:
        """Sign in and do what the page says."""
        token = (await self.sent("/api/v1/auths/signin", email="", password=""))["token"]
        self._client.headers["authorization"] = f"Bearer {token}"
        filled_in = {"id": "guard_proxy", "name": "guard-proxy", "meta": {"description": ""}}
        await self.sent("/api/v1/functions/create", content=FILE.read_text("utf-8"), **filled_in)
        its_own = "/api/v1/functions/id/guard_proxy"
        await self.sent(f"{its_own}/valves/update", url=rig.proxy.base_url, key=rig.proxy.key)
        await self.sent(f"{its_own}/toggle")
        await self.sent(f"{its_own}/toggle/global")

    async def called(self, body: dict[str, Any], *, stream: bool) -> httpx.Response:
        """Call its API for a chat that is not saved, as programs do."""
        body |= {"model": "scripted-ko", "stream": stream}
        return await self._client.post("/api/chat/completions", json=body)

    async def chat(self, question: str, *, stream: bool = True, about: str = "") -> dict[str, Any]:
        """Ask in a new chat about a document, as the page of a chat does; return the answer."""
        message = {"id": str(uuid4()), "parentId": None, "role": "user", "content": question}
        file = {"type": "text", "context": "full", "name": "주차 안내", "content": about}
        told = await self.sent(
            "/api/chat/completions",
            model="scripted-ko",
            stream=stream,
            messages=[{"role": "user", "content": question}],
            params={"function_calling": "legacy"},
            files=[file] if about else [],
            session_id="s",
            parent_id=None,
            user_message=message,
            id=str(uuid4()),
            background_tasks={},
        )
        until = time.monotonic() + DEADLINE_S
        while (await self.read(f"/api/tasks/chat/{told['chat_id']}"))["task_ids"]:
            assert time.monotonic() < until
        history = (await self.read(f"/api/v1/chats/{told['chat_id']}"))["chat"]["history"]
        answer: dict[str, Any] = history["messages"][history["currentId"]]
        return answer


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def real(
    rig: Rig, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[RealOpenWebUi, None]:
    folder, port = tmp_path_factory.mktemp("real"), free_port()
    command = [program("open-webui"), "serve", "--host", "127.0.0.1", "--port", str(port)]
    known = {"PATH": os.defpath, "HOME": str(folder), "DATA_DIR": str(folder)}
    known |= {"OPENAI_API_BASE_URL": f"{rig.scripted.address}/v1", "OPENAI_API_KEY": "none"}
    launched = Launched(command, folder, known | OFFLINE)
    try:
        await asyncio.to_thread(launched.wait_ready, port, "/health", READY_WITHIN_S)
        address = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(
            base_url=address, trust_env=False, timeout=DEADLINE_S
        ) as client:
            webui = RealOpenWebUi(client)
            await webui.set_up(rig)
            yield webui
    finally:
        launched.stop()


@pytest.mark.integrations
@pytest.mark.parametrize("stream", [True, False])
async def test_a_saved_chat_holds_what_the_filter_made_of_the_answer(
    rig: Rig, real: RealOpenWebUi, *, stream: bool
) -> None:
    said = {RIGHT: RIGHT, WRONG: NUMBERS_TEMPLATE, CITED: CITED.replace("[7]", "")}
    for answer, shown in said.items():
        rig.scripted.says(answer)
        message = await real.chat(QUESTION, stream=stream, about=DOCUMENT)
        assert message["content"] == shown
        assert message.get("originalContent") == (None if shown == answer else answer)
        assert [part["text"] for part in message["output"][-1]["content"]] == [shown]
    assert message["statusHistory"][-1]["description"] == "자료와 다른 부분을 바로잡았습니다."


@pytest.mark.integrations
@pytest.mark.parametrize(
    ("question", "told"),
    [(COMPLAINT, COMPLAINT_TEMPLATE), ("연차휴가 규정은 며칠인가요?", "자료에서 찾지 못했습니다")],
)
async def test_a_refused_question_never_reaches_the_model(
    rig: Rig, real: RealOpenWebUi, question: str, told: str
) -> None:
    rig.tidied()

    message = await real.chat(question)

    assert told in message["error"]["content"]
    assert rig.scripted.requests == []


@pytest.mark.integrations
@pytest.mark.parametrize("stream", [True, False])
async def test_callers_of_its_api_get_the_answer_as_it_is_and_no_reply_to_a_complaint(
    rig: Rig, real: RealOpenWebUi, *, stream: bool
) -> None:
    """A limit of Open WebUI 0.12, which the page names."""
    rig.scripted.says(WRONG)

    said = await real.called(asked(QUESTION, CONTEXT), stream=stream)
    refused = await real.called(asked(COMPLAINT), stream=stream)

    assert said.status_code == httpx.codes.OK
    assert "9천원" in said.text
    assert refused.status_code == httpx.codes.BAD_REQUEST
    assert COMPLAINT_TEMPLATE in refused.text
