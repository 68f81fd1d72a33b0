"""A real LiteLLM proxy in front of guard-proxy, behind it, and with it as its guardrail.

`make integrations` installs LiteLLM. The configuration files and commands are those of the page.
"""

import asyncio
import json
import os
import re
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import openai
import pytest
import pytest_asyncio
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessageParam
from ruamel.yaml import YAML

from tests.bench.launching import Launched, free_port
from tests.clients.endpoint_server import DoorServer
from tests.fakes.rig import Rig, open_rig
from tests.fakes.running_proxy import DEADLINE_S, running_proxy
from tests.flow.canteen import COMPLAINT
from tests.flow.test_guardrail import (
    CITED,
    CONTEXT,
    MENDED,
    NUMBERS_TEMPLATE,
    POLICY,
    QUESTION,
    RIGHT,
    WRONG,
)
from tests.integrations.page import ROOT, blocks, program

pytestmark = [pytest.mark.integrations, pytest.mark.asyncio(loop_scope="module")]

PAGE = "litellm"
MASTER_KEY = "sk-master"
READY_WITHIN_S = 180.0
OFFLINE = {
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_LOG": "ERROR",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
}
"""It fetches nothing at the start, and does not log texts."""


def messages(question: str = QUESTION) -> list[ChatCompletionMessageParam]:
    return [{"role": "system", "content": CONTEXT}, {"role": "user", "content": question}]


class LiteLlmProxy:
    """A running proxy of LiteLLM.

    Attributes:
        address: Where it listens.
        client: OpenAI's client of it.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.client = AsyncOpenAI(base_url=f"{address}/v1", api_key=MASTER_KEY, max_retries=0)

    async def answer(self, question: str = QUESTION) -> str | None:
        reply = await self.client.chat.completions.create(
            model="qwen3", messages=messages(question)
        )
        return reply.choices[0].message.content

    async def streamed(self) -> str:
        stream = await self.client.chat.completions.create(
            model="qwen3", messages=messages(), stream=True
        )
        return "".join(
            [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]
        )


@asynccontextmanager
async def litellm(
    config: str, folder: Path, environment: Mapping[str, str], port: int | None = None
) -> AsyncIterator[LiteLlmProxy]:
    """Run the page's command for a configuration file."""
    commands = [line for block in blocks(PAGE, "sh") for line in block.splitlines()]
    [command] = [line for line in commands if line.startswith("litellm") and config in line]
    port = port or free_port()
    words = re.sub(r"--port \d+", f"--host 127.0.0.1 --port {port}", command).split()
    words = [
        program("litellm"),
        *(word.replace("deploy/", f"{ROOT}/deploy/") for word in words[1:]),
    ]
    known = {
        "PATH": f"{Path(words[0]).parent}:{os.defpath}",
        "HOME": str(folder),
        "LITELLM_MASTER_KEY": MASTER_KEY,
    }
    launched = Launched(words, folder, known | OFFLINE | dict(environment))
    try:
        await asyncio.to_thread(launched.wait_ready, port, "/health/liveliness", READY_WITHIN_S)
        started = LiteLlmProxy(f"http://127.0.0.1:{port}")
        async with started.client:
            yield started
    finally:
        launched.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rig(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig, None]:
    async with open_rig(tmp_path_factory.mktemp("rig"), POLICY) as opened:
        yield opened


def of(rig: Rig) -> dict[str, str]:
    """Return the variables that the page sets."""
    return {
        "GUARD_PROXY_URL": rig.proxy.base_url,
        "GUARD_PROXY_KEY": rig.proxy.key,
        "MODEL_SERVER_URL": f"{rig.scripted.address}/v1",
        "MODEL_SERVER_KEY": "none",
    }


