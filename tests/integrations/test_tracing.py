"""Spans as Langfuse and Phoenix read them, sent with the settings of their page."""

import base64
import os
import subprocess
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from proxy.demo import Said
from tests.fakes.otlp_collector import Collector
from tests.fakes.running_proxy import chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.canteen import CHINESE, QUESTION, SOURCE
from tests.integrations.page import blocks

PAGE = "tracing"
KEYS = {
    "LANGFUSE_PUBLIC_KEY": "pk-lf-1",
    "LANGFUSE_SECRET_KEY": "sk-lf-a-key-longer-than-one-line-of-base64-may-be-0123456789",
    "PHOENIX_API_KEY": "phx-1",
}


@pytest.fixture
async def collector() -> AsyncGenerator[Collector, None]:
    async with Collector().running() as server:
        yield server


def settings_of(name: str, address: str) -> dict[str, str]:
    """Return the variables that a block of the page sets."""
    [block] = [block for block in blocks(PAGE, "sh") if name in block]
    lines = [line for line in block.splitlines() if line.startswith("export")]
    [host] = [line for line in lines if "_HOST=" in line]
    lines[lines.index(host)] = f"{host.partition('=')[0]}={address}"
    done = subprocess.run(
        ["sh", "-c", "; ".join([*lines, "env"])],
        env={"PATH": os.environ["PATH"]} | KEYS,
        capture_output=True,
        check=True,
    )
    known = dict(line.split("=", 1) for line in done.stdout.decode().splitlines() if "=" in line)
    return {name: value for name, value in known.items() if name.startswith("OTEL_")}


async def sent(
    collector: Collector, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Have a request of a tenant judged, replaced and exported with the settings of the page."""
    for variable, value in settings_of(name, collector.address).items():
        monkeypatch.setenv(variable, value)
    model = ScriptedUpstream(lambda _: Said((CHINESE,)))
    async with model.running(), running_proxy(folder, model) as proxy:
        body = chat_body(QUESTION, [{"section_content": SOURCE}])
        assert (await proxy.chat(body)).headers["x-guard-action"] == "replace"


async def test_langfuse_gets_what_it_reads(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sent(collector, tmp_path, monkeypatch, "LANGFUSE")

    pair = f"{KEYS['LANGFUSE_PUBLIC_KEY']}:{KEYS['LANGFUSE_SECRET_KEY']}"
    expected = f"Basic {base64.b64encode(pair.encode()).decode()}"
    assert {one["authorization"] for one in collector.headers} == {expected}
    assert collector.server_span.attributes["langfuse.trace.tags"] == ["guard:replace"]
    assert collector.server_span.attributes["guard.reasons"] == ["korean_only.han"]
    for call in collector.of_kind("CLIENT"):
        assert call.attributes["gen_ai.request.model"] == "scripted-ko"
        assert call.attributes["gen_ai.usage.input_tokens"] != 0
        assert call.attributes["gen_ai.usage.output_tokens"] != 0


async def test_phoenix_gets_what_it_reads(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sent(collector, tmp_path, monkeypatch, "PHOENIX")

    assert {one["authorization"] for one in collector.headers} == {"Bearer phx-1"}
    assert {one["openinference.project.name"] for one in collector.resources} == {"guard-proxy"}
    kinds = {span.name: span.attributes["openinference.span.kind"] for span in collector.spans}
    assert kinds == {
        "POST /v1/chat/completions": "CHAIN",
        "chat scripted-ko": "LLM",
        "read": "CHAIN",
        "inspect_question": "GUARDRAIL",
        "inspect_answer_1": "GUARDRAIL",
        "inspect_answer_2": "GUARDRAIL",
        "write": "CHAIN",
    }


async def test_no_words_of_anybody_are_sent(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sent(collector, tmp_path, monkeypatch, "PHOENIX")

    for text in (QUESTION, SOURCE, CHINESE):
        assert all(text.encode() not in raw for raw in collector.raw)
