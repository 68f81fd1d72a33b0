"""Spans as Langfuse and Phoenix read them, sent with the settings of their page.

`make integrations` installs Phoenix; Langfuse's server does not install from a package.
"""

import asyncio
import base64
import json
import os
import subprocess
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from proxy.demo import Said
from tests.bench.launching import Launched, free_port
from tests.fakes.otlp_collector import Collector
from tests.fakes.running_proxy import DEADLINE_S, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.canteen import CHINESE, QUESTION, SOURCE
from tests.integrations.page import blocks, program

PAGE = "tracing"
READY_WITHIN_S = 180.0
APP = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"
SPANS = 7
"""The request, two calls of the model, and what was done before, between and after them."""
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
    [block] = [block for block in blocks(PAGE, "sh") if f"{name}_HOST=" in block]
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
    address: str, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, **headers: str
) -> str:
    """Have an answer judged, replaced and exported with the settings of the page; return it."""
    for variable, value in settings_of(name, address).items():
        monkeypatch.setenv(variable, value)
    model = ScriptedUpstream(lambda _: Said((CHINESE,)))
    async with model.running(), running_proxy(folder, model) as proxy:
        body = chat_body(QUESTION, [{"section_content": SOURCE}])
        reply = await proxy.chat(body, **headers)
        assert reply.headers["x-guard-action"] == "replace"
        return str(reply.json()["choices"][0]["message"]["content"])


async def test_langfuse_gets_what_it_reads(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sent(collector.address, tmp_path, monkeypatch, "LANGFUSE")

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
    await sent(collector.address, tmp_path, monkeypatch, "PHOENIX")

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
    await sent(collector.address, tmp_path, monkeypatch, "PHOENIX")

    for text in (QUESTION, SOURCE, CHINESE):
        assert all(text.encode() not in raw for raw in collector.raw)


@pytest.mark.integrations
async def test_phoenix_itself_shows_the_request_within_the_apps_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    known = {"PATH": os.defpath, "HOME": str(tmp_path), "PHOENIX_WORKING_DIR": str(tmp_path)}
    known |= {"PHOENIX_HOST": "127.0.0.1", "PHOENIX_PORT": str(port)}
    known |= {"PHOENIX_GRPC_PORT": str(free_port()), "PHOENIX_TELEMETRY_ENABLED": "false"}
    phoenix = Launched([program("phoenix"), "serve"], tmp_path, known)
    address = f"http://127.0.0.1:{port}"
    [line] = [block for block in blocks(PAGE, "sh") if "CAPTURE" in block]
    monkeypatch.setenv(*line.removeprefix("export ").strip().split("="))
    try:
        await asyncio.to_thread(phoenix.wait_ready, port, "/healthz", READY_WITHIN_S)
        headers = {"traceparent": f"00-{APP}-{SPAN}-01"}
        answer = await sent(address, tmp_path, monkeypatch, "PHOENIX", **headers)
        shown = await asyncio.to_thread(shown_by_phoenix, address)
    finally:
        phoenix.stop()

    assert {span["context"]["trace_id"] for span in shown} == {APP}
    [whole] = [span for span in shown if span["name"] == "POST /v1/chat/completions"]
    assert whole["parent_id"] == SPAN
    about = whole["attributes"]
    assert about["guard.action"] == "replace"
    assert about["guard.reasons"] == ["korean_only.han"]
    assert about["output.value"] == answer
    assert all(span["parent_id"] == whole["context"]["span_id"] for span in shown if span != whole)
    calls = [span["attributes"] for span in shown if span["span_kind"] == "LLM"]
    assert len(calls) == 2
    for call in calls:
        assert call["llm.model_name"] == "scripted-ko"
        assert call["llm.token_count.prompt"] > 0
        assert call["llm.token_count.completion"] > 0
        assert (call["input.value"], call["output.value"]) == (QUESTION, CHINESE)
    found = [span["attributes"] for span in shown if span["span_kind"] == "GUARDRAIL"]
    assert sum(one.get("guard.findings") == ["korean_only.han"] for one in found) == 2


def shown_by_phoenix(address: str) -> list[Any]:
    """Ask Phoenix for its spans with the command of the page, until all of them are there."""
    [command] = [block for block in blocks(PAGE, "sh") if block.startswith("curl")]
    known = {"PATH": os.defpath, "PHOENIX_HOST": address, "no_proxy": "*"}
    until = time.monotonic() + DEADLINE_S
    shown: list[Any] = []
    while len(shown) < SPANS:
        assert time.monotonic() < until, shown
        done = subprocess.run(["sh", "-c", command], env=known, capture_output=True, check=True)
        if done.stdout.startswith(b"{"):  # before the first span there is no such project
            shown = json.loads(done.stdout)["data"]
    return shown