# As its guardrail.


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def guarded(
    rig: Rig, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[LiteLlmProxy, None]:
    folder = tmp_path_factory.mktemp("guarded")
    async with litellm("litellm-guardrail.yaml", folder, of(rig)) as started:
        yield started


async def test_a_supported_answer_passes(rig: Rig, guarded: LiteLlmProxy) -> None:
    rig.scripted.says(RIGHT)

    assert await guarded.answer() == RIGHT
    assert await guarded.streamed() == RIGHT


async def test_a_correction_reaches_the_client(rig: Rig, guarded: LiteLlmProxy) -> None:
    rig.scripted.says(CITED)

    assert await guarded.answer() == MENDED
    assert await guarded.streamed() == MENDED


async def test_a_wrong_answer_ends_in_an_error_that_a_user_can_read(
    rig: Rig, guarded: LiteLlmProxy
) -> None:
    rig.scripted.says(WRONG)

    with pytest.raises(openai.BadRequestError, match=NUMBERS_TEMPLATE):
        await guarded.answer()
    with pytest.raises(openai.APIError, match=NUMBERS_TEMPLATE):
        await guarded.streamed()


async def test_a_complaint_never_reaches_the_model(rig: Rig, guarded: LiteLlmProxy) -> None:
    rig.tidied().scripted.says(RIGHT)

    with pytest.raises(openai.BadRequestError, match="불편을 드려 죄송합니다"):
        await guarded.answer(COMPLAINT)
    assert rig.scripted.requests == []


async def test_the_command_of_the_page_gets_an_answer(rig: Rig, guarded: LiteLlmProxy) -> None:
    rig.scripted.says(RIGHT)
    [command] = [block for block in blocks(PAGE, "sh") if block.startswith("curl")]

    done = await asyncio.to_thread(
        subprocess.run,
        ["sh", "-c", command.replace("http://127.0.0.1:4000", guarded.address)],
        env={"PATH": os.defpath, "LITELLM_MASTER_KEY": MASTER_KEY, "no_proxy": "*"},
        capture_output=True,
        check=True,
        timeout=DEADLINE_S,
    )

    assert RIGHT in done.stdout.decode()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def responding(
    rig: Rig, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[tuple[LiteLlmProxy, DoorServer], None]:
    """Run LiteLLM with the guardrail before a model server that has `/v1/responses`."""
    folder = tmp_path_factory.mktemp("responding")
    async with DoorServer().running() as server:
        environment = of(rig) | {"MODEL_SERVER_URL": f"{server.address}/v1"}
        async with litellm("litellm-guardrail.yaml", folder, environment) as started:
            yield started, server


async def test_responses_are_judged_as_chat_completions_are(
    responding: tuple[LiteLlmProxy, DoorServer],
) -> None:
    guarded, server = responding
    for said, heard in ((RIGHT, RIGHT), (CITED, MENDED)):
        server.says(said)
        assert await in_responses(guarded, stream=False) == heard
    server.says(WRONG)
    with pytest.raises(openai.BadRequestError, match=NUMBERS_TEMPLATE):
        await in_responses(guarded, stream=False)

    server.requests.clear()
    with pytest.raises(openai.BadRequestError, match="불편을 드려 죄송합니다"):
        await guarded.client.responses.create(model="qwen3", instructions=CONTEXT, input=COMPLAINT)
    assert server.requests == []


async def test_a_streamed_response_is_judged_after_its_words_have_left(
    responding: tuple[LiteLlmProxy, DoorServer],
) -> None:
    """A limit of LiteLLM, which the page names; in front of guard-proxy it has none."""
    guarded, server = responding
    server.says(WRONG)

    stream = await guarded.client.responses.create(
        model="qwen3", instructions=CONTEXT, input=QUESTION, stream=True
    )
    events = [event async for event in stream]

    assert WRONG in [event.text for event in events if event.type == "response.output_text.done"]
    last = events[-1]
    assert last.type == "response.failed"
    assert last.response.error is not None
    assert last.response.error.message == NUMBERS_TEMPLATE


async def test_the_page_shows_the_guardrail_of_the_file() -> None:
    [shown] = [block for block in blocks(PAGE, "yaml") if "guardrails" in block]
    file = (ROOT / "deploy/integrations/litellm-guardrail.yaml").read_text("utf-8")

    assert YAML(typ="safe").load(shown).items() <= YAML(typ="safe").load(file).items()


# In front of guard-proxy.


async def test_litellm_in_front(rig: Rig, tmp_path: Path) -> None:
    async with litellm("litellm-in-front.yaml", tmp_path, of(rig)) as front:
        rig.scripted.says(RIGHT)
        assert await front.answer() == await front.streamed() == RIGHT

        rig.scripted.says(WRONG, RIGHT)  # right when told what was wrong
        assert await front.answer() == RIGHT

        rig.scripted.says(WRONG)
        raw = await front.client.chat.completions.with_raw_response.create(
            model="qwen3",
            messages=messages(),
        )
        assert raw.parse().choices[0].message.content == NUMBERS_TEMPLATE
        assert raw.headers["llm_provider-x-guard-action"] == "replace"


async def test_messages_of_litellm_in_front(rig: Rig, tmp_path: Path) -> None:
    rig.scripted.says(WRONG)
    async with litellm("litellm-in-front.yaml", tmp_path, of(rig)) as front:
        assert await in_messages(front, stream=False) == NUMBERS_TEMPLATE
        assert await in_messages(front, stream=True) == NUMBERS_TEMPLATE


async def test_responses_of_litellm_in_front(tmp_path: Path) -> None:
    (tmp_path / "litellm").mkdir()
    async with (
        DoorServer().running() as server,
        running_proxy(tmp_path, server, POLICY, redis_url=None) as proxy,
        litellm(
            "litellm-in-front.yaml",
            tmp_path / "litellm",
            {"GUARD_PROXY_URL": proxy.base_url, "GUARD_PROXY_KEY": proxy.key},
        ) as front,
    ):
        server.says(WRONG)
        assert await in_responses(front, stream=False) == NUMBERS_TEMPLATE
        assert await in_responses(front, stream=True) == NUMBERS_TEMPLATE


async def in_messages(proxy: LiteLlmProxy, *, stream: bool) -> str:
    """Ask as Anthropic's clients do; return the text."""
    body = {
        "model": "qwen3",
        "max_tokens": 500,
        "system": CONTEXT,
        "messages": [{"role": "user", "content": QUESTION}],
        "stream": stream,
    }
    async with httpx.AsyncClient(timeout=DEADLINE_S, trust_env=False) as client:
        reply = await client.post(
            f"{proxy.address}/v1/messages", json=body, headers={"x-api-key": MASTER_KEY}
        )
    assert reply.status_code == httpx.codes.OK, reply.text
    if not stream:
        return str(reply.json()["content"][0]["text"])
    events = [json.loads(line[6:]) for line in reply.text.splitlines() if line[:6] == "data: "]
    return "".join(event.get("delta", {}).get("text", "") for event in events)


async def in_responses(proxy: LiteLlmProxy, *, stream: bool) -> str:
    if not stream:
        reply = await proxy.client.responses.create(
            model="qwen3", instructions=CONTEXT, input=QUESTION
        )
        return reply.output_text
    events = await proxy.client.responses.create(
        model="qwen3", instructions=CONTEXT, input=QUESTION, stream=True
    )
    return "".join(
        [event.delta async for event in events if event.type == "response.output_text.delta"]
    )


# Behind it.


async def test_litellm_behind(rig: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_KEY", MASTER_KEY)
    port = free_port()
    [shown] = [block for block in blocks(PAGE, "yaml") if block.startswith("upstream")]
    policy = f"{shown.replace('4000', str(port))}\n{POLICY}"
    (tmp_path / "litellm").mkdir()
    async with (
        litellm("litellm-behind.yaml", tmp_path / "litellm", of(rig), port),
        open_rig(tmp_path, policy) as front,
        front.proxy.sdk() as client,
    ):
        answered = []
        for said in ((RIGHT,), (WRONG, RIGHT), (WRONG,)):
            rig.scripted.says(*said)
            reply = await client.chat.completions.create(model="qwen3", messages=messages())
            answered.append(reply.choices[0].message.content)

    assert answered == [RIGHT, RIGHT, NUMBERS_TEMPLATE]
