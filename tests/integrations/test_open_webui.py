"""The filter for Open WebUI, loaded and called as Open WebUI does, beside a running guard-proxy."""

import asyncio
import inspect
import os
import subprocess
import types
from collections.abc import AsyncGenerator
from typing import Any

import pytest
import pytest_asyncio

from tests.fakes.rig import Rig, open_rig
from tests.fakes.running_proxy import DEADLINE_S
from tests.flow.canteen import COMPLAINT, COMPLAINT_TEMPLATE
from tests.flow.test_guardrail import CONTEXT, NUMBERS_TEMPLATE, POLICY, QUESTION, RIGHT, WRONG
from tests.integrations.page import ROOT, blocks

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
